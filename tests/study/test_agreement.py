"""Coefficients of agreement against published examples and scikit-learn."""

import itertools
from collections import defaultdict

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from crowdwise import Crowd, simulate
from crowdwise.errors import InputError, OptionError
from crowdwise.methods.spans.span_vote import spans_said
from crowdwise.study.annotators import agreement, agreement_by, pairwise_agreement
from crowdwise.study.structured import structured_agreement
from crowdwise.study.structured.likeness import likeness


def value(table, start):
    return next(row[1] for row in table.rows() if row[0].startswith(start))


@pytest.fixture
def coders():
    """Krippendorff (2011), four coders and twelve units, some missing."""
    said = [
        "123321412***",
        "123322412 5*3".replace(" ", ""),
        "*333234225 1*".replace(" ", ""),
        "1233244125 1*".replace(" ", ""),
    ]
    matrix = [[-1 if row[unit] == "*" else int(row[unit]) for row in said] for unit in range(12)]
    return Crowd.from_matrix(matrix)


@pytest.mark.parametrize(
    ("metric", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_alpha(coders, metric, alpha):
    assert value(agreement(coders, metric=metric, draws=0), "Krippendorff") == pytest.approx(alpha, abs=5e-4)


def test_fleiss_kappa():
    """Ten subjects, fourteen raters, five categories: .210, agreement .378."""
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    matrix = [np.repeat(np.arange(5), row) for row in counts]
    table = agreement(Crowd.from_matrix(matrix), draws=0)
    assert value(table, "Fleiss") == pytest.approx(0.210, abs=5e-4)
    assert value(table, "percent") == pytest.approx(0.378, abs=5e-4)


def test_gwets_paradox():
    """118 times both say yes, 5 and 2 times one of them: kappa is below 0, AC1 is .941."""
    matrix = [[1, 1]] * 118 + [[1, 0]] * 5 + [[0, 1]] * 2
    table = agreement(Crowd.from_matrix(matrix), draws=0)
    assert value(table, "Gwet") == pytest.approx(0.9408, abs=5e-5)
    assert value(table, "Cohen") == pytest.approx(-0.0234, abs=5e-5)


def test_pairs_are_scikit_learns():
    made = simulate.crowd(simulate.dirichlet(6, 3, seed=0), n_items=80, per_item=4, seed=0)
    crowd = made.crowd
    matrix = np.full((80, 6), -1)
    matrix[crowd.item, crowd.annotator] = crowd.label
    table = pairwise_agreement(crowd)
    assert len(table) == 15 and (np.diff(table["agreement"]) >= 0).all()
    for first, second, shared, same, kappa in table.rows():
        both = (matrix[:, first] >= 0) & (matrix[:, second] >= 0)
        a, b = matrix[both, first], matrix[both, second]
        assert shared == both.sum() and same == pytest.approx((a == b).mean())
        assert kappa == pytest.approx(cohen_kappa_score(a, b))


@pytest.mark.slow
def test_intervals_hold_the_truth():
    """Two of one coin agree with chance .7: nine of ten intervals of 90 % hold it."""
    inside = []
    for seed in range(300):
        accuracy = (1.0 + np.sqrt(0.4)) / 2.0  # a^2 + (1 - a)^2 = .7
        crowd = simulate.crowd(simulate.one_coin(5, 2, accuracy), n_items=200, per_item=3, seed=seed).crowd
        table = agreement(crowd, level=0.9, draws=100, seed=seed)
        row = next(row for row in table.rows() if row[0] == "percent agreement")
        inside.append(row[2] <= 0.7 <= row[3])
    assert 0.82 <= np.mean(inside) <= 0.97


def test_agreement_does_not_know_names_or_order(coders):
    shuffled = np.random.default_rng(0).permutation(coders.n_votes)
    again = Crowd.from_columns(
        coders.items[coders.item][shuffled], [f"x{a}" for a in coders.annotator[shuffled]], coders.label[shuffled]
    )
    np.testing.assert_allclose(agreement(again, draws=0)["value"], agreement(coders, draws=0)["value"])


def test_slices():
    crowd = Crowd.from_columns(
        [1, 1, 2, 2, 3, 3, 4, 4], list("abababab"), [0, 0, 1, 1, 0, 1, 1, 0], extra={"day": [1, 1, 1, 1, 2, 2, 2, 2]}
    )
    table = agreement_by(crowd, "day", draws=0)
    percent = [(row[0], row[2]) for row in table.rows() if row[1] == "percent agreement"]
    assert percent == [(1, 1.0), (2, 0.0)]
    with pytest.raises(InputError, match="column 'week' is not among the votes' further columns: day"):
        agreement_by(crowd, "week")


def test_single_votes_say_nothing():
    table = agreement(Crowd.from_matrix([[0, -1], [-1, 1]]))
    assert np.isnan(table["value"]).all() and (table["items"] == 0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "cosine"}, "metric='cosine': for votes that name classes, choose nominal, ordinal"),
        ({"metric": "interval"}, "needs classes that are numbers"),
        ({"level": 1.5}, "level=1.5"),
    ],
)
def test_bad_options(options, message):
    crowd = Crowd.from_triples([("i", "a", "cat"), ("i", "b", "dog")])
    with pytest.raises(InputError, match=message):
        agreement(crowd, **options)


def cheapest(one, other):
    """What it costs to lay spans side by side: the least over all choices of pairs, in order, written out."""

    def pair(a, b):
        place = (abs(a[0] - b[0]) + abs(a[1] - b[1])) / (a[1] - a[0] + b[1] - b[0])
        return place**2 + (a[2] != b[2])

    return min(
        sum(pair(a, b) for a, b in zip(left, right, strict=True)) + len(one) + len(other) - 2 * n
        for n in range(min(len(one), len(other)) + 1)
        for left in itertools.combinations(one, n)
        for right in itertools.combinations(other, n)
    )


def test_spans_are_aligned_as_cheaply_as_can_be():
    made = simulate.spans(n_documents=40, n_annotators=5, per_document=3, seed=1).spans
    found = likeness(made, aligned=True)
    begin = made.order.begin
    document = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    said = spans_said(made)
    marked = defaultdict(list)
    for first, last, kind, who in zip(*said.spans, said.annotator, strict=True):
        at = begin[document[first]]
        marked[document[first], who].append((first - at, last + 1 - at, kind))
    for unit, a, b, alike in zip(found.unit, found.one, found.other, found.alike, strict=True):
        one, other = marked[unit, a], marked[unit, b]
        assert alike == pytest.approx(1.0 - cheapest(one, other) / max(len(one) + len(other), 1))
    exact, near = (structured_agreement(made, metric=metric)["agreement"][0] for metric in ("exact", "aligned"))
    assert exact < near < 1.0
    with pytest.raises(OptionError, match="only spans are aligned, and these are texts"):
        structured_agreement(simulate.texts(n_items=5, n_annotators=3, per_item=2, seed=0).texts, metric="aligned")
    with pytest.raises(OptionError, match="metric='nearly': choose exact or aligned"):
        structured_agreement(made, metric="nearly")
