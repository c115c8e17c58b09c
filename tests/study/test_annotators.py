"""Quality, value, timing, spammers; weights, repeats, other crowds: against what was planted, and by hand."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from crowdwise import Crowd, DawidSkene, InputError, MajorityVote, simulate
from crowdwise.engine import bind
from crowdwise.study.annotators import (
    attacked_items,
    colluders,
    confusion,
    copying_pairs,
    covariance_spammers,
    effective_number,
    eliminated,
    honest_result,
    quality,
    quality_by_class,
    review,
    timing,
    verdicts,
)
from crowdwise.study.annotators.information import beside_others
from crowdwise.study.annotators.spammers import _rows
from crowdwise.study.uncertainty import accuracy_intervals, annotator_intervals


def known(made):
    return dict(enumerate(made.truth.tolist()))


def fitted_to_truth(made):
    return DawidSkene().fit(made.crowd, gold=known(made))


# -- quality ----------------------------------------------------------------------------------------------------------


def test_quality_on_known_classes_is_counting():
    made = simulate.crowd(simulate.dirichlet(6, 3, seed=1), n_items=200, per_item=3, seed=0)
    crowd, truth = made.crowd, made.truth
    table = quality(crowd, fitted_to_truth(made), level=0.9, gold=known(made))
    for row in table.rows():
        own = crowd.annotator == row[0]
        right = (crowd.label == truth[crowd.item])[own]
        cells = dict(zip(table.columns, row, strict=True))
        assert cells["votes"] == own.sum() == cells["gold_votes"]
        assert cells["accuracy"] == pytest.approx(right.mean(), abs=1e-6)
        assert cells["consensus"] == pytest.approx(right.mean()) == cells["gold_accuracy"]
        assert cells["low"] < right.mean() < cells["high"]
        assert cells["low"] == pytest.approx(cells["gold_low"], abs=0.02)
        given = np.bincount(crowd.label[own], minlength=3) - np.bincount(truth[crowd.item[own]], minlength=3)
        assert cells["bias"] == given.argmax() and cells["excess"] == pytest.approx(given.max() / own.sum(), abs=1e-6)


def test_capacity_is_that_of_the_channel_without_what_chance_adds():
    """A coin of .8 carries 1 - H(.8) = .278 bits, a guesser none, with a hundred votes as with thousands."""
    people = simulate.one_coin(10, 2, 0.8) + simulate.adversaries(10, 2, 0.8) + simulate.spammers(10, 2)
    for n_items, error in ((300, 0.05), (20_000, 0.01)):
        made = simulate.crowd(people, n_items=n_items, per_item=10, seed=0)
        table = quality(made.crowd, fitted_to_truth(made))
        bits = dict(zip(table["annotator"].tolist(), table["capacity"].tolist(), strict=True))
        means = [np.mean([bits[j] for j in range(low, low + 10)]) for low in (0, 10, 20)]
        assert np.allclose(means, [0.278, 0.278, 0.0], atol=error)


def test_quality_by_class_and_confusion_are_counting():
    made = simulate.crowd(simulate.dirichlet(4, 3, seed=1), n_items=300, per_item=3, seed=0)
    crowd, result = made.crowd, fitted_to_truth(made)
    true = made.truth[crowd.item]
    for name, k, votes, accuracy, low, high, true_share, given_share, bias in quality_by_class(crowd, result).rows():
        own = crowd.annotator == name
        of_class = own & (true == k)
        assert votes == pytest.approx(of_class.sum(), abs=1e-4)
        assert accuracy == pytest.approx((crowd.label[of_class] == k).mean(), abs=1e-4)
        assert low < accuracy < high
        assert given_share == pytest.approx((crowd.label[own] == k).mean())
        assert bias == pytest.approx(given_share - true_share)
    for name, k, given, votes, share in confusion(crowd, result).rows():
        cell = (crowd.annotator == name) & (true == k)
        assert votes == pytest.approx((cell & (crowd.label == given)).sum(), abs=1e-4)
        assert share == pytest.approx((crowd.label[cell] == given).mean(), abs=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_without_draws_are_those_with(weighted):
    made = simulate.crowd(simulate.one_coin(12, 3, np.linspace(0.4, 0.95, 12)), n_items=500, per_item=4, seed=0)
    crowd = made.crowd
    if weighted:
        crowd = crowd.with_weight(np.random.default_rng(0).choice([0.5, 1.0, 2.0], crowd.n_votes))
    result = DawidSkene().fit(crowd)
    closed, drawn = accuracy_intervals(crowd, result), annotator_intervals(crowd, result, way="imputed", n=2000)
    for end in ("low", "high"):
        assert np.abs(closed[end] - drawn[end]).max() < 0.012


def test_value_is_what_the_labels_lose():
    """Bits by which posteriors are less certain without an annotator, by leaving them out at the same parameters."""
    made = simulate.crowd(simulate.one_coin(6, 3, np.linspace(0.5, 0.95, 6)), n_items=400, per_item=4, seed=0)
    method = DawidSkene(smoothing=0.5, right=1.0)
    result = method.fit(made.crowd)
    value = beside_others(made.crowd, result.posterior).value

    def bits(posterior):
        return -(posterior * np.log2(np.maximum(posterior, 1e-300))).sum(axis=1)

    for j in range(6):
        others = made.crowd.take(made.crowd.annotator != j)
        own = np.unique(made.crowd.item[made.crowd.annotator == j])
        lost = (bits(result.predict(others).posterior) - bits(result.posterior))[own].sum()
        assert value[j] == pytest.approx(lost, rel=0.1, abs=1.0)
    assert (np.diff(value) > 0.0).sum() >= 4  # the better, the more they are worth


def test_repeated_votes_are_taken_out_together():
    """Somebody who says everything three times is their own only witness, however often they say it."""
    once = simulate.crowd(simulate.one_coin(4, 2, 0.8), n_items=200, per_item=2, seed=0).crowd
    again = np.concatenate([np.arange(once.n_votes), *[np.flatnonzero(once.annotator == 0)] * 2])
    thrice = replace(once, item=once.item[again], annotator=once.annotator[again], label=once.label[again])
    posterior = MajorityVote().fit(once).posterior * 0.8 + 0.1
    a, b = (beside_others(crowd, posterior).counts for crowd in (once, thrice))
    assert b[0].sum() == pytest.approx(3 * a[0].sum())
    share = [counts[0][np.eye(2, dtype=bool)].sum() / counts[0].sum() for counts in (a, b)]
    assert share[1] < share[0]  # more of their own word is gone from what they are judged by


# -- timing -----------------------------------------------------------------------------------------------------------


def timed(stamps):
    """Bob gets worse half-way; ann is fast."""
    n = 60
    who = np.repeat(["ann", "bob"], n)
    place = np.tile(np.arange(n), 2)
    label = np.where((who == "bob") & (place >= n // 2), 1, 0)
    extra = {"when": stamps(who, place), "took": np.where(who == "ann", 2.0, 20.0)}
    crowd = Crowd.from_columns(np.arange(2 * n), who, label, extra=extra, classes=[0, 1])
    return crowd, MajorityVote().fit(crowd, gold=dict.fromkeys(range(2 * n), 0))


STAMPS = {
    "numbers": lambda who, place: np.where(who == "ann", 2.0, 20.0) * place,
    "dates": lambda who, place: (
        np.datetime64("2026-01-01T00:00:00") + (np.where(who == "ann", 2, 20) * place).astype("timedelta64[s]")
    ),
    "texts": lambda who, place: (
        (np.datetime64("2026-01-01T00:00:00") + (np.where(who == "ann", 2, 20) * place).astype("timedelta64[s]"))
        .astype(str)
        .astype(object)
    ),
    "zoned": lambda who, place: np.array(
        [f"{np.datetime64('2026-01-01T00:00:00') + s}+02:00" for s in (np.where(who == "ann", 2, 20) * place)], object
    ),
}


@pytest.mark.parametrize("kind", STAMPS)
def test_drift_and_speed(kind):
    crowd, result = timed(STAMPS[kind])
    table = timing(crowd, result, time="when")
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows()}
    assert rows["ann"]["drift"] == 0.0 and rows["bob"]["drift"] == -1.0 and rows["bob"]["drift_z"] < -5
    assert rows["ann"]["seconds"] == 2.0 and rows["bob"]["seconds"] == 20.0
    assert rows["ann"]["hasty"] == 1.0 or rows["bob"]["hasty"] == 0.0
    by_duration = timing(crowd, result, seconds="took")
    assert by_duration["seconds"].tolist() == [2.0, 20.0] and "drift" not in by_duration.columns


def test_times_that_cannot_be_read():
    crowd, result = timed(lambda who, place: np.array(["soon"] * len(who), object))
    with pytest.raises(InputError, match="column 'when': 'soon' is neither a number nor a date"):
        timing(crowd, result, time="when")
    with pytest.raises(InputError, match="column 'clock': the votes have when, took"):
        timing(crowd, result, time="clock")
    with pytest.raises(InputError, match="time or seconds"):
        timing(crowd, result)
    one_bad = replace(crowd, extra={"when": np.array([*map(str, range(119)), "later"], object), "took": -np.ones(120)})
    with pytest.raises(InputError, match="'later' is neither"):
        timing(one_bad, result, time="when")
    with pytest.raises(InputError, match=r"-1\.0 seconds"):
        timing(one_bad, result, seconds="took")


def test_missing_times_are_left_out():
    crowd, result = timed(STAMPS["numbers"])
    gone = np.arange(crowd.n_votes) % 7 == 0
    some = replace(crowd, extra={"when": np.where(gone, np.nan, crowd.extra["when"])})
    table = timing(some, result, time="when")
    assert np.isfinite(table["drift"]).all() and table["drift"][1] == -1.0


# -- spammers by the classical ways -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "pruned", "majority", "em"),
    [("bluebird", 22, 0.852, 0.898), ("web", 159, 0.84, 0.89), ("dog", 64, 0.819, 0.834)],
)
def test_the_tutorials_table(real_set, name, pruned, majority, em):
    """Accuracy after pruning by covariances: 22 annotators of bluebird as published; at least the stated figures."""
    crowd, codes = real_set(name)
    found = covariance_spammers(crowd, test=0.0)  # as in the paper: clusters decide alone
    left = crowd.take(~found["spammer"][crowd.annotator])
    vote, fitted = MajorityVote().fit(left), DawidSkene().fit(left, start="hard")
    share = [(result.label_codes == codes)[codes >= 0].mean() for result in (vote, fitted)]
    assert found["spammer"].sum() == pruned
    assert share[0] >= majority - 5e-4 and share[1] >= em - 5e-4


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6])
def test_honest_annotators_are_no_spammers_where_there_are_none(share):
    """The slide's set-up, N = 10,000, M = 20, K = 4: clusters alone named 7 of 20 honest annotators at share 0."""
    n = round(20 * share)
    people = simulate.dirichlet(20 - n, 4, 4.0, 1.0, seed=1) + simulate.spammers(n, 4)
    crowd = simulate.crowd(people, n_items=10_000, graph="dense", seed=1).crowd
    assert covariance_spammers(crowd)["spammer"].tolist() == [False] * (20 - n) + [True] * n
    if not n:
        assert covariance_spammers(crowd, test=0.0)["spammer"].any()


def test_covariances_are_fitted_by_products_of_rows():
    """Cov(x_i, x_j) over the items that both saw, by loops, is V_i V_j' but for what chance is in it."""
    crowd = simulate.crowd(simulate.dirichlet(8, 3, 4.0, 1.0, seed=0), n_items=2000, graph="dense", seed=0).crowd
    x = np.zeros((8, 3, 2000))
    for i, j, said in zip(crowd.item.tolist(), crowd.annotator.tolist(), crowd.label.tolist(), strict=True):
        x[j, said, i] = 1.0
    rows = _rows(bind(crowd))[0].reshape(8, 3, -1)
    found, by_hand = [], []
    for i, j in permutations(range(8), 2):
        found.append(rows[i] @ rows[j].T)
        both = sum(np.outer(x[i, :, t], x[j, :, t]) for t in range(2000)) / 2000
        by_hand.append(both - np.outer(x[i].mean(axis=1), x[j].mean(axis=1)))
    assert np.abs(np.array(found) - by_hand).max() < 0.02 and np.std(by_hand) > 0.04
    assert np.corrcoef(np.ravel(found), np.ravel(by_hand))[0, 1] > 0.99


def test_covariances_do_not_know_the_order_of_classes():
    crowd = simulate.crowd(
        simulate.one_coin(10, 4, 0.7) + simulate.spammers(4, 4), n_items=500, per_item=5, seed=0
    ).crowd
    renamed = replace(crowd, label=np.array([2, 3, 1, 0])[crowd.label])
    a, b = covariance_spammers(crowd), covariance_spammers(renamed)
    assert np.allclose(a["strength"], b["strength"], atol=1e-4) and (a["spammer"] == b["spammer"]).all()


def test_annotators_outside_the_core_are_judged_by_it(monkeypatch):
    people = simulate.one_coin(30, 3, 0.75) + simulate.spammers(10, 3)
    crowd = simulate.crowd(people, n_items=3000, per_item=6, seed=0).crowd
    monkeypatch.setattr("crowdwise.study.annotators.spammers.CORE", 15)
    found = covariance_spammers(crowd)
    assert found["spammer"].tolist() == [False] * 30 + [True] * 10
    assert np.abs(found["strength"][:30] / found["strength"][:30].mean() - 1.0).max() < 0.5


def test_elimination_ends():
    people = simulate.one_coin(8, 2, 0.8) + simulate.spammers(12, 2)
    made = simulate.crowd(people, n_items=400, per_item=10, seed=0)
    found = eliminated(made.crowd)
    assert (found["dropped"][:8] == 0).all() and (found["dropped"][8:] > 0).all()
    with pytest.raises(InputError, match="least=0 must lie"):
        eliminated(made.crowd, least=0)


# -- other crowds, weights, repeats -----------------------------------------------------------------------------------


def test_a_part_of_the_crowd_keeps_its_names():
    """Groups, intervals and members by name, whatever the order of annotators in the crowd that is looked at."""
    people = simulate.one_coin(4, 3, 0.6) + simulate.correlated_group(4, 3, 0.7, 0.9, own=0.95)
    made = simulate.crowd(people, n_items=3000, graph="dense", seed=3)
    result = DawidSkene(weights="groups").fit(made.crowd)
    assert result.params["group"].tolist() == [-1] * 4 + [0] * 4
    part = made.crowd.subset(annotators=[4, 5, 6, 7])
    groups = dict(
        zip(quality(part, result)["annotator"].tolist(), quality(part, result)["group"].tolist(), strict=True)
    )
    assert groups == {**dict.fromkeys(range(4), -1), **dict.fromkeys(range(4, 8), 0)}
    assert effective_number(part, result)["members"].tolist() == ["", "4|5|6|7"]
    drawn, closed = annotator_intervals(part, result, n=50), accuracy_intervals(part, result)
    assert drawn["annotator"].tolist() == closed["annotator"].tolist()
    assert np.abs(drawn["accuracy"] - closed["accuracy"])[:4].max() < 0.02
    stranger = made.crowd.with_names(annotators=[99])
    assert quality(stranger, result)["group"].tolist().count(-1) == 5
    assert len(verdicts(stranger, result)) == 9


def test_heavy_votes_are_judged_as_light_ones():
    people = simulate.one_coin(8, 3, 0.85) + simulate.spammers(2, 3)
    crowd = simulate.crowd(people, n_items=300, per_item=5, seed=0).crowd
    for times in (1.0, 10.0):
        heavy = crowd.with_weight(np.full(crowd.n_votes, times))
        found = verdicts(heavy, DawidSkene().fit(heavy))
        named = dict(zip(found["annotator"].tolist(), found["verdict"].tolist(), strict=True))
        assert [named[j] for j in range(8)] == ["fine"] * 8
    for method in (MajorityVote(), DawidSkene()):
        found = verdicts(crowd, method.fit(crowd))
        named = dict(zip(found["annotator"].tolist(), found["verdict"].tolist(), strict=True))
        assert [named[j] for j in range(8)] == ["fine"] * 8 and "fine" not in (named[8], named[9])


def test_rare_classes_are_worth_less():
    """One item in a hundred: nobody can tell a twentieth of a bit, and who is right is no spammer for that."""
    made = simulate.crowd(
        simulate.one_coin(6, 2, 0.95) + simulate.spammers(2, 2),
        n_items=8000,
        per_item=4,
        class_prior=[0.99, 0.01],
        seed=0,
    )
    found = verdicts(made.crowd, fitted_to_truth(made), gold=known(made))
    named = dict(zip(found["annotator"].tolist(), found["verdict"].tolist(), strict=True))
    assert [named[j] for j in range(6)] == ["fine"] * 6 and [named[6], named[7]] == ["spammer"] * 2


def test_a_bias_is_no_hostility():
    """Right less often than a coin where one class is common, and still telling: no adversary."""
    careful = np.array([[[0.35, 0.65], [0.0, 1.0]]])
    people = simulate.one_coin(8, 2, 0.85) + simulate.Annotators.make("careful", careful)
    made = simulate.crowd(people, n_items=3000, per_item=4, class_prior=[0.85, 0.15], seed=0)
    found = verdicts(made.crowd, fitted_to_truth(made), gold=known(made))
    named = dict(zip(found["annotator"].tolist(), found["verdict"].tolist(), strict=True))
    assert named[8] == "fine"


def test_votes_that_weigh_nothing_are_no_votes():
    people = simulate.one_coin(9, 2, 0.8) + simulate.colluders(3, 2)
    crowd = simulate.crowd(people, n_items=300, graph="dense", seed=0).crowd
    silent = crowd.with_weight(np.where(crowd.annotator >= 9, 0.0, 1.0))
    result = DawidSkene().fit(silent)
    assert len(colluders(silent, result)) == 0 and len(copying_pairs(silent, result)) == 0
    assert honest_result(silent, result) is result
    single = Crowd.from_columns([0, 0], ["a", "b"], ["x", "y"], weight=[1.0, 0.0])
    assert review(single, MajorityVote().fit(single))["state"].tolist() == ["open"]


def test_repeated_votes_are_one_voice():
    people = simulate.one_coin(12, 3, 0.8) + simulate.colluders(3, 3)
    once = simulate.crowd(people, n_items=400, per_item=6, seed=0).crowd
    twice = np.repeat(np.arange(once.n_votes), 2)
    again = replace(once, item=once.item[twice], annotator=once.annotator[twice], label=once.label[twice])
    result = DawidSkene().fit(once)
    for function in (colluders, copying_pairs, effective_number):
        a, b = function(once, result), function(again, result)
        numbers = [name for name in a.columns if name not in ("votes", "members", "annotator", "first", "second")]
        assert all(np.allclose(a[name], b[name], equal_nan=True) for name in numbers)
    twofold = once.with_weight(np.full(once.n_votes, 2.0))
    for end in ("low", "high"):
        assert np.allclose(accuracy_intervals(again, result)[end], accuracy_intervals(twofold, result)[end])
    alone = Crowd.from_columns([0, 0], ["a", "a"], ["x", "x"], classes=["x", "y"])
    assert review(alone, MajorityVote().fit(alone))["state"].tolist() == ["open"]


def test_labels_are_the_results():
    crowd = Crowd.from_matrix([[0, 1, 1, 0]] * 40)
    result = MajorityVote(ties="random").fit(crowd)
    assert len(set(result.labels.tolist())) == 2
    table = attacked_items(crowd.with_weight(np.full(160, 0.4)), result, [0, 3], least=2)
    assert (result.labels[table["item"]] == table["label"]).all() and (table["attackers"] == 2).all()
    with pytest.raises(InputError, match="who: 99 is no annotator"):
        attacked_items(crowd, result, [99])


def test_covariances_refuse_what_never_met():
    crowd = simulate.crowd(simulate.one_coin(300, 2, 0.8), n_items=600, per_item=3, seed=0).crowd
    with pytest.raises(InputError, match="too few for covariances"):
        covariance_spammers(crowd)
