"""Label sets, similarities, groupings, graphs, texts, boxes and masks: slow code, traps, and what cannot be."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from crowdwise import (
    IBCC,
    Boxes,
    Crowd,
    DawidSkene,
    Groupings,
    InputError,
    JointLabels,
    LabelSets,
    LinkedGroups,
    MaskOverlap,
    Masks,
    MaskVote,
    MedianBox,
    OneCoin,
    OverlapBox,
    OwnGroups,
    PerLabel,
    Rover,
    SameGroups,
    Similarities,
    Staple,
    TextMedoid,
    Texts,
    WeightedMedoid,
    settle,
    simulate,
)  # fmt: skip
from crowdwise.engine import bind
from crowdwise.engine.text_sums import words_of
from crowdwise.methods import make
from crowdwise.votes.masks import pixels_of, runs_of


def whole(made, method):
    found = method.fit(made.sets).to_table()
    return (found["labels"] == made.truth).mean()


def test_label_sets_are_answers_to_each_label():
    made = simulate.label_sets(n_items=300, n_annotators=15, per_item=5, spammers=3, seed=1)
    assert whole(made, PerLabel()) > whole(made, PerLabel(of="majority-vote"))
    assert whole(made, JointLabels()) > whole(made, PerLabel(of="majority-vote"))
    trace = np.array(JointLabels(max_iter=40).fit(made.sets).trace)
    assert (np.diff(trace) > -1e-7 * np.abs(trace[1:])).all()
    own = Crowd.from_columns(
        np.repeat(np.arange(2), 3), [0, 1, 2] * 2, ["yes", "yes", "no", "no", "no", "yes"], classes=["no", "yes"]
    )
    sets = LabelSets.from_columns(np.repeat(np.arange(2), 3), [0, 1, 2] * 2, ["x", "x", "", "", "", "x"])
    assert (sets.label == own.label).all() and sets.classes.tolist() == own.classes.tolist()


def test_what_was_not_on_offer_is_no_no():
    made = LabelSets.from_columns(["a", "b"], ["x", "x"], ["p", "q"], offered=["p|q", "q"])
    assert made.items.tolist() == ["a:p", "a:q", "b:q"]
    with pytest.raises(InputError, match="row 0: label 'p' was not on offer"):
        LabelSets.from_columns(["a"], ["x"], ["p"], offered=["q"])
    with pytest.raises(InputError, match="nobody ticked a label"):
        LabelSets.from_columns(["a"], ["x"], [""])
    assert (
        settle(LabelSets.from_columns(["a", "a"], ["x", "y"], [["p"], []], options=["p", "q"]))
        .to_table()["labels"]
        .size
        == 1
    )


def test_clusters_are_found_whoever_asks():
    made = simulate.similarities(n_items=90, n_annotators=12, n_votes=4000, n_clusters=5, spammers=3, seed=2)
    for method in (SameGroups(), SameGroups(clusters=5)):
        found = method.fit(made.similarities)
        assert adjusted_rand_score(made.truth, found.estimate.cluster) > 0.9
    sees = found.params["sees_same"] + found.params["sees_different"]
    honest = found.annotators.astype(int) < 9
    assert sees[honest].min() > sees[~honest].max()  # coins are told
    swapped = Similarities.from_columns(
        *(made.similarities.to_table()[name] for name in ("right", "left", "annotator", "same")), items=range(90)
    )
    again = SameGroups(clusters=5).fit(swapped).estimate.cluster
    assert adjusted_rand_score(again, found.estimate.cluster) == 1.0


def test_mean_field_is_its_equation():
    made = simulate.similarities(n_items=12, n_annotators=3, n_votes=60, n_clusters=2, seed=0).similarities
    found = SameGroups(clusters=2, max_iter=500).fit(made)
    share = np.where(
        found.estimate.cluster[:, None] == [1, 2],
        found.estimate.confidence[:, None],
        1 - found.estimate.confidence[:, None],
    )
    a, b = found.params["sees_same"], found.params["sees_different"]
    log = np.tile(np.log((share.sum(axis=0) + 1.0) / 14.0), (12, 1))
    for one, other, who, same in zip(made.item, made.other, made.annotator, made.same_said, strict=True):
        pull = np.log(a[who] / (1 - b[who])) if same else np.log((1 - a[who]) / b[who])
        log[one] += pull * share[other]
        log[other] += pull * share[one]
    again = np.exp(log - log.max(axis=1, keepdims=True))
    assert np.abs(again / again.sum(axis=1, keepdims=True) - share).max() < 1e-3


def test_duplicates_are_linked():
    rng = np.random.default_rng(0)
    entity = np.repeat(np.arange(60), 2)
    left, right = np.arange(0, 120, 2), np.arange(1, 120, 2)
    far = rng.integers(120, size=(2, 200))
    far = far[:, entity[far[0]] != entity[far[1]]]
    pairs = np.concatenate([np.stack([left, right]), far], axis=1)
    said = np.concatenate([np.ones(60, bool), np.zeros(far.shape[1], bool)])
    rows = [
        (a, b, who, bool(same) != (rng.random() < 0.1))
        for (a, b), same in zip(pairs.T, said, strict=True)
        for who in range(5)
    ]
    made = Similarities.from_columns(*map(list, zip(*rows, strict=True)), items=range(120))
    found = LinkedGroups().fit(made).estimate.cluster
    assert adjusted_rand_score(entity, found) > 0.85
    with pytest.raises(InputError, match="item 'a' is paired with itself"):
        Similarities.from_columns(["a"], ["a"], ["x"], ["yes"])
    with pytest.raises(InputError, match="'maybe' is neither yes nor no"):
        Similarities.from_columns(["a"], ["b"], ["x"], ["maybe"])
    assert Similarities.from_triplets(["a"], ["b"], ["c"], ["x"]).weight.tolist() == [0.5, 0.5]


def test_piles_have_names_of_their_own():
    rng = np.random.default_rng(0)
    truth = np.arange(150) % 4
    rows = []
    for who in range(10):
        names = rng.permutation(4)
        for item in range(150):
            rows.append((item, who, f"{who}-{names[truth[item] if rng.random() < 0.8 else rng.integers(4)]}"))
    made = Groupings.from_columns(*map(list, zip(*rows, strict=True)))
    result = OwnGroups().fit(made)
    assert adjusted_rand_score(truth, result.estimate.cluster) > 0.9
    assert (np.diff(result.trace) > -1e-6 * np.abs(result.trace[-1])).all()


def test_graph_is_a_potts_prior():
    made = simulate.crowd(simulate.one_coin(6, 2, 0.7), n_items=6, per_item=2, seed=0)
    crowd = made.crowd.with_graph([0, 1, 2], [1, 2, 3])
    result = DawidSkene(structure="graph", strength=0.05, max_iter=1).fit(crowd)
    log = DawidSkene().log_likelihood(bind(crowd, "numpy"), result.params)
    log = log + np.log(result.params["prior"])
    links = crowd.graph.matrix(6).toarray()
    total = np.zeros((6, 2))
    for code in range(64):  # all labellings
        z = np.array([(code >> i) & 1 for i in range(6)])
        alike = z[:, None] == z[None]
        weight = np.exp(log[np.arange(6), z].sum() + 0.5 * 0.05 * (links * alike).sum())
        total[np.arange(6), z] += weight
    assert np.abs(result.posterior - total / total.sum(axis=1, keepdims=True)).max() < 2e-3


@pytest.mark.slow
def test_a_graph_helps_and_a_useless_one_costs_nothing():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), 75)
    made = simulate.crowd(simulate.one_coin(10, 4, 0.65), n_items=300, per_item=3, truth=truth, seed=0)
    place = np.eye(4)[truth] * 3.0 + rng.normal(size=(300, 4))
    for method in (IBCC, OneCoin):
        plain = (method().fit(made.crowd).labels == truth).mean()
        near = method(structure="graph").fit(made.crowd.with_neighbours(place, 8))
        assert (near.labels == truth).mean() > plain + 0.15 and near.params["strength"][0] > 0
        useless = method(structure="graph").fit(made.crowd.with_neighbours(rng.normal(size=(300, 4)), 8))
        assert (useless.labels == truth).mean() >= plain - 0.03
    cut = made.crowd.with_graph([0, 1], [1, 2]).subset(items=[1, 2, 5])
    assert list(zip(*cut.graph, strict=True)) == [(0, 1, 1.0)]
    with pytest.raises(InputError, match="structure='graph' needs items that are linked"):
        DawidSkene(structure="graph").fit(made.crowd)
    with pytest.raises(InputError, match="item 0 is linked with itself"):
        made.crowd.with_graph([0], [0])


def slow_edits(one, other):
    table = np.zeros((len(one) + 1, len(other) + 1), int)
    table[:, 0], table[0] = np.arange(len(one) + 1), np.arange(len(other) + 1)
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            same = one[i - 1] == other[j - 1]
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (not same))
    return table[-1, -1]


def test_medoid_is_the_nearest_by_edits():
    made = simulate.texts(n_items=15, n_annotators=6, per_item=5, seed=4)
    found = TextMedoid().fit(made.texts)
    for item in range(15):
        own = [made.texts.texts[code] for code in made.texts.text[made.texts.item == item]]
        words = [words_of(text)[0] for text in own]
        far = [sum(slow_edits(a, b) / max(len(a), len(b), 1) for b in words) for a in words]
        best = {text for text, cost in zip(own, far, strict=True) if cost <= min(far) + 1e-9}
        assert found.estimate.text[item] in best


def test_rover_corrects_what_nobody_wrote_right():
    said = Texts.from_columns([1] * 3, ["a", "b", "c"], ["One cat sat here.", "the cat sat", "the bat sat here"])
    result = Rover().fit(said)
    assert result.to_table().records()[0]["text"].lower().rstrip(".") == "the cat sat here"
    assert not result.estimate.written[0] and "nobody's own" in result.notes[0]
    made = simulate.texts(n_items=200, n_annotators=10, per_item=5, spammers=2, seed=0)

    def right(method):
        return (method.fit(made.texts).estimate.text == made.truth).mean()

    assert right(Rover()) > right(WeightedMedoid()) > right(TextMedoid()) - 0.02
    empty = Texts.from_columns([1, 1, 2], ["a", "b", "a"], ["", "", "x"])
    assert Rover().fit(empty).estimate.text.tolist() == ["", "x"]


def test_boxes_of_several_objects():
    made = simulate.boxes(n_items=80, n_annotators=10, per_item=6, seed=0)
    table = MedianBox().fit(made.boxes).to_table()

    def overlap(a, b):
        wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
        both = max(wide, 0) * max(high, 0)
        return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)

    hits = sum(
        max(
            (overlap(row[1:5], other[1:5]) for other in made.truth.rows() if other[0] == row[0] and other[5] == row[5]),
            default=0,
        )
        > 0.5
        for row in table.rows()
    )
    assert hits / len(table) > 0.9 and hits / len(made.truth) > 0.85


def test_three_of_seven_boxes_far_off():
    rows = [("i", who, 10 + who % 2, 10, 30, 30, "x") for who in range(4)]
    rows += [("i", 4 + k, 70 + k, 70, 95, 95, "x") for k in range(3)]
    table = MedianBox().fit(Boxes.from_columns(*map(list, zip(*rows, strict=True)))).to_table()
    assert table["left"][0] == pytest.approx(10.5)
    mean = OverlapBox().fit(Boxes.from_columns(*map(list, zip(*rows, strict=True)))).to_table()
    assert mean["left"][0] == pytest.approx(10.5, abs=0.01)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((["i"], ["a"], [0], [0], [0], [5]), "row 0: the box has no area"),
        ((["i"], ["a"], [0], [0], [None], [5]), "row 0: a box has four sides, and one of them is empty"),
        ((["i"], ["a"], ["x"], [0], [3], [5]), "row 0, column 'left': 'x' is not a finite number"),
        ((["i"], ["a"], [np.inf], [0], [3], [5]), "row 0, column 'left': inf is not a finite number"),
    ],
)
def test_boxes_that_cannot_be(columns, message):
    with pytest.raises(InputError, match=message):
        Boxes.from_columns(*columns)


def test_staple_is_em_over_pixels():
    made = simulate.masks(n_items=1, n_annotators=5, per_item=5, size=12, seed=3)
    said = made.masks.pixels(0).astype(float)
    prior = said.mean()
    q = said.mean(axis=0)
    for _ in range(200):
        p = np.clip((said * q).sum(axis=1) / q.sum(), 1e-6, 1 - 1e-6)
        s = np.clip(((1 - said) * (1 - q)).sum(axis=1) / (1 - q).sum(), 1e-6, 1 - 1e-6)
        one = prior * np.prod(np.where(said == 1, p[:, None], 1 - p[:, None]), axis=0)
        none = (1 - prior) * np.prod(np.where(said == 1, 1 - s[:, None], s[:, None]), axis=0)
        q = one / (one + none)
    assert runs_of(q > 0.5) == Staple().fit(made.masks).estimate.runs[0]


def test_masks_far_off_are_left_out():
    made = simulate.masks(n_items=30, n_annotators=7, per_item=7, far=3, seed=0)

    def overlap(method):
        found = method.fit(made.masks).estimate.runs
        masks = [pixels_of(runs, true.size) for runs, true in zip(found, made.truth, strict=True)]
        return np.mean([(m & t.ravel()).sum() / (m | t.ravel()).sum() for m, t in zip(masks, made.truth, strict=True)])

    assert overlap(MaskOverlap()) > overlap(MaskVote()) + 0.015
    with pytest.raises(InputError, match="a mask of image 'i' is 3 x 3, and another of it is 2 x 2"):
        Masks.from_columns(["i", "i"], ["a", "b"], [2, 3], [2, 3], ["0:1", "0:1"])
    with pytest.raises(InputError, match="the runs end at pixel 9, and there are 4"):
        Masks.from_columns(["i"], ["a"], [2], [2], ["0:9"])
    with pytest.raises(InputError, match="'a:b' are no runs"):
        Masks.from_columns(["i"], ["a"], [2], [2], ["a:b"])


@pytest.mark.parametrize("seed", range(3))
def test_many_small_clusters_are_not_put_together_for_want_of_answers(seed):
    """Sixty entities of one to three records, few pairs asked about: nothing speaks against a cluster of strangers."""
    rng = np.random.default_rng(seed)
    entity = np.repeat(np.arange(60), rng.integers(1, 4, 60))
    n = entity.size
    pairs = {(i, j) for i in range(n) for j in range(i + 1, n) if entity[i] == entity[j]}
    pairs |= {(min(i, j), max(i, j)) for i, j in rng.integers(n, size=(3 * len(pairs), 2)).tolist() if i != j}
    rows = [(*pair, who) for pair in sorted(pairs) for who in rng.choice(10, 3, replace=False).tolist()]
    left, right, who = np.array(rows).T
    same = (entity[left] == entity[right]) ^ (rng.random(len(rows)) < 0.1)
    votes = Similarities.from_columns(left, right, who, np.where(same, "yes", "no"))
    found = make("same-groups").fit(votes).estimate.cluster
    assert adjusted_rand_score(entity[votes.items.astype(int)], found) > 0.6
