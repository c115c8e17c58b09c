"""Spans: tags and spans there and back, chains by enumeration, BSC-seq by slow code, decoding by all spans."""

import warnings
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.special import digamma

from crowdwise import (
    BSCSeq,
    DawidSkene,
    InputError,
    Sequences,
    SpanVote,
    TagCoin,
    TokenVote,
    ValidPaths,
    settle,
    simulate,
)
from crowdwise.engine import bind
from crowdwise.methods import make
from crowdwise.methods.spans.tagging import best_expected, candidates, log_follows
from crowdwise.votes.chained import Order
from crowdwise.votes.sequences import Tokens
from crowdwise.votes.tags import Spans, as_bio

NAMES = ("bsc-seq", "hmm-crowd", "tag-coin", "valid-paths", "span-vote", "token-vote")


def small(words=True, seed=0):
    made = simulate.spans(n_documents=3, n_annotators=4, per_document=3, n_tokens=4, density=0.4, seed=seed).spans
    return made if words else made.derive(item_extra={k: v for k, v in made.item_extra.items() if k != "token"},
                                          items=made.items, keyed_by=made.keyed_by)  # fmt: skip


def f1(found, truth):
    found = {row[:4] for row in found.estimate.spans().rows()}
    truth = set(truth.rows())
    return 2 * len(found & truth) / (len(found) + len(truth))


def test_spans_become_tags_and_tags_spans():
    made = Sequences.from_spans(
        ["d", "d", "d", "e"], ["ann", "ann", "bob", "ann"], [0, 9, None, None], [8, 12, None, None],
        ["PER", "LOC", None, None],
        tokens=Tokens(["d"] * 3 + ["e"], [0, 5, 9, 0], [4, 8, 12, 3], ["Ada", "Lee", "Rome", "x"]),
    )  # fmt: skip
    said = {
        (who, item): label
        for item, who, label in zip(*(made.to_table()[c] for c in ("item", "annotator", "label")), strict=True)
    }
    assert said == {
        ("ann", "d:0"): "B-PER", ("ann", "d:1"): "I-PER", ("ann", "d:2"): "B-LOC",
        ("bob", "d:0"): "O", ("bob", "d:1"): "O", ("bob", "d:2"): "O", ("ann", "e:0"): "O",
    }  # fmt: skip
    assert made.item_extra["token"].tolist() == ["Ada", "Lee", "Rome", "x"]
    found = TokenVote().fit(made.subset(annotators=["ann"]))
    assert list(found.to_table().rows()) == [("d", 0, 8, "PER", 1.0), ("d", 9, 12, "LOC", 1.0)]


def test_pieces_of_text_are_tokens_where_none_are_known():
    made = Sequences.from_spans(["d"] * 2, ["a", "b"], [5, 7], [12, 12], ["X", "X"])
    assert list(zip(made.item_extra["begin"].tolist(), made.item_extra["end"].tolist(), strict=True)) == [
        (0, 5),
        (5, 7),
        (7, 12),
    ]
    assert list(SpanVote(least=0.4).fit(made).to_table().rows()) == [("d", 5, 12, "X", 0.5)]


def test_overlapping_spans_of_other_labels_are_layers():
    made = Sequences.from_spans(
        ["d"] * 4, ["a", "a", "b", "b"], [0, 0, 0, 0], [9, 3, 9, 3], ["ORG", "LOC", "ORG", "LOC"]
    )
    assert made.keyed_by == ("document", "layer", "position")
    found = settle(made).to_table()
    assert list(zip(found["begin"], found["end"], found["label"], strict=True)) == [(0, 3, "LOC"), (0, 9, "ORG")]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([1], ["a"], [3], [3], ["X"]), "row 0: a span ends after it begins, and not before 0: begin 3 and end 3"),
        (([1], ["a"], [3], [None], ["X"]), "row 0: a span has a begin and an end, and one of them is empty"),
        (([1], ["a"], ["x"], [4], ["X"]), "row 0, column 'begin': 'x' is not a whole number"),
        (([1], ["a"], [1], [4], [""]), "row 0, column 'label': the cell is empty"),
        (([1], ["a"], [1], [4], ["O"]), "row 0: O is the tag of what is not marked"),
        (
            ([1, 1], ["a", "a"], [1, 2], [4, 5], ["X", "X"]),
            "row 1: annotator 'a' marked overlapping spans of label 'X'",
        ),
    ],
)
def test_spans_that_cannot_be(columns, message):
    with pytest.raises(InputError, match=message):
        Sequences.from_spans(*columns)


def test_tags_that_cannot_be():
    with pytest.raises(InputError, match="annotator 'a' tagged position 0 of document 'd' twice"):
        Sequences.from_tags(["d", "d"], [0, 0], ["a", "a"], ["O", "B-X"])
    with pytest.raises(InputError, match="row 0: document 'd' ends at 4, and the span at 60"):
        Sequences.from_spans(["d"], ["a"], [2], [60], ["X"], tokens=Tokens(["d"], [0], [4]))
    with pytest.raises(InputError, match="document 'd' has no token between 4 and 5"):
        Sequences.from_spans(["d"], ["a"], [4], [5], ["X"], tokens=Tokens(["d", "d"], [0, 6], [4, 8]))
    with pytest.raises(InputError, match="row 0: there is a label, and no begin and end"):
        Sequences.from_spans(["d"], ["a"], [None], [None], ["X"])
    with pytest.raises(InputError, match="there are no tokens of document 'd'"):
        Sequences.from_spans(["d"], ["a"], [0], [4], ["X"], tokens=Tokens(["e"], [0], [4]))
    assert as_bio(["B-A", "M-A", "E-A", "S-B", "O"]) == ["B-A", "I-A", "I-A", "B-B", "O"]


def test_tags_before_are_those_of_the_same_annotator():
    made = Sequences.from_tags(["d"] * 5 + ["e"], [0, 1, 2, 0, 2, 0], ["a", "a", "a", "b", "b", "a"],
                               ["B-X", "I-X", "O", "O", "B-X", "O"])  # fmt: skip
    before = {
        (who, item): code
        for item, who, code in zip(made.items[made.item], made.annotators[made.annotator], made.before, strict=True)
    }
    assert before == {
        ("a", "d:0"): 0,
        ("a", "d:1"): 1,
        ("a", "d:2"): 2,
        ("b", "d:0"): 0,
        ("b", "d:2"): 0,
        ("a", "e:0"): 0,
    }


def slow_step(votes, posterior, begins, moves, method):
    """One step of BSC-seq as in Simpson and Gurevych: Dirichlet rows, then forward and backward by all paths."""
    n, tags = votes.n_classes, votes.tags
    counts = np.zeros((votes.n_annotators, n, n, n))
    for vote in range(votes.n_votes):
        for k in range(n):
            counts[votes.annotator[vote], k, votes.before[vote], votes.label[vote]] += posterior[votes.item[vote], k]
    prior = np.where(tags.follows[None, :-1], method.rest + method.diagonal * np.eye(n)[:, None, :], 1e-6)
    votes_ = counts + prior
    log_rows = digamma(votes_) - digamma(votes_.sum(axis=3, keepdims=True))
    words, code = np.unique(votes.item_extra["token"].astype(str), return_inverse=True)
    seen = np.zeros((n, words.size))
    for item in range(votes.n_items):
        seen[:, code[item]] += method.words * posterior[item]
    seen += method.word_pseudo
    log_words = digamma(seen) - digamma(seen.sum(axis=1, keepdims=True))
    evidence = np.zeros((votes.n_items, n))
    for vote in range(votes.n_votes):
        evidence[votes.item[vote]] += log_rows[votes.annotator[vote], :, votes.before[vote], votes.label[vote]]
    evidence += method.words * log_words[:, code].T
    start = np.where(tags.follows[-1], begins, 0) + np.where(tags.follows[-1], method.chain_pseudo, 1e-6)
    step = np.where(tags.follows[:-1], moves, 0) + np.where(tags.follows[:-1], method.chain_pseudo, 1e-6)
    log_start = digamma(start) - digamma(start.sum())
    log_step = digamma(step) - digamma(step.sum(axis=1, keepdims=True))
    new = np.zeros_like(posterior)
    order, begin = votes.order
    for low, high in pairwise(begin):
        tokens = order[low:high]
        weights = {}
        for path in product(range(n), repeat=len(tokens)):
            log = log_start[path[0]] + evidence[tokens[0], path[0]]
            for t in range(1, len(tokens)):
                log += log_step[path[t - 1], path[t]] + evidence[tokens[t], path[t]]
            weights[path] = log
        top = max(weights.values())
        total = sum(np.exp(log - top) for log in weights.values())
        for path, log in weights.items():
            for t, k in enumerate(path):
                new[tokens[t], k] += np.exp(log - top) / total
    return new


def test_bsc_seq_is_its_equations():
    votes, method = small(), BSCSeq(max_iter=1)
    ops = bind(votes, "numpy")
    start = method.first_sums([type("Part", (), {"ops": ops, "known": None})], None, 0)
    shares = ops.item_votes() / ops.item_votes().sum(axis=1, keepdims=True)
    expected = slow_step(votes, shares, start["begins"], start["moves"], method)
    assert np.abs(method.fit(votes, engine="numpy").posterior - expected).max() < 1e-8


def test_tag_coin_is_its_equations():
    """One step from vote shares, by all paths of each document."""
    votes = small(words=False)
    method, n, follows = TagCoin(max_iter=2, tol=-1.0), votes.n_classes, votes.tags.follows
    start = np.full((votes.n_items, n), 0.0)
    np.add.at(start, (votes.item, votes.label), 1.0)
    start /= start.sum(axis=1, keepdims=True)
    first = make("tag-coin", max_iter=1, tol=-1.0).fit(votes, start=start)
    found = method.fit(votes, start=start)
    q = np.asarray(first.posterior)
    right, met = np.zeros(votes.n_annotators), np.zeros(votes.n_annotators)
    for vote in range(votes.n_votes):
        right[votes.annotator[vote]] += q[votes.item[vote], votes.label[vote]]
        met[votes.annotator[vote]] += 1.0
    a, b = right + 2.0, met - right + 1.0
    assert found.params["accuracy"] == pytest.approx(a / (a + b), rel=1e-6)
    log_right, log_wrong = digamma(a) - digamma(a + b), digamma(b) - digamma(a + b) - np.log(n - 1)
    evidence = np.zeros((votes.n_items, n))
    for vote in range(votes.n_votes):
        j, said = votes.annotator[vote], votes.label[vote]
        evidence[votes.item[vote]] += np.where(np.arange(n) == said, log_right[j], log_wrong[j])
    rows = found.params["move_votes"]
    move = digamma(rows) - digamma(rows.sum(axis=1, keepdims=True))
    begin = digamma(found.params["begin_votes"]) - digamma(found.params["begin_votes"].sum())
    for low, high in pairwise(votes.order.begin.tolist()):
        at = votes.order.order[low:high]
        chance = np.zeros((high - low, n))
        for path in product(range(n), repeat=high - low):
            log = begin[path[0]] + sum(evidence[i, k] for i, k in zip(at, path, strict=True))
            log += sum(move[k, after] for k, after in pairwise(path))
            for t, k in enumerate(path):
                chance[t, k] += np.exp(log)
        assert found.posterior[at] == pytest.approx(chance / chance.sum(axis=1, keepdims=True), abs=1e-6)
    assert follows.shape[0] == n + 1


def test_spans_chances_are_those_of_all_paths():
    votes = small(words=False)
    rng = np.random.default_rng(0)
    evidence = rng.normal(size=(votes.n_items, votes.n_classes))
    start, move = log_follows(votes.tags)
    start, move = start - 1.6, move + rng.normal(size=move.shape)
    posterior = bind(votes, "numpy").chain(*votes.order, start, move, evidence)[0]
    found, chance = candidates(votes, posterior, move, evidence)
    told = dict(zip(zip(*(column.tolist() for column in found), strict=True), chance.tolist(), strict=True))
    order, begin = votes.order
    expected = {}
    for low, high in pairwise(begin):
        tokens, paths = order[low:high], {}
        for path in product(range(votes.n_classes), repeat=len(tokens)):
            log = start[path[0]] + evidence[tokens[0], path[0]]
            log += sum(move[path[t - 1], path[t]] + evidence[tokens[t], path[t]] for t in range(1, len(tokens)))
            paths[path] = np.exp(log)
        total = sum(paths.values())
        for path, weight in paths.items():
            spans = votes.tags.spans(np.array(path), Order(np.arange(len(path)), np.array([0, len(path)])))
            for first, last, kind in zip(*spans, strict=True):
                key = (int(low + first), int(low + last), int(kind))
                expected[key] = expected.get(key, 0.0) + weight / total
    assert all(abs(told.get(key, 0.0) - value) < 0.021 for key, value in expected.items())
    assert all(told[key] == pytest.approx(expected[key], abs=1e-9) for key in told)
    assert len(told) > 10


def test_best_expected_spans_are_the_best_of_all_prefixes():
    rng = np.random.default_rng(1)
    chance = rng.random(12)
    apart = Spans(np.arange(12), np.arange(12), np.zeros(12, int))
    taken = len(best_expected(apart, chance, 12))
    scores = [2 * np.sort(chance)[::-1][:k].sum() / (k + chance.sum()) for k in range(1, 13)]
    assert taken == 1 + int(np.argmax(scores))


def test_paths_are_valid_and_methods_beat_the_vote():
    made = simulate.spans(n_documents=150, n_annotators=15, per_document=5, spammers=2, seed=3)
    scores = {name: f1(make(name).fit(made.spans), made.truth) for name in NAMES}
    assert scores["bsc-seq"] > scores["valid-paths"] > scores["token-vote"] and scores["bsc-seq"] > 0.95
    tags = made.spans.tags
    for name in ("bsc-seq", "hmm-crowd", "tag-coin", "valid-paths"):
        chosen = make(name).fit(made.spans).estimate.chosen[made.spans.order.order]
        before = np.where(made.spans.order.first, len(tags.names), np.append(len(tags.names), chosen[:-1]))
        assert tags.follows[before, chosen].all()


def test_confidence_of_spans_is_how_often_they_are_right():
    made = simulate.spans(n_documents=400, n_annotators=20, per_document=4, skill=(0.3, 0.8), seed=0)
    table, truth = BSCSeq(words=0.0).fit(made.spans).to_table(), set(made.truth.rows())
    right = np.array([row[:4] in truth for row in table.rows()])
    assert abs(right.mean() - table["confidence"].mean()) < 0.08


def test_methods_for_classes_take_tokens():
    made = simulate.spans(n_documents=30, n_annotators=8, per_document=4, seed=0)
    assert DawidSkene().fit(made.spans).to_table().columns.keys() >= {"document", "position", "label"}
    assert DawidSkene(structure="chain").fit(made.spans).converged
    with pytest.raises(InputError, match="of='rover': rover takes texts, and tags are classes"):
        ValidPaths(of="rover")


@pytest.mark.parametrize("name", NAMES)
def test_one_reader_and_nothing_marked(name):
    one = Sequences.from_spans(["d", "e"], ["a", "a"], [0, None], [4, None], ["X", None])
    table = settle(one, name).to_table()
    assert list(zip(table["document"], table["begin"], table["end"], strict=True)) == [("d", 0, 4)]
    assert table["confidence"][0] < (0.9 if name != "span-vote" else 1.1)
    nothing = Sequences.from_tags(["d", "d"], [0, 1], ["a", "a"], ["O", "O"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there is only one class
        found = settle(nothing, name)
    assert found.to_table()["label"].tolist() == ["O", "O"]
