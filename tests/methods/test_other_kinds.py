"""Ratings and comparisons against slow, plain code."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

from crowdwise import BradleyTerry, Comparisons, Crowd, DataWarning, DawidSkene, GaussianEM, InputError, Mean, Ratings
from crowdwise.fit.checks.small import small_comparisons, small_ratings


def test_mean_is_the_mean():
    ratings = Ratings.from_columns(["a", "a", "b", "b"], [1, 2, 1, 2], [1.0, 3.0, 2.0, 2.0], items=["c"])
    result = Mean().fit(ratings, gold={"b": 9.0})
    assert result.items.tolist() == ["c", "a", "b"] and result.estimate.mean.tolist() == [2.0, 2.0, 9.0]
    assert result.estimate.sd[1] == pytest.approx(np.sqrt(2.0 / 2.0 / 2.0)) and result.estimate.sd[2] == 0.0
    assert list(result.to_table().columns) == ["item", "value", "sd"]
    with pytest.raises(InputError, match="mean finds values, and no classes"):
        _ = result.labels
    with pytest.raises(
        InputError, match="mean takes ratings, and these votes are classes: choose a method for classes"
    ):
        Mean().fit(Crowd.from_matrix([[0, 1]]))
    with pytest.raises(InputError, match="dawid-skene takes classes, and these votes are ratings"):
        DawidSkene().fit(ratings)
    with pytest.raises(InputError, match="gold of ratings must be numbers"):
        Mean().fit(ratings, gold={"a": "high"})


def test_gaussian_evidence_is_that_of_the_joint_distribution():
    """The trace less the prior is the density of all ratings of an item at once, the item's value integrated out."""
    ratings = small_ratings(1)
    result = GaussianEM(max_iter=7, tol=-np.inf).fit(ratings)
    p, evidence = result.params, 0.0
    for item in range(ratings.n_items):
        own = ratings.item == item
        who = ratings.annotator[own]
        cover = np.diag(p["rater_spread"][who] ** 2) + p["item_spread"] ** 2
        evidence += multivariate_normal.logpdf(ratings.value[own], p["item_mean"] + p["rater_bias"][who], cover)
    method = GaussianEM()
    assert result.trace[-1] == pytest.approx(method.objective(evidence, p, {}), rel=1e-12)
    mean, _, exact = method._posterior(ratings, p, None)
    assert exact == pytest.approx(evidence, rel=1e-12)
    np.testing.assert_allclose(result.estimate.mean, mean)


def test_gaussian_em_beats_the_mean_and_knows_who_is_good():
    rng = np.random.default_rng(0)
    value, bias, spread = rng.normal(0, 1, 300), rng.normal(0, 1, 20), rng.uniform(0.1, 2.0, 20)
    item, annotator = np.repeat(np.arange(300), 5), np.concatenate([rng.permutation(20)[:5] for _ in range(300)])
    said = value[item] + bias[annotator] + spread[annotator] * rng.normal(size=item.size)
    ratings = Ratings.from_columns(item, annotator, said, annotators=range(20))
    plain, fitted = Mean().fit(ratings), GaussianEM().fit(ratings)
    error = [np.sqrt(np.mean((each.estimate.mean - value) ** 2)) for each in (plain, fitted)]
    assert error[1] < 0.6 * error[0]
    assert np.corrcoef(fitted.params["rater_spread"], spread)[0, 1] > 0.9
    low, high = fitted.estimate.interval(0.9)
    shift = np.mean(fitted.estimate.mean - value)  # a bias that all share cannot be seen
    assert 0.85 < np.mean((low - shift <= value) & (value <= high - shift)) < 0.97


def test_gaussian_history_is_yesterdays_ratings():
    ratings = small_ratings(2)
    early, late = (ratings.subset(items=some) for some in np.array_split(ratings.items, 2))
    first = GaussianEM().fit(early)
    second = GaussianEM(history=1.0).fit(late, start=first)
    trace = np.array(second.trace)
    assert (np.diff(trace) >= -1e-9 * np.abs(trace).max()).all()
    assert second.params["votes"].sum() == ratings.n_votes


def test_bradley_terry_is_the_maximum():
    said = small_comparisons(3)
    result = BradleyTerry(ridge=0.3).fit(said)

    def cost(score):
        chance = 1.0 / (1.0 + np.exp(score[said.other] - score[said.item]))
        return -(said.won * np.log(chance) + (1 - said.won) * np.log(1 - chance)).sum() + 0.15 * (score**2).sum()

    best = minimize(cost, np.zeros(said.n_items), tol=1e-12)
    np.testing.assert_allclose(result.params["score"], best.x, atol=1e-4)
    assert result.trace[-1] == pytest.approx(-best.fun, rel=1e-9)
    table = result.to_table()
    assert sorted(table["rank"].tolist()) == list(range(1, said.n_items + 1)) and "score" in table.columns
    with pytest.raises(InputError, match="bradley-terry takes no gold"):
        BradleyTerry().fit(said, gold={0: 1.0})
    with pytest.raises(InputError, match="engine 'torch': bradley-terry runs on numpy only"):
        BradleyTerry().fit(said, engine="torch")


def test_bradley_terry_recovers_the_order():
    rng = np.random.default_rng(0)
    pair = np.array([rng.permutation(8)[:2] for _ in range(2000)])
    left = rng.random(2000) < 1.0 / (1.0 + np.exp(0.7 * (pair[:, 1] - pair[:, 0])))
    said = Comparisons.from_columns(
        pair[:, 0], pair[:, 1], np.zeros(2000, int), np.where(left, "left", "right").tolist()
    )
    table = BradleyTerry().fit(said).to_table()
    assert table["item"][np.argsort(table["rank"])].tolist() == [7, 6, 5, 4, 3, 2, 1, 0]


def test_few_votes_are_not_sure():
    """One rating says nothing of its spread, and items that never met have no common scale."""
    one = Ratings.from_columns(["a"], ["x"], [3.0])
    assert np.isnan(Mean().fit(one).estimate.sd[0]) and GaussianEM().fit(one).estimate.sd[0] > 1e-4
    apart = Mean().fit(Ratings.from_columns(["a", "b"], ["x", "x"], [1.0, 3.0]))
    assert apart.estimate.sd.tolist() == [1.0, 1.0]
    said = Comparisons.from_columns(["a", "c"], ["b", "d"], ["x", "x"], ["left", "left"])
    assert "2 parts that were never compared" in BradleyTerry().fit(said).notes[0]
    assert not BradleyTerry().fit(small_comparisons()).notes


def test_gold_and_starts_of_ratings_are_checked():
    ratings = small_ratings(0)
    with pytest.raises(InputError, match="gold of item 1 is not a finite number"):
        Mean().fit(ratings, gold={1: np.inf})
    with pytest.warns(DataWarning, match="gold names 1 item without ratings, such as 999"):
        Mean().fit(ratings, gold={1: 2.0, 999: 3.0})
    with pytest.raises(InputError, match="gaussian-em starts from the ratings"):
        GaussianEM().fit(ratings, start="soft")
    silent = GaussianEM(max_iter=1).fit(Ratings.from_columns(["a", "a"], [1, 2], [100.0, 101.0], items=["b"]))
    assert silent.params["item_mean"] == pytest.approx(100.5)
    days = [Ratings.from_columns(["a", "b"], who, [1.0, 2.0]) for who in (["x", "y"], ["x", "x"])]
    kept = GaussianEM(history=1.0).fit(days[1], start=GaussianEM().fit(days[0]))
    assert dict(zip(kept.annotators, kept.params["votes"], strict=True)) == {"x": 3.0, "y": 1.0}
