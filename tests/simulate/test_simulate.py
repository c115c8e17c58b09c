import numpy as np
import pytest

from crowdwise import InputError, graphs, simulate


def joint(made):
    """Counts of (annotator, true, given) as shares: the confusion matrices that the votes show."""
    crowd = made.crowd
    counts = np.zeros((crowd.n_annotators, crowd.n_classes, crowd.n_classes))
    np.add.at(counts, (crowd.annotator, made.truth[crowd.item], crowd.label), 1.0)
    return counts / counts.sum(axis=2, keepdims=True)


@pytest.mark.parametrize(
    "people",
    [
        simulate.one_coin(3, 3, [0.9, 0.5, 0.2]),
        simulate.two_coin(2, 0.9, [0.6, 0.7]),
        simulate.beta(3, 4, seed=1),
        simulate.dirichlet(3, 4, seed=1),
        simulate.hammer_spammer(4, 3, seed=1),
        simulate.spammers(2, 3),
        simulate.pairwise_flippers(2, 4),
        simulate.class_experts(3, 3),
        simulate.class_biased(3, 3),
        simulate.one_class(3, 3),
        simulate.adversaries(2, 3),
    ],
)
def test_votes_follow_the_confusion_matrices(people):
    made = simulate.crowd(people, n_items=6000, graph="dense", seed=5)
    np.testing.assert_allclose(joint(made), made.confusion, atol=0.05)


def test_populations_are_what_their_names_say():
    assert np.einsum("jkk->jk", simulate.class_experts(4, 3, 0.9, 0.3).confusion).argmax(axis=1).tolist() == [
        0,
        1,
        2,
        0,
    ]
    assert simulate.one_class(2, 2).confusion.tolist() == [[[1, 0], [1, 0]], [[0, 1], [0, 1]]]
    assert simulate.adversaries(1, 3, 1.0).confusion[0].tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert simulate.pairwise_flippers(1, 3, 0.4).confusion[0, 2].tolist() == [0.4, 0.0, 0.6]
    flat = simulate.dirichlet(4000, 3, 2.0, 1.0).confusion
    np.testing.assert_allclose(np.einsum("jkk->k", flat) / 4000, 0.5, atol=0.02)


def agreement(made, a, b):
    table = np.full((made.crowd.n_items, made.crowd.n_annotators), -1)
    table[made.crowd.item, made.crowd.annotator] = made.crowd.label
    both = (table[:, a] >= 0) & (table[:, b] >= 0)
    return (table[both, a] == table[both, b]).mean()


def test_followers_follow():
    juniors = simulate.crowd(simulate.copying_juniors(3, 4, follow=1.0), n_items=500, graph="dense")
    assert agreement(juniors, 0, 1) == agreement(juniors, 1, 3) == 1.0
    plot = simulate.crowd(
        simulate.one_coin(2, 3, 0.8) + simulate.colluders(3, 3, p_corr=0.9), n_items=4000, graph="dense"
    )
    assert plot.crowd.n_annotators == 5 and plot.kind.tolist() == ["one-coin"] * 2 + ["colluder"] * 3
    assert agreement(plot, 2, 3) > 0.8 and agreement(plot, 0, 2) < 0.4
    accuracy = (plot.crowd.label == plot.truth[plot.crowd.item])[plot.crowd.annotator == 3].mean()
    assert accuracy == pytest.approx(0.1 * 0.7, abs=0.02)
    group = simulate.crowd(simulate.correlated_group(3, 2, 0.7, follow=0.8), n_items=4000, graph="dense")
    assert agreement(group, 0, 1) > 0.8


def test_a_junior_copies_whether_or_not_the_senior_votes():
    people = simulate.copying_juniors(4, 5)
    everyone = simulate.crowd(people, n_items=200, graph="dense", seed=1)
    opinion = dict(
        zip(
            everyone.crowd.item[everyone.crowd.annotator == 0],
            everyone.crowd.label[everyone.crowd.annotator == 0],
            strict=True,
        )
    )
    few = simulate.crowd(people, truth=everyone.truth, per_item=2, seed=1).crowd
    assert all(opinion[i] == label for i, label in zip(few.item.tolist(), few.label.tolist(), strict=True))


def test_graphs():
    rng = np.random.default_rng(0)
    item, annotator = graphs.regular_graph(1000, 750, 3, rng)
    assert (np.bincount(item) == 3).all() and (np.bincount(annotator) == 4).all()
    for graph in ("random", "power-law", "regular"):
        for n, m, r in ((500, 40, 5), (300, 6, 5)):
            if graph == "regular" and n * r % m:
                continue
            item, annotator = graphs.GRAPHS[graph](n, m, r, rng)
            assert len(set(zip(item.tolist(), annotator.tolist(), strict=True))) == n * r
    busy = np.bincount(graphs.power_law_graph(5000, 100, 3, rng)[1])
    assert busy[0] > 10 * busy[-1]
    with pytest.raises(InputError, match="cannot be shared evenly"):
        graphs.regular_graph(10, 7, 3, rng)
    with pytest.raises(InputError, match="per_item=9"):
        graphs.random_graph(10, 7, 9, rng)


def test_extreme_spammers_label_everything():
    made = simulate.crowd(simulate.one_coin(10, 3) + simulate.spammers(1, 3, everything=True), n_items=50, per_item=2)
    assert np.bincount(made.crowd.annotator)[10] == 50 and made.crowd.n_votes == 150


def test_difficulty_and_class_prior():
    made = simulate.crowd(simulate.one_coin(5, 2, 1.0), n_items=4000, difficulty=0.5, class_prior=[0.9, 0.1], seed=2)
    right = made.crowd.label == made.truth[made.crowd.item]
    assert right.mean() == pytest.approx(0.75, abs=0.02) and (made.truth == 0).mean() == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize("people", [simulate.colluders(3, 3), simulate.copying_juniors(3, 3, follow=0.7)])
def test_confusions_are_those_that_votes_show(people):
    made = simulate.crowd(people, n_items=8000, graph="dense", difficulty=0.3, seed=5)
    np.testing.assert_allclose(joint(made), made.confusion, atol=0.05)


def test_seeds_and_errors():
    people = simulate.parse("one-coin=5,junior=2,colluder=3", 3)
    a, b, c = (simulate.crowd(people, n_items=50, per_item=3, seed=s).crowd for s in (1, 1, 2))
    assert (a.label == b.label).all() and (a.label != c.label).any()
    for text, message in (("wizard=3", "'wizard' is unknown"), ("spammer", "write spammer=5"), ("spammer=-1", "write")):
        with pytest.raises(InputError, match=message):
            simulate.parse(text, 3)
    with pytest.raises(InputError, match="cannot be joined"):
        simulate.one_coin(1, 2) + simulate.one_coin(1, 3)
    for options, message in (
        ({"truth": [0, 3]}, "truth must hold class codes"),
        ({"n_items": 5, "difficulty": 2.0}, "difficulty must lie between 0 and 1"),
        ({"n_items": 5, "class_prior": [1.0]}, "3 shares are needed"),
    ):
        with pytest.raises(InputError, match=message):
            simulate.crowd(people, **options)
    with pytest.raises(InputError, match="the chance to follow"):
        simulate.colluders(3, 3, p_corr=2.0)
    with pytest.raises(InputError, match="graph='star'"):
        simulate.crowd(people, n_items=5, graph="star")
