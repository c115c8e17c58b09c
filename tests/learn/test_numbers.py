"""Networks learned from ratings, comparisons and preferences: losses and rounds by hand, and who is found out."""

import numpy as np
import pytest
import torch
from sklearn.base import clone
from torch.nn.functional import logsigmoid

from crowdwise import Comparisons, InputError, Ratings
from crowdwise.engine.comparison_sums import Answers, People
from crowdwise.engine.rating_sums import RaterLines, bind_ratings
from crowdwise.errors import OptionError
from crowdwise.learn import CrowdRanker, CrowdRegressor, CrowdReward
from crowdwise.learn.numbers import preference_losses as losses


@pytest.fixture(scope="module")
def rated():
    """Items on a plane, two ratings each, by six people: two exact, one biased, one of half the gain, two careless."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)).astype(np.float32)
    truth = X @ np.array([1.0, -2.0, 0.5, 0.0])
    item, who = np.repeat(np.arange(400), 2), rng.integers(6, size=800)
    gain, bias = np.array([1, 1, 1, 0.5, 1, 1.0]), np.array([0, 0, 1.5, 0, 0, 0.0])
    noise = np.array([0.2, 0.2, 0.2, 0.2, 3.0, 3.0])
    value = gain[who] * truth[item] + bias[who] + noise[who] * rng.normal(size=800)
    return X, truth, Ratings.from_columns(item, who, value)


def linear(**options):
    return {"network": "linear", "rate": 0.02, **options}


@pytest.mark.slow
def test_every_model_of_ratings_learns_who_is_exact(rated):
    X, truth, ratings = rated
    plain = CrowdRegressor(model="raykar", rounds=1, **linear()).fit(X, ratings).score(X, truth)
    for model in ("eb", "raykar", "crowd-layer-s", "crowd-layer-b", "crowd-layer-sb"):
        learned = CrowdRegressor(model=model, **linear()).fit(X, ratings)
        people = {row["annotator"]: row for row in learned.annotators().records()}
        assert learned.score(X, truth) > 0.93, model
        assert min(people[4]["spread"], people[5]["spread"]) > 2 * max(people[j]["spread"] for j in (0, 1)), model
        if model in ("eb", "crowd-layer-sb"):
            assert people[3]["gain"] + 0.2 < people[0]["gain"], model
            assert people[2]["bias"] - people[0]["bias"] == pytest.approx(1.5, abs=0.3), model
    best = CrowdRegressor(**linear()).fit(X, ratings)
    assert best.score(X, truth) >= plain - 0.005
    seen = best.infer(X, ratings)
    z = (seen.mean - truth) / seen.sd
    assert np.mean(np.abs(z) < 1.645) > 0.8
    assert np.sqrt(np.mean((seen.mean - truth) ** 2)) < np.sqrt(np.mean((best.predict(X) - truth) ** 2)) + 0.05


def test_precisions_are_raykars(rated):
    """1 / lambda_j is the mean squared error about the regression, with two ratings of the usual error as a prior."""
    X, _, ratings = rated
    model = CrowdRegressor(model="raykar", folds=1, rounds=1, epochs=20, standardise=False, **linear())
    model.fit(X, ratings)
    said = (model.networks_.all()[0] * model.scale_) + model.shift_
    squared = [[] for _ in range(6)]
    for i, j, y in zip(ratings.item, ratings.annotator, ratings.value, strict=True):
        squared[j].append((y - said[i]) ** 2)
    usual = np.mean(np.concatenate(squared))
    for j, found in enumerate(model.scale_**2 / model.lines_.precision):
        assert found == pytest.approx((2 * usual + sum(squared[j])) / (2 + len(squared[j])), rel=1e-4)


def test_an_item_is_seen_by_network_and_ratings():
    """A sweep with items' own priors: the Gaussian posterior, item by item."""
    rng = np.random.default_rng(1)
    ratings = Ratings.from_columns(np.repeat(np.arange(5), 3), np.tile(np.arange(3), 5), rng.normal(size=15))
    ops = bind_ratings(ratings)
    ops.believed = rng.normal(size=5)
    bias, gain, exact = rng.normal(size=3), 1 + 0.2 * rng.normal(size=3), np.array([1.0, 2.0, 4.0])
    lines = RaterLines(bias, gain, exact, gain**2, np.zeros(3), 0.3, 0.7)
    x, variance, _ = ops.sweep(lines)
    for i in range(5):
        precision, total = 1 / 0.7, (ops.believed[i] - 0.3) / 0.7
        for k, j, y in zip(ratings.item, ratings.annotator, ratings.value, strict=True):
            if k == i:
                precision += exact[j] * gain[j] ** 2
                total += exact[j] * gain[j] * (y - 0.3 - bias[j])
        assert x[i] == pytest.approx(total / precision, rel=1e-10)
        assert variance[i] == pytest.approx(1 / precision, rel=1e-10)


def test_comparisons_are_heard_through_annotators():
    """The wins of a pair are the chance that its answers are meant so: one annotator who lies, one who sees."""
    said = Comparisons.from_columns(["a", "a"], ["b", "b"], ["sees", "lies"], ["left", "left"])
    answers = Answers(said)
    honest = np.where(said.annotators == "sees", 0.9, 0.2)
    people = People(honest, np.zeros(2), np.full(2, 0.5))
    gap = 0.4 if said.items[answers.left[0]] == "a" else -0.4
    pairs, _, _ = answers.hear(np.array([gap]), people)
    wins = 0.0
    for h in (0.9, 0.2):
        s = 1 / (1 + np.exp(-0.4))
        wins += h * s / (h * s + (1 - h) * (1 - s))
    assert float(pairs.wins[0] if gap > 0 else pairs.losses[0]) == pytest.approx(wins, rel=1e-9)


@pytest.mark.slow
def test_a_ranker_hears_those_who_see():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)).astype(np.float32)
    score = 2 * X @ np.array([2.0, -1.0, 0.0])
    left, right, who = rng.integers(100, size=900), rng.integers(100, 200, size=900), rng.integers(9, size=900)
    won = rng.random(900) < 1 / (1 + np.exp(score[right] - score[left]))
    won = np.where(who < 3, ~won, won)  # three of nine say the opposite
    said = Comparisons.from_columns(left, right, who, np.where(won, "left", "right"))
    found = {m: CrowdRanker(model=m, epochs=30, **linear()).fit(X, said) for m in ("crowd-bt", "bradley-terry")}
    fit = {m: np.corrcoef(model.predict(X), score)[0, 1] for m, model in found.items()}
    assert fit["crowd-bt"] > max(0.97, fit["bradley-terry"])
    assert set(found["crowd-bt"].annotators()["annotator"][:3].tolist()) == {0, 1, 2}
    assert found["crowd-bt"].predict_proba(X[:5], X[:5]) == pytest.approx(np.full(5, 0.5))
    coins = CrowdRanker(model="noisy-bt", epochs=30, **linear()).fit(X, said)
    assert coins.annotators()["reliability"].min() < 0.5


def test_losses_are_as_their_papers_have_them():
    rng = np.random.default_rng(0)
    w, lost, rw, rl = (torch.tensor(rng.normal(size=6)) for _ in range(4))
    z, e = 0.1 * ((w - lost) - (rw - rl)), torch.tensor(rng.uniform(0.05, 0.4, 6))
    assert torch.allclose(losses.dpo_margin(w, lost, rw, rl, 0.1), z)
    each = [
        (losses.dpo(z), [-np.log(1 / (1 + np.exp(-x))) for x in z.numpy()]),
        (losses.cdpo(z, e), [-(1 - f) * sigma(x) - f * sigma(-x) for x, f in zip(z.numpy(), e.numpy(), strict=True)]),
        (losses.robust_dpo(z, e), [(-(1 - f) * sigma(x) + f * sigma(-x)) / (1 - 2 * f)
                                   for x, f in zip(z.numpy(), e.numpy(), strict=True)]),
        (losses.ipo(z / 0.1, 0.1), [(x / 0.1 - 5.0) ** 2 for x in z.numpy()]),
    ]  # fmt: skip
    for found, wanted in each:
        assert float(found) == pytest.approx(np.mean(wanted), rel=1e-9)
    # Robust DPO is unbiased: a pair turned round with chance e has the loss of the pair itself, in the mean.
    turned = (1 - e) * per_pair(z, e) + e * per_pair(-z, e)
    assert torch.allclose(turned, -logsigmoid(z))


def sigma(x):
    return np.log(1 / (1 + np.exp(-x)))


def per_pair(z, e):
    return torch.stack([losses.robust_dpo(one[None], flip[None]) for one, flip in zip(z, e, strict=True)])


def test_flip_rates_are_a_step_of_em():
    rng = np.random.default_rng(2)
    z, who, before = rng.normal(size=20), rng.integers(3, size=20), np.array([0.1, 0.3, 0.6])
    wrong, n = np.ones(3), np.zeros(3)
    for x, j in zip(z, who, strict=True):
        s = 1 / (1 + np.exp(-x))
        q = (1 - before[j]) * s / ((1 - before[j]) * s + before[j] * (1 - s))
        wrong[j] += 1 - q
        n[j] += 1
    found = losses.flip_rates(torch.tensor(z), torch.tensor(before), torch.tensor(who))
    assert found.numpy() == pytest.approx(wrong / (6 + n), rel=1e-9)
    # The loss with q held fixed has the gradient of the likelihood of the flips.
    margin, rate = torch.tensor(z, requires_grad=True), torch.tensor(before[who])
    (slope,) = torch.autograd.grad(losses.crowd_dpo(margin, rate), margin)
    seen = torch.sigmoid(margin)
    (exact,) = torch.autograd.grad(-torch.log((1 - rate) * seen + rate * (1 - seen)).mean(), margin)
    assert torch.allclose(slope, exact)


def test_a_mixture_by_hand():
    margins = torch.tensor([[1.0, -2.0, 0.5], [-1.0, 2.0, 0.3]])
    who, common = torch.tensor([0, 0, 1]), torch.tensor([0.3, 0.7])
    shares, now = losses.mixture_shares(margins, who, common)
    for j, own in ((0, [0, 1]), (1, [2])):
        weight = [c * np.exp(sum(sigma(float(margins[k, n])) for n in own)) for k, c in enumerate((0.3, 0.7))]
        assert shares[j].numpy() == pytest.approx(np.array(weight) / sum(weight), rel=1e-5)
    assert now.numpy() == pytest.approx(shares.mean(0).numpy())
    hand = -np.mean([sum(float(shares[who[n], k]) * sigma(float(margins[k, n])) for k in range(2)) for n in range(3)])
    assert float(losses.mixture(margins, who, shares)) == pytest.approx(hand, rel=1e-5)
    assert losses.worst(margins).tolist() == pytest.approx([-1.0, -2.0, 0.3])


@pytest.fixture(scope="module")
def preferred():
    """Pairs with one answer each, 30 % of thirty annotators flip; features of both answers, and the true reward."""
    rng = np.random.default_rng(0)
    w = rng.normal(size=8)
    first, second = rng.normal(size=(600, 8)), rng.normal(size=(600, 8))
    who = rng.integers(30, size=600)
    won = rng.random(600) < 1 / (1 + np.exp(-(first - second) @ w))
    won = np.where(rng.random(600) < np.where(who < 9, 0.9, 0.05), ~won, won)[:, None]
    return np.where(won, first, second), np.where(won, second, first), who, w


@pytest.mark.slow
def test_rewards_with_flippers(preferred):
    """One answer a pair is enough to find out who flips, where features say who contradicts the others."""
    chosen, rejected, who, w = preferred
    fresh = np.random.default_rng(1).normal(size=(2, 1000, 8))
    right = {}
    for loss in ("crowd", "dpo", "cdpo", "robust", "ipo"):
        model = CrowdReward(loss=loss, epochs=30, **linear()).fit(chosen, rejected, who)
        gap = model.predict(fresh[0]) - model.predict(fresh[1])
        right[loss] = np.mean((gap > 0) == ((fresh[0] - fresh[1]) @ w > 0))
    assert right["crowd"] > max(right[loss] for loss in ("dpo", "cdpo", "robust", "ipo")) + 0.03
    table = CrowdReward(epochs=30, **linear()).fit(chosen, rejected, who).annotators()
    assert set(table["annotator"][:9].tolist()) == set(range(9))
    assert (table["low"] <= table["flips"]).all() and (table["flips"] <= table["high"]).all()


def test_groups_who_want_different_things():
    rng = np.random.default_rng(0)
    wanted = np.array([[2.0, 0, 0], [0, 2.0, 0]])
    who = rng.integers(10, size=800)
    first, second = rng.normal(size=(800, 3)), rng.normal(size=(800, 3))
    gap = ((first - second) * wanted[(who >= 5).astype(int)]).sum(1)
    won = (rng.random(800) < 1 / (1 + np.exp(-2 * gap)))[:, None]
    model = CrowdReward(loss="mixture", epochs=30, **linear())
    model.fit(np.where(won, first, second), np.where(won, second, first), who)
    group = np.argmax(model.shares_, axis=1)[np.argsort(model.annotators_)]
    assert len(set(group[:5])) == len(set(group[5:])) == 1 and group[0] != group[9]
    both, one = np.array([[1.0, 1.0, 0]]), np.array([[2.5, -1.0, 0]])
    assert model.worst(both) > model.worst(one)


def test_what_does_not_fit_is_said_in_a_sentence(rated):
    X, _, ratings = rated
    with pytest.raises(InputError, match="399 items name 400 rows"):
        CrowdRegressor().fit(X, ratings, items=np.arange(399))
    with pytest.raises(InputError, match="two rows of X have the same item name"):
        CrowdRegressor().fit(X, ratings, items=np.zeros(400, int))
    with pytest.raises(InputError, match="no item of the ratings is a row of X"):
        CrowdRegressor().fit(X, ratings, items=np.arange(400) + 1000)
    with pytest.raises(InputError, match=r"ratings of shape \(3, 2\) for 400 rows"):
        CrowdRegressor().fit(X, np.zeros((3, 2)))
    with pytest.raises(OptionError, match="model"):
        CrowdRegressor(model="none").fit(X, ratings)
    with pytest.raises(InputError, match="call fit first"):
        CrowdRanker().predict(X)
    with pytest.raises(InputError, match="no comparison is of two rows"):
        CrowdRanker().fit(X, Comparisons.from_columns(["a"], ["b"], ["c"], ["left"]))
    with pytest.raises(InputError, match="4 chosen and 3 rejected answers for 4 annotators"):
        CrowdReward().fit(np.zeros((4, 2)), np.zeros((3, 2)), ["a", "b", "c", "d"])
    with pytest.raises(InputError, match=r"smoothing must be below 0\.5"):
        CrowdReward(loss="robust", smoothing=0.5).fit(np.zeros((2, 2)), np.ones((2, 2)), ["a", "b"])


def test_options_as_scikit_learn_has_them():
    for model in (CrowdRegressor(rounds=3), CrowdRanker(epochs=7), CrowdReward(loss="ipo")):
        assert clone(model).get_params() == model.get_params()
