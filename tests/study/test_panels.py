"""Panels: intervals that hold, payments that cannot be had by not looking, shares that foresee held-out people."""

import os
from pathlib import Path

import numpy as np
import pytest

from crowdwise import Crowd, DawidSkene, InputError, simulate
from crowdwise.errors import OptionError
from crowdwise.io import read_labels, read_votes
from crowdwise.study.panels import (
    correlated_agreement,
    cross_entropy,
    determinant_information,
    jensen_shannon,
    judged_mean,
    labels_to_validate,
    payments,
    soft_labels,
    surprisingly_popular,
)  # fmt: skip

DATA = os.environ.get("CROWDWISE_DATA")


@pytest.mark.parametrize("n", [25, 50, 100, 200])
def test_intervals_hold_and_are_no_wider_than_without_the_judge(n):
    rng, held, width, alone = np.random.default_rng(n), [], [], []
    for _ in range(400):
        truth = (rng.random(n + 1000) < 0.6).astype(float)
        judge = np.where(rng.random(n + 1000) < 0.85, truth, 0.0)  # wrong in one direction
        found = judged_mean(truth[:n], judge[:n], judge[n:])
        held.append(found.low <= 0.6 <= found.high)
        width.append(found.high - found.low)
        alone.append(2 * 1.645 * truth[:n].std(ddof=1) / np.sqrt(n))
    assert 0.86 <= np.mean(held) <= 0.94 and np.mean(width) < 0.9 * np.mean(alone)


def test_a_judge_who_tosses_a_coin_costs_nothing():
    rng = np.random.default_rng(0)
    truth, coin = rng.random(2000) < 0.5, rng.random(2000) < 0.5
    found = judged_mean(truth[:100], coin[:100], coin[100:])
    assert found.trust < 0.3 and found.worth > 90
    by_hand = truth[:100].astype(float) - found.trust * coin[:100]
    assert found.mean == pytest.approx(found.trust * coin[100:].mean() + by_hand.mean())
    assert labels_to_validate(0.05) == 138
    with pytest.raises(InputError, match="3 human labels and 2 of the judge"):
        judged_mean([1, 0, 1], [1, 0], [1, 0, 1])


def test_payments_are_nothing_for_who_does_not_look():
    people = simulate.one_coin(20, 3, np.linspace(0.45, 0.95, 20)) + simulate.one_class(4, 3) + simulate.spammers(4, 3)
    made = simulate.crowd(people, n_items=3000, per_item=6, seed=0)
    right = made.crowd.label == made.truth[made.crowd.item]
    skill = np.array([right[made.crowd.annotator == j].mean() for j in range(20)])
    for score in (determinant_information(made.crowd)["score"], correlated_agreement(made.crowd)["score"]):
        assert np.corrcoef(score[:20], skill)[0, 1] > 0.8
        assert np.abs(score[20:]).max() < 0.06 * np.abs(score[:20]).max() + 0.05
    constant = determinant_information(made.crowd)["score"][20:24]
    assert np.abs(constant).max() < 1e-9


def test_soft_labels_foresee_people_better_than_posteriors_do():
    rng = np.random.default_rng(0)
    share = rng.beta(1.0, 3.0, 300)
    said = rng.random((300, 30)) < share[:, None]
    rows = [(i, int(j), int(said[i, j])) for i in range(300) for j in rng.permutation(30)[:5]]
    crowd = Crowd.from_triples(rows)
    order = np.argsort(crowd.items)
    target = np.stack([1 - said.mean(axis=1), said.mean(axis=1)], axis=1)
    soft = soft_labels(crowd)[order]
    posterior = DawidSkene().fit(crowd).posterior[order]
    assert cross_entropy(soft, target) < cross_entropy(posterior, target) - 0.05
    assert jensen_shannon(soft, target) < jensen_shannon(posterior, target)
    group = {j: "a" if j < 15 else "b" for j in crowd.annotators.tolist()}
    by = soft_labels(crowd, by=[group[j] for j in crowd.annotators.tolist()])
    assert set(by) == {"a", "b"} and np.allclose(by["a"].sum(axis=1), 1.0)
    with pytest.raises(InputError, match="is no column of the annotators"):
        soft_labels(crowd, by="age")


@pytest.mark.skipif(not DATA, reason="CROWDWISE_DATA is not set: the questions of Prelec are real data")
def test_the_surprisingly_popular_answer_is_right_where_most_are_wrong():
    folder = Path(str(DATA), "prelec_1c")
    crowd = read_votes(folder / "labels.csv", extra=["others"], soft=False).crowd
    truth = read_labels(folder / "truth.csv")
    found = surprisingly_popular(crowd, crowd.extra["others"].astype(float))
    right = np.mean([str(truth[item]) == str(label) for item, label in zip(found["item"], found["label"], strict=True)])
    assert right >= 0.88


def test_the_mean_of_just_these_items_is_known_better():
    """Of a set that is at hand, the share that people labelled is known: intervals hold, and are narrower."""
    held, width, wider = [], [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        truth = (rng.random(300) < 0.6).astype(float)
        judge = np.where(rng.random(300) < 0.8, truth, 1.0 - truth)
        these = judged_mean(truth[:150], judge[:150], judge[150:], finite=True)
        alone = judged_mean(truth[:150], judge[:150], judge[150:], trust=0.0)
        held.append(these.low <= truth.mean() <= these.high)
        width.append(these.high - these.low)
        wider.append(alone.high - alone.low)
    assert 0.85 < np.mean(held) < 0.95 and np.mean(width) < 0.6 * np.mean(wider)
    useless = judged_mean(truth[:20], rng.random(20), rng.random(280), finite=True)
    by_hand = 1.729 * truth[:20].std(ddof=1) * ((280 / 300) / 20) ** 0.5  # Student's, of 19 degrees
    assert useless.high - useless.low <= 2.0 * by_hand + 1e-3


def test_payments_keep_to_the_amount_and_pay_nothing_for_nothing():
    people = simulate.one_coin(6, 2, [0.95, 0.9, 0.85, 0.8, 0.75, 0.7]) + simulate.one_class(2, 2)
    crowd = simulate.crowd(people, n_items=600, per_item=5, seed=0).crowd
    for scores in (determinant_information(crowd), correlated_agreement(crowd)):
        paid = payments(scores, 500.0, floor=5.0)
        assert paid["pay"].sum() == pytest.approx(500.0) and (paid["pay"] >= 5.0).all()
        assert (paid["pay"][6:] < 8.0).all() and paid["pay"][0] > paid["pay"][5] > 8.0
    with pytest.raises(OptionError, match="8 annotators have 800"):
        payments(scores, 500.0, floor=100.0)
    same = simulate.crowd(simulate.one_class(4, 2), n_items=50, per_item=3, seed=0).crowd
    with pytest.raises(InputError, match="nothing to share by"):
        payments(correlated_agreement(same), 10.0)
