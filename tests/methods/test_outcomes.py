"""Ties, sides, normal links, lists and streams of comparisons against slow, plain code."""

import choix
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from crowdwise import (
    BradleyTerry,
    Comparisons,
    Elo,
    GaussianOnline,
    PlackettLuce,
    Thurstone,
    simulate,
)
from crowdwise.engine import online_kernels
from crowdwise.fit.checks.small import small_comparisons
from crowdwise.methods.comparisons import outcomes
from crowdwise.methods.comparisons.plackett_luce import lists_of

SIDES = np.array(["left", "right", "tie"])


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def chances(kind, gap, tie):
    """Of left, right and a tie, as the papers have them."""
    if kind == "davidson":
        parts = np.array([np.exp(gap / 2), np.exp(-gap / 2), tie])
        return parts / parts.sum()
    left, right = sigmoid(gap - np.log(1 + tie)), sigmoid(-gap - np.log(1 + tie))
    return np.array([left, right, 1 - left - right])


def told(kind, score, side, tie, n, seed=0):
    """Comparisons drawn from a model."""
    rng = np.random.default_rng(seed)
    left = rng.integers(score.size, size=n)
    right = (left + rng.integers(1, score.size, size=n)) % score.size
    said = [rng.choice(3, p=chances(kind, score[a] - score[b] + side, tie)) for a, b in zip(left, right, strict=True)]
    return Comparisons.from_columns(left, right, np.zeros(n, int), SIDES[said], items=np.arange(score.size))


@pytest.mark.parametrize("kind", ["davidson", "rao-kupper"])
def test_ties_and_sides_are_the_likeliest(kind):
    """The scores, the tie's weight and the side's worth that a general optimiser finds for the same likelihood."""
    score = np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    votes = told(kind, score, 0.4, 0.6, 400)
    found = BradleyTerry(ties=kind, side=True, ridge=0.3).fit(votes)

    def cost(x):
        s, side, tie = x[:5], x[5], np.exp(x[6])
        terms = [np.log(chances(kind, s[a] - s[b] + side, tie)[k]) for a, b, k in
                 zip(votes.item, votes.other, votes.label, strict=True)]  # fmt: skip
        return -np.sum(terms) + 0.15 * s @ s + side**2 / 2

    best = minimize(cost, np.zeros(7), method="BFGS").x
    order = np.argsort(found.items)
    assert found.estimate.mean[order] == pytest.approx(best[:5] - best[:5].mean(), abs=2e-4)
    assert found.params["side"][0] == pytest.approx(best[5], abs=2e-4)
    assert found.params["tie"][0] == pytest.approx(np.exp(best[6]), abs=5e-4)
    large = BradleyTerry(ties=kind, side=True).fit(told(kind, score, 0.4, 0.6, 20_000, seed=1))
    assert (large.params["side"][0], large.params["tie"][0]) == pytest.approx((0.4, 0.6), abs=0.06)


def test_slopes_and_curves_are_those_of_the_likelihood():
    said = outcomes.Outcomes.of(small_comparisons(3))
    gap = np.random.default_rng(0).normal(size=said.low.size)
    for link in (outcomes.Logistic(), outcomes.Davidson(), outcomes.RaoKupper(), outcomes.Normal()):
        low, high = (link.likely(gap + step, said, 0.7) for step in (-1e-5, 1e-5))
        _, slope, curve = link.likely(gap, said, 0.7)
        np.testing.assert_allclose(slope, (high[0] - low[0]) / 2e-5, atol=1e-5)
        np.testing.assert_allclose(curve, (low[1] - high[1]) / 2e-5, atol=1e-5)


def test_half_wins_by_outcomes_are_half_wins_by_pairs():
    votes = small_comparisons(4)
    plain = BradleyTerry(ridge=0.4).fit(votes).estimate
    again = outcomes.stand(outcomes.Outcomes.of(votes), votes.n_items, outcomes.Logistic(), 0.4, sides=False)
    np.testing.assert_allclose(again.score - again.score.mean(), plain.mean, atol=1e-6)
    np.testing.assert_allclose(again.sd, plain.sd, atol=1e-6)


def test_a_side_that_always_wins_is_not_learned():
    votes = Comparisons.from_columns(list("aab") * 30, list("bcc") * 30, ["x"] * 90, ["left"] * 90)
    found = BradleyTerry(side=True).fit(votes)
    assert "side" not in found.params and any("is the winner written first?" in note for note in found.notes)


def test_thurstone_by_a_general_optimiser():
    votes = small_comparisons(5)
    found = Thurstone(ridge=0.5).fit(votes)

    def cost(s):
        gap = s[votes.item] - s[votes.other]
        return -(votes.won * norm.logcdf(gap) + (1 - votes.won) * norm.logcdf(-gap)).sum() + 0.25 * s @ s

    best = minimize(cost, np.zeros(votes.n_items), method="BFGS").x
    np.testing.assert_allclose(found.estimate.mean, best - best.mean(), atol=1e-4)
    made = simulate.comparisons(n_items=40, n_annotators=10, per_annotator=200, seed=0)
    one, other = Thurstone().fit(made.comparisons), BradleyTerry().fit(made.comparisons)
    assert np.corrcoef(one.estimate.mean, other.estimate.mean)[0, 1] > 0.999


def drawn_lists(score, n, length, rng):
    """Lists drawn place by place."""
    lists = []
    for _ in range(n):
        left, order = list(rng.choice(score.size, length, replace=False)), []
        while left:
            p = np.exp(score[left])
            order.append(left.pop(rng.choice(len(left), p=p / p.sum())))
        lists.append(order)
    return lists


@pytest.mark.slow
def test_plackett_luce_by_a_general_optimiser_and_its_spread():
    rng = np.random.default_rng(0)
    score = np.array([1.5, 0.5, 0.0, -0.5, -1.5])
    lists = drawn_lists(score, 60, 4, rng) + drawn_lists(score, 30, 2, rng)
    votes = Comparisons.from_rankings(lists, rng.integers(6, size=90), items=np.arange(5))
    found = PlackettLuce(ridge=0.3).fit(votes)

    def cost(s):
        terms = [s[order[k]] - np.log(np.exp(s[order[k:]]).sum()) for order in lists for k in range(len(order) - 1)]
        return -np.sum(terms) + 0.15 * s @ s

    best = minimize(cost, np.zeros(5), method="BFGS").x
    np.testing.assert_allclose(found.estimate.mean, best - best.mean(), atol=1e-4)
    assert sorted((one.order.shape[1], len(one.order)) for one in lists_of(votes)) == [(2, 30), (4, 60)]
    # Pairs of a list are not independent: over draws, scores spread as this model says, and more than pairs say.
    spread, said, pairs_said = [], [], []
    for seed in range(60):
        lists = drawn_lists(score, 80, 5, np.random.default_rng(seed))
        votes = Comparisons.from_rankings(lists, range(80), items=np.arange(5))
        fits = [method.fit(votes).estimate for method in (PlackettLuce(ridge=0.01), BradleyTerry(ridge=0.01))]
        spread.append(fits[0].mean)
        said.append(fits[0].sd)
        pairs_said.append(fits[1].sd)
    truly, by_lists, by_pairs = np.std(spread, axis=0).mean(), np.mean(said), np.mean(pairs_said)
    assert by_lists == pytest.approx(truly, rel=0.12) and by_pairs < 0.85 * truly


@pytest.mark.slow
def test_a_peer_finds_the_same():
    rng = np.random.default_rng(3)
    lists = drawn_lists(rng.normal(size=8), 200, 5, rng)
    votes = Comparisons.from_rankings(lists, range(200), items=range(8))
    by_lists = choix.opt_rankings(8, [tuple(one) for one in lists], tol=1e-10)
    np.testing.assert_allclose(PlackettLuce(ridge=1e-6).fit(votes).estimate.mean, by_lists - by_lists.mean(), atol=1e-3)
    pairs = list(zip(votes.items[votes.item].tolist(), votes.items[votes.other].tolist(), strict=True))
    by_pairs = choix.opt_pairwise(8, pairs, tol=1e-10)
    found = BradleyTerry(ridge=1e-6).fit(votes)
    np.testing.assert_allclose(found.estimate.mean[np.argsort(found.items)], by_pairs - by_pairs.mean(), atol=1e-3)


def test_pairs_alone_are_bradley_terry():
    votes = small_comparisons(6)
    one, other = PlackettLuce(ridge=0.3).fit(votes).estimate, BradleyTerry(ridge=0.3).fit(votes).estimate
    np.testing.assert_allclose(one.mean, other.mean, atol=1e-5)


def test_streams_by_hand():
    votes = small_comparisons(7)
    mean, variance, elo = np.zeros(votes.n_items), np.full(votes.n_items, 4.0), np.zeros(votes.n_items)
    for a, b, w in zip(votes.item, votes.other, votes.won, strict=True):
        c = np.sqrt(variance[a] + variance[b] + 2.0)
        p = sigmoid((mean[a] - mean[b]) / c)
        damp = [1 - np.sqrt(variance[k]) / c * variance[k] / c**2 * p * (1 - p) for k in (a, b)]
        mean[a], mean[b] = mean[a] + variance[a] / c * (w - p), mean[b] - variance[b] / c * (w - p)
        variance[a], variance[b] = variance[a] * damp[0], variance[b] * damp[1]
        move = 0.18 * (w - sigmoid(elo[a] - elo[b]))
        elo[a], elo[b] = elo[a] + move, elo[b] - move
    found = GaussianOnline().fit(votes).estimate
    np.testing.assert_allclose(found.mean, mean - mean.mean(), atol=1e-12)
    np.testing.assert_allclose(found.sd, np.sqrt(variance), atol=1e-12)
    np.testing.assert_allclose(Elo().fit(votes).estimate.mean, elo, atol=1e-12)


def test_streams_compiled_and_plain():
    votes = small_comparisons(8)
    for name, state in (("elo_pass", (0.2,)), ("gaussian_pass", (1.0, 1e-4, 0.01))):
        kernel, found = getattr(online_kernels, name), []
        for run in (kernel, kernel.py_func):
            arrays = [np.zeros(votes.n_items), *([np.ones(votes.n_items)] if len(state) > 1 else [])]
            run(votes.item, votes.other, votes.won, np.empty(0), *state, *arrays)
            found.append(np.concatenate(arrays))
        np.testing.assert_allclose(found[0], found[1], rtol=1e-12)
