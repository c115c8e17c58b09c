"""Methods for ratings against slow, plain code, and on crowds of every odd sort."""

import numpy as np
import pytest
from scipy import optimize
from scipy.stats import chi2

from crowdwise import (
    BI,
    P913,
    AutoRatings,
    EmpiricalBayes,
    Huber,
    InputError,
    Mean,
    Median,
    Ratings,
    TrimmedMean,
    ZScore,
    simulate,
)
from crowdwise.engine.rating_sums import RaterLines, bind_ratings
from crowdwise.fit.checks.small import small_ratings
from crowdwise.fit.method import Watch
from crowdwise.methods import make, names
from crowdwise.methods.ratings.copies import find_copies
from crowdwise.methods.ratings.rater_fit import RaterFit


def error(result, made):
    return float(np.sqrt(np.mean((result.estimate.mean - made.truth) ** 2)))


# -- equations --------------------------------------------------------------------------------------------------------


def items_by_loops(ratings, lines, wild=np.inf):
    """Means (about mu) and variances of the items, and how much each rating counts, one rating at a time."""
    x, v, counts = np.zeros(ratings.n_items), np.zeros(ratings.n_items), np.ones(ratings.n_votes)

    def off(n, i):
        j = ratings.annotator[n]
        z = np.sqrt(lines.precision[j]) * abs(ratings.value[n] - lines.mu - lines.bias[j] - lines.gain[j] * x[i])
        return min(1.0, wild / z) ** 2

    for i in range(ratings.n_items):
        own = np.flatnonzero(ratings.item == i)
        for turn in range(4 if wild < np.inf else 1):
            if turn:
                counts[own] = [off(n, i) for n in own]
            precision, pull = 1.0 / lines.spread, 0.0
            for n in own:
                j = ratings.annotator[n]
                b, g, lam = lines.bias[j], lines.gain[j], lines.precision[j] * counts[n]
                precision += lam * lines.square[j]
                pull += lam * (g * (ratings.value[n] - lines.mu - b) - lines.together[j])
            x[i], v[i] = pull / precision, 1.0 / precision
        if wild < np.inf:
            counts[own] = [off(n, i) for n in own]
    return x, v, counts


def test_a_step_of_empirical_bayes_is_its_equations():
    """Three steps, written as loops over items, annotators and their ratings."""
    ratings, method = small_ratings(1), EmpiricalBayes()
    fit = RaterFit([bind_ratings(ratings, "numpy")])
    for _ in range(3):
        old, lam = fit.lines, fit.precision
        before, priors = (fit.of_bias, fit.of_gain), (fit.shape, fit.rate)
        x, v, _ = items_by_loops(ratings, old)
        mean, cover, precision = [], [], []
        for j in range(ratings.n_annotators):
            a, c = np.diag([1.0 / before[0], 1.0 / before[1]]), np.array([0.0, 1.0 / before[1]])
            own = np.flatnonzero(ratings.annotator == j)
            for n in own:
                m, s = x[ratings.item[n]], v[ratings.item[n]]
                a = a + lam[j] * np.array([[1.0, m], [m, m**2 + s]])
                c = c + lam[j] * (ratings.value[n] - old.mu) * np.array([1.0, m])
            cover.append(np.linalg.inv(a))
            mean.append(cover[-1] @ c)
            total = 0.0
            for n in own:  # E (z - b - g x)^2, all of it uncertain
                m, s = x[ratings.item[n]], v[ratings.item[n]]
                second = np.array([[1.0, m], [m, m**2 + s]])
                z = ratings.value[n] - old.mu
                both = cover[-1] + np.outer(mean[-1], mean[-1])
                total += z**2 - 2.0 * z * mean[-1] @ np.array([1.0, m]) + (both * second).sum()
            precision.append((priors[0] + own.size / 2.0) / (priors[1] + total / 2.0))
        fit.step(method, 1)
        shift = x.mean()
        np.testing.assert_allclose(fit.mu, old.mu + shift, rtol=1e-12)
        np.testing.assert_allclose(fit.gain, [one[1] for one in mean], rtol=1e-9)
        np.testing.assert_allclose(fit.bias, [b + (g - 1.0) * shift for b, g in mean], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            fit.together, [one[0, 1] + one[1, 1] * shift for one in cover], rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(fit.precision, precision, rtol=1e-9)
        np.testing.assert_allclose(fit.spread, ((x - shift) ** 2 + v).mean(), rtol=1e-9)


@pytest.mark.parametrize("engine", ["numpy", "numba:1", "numba:2"])
@pytest.mark.parametrize("wild", [np.inf, 1.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_sweep_is_its_sums(engine, wild, weighted):
    """Items, and the sums over ratings by annotator, on every engine."""
    ratings, rng = small_ratings(2), np.random.default_rng(0)
    ratings = ratings.with_weight(rng.integers(1, 3, ratings.n_votes) if weighted else None)
    n = ratings.n_annotators
    drawn = [rng.uniform(low, high, n) for low, high in ((-0.5, 0.5), (0.5, 1.2), (0.5, 3.0), (1.0, 1.5), (-0.1, 0.1))]
    lines = RaterLines(*drawn, mu=3.0, spread=1.2)
    each = ratings.with_weight(None).take(np.repeat(np.arange(ratings.n_votes), weighted * (ratings._weight() > 1) + 1))
    x, v, counts = items_by_loops(each, lines, wild)
    mean, variance, sums = bind_ratings(ratings, engine).sweep(lines, wild)
    np.testing.assert_allclose((mean, variance), (x, v), rtol=1e-12, atol=1e-14)
    z, m = each.value - lines.mu, x[each.item]
    for found, column in zip(sums, (1.0, m, m**2 + v[each.item], z, z * m, z**2), strict=False):
        np.testing.assert_allclose(found, np.bincount(each.annotator, counts * column, n), rtol=1e-11, atol=1e-12)
    assert sums[6:] == pytest.approx((x.size, x.sum(), (x**2 + v).sum()))


@pytest.mark.parametrize("seed", [11, 12])
def test_who_rates_most_and_does_not_look_has_no_say_in_the_scale(seed):
    """Six spammers give half of all ratings: values keep their distances, and are far better than the mean."""
    made, rng = simulate.ratings(n_items=150, n_annotators=25, per_item=6, seed=seed), np.random.default_rng(seed)
    votes = made.ratings
    item, who = np.repeat(np.arange(150), 6), np.tile(np.arange(25, 31), 150)
    more = Ratings.from_columns(
        [*votes.items[votes.item], *votes.items[item]], [*votes.annotators[votes.annotator], *who],
        [*votes.value, *rng.choice(votes.value, 900)],
    )  # fmt: skip
    place = [votes.items.tolist().index(name) for name in more.items.tolist()]
    truth = made.truth[place]

    def off(name):
        return float(np.sqrt(((make(name).fit(more).estimate.mean - truth) ** 2).mean()))

    assert off("auto-ratings") < 0.7 * off("mean")
    found = make("auto-ratings").fit(more).estimate.mean
    assert 0.7 < np.polyfit(truth, found, 1)[0] < 1.1


def test_parts_are_the_whole():
    """Ratings cut into ten parts, items whole, go the same way."""
    made = simulate.ratings(n_items=200, n_annotators=15, per_item=4, wild=0.03, flippers=2, seed=3)
    ratings, method = made.ratings, AutoRatings()
    parts = [ratings.take(ratings.item % 10 == k) for k in range(10)]
    whole, _, steps = method.climb([bind_ratings(ratings)], Watch(None))
    cut, _, others = method.climb([bind_ratings(part) for part in parts], Watch(None))
    assert steps == others
    np.testing.assert_allclose(cut.gain, whole.gain, rtol=1e-9)
    np.testing.assert_allclose(cut.precision, whole.precision, rtol=1e-9)


def test_huber_is_the_least_loss():
    value = np.array([1.0, 1.2, 0.9, 1.1, 6.0])
    ratings = Ratings.from_columns(["a"] * 5, list("vwxyz"), value)
    scale = 1.345 * 1.4826 * np.sort(np.abs(value - np.median(value)))[2]

    def loss(t):
        off = np.abs(value - t)
        return np.where(off <= scale, off**2 / 2.0, scale * off - scale**2 / 2.0).sum()

    best = optimize.minimize_scalar(loss, bounds=(0, 7), method="bounded", options={"xatol": 1e-10}).x
    assert Huber(max_iter=500).fit(ratings).estimate.mean[0] == pytest.approx(best, abs=1e-6)


def test_median_and_trimmed_mean_by_hand():
    rng = np.random.default_rng(0)
    item, value = np.repeat(np.arange(12), np.arange(1, 13)), rng.normal(size=78)
    ratings = Ratings.from_columns(item, rng.permutation(78), value)
    median = [np.median(value[item == i]) for i in range(12)]
    np.testing.assert_allclose(Median().fit(ratings).estimate.mean, median)
    ten = np.sort(value[item == 9])
    assert TrimmedMean(trim=0.2).fit(ratings).estimate.mean[9] == pytest.approx(ten[2:8].mean())
    assert TrimmedMean(trim=0.25).fit(ratings).estimate.mean[9] == pytest.approx(
        (ten[3:7].sum() + ten[[2, 7]].sum() / 2) / 5
    )


def test_bi_is_its_messages():
    """Messages between items and annotators by loops, on a grid of variances."""
    ratings = small_ratings(3)
    keep = ratings.item < 9
    ratings = ratings.take(keep).subset(items=ratings.items[:9])
    method = BI(max_iter=2)
    result = method.fit(ratings)
    value, item, who = ratings.value, ratings.item, ratings.annotator
    means = np.array([value[item == i].mean() for i in range(9)])
    unit = ((value - means[item]) ** 2).mean()
    mu, spread = result.params["whole"]
    grid, lam = unit * 2.0 ** np.arange(-4, 4), np.full(value.size, 1.0 / unit)
    for _ in range(2):
        log = np.zeros((value.size, 8))
        for n in range(value.size):
            others = (item == item[n]) & (np.arange(value.size) != n)
            p = 1.0 / spread + lam[others].sum()
            m = (mu / spread + (lam * value)[others].sum()) / p
            log[n] = -0.5 * (np.log(1.0 / p + grid) + (value[n] - m) ** 2 / (1.0 / p + grid))
        new = np.empty(value.size)
        for n in range(value.size):
            total = log[(who == who[n]) & (np.arange(value.size) != n)].sum(axis=0)
            chance = np.exp(total - total.max())
            new[n] = chance @ (1.0 / grid) / chance.sum()
        lam = (lam + new) / 2.0
    total = np.array([log[who == j].sum(axis=0) for j in range(ratings.n_annotators)])
    chance = np.exp(total - total.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        result.params["rater_spread"] ** -2, chance @ (1.0 / grid) / chance.sum(axis=1), rtol=1e-9
    )


def test_p913_is_a_fixed_point():
    ratings = small_ratings(4)
    result = P913(max_iter=2000).fit(ratings)
    bias, value = result.params["rater_bias"], result.estimate.mean
    n = np.bincount(ratings.annotator, minlength=ratings.n_annotators)
    own = np.bincount(ratings.annotator, ratings.value - value[ratings.item], n.size) / n
    np.testing.assert_allclose(bias, own - (n * own).sum() / n.sum(), atol=1e-6)
    assert abs((n * bias).sum()) < 1e-9


# -- crowds of every odd sort -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "odd", [{}, {"flippers": 5}, {"constant": 5}, {"spammers": 6}, {"wild": 0.05}, {"copies": 5}], ids=str
)
def test_auto_is_not_worse_than_the_mean(odd):
    gain = []
    for seed in range(4):
        made = simulate.ratings(n_items=200, n_annotators=24, per_item=5, seed=seed, **odd)
        gain.append(error(Mean().fit(made.ratings), made) - error(AutoRatings().fit(made.ratings), made))
    assert min(gain) > (0.0 if odd else -0.02) and np.mean(gain) > 0.02


@pytest.mark.parametrize(("n_items", "n_annotators"), [(200, 30), (200, 10)])
def test_intervals_hold_what_they_say(n_items, n_annotators):
    held = []
    for seed in range(25):
        made = simulate.ratings(n_items=n_items, n_annotators=n_annotators, per_item=5, seed=seed)
        low, high = AutoRatings().fit(made.ratings).estimate.interval(0.9)
        held.append(((low <= made.truth) & (made.truth <= high)).mean())
    assert 0.86 < np.mean(held) < 0.93


def test_gold_fixes_what_all_share():
    made = simulate.ratings(n_items=200, n_annotators=20, per_item=5, seed=0)
    skewed = made.ratings.derive(value=2.0 + 0.5 * made.ratings.value)
    plain = AutoRatings().fit(skewed)
    told = AutoRatings().fit(skewed, gold=dict(enumerate(made.truth[:40].tolist())))
    assert error(told, made) < 0.4 * error(plain, made)
    assert (told.estimate.mean[:40] == made.truth[:40]).all() and (told.estimate.sd[:40] == 0.0).all()


def test_who_reverses_or_copies_is_told():
    made = simulate.ratings(n_items=300, n_annotators=20, per_item=8, flippers=2, seed=1)
    notes = AutoRatings().fit(made.ratings).notes
    assert any("use the scale the other way round: 18, 19" in note for note in notes)
    made = simulate.ratings(n_items=300, n_annotators=20, per_item=8, copies=3, seed=1)
    assert np.flatnonzero(find_copies(made.ratings) >= 0).tolist() == [0, 17, 18, 19]
    assert any("4 annotators copy each other (0, 17, 18, 19)" in note for note in AutoRatings().fit(made.ratings).notes)


@pytest.mark.filterwarnings("ignore:every rating is")
@pytest.mark.parametrize("name", names("ratings"))
def test_odd_crowds_have_an_answer(name):
    """One rating, one annotator, all alike, one item, an item without ratings."""
    for ratings in (
        Ratings.from_columns(["a"], ["x"], [3.0]),
        Ratings.from_columns(["a", "b", "c"], ["x"] * 3, [1.0, 2.0, 3.0]),
        Ratings.from_columns(["a", "a", "b", "b"], ["x", "y"] * 2, [2.0] * 4),
        Ratings.from_columns(["a"] * 3, list("xyz"), [1.0, 2.0, 9.0], items=["b"]),
    ):
        mean = make(name).fit(ratings).estimate.mean
        low, high = ratings.value.min(), ratings.value.max()
        assert np.isfinite(mean).all() and (mean >= low - 2.0).all() and (mean <= high + 2.0).all(), name


def test_bad_ratings_are_one_sentence():
    with pytest.raises(InputError, match="value"):
        Ratings.from_columns(["a", "b"], ["x", "x"], [1.0, np.nan])
    with pytest.raises(InputError, match="has no starting point"):
        ZScore().fit(small_ratings(), start="soft")


def test_ratings_that_meet_no_other_are_not_sure():
    alone = AutoRatings().fit(Ratings.from_columns(["a", "b", "c"], ["x", "y", "z"], [1.0, 2.0, 6.0]))
    assert (alone.estimate.sd >= np.std([1.0, 2.0, 6.0])).all()
    assert alone.notes[-1].startswith("no item was rated twice")
    assert np.isnan(AutoRatings().fit(Ratings.from_columns(["a"], ["x"], [1.5])).estimate.sd).all()


@pytest.mark.parametrize("name", ["lfc-n", "crh-values", "catd-values"])
def test_values_and_weights_in_turn_are_their_equations(name):
    """Raykar et al. 2010, Li et al. 2014 (CRH, CATD), rating by rating, three rounds."""
    made = simulate.ratings(n_items=15, n_annotators=6, per_item=4, spammers=1, seed=3).ratings
    told = list(zip(made.item.tolist(), made.annotator.tolist(), made.value.tolist(), strict=True))
    own = {i: [y for item, _, y in told if item == i] for i in range(made.n_items)}
    by = {j: [(i, y) for i, who, y in told if who == j] for j in range(made.n_annotators)}
    value = {i: float(np.mean(ratings)) for i, ratings in own.items()}
    spread = {i: float(np.std(ratings)) if name == "crh-values" else 1.0 for i, ratings in own.items()}
    for _ in range(3):
        loss = {j: sum((y - value[i]) ** 2 / spread[i] for i, y in ratings) for j, ratings in by.items()}
        if name == "lfc-n":
            usual = sum(loss.values()) / len(told)
            weight = {j: 1.0 / ((loss[j] + usual) / (len(by[j]) + 1.0)) for j in by}
        elif name == "crh-values":
            rate = {j: loss[j] / len(by[j]) for j in by}
            weight = {j: -np.log(rate[j] / sum(rate.values())) for j in by}
        else:
            weight = {j: chi2.ppf(0.025, len(by[j])) / loss[j] for j in by}
        above, below = dict.fromkeys(own, 0.0), dict.fromkeys(own, 0.0)
        for i, j, y in told:
            above[i] += weight[j] * y
            below[i] += weight[j]
        value = {i: above[i] / below[i] for i in own}
    found = make(name, max_iter=3).fit(made)
    assert found.estimate.main == pytest.approx(np.array(list(value.values())), rel=1e-9)
    mean = np.mean(list(weight.values()))
    assert found.params["worth"] == pytest.approx(np.array([weight[j] / mean for j in by]), rel=1e-9)
