"""Ratings and comparisons: their annotators, agreement and ranks, by hand, by simulation and by brute force."""

import itertools

import numpy as np
import pytest
from scipy.stats import kendalltau

from crowdwise import AutoComparisons, AutoRatings, BradleyTerry, Comparisons, InputError, Mean, Ratings, simulate
from crowdwise.study.numbers import (
    answers_alike,
    chance_to_win,
    next_pairs,
    rank_intervals,
    ranking_parts,
    reliability,
    verdicts,
)
from crowdwise.study.numbers.ranking import covariance
from crowdwise.study.numbers.raters import beside_the_others


def named(table, *verdict):
    return sorted(table["annotator"][np.isin(table["verdict"].astype(str), verdict)].tolist())


# -- raters -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_odd_raters_are_named_and_nobody_else(seed):
    odd = {"spammers": 2, "flippers": 2, "constant": 2, "copies": 2}
    made = simulate.ratings(n_items=600, n_annotators=24, per_item=8, seed=seed, **odd)
    table = verdicts(made.ratings, AutoRatings().fit(made.ratings))
    assert named(table, "reversed") == [18, 19] and named(table, "constant") == [20, 21]
    assert named(table, "copier") == [0, 22, 23]
    assert set(named(table, "spammer", "undecided")) == {16, 17}
    assert set(range(1, 16)) == set(named(table, "fine", "biased"))


def test_what_the_others_say_leaves_a_raters_own_word_out():
    """The mean of the other ratings, by a loop, where nothing is known of annotators."""
    made = simulate.ratings(n_items=30, n_annotators=6, per_item=3, seed=1).ratings
    beside = beside_the_others(made, Mean().fit(made))
    for n in range(made.n_votes):
        others = (made.item == made.item[n]) & (np.arange(made.n_votes) != n)
        assert beside.others[n] == pytest.approx(made.value[others].mean())


def test_a_lone_rater_is_undecided():
    alone = Ratings.from_columns([1, 2, 3, 4, 5], ["ann"] * 5, [1.0, 2.0, 3.0, 4.0, 5.0])
    table = verdicts(alone, Mean().fit(alone))
    assert table["verdict"].tolist() == ["undecided"] and "too few" in table["reason"][0]


def test_reliability_by_brute_force():
    """Krippendorff's pairs one by one, and the analysis of variance."""
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(12), rng.integers(1, 5, 12))
    value = rng.normal(size=12)[item] + 0.5 * rng.normal(size=item.size)
    said = Ratings.from_columns(item, rng.permutation(item.size), value)
    table = reliability(said, draws=0)
    lists = [value[item == i] for i in range(12) if (item == i).sum() > 1]
    n = sum(map(len, lists))
    observed = sum((a - b) ** 2 / (len(one) - 1) for one in lists for a, b in itertools.permutations(one, 2)) / n
    every = np.concatenate(lists)
    expected = sum((a - b) ** 2 for a, b in itertools.permutations(every, 2)) / (n * (n - 1))
    found = dict(zip(table["measure"].tolist(), table["value"].tolist(), strict=True))
    assert found["Krippendorff's alpha (interval)"] == pytest.approx(1.0 - observed / expected)
    k, sizes = len(lists), np.array(list(map(len, lists)))
    within = sum(((one - one.mean()) ** 2).sum() for one in lists) / (n - k)
    between = sum(len(one) * (one.mean() - every.mean()) ** 2 for one in lists) / (k - 1)
    usual = (n - (sizes**2).sum() / n) / (k - 1)
    assert found["ICC(1)"] == pytest.approx((between - within) / (between + (usual - 1) * within))
    assert found["ICC(k)"] == pytest.approx(1.0 - within / between)
    assert (table["items"] == k).all() and (table["votes"] == n).all()


def test_intervals_of_intraclass_correlations_hold_what_they_say():
    held = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        value = rng.normal(size=40)[:, None] + rng.normal(size=(40, 3))
        said = Ratings.from_columns(np.repeat(np.arange(40), 3), np.tile(np.arange(3), 40), value.ravel())
        table = reliability(said, level=0.9, draws=0)
        held.append(table["low"][1] <= 0.5 <= table["high"][1])
    assert 0.85 < np.mean(held) < 0.95


def test_agreement_of_ratings_that_never_meet_is_unknown():
    table = reliability(Ratings.from_columns([1, 2], ["a", "b"], [1.0, 2.0]))
    assert np.isnan(table["value"]).all() and (table["items"] == 0).all()
    with pytest.raises(InputError, match="whole numbers"):
        reliability(Ratings.from_columns([1, 1], ["a", "b"], [1.0, 2.0], weight=[0.5, 1.0]))


# -- people who compare -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_odd_answers_are_named_and_nobody_else(seed):
    made = simulate.comparisons(
        n_items=15, n_annotators=20, per_annotator=150, spammers=2, flippers=2, left=2, seed=seed
    )
    table = verdicts(made.comparisons, AutoComparisons().fit(made.comparisons))
    assert {16, 17} <= set(named(table, "reversed")) and named(table, "one-sided") == [18, 19]
    assert set(range(14)) <= set(named(table, "fine"))
    assert not {14, 15} <= set(named(table, "fine"))  # coins: one in twenty looks better than one


def test_an_honest_annotator_has_reliability_one():
    made = simulate.comparisons(n_items=10, n_annotators=30, per_annotator=200, seed=0)
    table = verdicts(made.comparisons, BradleyTerry().fit(made.comparisons))
    assert np.mean(table["reliability"]) == pytest.approx(1.0, abs=0.1)
    assert ((table["reliability_low"] <= 1.0) & (table["reliability_high"] >= 1.0)).mean() > 0.7


def test_answers_alike_by_brute_force():
    rng = np.random.default_rng(0)
    left, right = np.array([rng.permutation(5)[:2] for _ in range(120)]).T
    who, label = rng.integers(4, size=120), rng.choice(["left", "right", "tie"], 120)
    said = Comparisons.from_columns(left, right, who, label.tolist())
    table = answers_alike(said, draws=0)
    same = {True: [], False: []}
    for a, b in itertools.combinations(range(120), 2):
        if {left[a], right[a]} == {left[b], right[b]}:
            better = [None if label[n] == "tie" else left[n] if label[n] == "left" else right[n] for n in (a, b)]
            same[bool(who[a] == who[b])].append(better[0] == better[1])
    assert table["value"].tolist() == pytest.approx([np.mean(same[False]), np.mean(same[True])])


# -- ranks ------------------------------------------------------------------------------------------------------------


def test_rank_intervals_hold_the_ranks():
    held = []
    for seed in range(12):
        made = simulate.comparisons(n_items=15, n_annotators=10, per_annotator=60, seed=seed)
        table = rank_intervals(BradleyTerry().fit(made.comparisons), 0.9)
        true = (-made.truth).argsort().argsort() + 1
        held.append(((table["rank_low"] <= true[table["item"]]) & (true[table["item"]] <= table["rank_high"])).mean())
    assert np.mean(held) > 0.88


def test_the_chance_to_win_is_that_of_the_next_answer():
    """Predicted and simulated wins of held-out comparisons; a bet on each pair is fair."""
    right, claimed = [], []
    for seed in range(8):
        made = simulate.comparisons(n_items=8, n_annotators=6, per_annotator=20, seed=seed)
        result = BradleyTerry().fit(made.comparisons)
        for one, other in itertools.combinations(range(8), 2):
            claimed.append(chance_to_win(result, one, other)[0])
            right.append(1.0 / (1.0 + np.exp(made.truth[other] - made.truth[one])))
    claimed, right = np.array(claimed), np.array(right)
    assert claimed.mean() == pytest.approx(right.mean(), abs=0.05) and kendalltau(claimed, right)[0] > 0.6
    with pytest.raises(InputError, match="item 'z'"):
        chance_to_win(BradleyTerry().fit(Comparisons.from_columns(["a"], ["b"], ["x"], ["left"])), "a", "z")


def test_the_next_pair_is_the_most_informative_by_enumeration():
    made = simulate.comparisons(n_items=9, n_annotators=5, per_annotator=12, seed=2)
    result = BradleyTerry().fit(made.comparisons)
    both, s = covariance(result), result.estimate.mean
    told = {}
    for i, j in itertools.combinations(range(9), 2):
        p = 1.0 / (1.0 + np.exp(s[j] - s[i]))
        told[i, j] = p * (1 - p) * (both[i, i] + both[j, j] - 2 * both[i, j])
    best = max(told, key=told.get)
    table = next_pairs(result, 3)
    assert (table["left"][0], table["right"][0]) == best and table["information"][0] == pytest.approx(told[best])
    items = [*table["left"].tolist(), *table["right"].tolist()]
    assert len(set(items)) == 6


def test_asking_the_next_pair_beats_asking_at_random():
    """Forty answers more: pairs that tell most against random ones."""
    gain = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        truth = rng.normal(0, 1.5, 20)
        taus = []
        for plan in ("told", "random"):
            draw = np.random.default_rng(seed + 100)
            left, right = list(range(19)), list(range(1, 20))

            def wins(one, other, draw=draw, truth=truth):
                return draw.random() < 1 / (1 + np.exp(truth[other] - truth[one]))

            won = list(map(wins, left, right))
            for _ in range(12):
                said = Comparisons.from_columns(left, right, ["x"] * len(left), np.where(won, "left", "right").tolist())
                result = BradleyTerry(ridge=0.3).fit(said)
                if plan == "told":
                    table = next_pairs(result, 8)
                    more = list(zip(table["left"].tolist(), table["right"].tolist(), strict=True))
                else:
                    more = [tuple(draw.permutation(20)[:2].tolist()) for _ in range(8)]
                left += [one for one, _ in more]
                right += [other for _, other in more]
                won += [wins(one, other) for one, other in more]
            order = np.argsort(result.items.astype(int))
            taus.append(kendalltau(result.estimate.mean[order], truth)[0])
        gain.append(taus[0] - taus[1])
    assert np.mean(gain) > 0.0


def test_parts_are_told():
    said = Comparisons.from_columns(["a", "c", "c"], ["b", "d", "d"], ["x"] * 3, ["left", "tie", "right"])
    table = ranking_parts(said)
    assert table["part"].tolist() == [0, 0, 1, 1] and table["won"].tolist() == [1.0, 0.0, 0.5, 1.5]
