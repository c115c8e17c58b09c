"""Verdicts on annotators: spammers found, honest ones left alone, few votes never held against anybody."""

import numpy as np
import pytest

from crowdwise import IBCC, Crowd, DawidSkene, settle, simulate
from crowdwise.errors import InputError
from crowdwise.study.annotators import prune, verdicts
from crowdwise.study.annotators.information import beside_others, informed


def by_name(table):
    return dict(zip(table["annotator"].tolist(), table["verdict"].tolist(), strict=True))


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
def test_spammers_are_found_and_nobody_else(share):
    """Ten thousand items, four classes, twenty annotators, as in the tutorial's figure."""
    n_spam = int(20 * share)
    people = simulate.dirichlet(20 - n_spam, 4, 6.0, 1.0, seed=0) + simulate.spammers(n_spam, 4)
    made = simulate.crowd(people, n_items=10_000, per_item=5, seed=0)
    found = by_name(verdicts(made.crowd, IBCC().fit(made.crowd)))
    assert [found[j] for j in range(20 - n_spam)] == ["fine"] * (20 - n_spam)
    assert [found[j] for j in range(20 - n_spam, 20)] == ["spammer"] * n_spam


def test_ten_classes_and_a_hundred_votes_suffice():
    """Too few votes for a table of ten by ten, and enough to see who is right."""
    people = (
        simulate.one_coin(14, 10, 0.62)
        + simulate.class_biased(8, 10, accuracy=0.7, bias=0.3)
        + simulate.spammers(6, 10)
        + simulate.one_class(3, 10)
        + simulate.adversaries(1, 10)
    )
    made = simulate.crowd(people, n_items=1000, per_item=5, seed=0)
    found = by_name(verdicts(made.crowd, IBCC().fit(made.crowd)))
    assert [found[j] for j in range(22)] == ["fine"] * 22
    assert [found[j] for j in range(22, 31)].count("spammer") >= 8
    assert found[31] in ("adversary", "spammer") and "adversary" not in [found[j] for j in range(31)]


def test_few_votes_are_undecided():
    """Guessers and experts with a dozen votes each: nobody is called a spammer."""
    people = simulate.one_coin(40, 2, 0.9) + simulate.spammers(10, 2)
    made = simulate.crowd(people, n_items=200, per_item=3, seed=0)
    table = verdicts(made.crowd, IBCC().fit(made.crowd))
    assert "spammer" not in table["verdict"].tolist()
    assert (table["information_low"] <= table["information"] + 1e-9).all()
    assert (table["information"] <= table["information_high"] + 1e-9).all()


def test_adversaries_are_told_from_spammers():
    people = simulate.one_coin(15, 3, 0.8) + simulate.adversaries(1, 3) + simulate.spammers(2, 3)
    made = simulate.crowd(people, n_items=1500, per_item=6, seed=0)
    table = verdicts(made.crowd, DawidSkene().fit(made.crowd))
    found = by_name(table)
    assert [found[j] for j in range(15, 18)] == ["adversary", "spammer", "spammer"]
    assert table["verdict"].tolist()[:3] == ["adversary", "spammer", "spammer"]  # worst first
    left = prune(made.crowd, table)
    assert left.annotators.tolist() == list(range(15)) and left.n_items == 1500
    assert prune(made.crowd, table, unwanted=("spammer",)).annotators.tolist() == list(range(16))
    reasons = dict(zip(table["annotator"].tolist(), table["reason"].tolist(), strict=True))
    assert "bits per vote, less than" in reasons[17] and "could be turned around" in reasons[15] and not reasons[0]
    with pytest.raises(InputError, match="unwanted: 'bad' is no verdict"):
        prune(made.crowd, table, unwanted=("bad",))


def test_those_who_are_wrong_together_are_colluders():
    people = simulate.one_coin(15, 3, 0.8) + simulate.colluders(3, 3, plot="any") + simulate.spammers(2, 3)
    made = simulate.crowd(people, n_items=1500, per_item=6, seed=0)
    table = verdicts(made.crowd, DawidSkene().fit(made.crowd))
    assert [by_name(table)[j] for j in range(15, 20)] == ["colluder"] * 3 + ["spammer"] * 2
    assert "agrees with 2 others who are wrong beyond" in table["reason"].tolist()[0]
    columns = ["annotator", "votes", "accuracy", "accuracy_low", "accuracy_high", "information", "verdict", "group"]
    assert list(table.columns)[:9] == [*columns, "reason"]


@pytest.mark.parametrize("seed", range(10))
def test_the_readmes_spammers_are_named(seed):
    """crowdwise simulate --people one-coin=20,spammer=5,adversary=2, as the command draws it."""
    people = simulate.parse("one-coin=20,spammer=5,adversary=2", 4, seed)
    made = simulate.crowd(people, n_items=1000, per_item=5, seed=seed)
    table = verdicts(made.crowd, settle(made.crowd))
    named = by_name(table)
    assert sum(named[j] == "spammer" for j in range(20, 25)) >= 4
    assert {named[25], named[26]} == {"adversary"}
    assert not {named[j] for j in range(20)} & {"spammer", "adversary", "colluder"}
    fine = table["verdict"] == "fine"
    assert (table["accuracy_low"][fine] > 0.25).all()


def test_bounds_of_information_cover():
    """Classes known, two even ones: a coin of .7 tells 1 - H(.7) = .119 bits; nine of ten intervals hold it."""
    inside = []
    for seed in range(8):
        made = simulate.crowd(simulate.one_coin(25, 2, 0.7), n_items=400, per_item=10, seed=seed)
        known = np.clip(np.eye(2)[made.truth.astype(int)], 1e-9, 1.0)
        told = informed(beside_others(made.crowd, known))
        inside.append((told.bound(0.95) <= 0.1187) & (told.bound(0.05) >= 0.1187))
    assert 0.82 < np.mean(inside) < 0.97


@pytest.mark.slow
def test_false_discoveries_among_the_barely_informative():
    """Annotators who tell exactly the least: those called spammers are no more than few."""
    called = []
    for seed in range(5):
        made = simulate.crowd(simulate.one_coin(40, 2, 0.629), n_items=2000, per_item=20, seed=seed)  # .05 bits
        known = np.clip(np.eye(2)[made.truth.astype(int)], 1e-9, 1.0)
        result = IBCC().fit(made.crowd, gold=dict(zip(range(2000), made.truth.tolist(), strict=True)))
        assert (result.posterior.argmax(axis=1) == known.argmax(axis=1)).all()
        called.append((verdicts(made.crowd, result)["verdict"] == "spammer").mean())
    assert np.mean(called) < 0.05


def test_silent_annotators_and_bad_options():
    crowd = Crowd.from_columns([0, 0, 1, 1], ["a", "b", "a", "b"], [0, 0, 1, 1], annotators=["a", "b", "c"])
    table = verdicts(crowd, DawidSkene().fit(crowd))
    found = dict(zip(table["annotator"].tolist(), table["reason"].tolist(), strict=True))
    assert found["c"] == "no votes" and by_name(table)["c"] == "undecided"
    with pytest.raises(InputError, match=r"least=0\.0 must lie between 0 and 1"):
        verdicts(crowd, DawidSkene().fit(crowd), least=0.0)
