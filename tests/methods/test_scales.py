"""Ratings as steps of a scale, and as what annotators vary together in, against slow, plain code."""

import numpy as np
import pytest

from crowdwise import UPCR, CumulativeLink, DataWarning, Mean, Ratings, TooLarge, simulate
from crowdwise.methods.ratings import cumulative_link as model
from crowdwise.methods.ratings import upcr


def stars(seed=0, **odd):
    made = simulate.ratings(n_items=150, n_annotators=20, per_item=6, seed=seed, **odd)
    said = np.clip(np.round(1.5 * made.ratings.value + 3.0), 1, 5)
    return Ratings.from_columns(made.ratings.item, made.ratings.annotator, said, items=np.arange(150)), made.truth


def sigma(x):
    return 1.0 / (1.0 + np.exp(-x))


def chance(cut, shift, gain, t, k):
    upper = 1.0 if k == len(cut) else sigma(cut[k] - shift - gain * t)
    return upper - (0.0 if k == 0 else sigma(cut[k - 1] - shift - gain * t))


def log_likelihood(ratings, cut, shift, gain):
    """Of all ratings, items summed out over the grid, one at a time."""
    total, prior = 0.0, np.exp(-0.5 * model.GRID**2)
    prior /= prior.sum()
    for i in range(ratings.n_items):
        p = prior.copy()
        for n in np.flatnonzero(ratings.item == i):
            j, k = ratings.annotator[n], int(ratings.value[n]) - 1
            p *= [chance(cut, shift[j], gain[j], t, k) for t in model.GRID]
        total += np.log(p.sum())
    return total


def test_chances_and_the_posterior_are_those_of_the_model():
    ratings, _ = stars()
    few = ratings.subset(items=ratings.items[:4])
    result = CumulativeLink().fit(few)
    cut, shift, gain = (result.params[name] for name in ("threshold", "rater_bias", "gain"))
    for i in range(4):
        p = np.exp(-0.5 * model.GRID**2)
        for n in np.flatnonzero(few.item == i):
            k = np.searchsorted(result.params["edge"], few.value[n])
            p *= [chance(cut, shift[few.annotator[n]], gain[few.annotator[n]], t, k) for t in model.GRID]
        usual = [sum(chance(cut, 0.0, result.params["usual_gain"][0], t, k) * step
                     for k, step in enumerate(result.params["step"])) for t in model.GRID]  # fmt: skip
        assert result.estimate.mean[i] == pytest.approx(p @ usual / p.sum(), rel=1e-8)


def test_a_fit_is_a_peak_of_the_likelihood():
    """No threshold, shift or gain can be moved to gain more than its prior asks for."""
    ratings, _ = stars(seed=1)
    ratings = ratings.subset(items=ratings.items[:60])
    p = CumulativeLink().fit(ratings).params
    cut, shift, gain, usual = p["threshold"], p["rater_bias"], p["gain"], p["usual_gain"][0]
    of_shift = max(float((shift**2).mean()), model.LEAST)
    best = log_likelihood(ratings, cut, shift, gain)
    for k in range(len(cut)):
        for step in (-0.1, 0.1):
            moved = cut.copy()
            moved[k] += step
            assert log_likelihood(ratings, moved, shift, gain) < best + 0.02
    for j in (0, 7):
        for step in (-0.3, 0.3):
            moved = shift.copy()
            moved[j] += step
            pull = (shift[j] ** 2 - moved[j] ** 2) / (2 * of_shift)
            assert log_likelihood(ratings, cut, moved, gain) + pull < best + 0.02
            moved = gain.copy()
            moved[j] += step
            pull = ((gain[j] - usual) ** 2 - (moved[j] - usual) ** 2) / (2 * model.LEAST)
            assert log_likelihood(ratings, cut, shift, moved) + min(pull, 0.0) < best + 0.02


def test_who_reverses_and_who_does_not_look():
    ratings, truth = stars(flippers=3, constant=2)
    result = CumulativeLink().fit(ratings)
    gain = result.params["gain"][np.argsort(result.annotators)]
    assert (gain[15:18] < 0.0).all() and (np.abs(gain[18:]) < 0.5).all() and (gain[:15] > 0.5).all()
    by_mean = np.corrcoef(Mean().fit(ratings).estimate.mean, truth)[0, 1]
    assert np.corrcoef(result.estimate.mean, truth)[0, 1] > by_mean + 0.03
    assert ((result.estimate.mean >= 1.0) & (result.estimate.mean <= 5.0)).all()


def test_gold_and_fine_scales():
    ratings, _ = stars()
    told = CumulativeLink().fit(ratings, gold={3: 4.5})
    at = int(np.flatnonzero(told.items == 3)[0])
    assert told.estimate.mean[at] == 4.5 and told.estimate.sd[at] == 0.0
    made = simulate.ratings(n_items=200, n_annotators=20, per_item=5, seed=0)
    fine = CumulativeLink().fit(made.ratings)
    assert fine.params["step"].size == model.STEPS
    assert np.corrcoef(fine.estimate.mean, made.truth)[0, 1] > 0.9
    constant = Ratings.from_columns([0, 0, 1], ["a", "b", "a"], [2.0, 2.0, 2.0])
    with pytest.warns(DataWarning, match="every rating is 2: nothing tells one item from another"):
        found = CumulativeLink().fit(constant)
    assert found.estimate.mean == pytest.approx([2.0, 2.0])


def test_u_pcr_is_the_papers_where_everybody_rated_everything():
    rng = np.random.default_rng(0)
    truth, spread = rng.normal(size=300), np.array([0.3, 0.3, 0.5, 1.5, 3.0])
    matrix = truth[:, None] + spread * rng.normal(size=(300, 5))
    item, who = np.repeat(np.arange(300), 5), np.tile(np.arange(5), 300)
    result = UPCR().fit(Ratings.from_columns(item, who, matrix.ravel()))
    z = matrix - matrix.mean(axis=0)
    covariance = z.T @ z / 300
    values, vectors = np.linalg.eigh(covariance)
    v = vectors[:, -1] * np.sign(vectors[:, -1].sum())
    between = (covariance.sum() - np.trace(covariance)) / 20
    said = matrix.mean() + np.sqrt(between / values[-1]) * z @ v
    np.testing.assert_allclose(result.estimate.mean, said, atol=1e-9)


def test_u_pcr_with_gaps():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=600)
    spread = np.array([0.3, 0.3, 0.4, 0.4, 0.5, 0.6])
    matrix = truth[:, None] * np.array([1, 1, 1, -1, 1, 1.0]) + spread * rng.normal(size=(600, 6))
    row, who = np.nonzero(rng.random((600, 6)) < 0.7)
    result = UPCR().fit(Ratings.from_columns(row, who, matrix[row, who], items=np.arange(600)))
    direction = result.params["direction"][np.argsort(result.annotators)]
    assert direction[3] < 0.0 and (np.delete(direction, 3) > 0.0).all()
    assert np.corrcoef(result.estimate.mean, truth)[0, 1] > 0.93
    apart = Ratings.from_columns([0, 1, 2], ["a", "b", "c"], [1.0, 2.0, 4.0])
    assert np.isfinite(UPCR().fit(apart).estimate.mean).all()


def test_u_pcr_refuses_crowds_that_are_too_large(monkeypatch):
    monkeypatch.setattr(upcr, "MOST", 3)
    with pytest.raises(TooLarge, match="is for 3 annotators at most, not 20"):
        UPCR().fit(stars()[0])
