"""Colluders, copies, effective numbers, and items: against what was planted, and by hand."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from crowdwise import Crowd, DawidSkene, InputError, MajorityVote, settle, simulate
from crowdwise.fit.estimates import Classes
from crowdwise.study.annotators import (
    adversaries,
    agreement_colluders,
    attack,
    attacked_items,
    colluders,
    copying_pairs,
    effective_number,
    honest_result,
    repeated,
    review,
    verdicts,
)
from crowdwise.study.annotators.agreement_rank import _fitted


def known(made):
    return dict(enumerate(made.truth.tolist()))


def fitted_to_truth(made):
    return DawidSkene().fit(made.crowd, gold=known(made))


# -- colluders --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("plot", ["next", "any"])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.45])
def test_after_detection_colluders_cost_nothing(plot, share):
    """N = 5,000, M = 60, K = 3, p_corr .9, as in the tutorial: all are found, nobody else, labels as without them.

    Who always says the next class lies by a rule, alone or with others: they are found as adversaries.
    """
    n = round(60 * share)
    people = simulate.one_coin(60 - n, 3, 0.6) + simulate.colluders(n, 3, p_corr=0.9, accuracy=1.0, plot=plot)
    made = simulate.crowd(people, n_items=5000, per_item=10, seed=0)
    crowd = made.crowd
    result = honest_result(crowd, DawidSkene().fit(crowd))
    found = (colluders if plot == "any" else adversaries)(crowd, result)
    assert sorted(found["annotator"].tolist()) == list(range(60 - n, 60))
    honest = DawidSkene().fit(crowd.take(crowd.annotator < 60 - n))
    left = DawidSkene().fit(crowd.take(~np.isin(crowd.annotator, found["annotator"])), start=result)
    assert (left.labels == made.truth).mean() >= (honest.labels == made.truth).mean() - 0.02
    if share == 0.45:
        assert (DawidSkene().fit(crowd).labels == made.truth).mean() < 0.05  # and nothing, without it


@pytest.mark.parametrize(("n_classes", "seed"), [(2, 0), (3, 1), (4, 2)])
def test_who_lies_by_the_same_rule_is_no_colluder(n_classes, seed):
    people = simulate.one_coin(25, n_classes, 0.75) + simulate.adversaries(8, n_classes)
    made = simulate.crowd(people, n_items=1000, per_item=5, seed=seed)
    result = settle(made.crowd)
    assert sorted(adversaries(made.crowd, result)["annotator"].tolist()) == list(range(25, 33))
    assert len(colluders(made.crowd, result)) == 0
    table = verdicts(made.crowd, result)
    named = dict(zip(table["annotator"].tolist(), table["verdict"].tolist(), strict=True))
    assert [named[j] for j in range(25, 33)] == ["adversary"] * 8
    assert not {named[j] for j in range(25)} & {"adversary", "colluder", "spammer"}


def test_plotters_are_told_from_liars():
    people = (
        simulate.one_coin(25, 3, 0.75) + simulate.colluders(4, 3, plot="any", p_corr=0.9) + simulate.adversaries(4, 3)
    )
    made = simulate.crowd(people, n_items=2000, per_item=6, seed=0)
    result = settle(made.crowd)
    assert sorted(colluders(made.crowd, result)["annotator"].tolist()) == [25, 26, 27, 28]
    assert sorted(adversaries(made.crowd, result)["annotator"].tolist()) == list(range(25, 33))


@pytest.mark.parametrize("share", [0.0, 0.2, 0.4])
@pytest.mark.parametrize("trusted", [(), (0,)])
def test_agreements_of_the_honest_have_low_rank(share, trusted):
    """The tutorial's set-up: the test by the agreement matrix, with a trusted annotator and with an honest majority."""
    n = round(60 * share)
    people = simulate.one_coin(60 - n, 3, 0.6) + simulate.colluders(n, 3, p_corr=0.9, accuracy=1.0, plot="any")
    crowd = simulate.crowd(people, n_items=5000, per_item=10, seed=1).crowd
    assert sorted(agreement_colluders(crowd, trusted=trusted)["annotator"].tolist()) == list(range(60 - n, 60))


def test_what_a_block_is_held_to_is_what_independent_votes_would_agree_on():
    """sigma_jm = tr(A_j D A_m'), by loops; the suspects' block is left out and follows from the rest of the matrix."""
    rng = np.random.default_rng(0)
    n, k, suspects = 20, 2, np.arange(20) >= 15
    shares = np.array([0.6, 0.4])
    rows = np.stack([0.5 * np.eye(k) + 0.5 * rng.dirichlet(np.ones(k), k) for _ in range(n)])
    sigma = np.array(
        [
            [
                sum(shares[y] * rows[j, y, said] * rows[m, y, said] for y in range(k) for said in range(k))
                for m in range(n)
            ]
            for j in range(n)
        ]
    )
    block = np.outer(suspects, suspects)
    seen = np.where(block, 0.95, sigma)  # the suspects agree as they please
    np.fill_diagonal(seen, 0.0)
    trust = np.where(block | np.eye(n, dtype=bool), 0.0, 1.0)
    fitted = _fitted(seen, trust, k * (k - 1) + 1)
    off = ~np.eye(n, dtype=bool)
    assert np.abs(fitted - sigma)[off & ~block].max() < 2e-3
    assert np.abs(fitted - sigma)[off & block].max() < 0.02


def test_agreement_test_on_odd_crowds():
    alone = Crowd.from_columns([0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 0, 1, 1])
    assert len(agreement_colluders(alone)) == 0
    many = Crowd.from_columns(np.zeros(1100, int), np.arange(1100), np.arange(1100) % 2)
    with pytest.raises(InputError, match="1,100 annotators are more than 1,000"):
        agreement_colluders(many)


def attacked_crowd(share, seed=0):
    """Eight of thirty say an agreed false label on a share of the items, nine times in ten; else they are honest."""
    made = simulate.crowd(simulate.one_coin(30, 3, 0.7), n_items=1000, per_item=10, seed=seed)
    return simulate.with_attack(made, 8, share, seed=seed)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_attackers_and_attacked_items_together(share):
    crowd, there, lie = attacked_crowd(share)
    found = attack(crowd, DawidSkene().fit(crowd))
    named = found.annotators["annotator"][found.annotators["chance"] > 0.9]
    assert sorted(named.tolist()) == (list(range(8)) if share else [])
    sure = found.items["chance"] > 0.5
    items = found.items["item"][sure]
    assert sure.sum() > 50 if share else not sure.any()
    if share:
        assert there[items].mean() > 0.85
        assert (found.items["agreed"][sure] == lie[items]).mean() > 0.85


def slow_attack(crowd, posterior, rows, first, rounds):
    """The messages of `attack`, vote by vote: chances that annotators attack, and that items are attacked."""
    votes = list(zip(crowd.item.tolist(), crowd.annotator.tolist(), crowd.label.tolist(), strict=True))
    n_items, n_classes = posterior.shape
    usual = [sum(posterior[i, y] * rows[j, y, said] for y in range(n_classes)) for i, j, said in votes]
    attacks, keeps, attackers, attacked = [first[j] for _, j, _ in votes], 0.9, 0.1, 0.1
    for _ in range(rounds):
        agreed_said = [keeps / h + (1.0 - keeps) for h in usual]  # chance if it is the agreed label, by the usual one
        cavity = []
        for v, (i, _, _) in enumerate(votes):  # what the others on the item say of its state; none is the last
            state = [attacked * (1.0 - posterior[i, s]) / (n_classes - 1) for s in range(n_classes)] + [1.0 - attacked]
            for u, (other_item, _, other_said) in enumerate(votes):
                if other_item == i and u != v:
                    for s in range(n_classes):
                        ratio = agreed_said[u] if other_said == s else 1.0 - keeps
                        state[s] *= attacks[u] * ratio + 1.0 - attacks[u]
            cavity.append([one / sum(state) for one in state])
        told = []  # what the item tells the annotator: the vote's chance for an attacker, by the usual one
        for v, (_, _, said) in enumerate(votes):
            hit, none = cavity[v][said], cavity[v][-1]
            told.append(none + hit * agreed_said[v] + (1.0 - none - hit) * (1.0 - keeps))
        odds = [attackers / (1.0 - attackers)] * crowd.n_annotators
        for v, (_, j, _) in enumerate(votes):
            odds[j] *= told[v]
        chance = [one / (1.0 + one) for one in odds]
        before = attacks
        attacks = [odds[j] / told[v] / (1.0 + odds[j] / told[v]) for v, (_, j, _) in enumerate(votes)]
        states = []
        for i in range(n_items):
            state = [attacked * (1.0 - posterior[i, s]) / (n_classes - 1) for s in range(n_classes)] + [1.0 - attacked]
            for u, (other_item, _, other_said) in enumerate(votes):
                if other_item == i:
                    for s in range(n_classes):
                        ratio = agreed_said[u] if other_said == s else 1.0 - keeps
                        state[s] *= before[u] * ratio + 1.0 - before[u]
            states.append([one / sum(state) for one in state])
        attackers = min(max(sum(chance) / len(chance), 1e-3), 0.49)
        attacked = min(max(1.0 - sum(state[-1] for state in states) / n_items, 1e-3), 0.999)
        hits = sum(chance[j] * states[i][said] for i, j, said in votes)
        both = sum(chance[j] * (1.0 - states[i][-1]) for i, j, _ in votes)
        keeps = min(max((hits + 0.9) / (both + 1.0), 0.5), 0.99)
    return chance, [1.0 - state[-1] for state in states]


def test_messages_of_an_attack_by_loops(monkeypatch):
    made = simulate.crowd(simulate.one_coin(9, 3, 0.75), n_items=14, per_item=5, seed=1)
    crowd, _, _ = simulate.with_attack(made, 4, 0.5, seed=1)
    posterior = np.full((14, 3), 0.1)
    posterior[np.arange(14), made.truth] = 0.8
    result = DawidSkene().fit(crowd, gold=known(made))
    result = replace(result, estimate=Classes(posterior, crowd.classes, posterior.argmax(axis=1)))
    first = np.where(np.arange(9) < 4, 0.9, 0.01)
    module = import_module("crowdwise.study.annotators.attack")
    monkeypatch.setattr(module, "_suspected", lambda *_: first)
    monkeypatch.setattr(module, "ROUNDS", 6)
    found = attack(crowd, result)
    people, items = slow_attack(crowd, posterior, module._usual(crowd, posterior), first, 6)
    order = np.argsort(found.annotators["annotator"])
    np.testing.assert_allclose(found.annotators["chance"][order], people, atol=1e-9)
    np.testing.assert_allclose(found.items["chance"][np.argsort(found.items["item"])], items, atol=1e-9)


def test_an_honest_crowd_is_believed():
    for seed in range(3):
        made = simulate.crowd(simulate.beta(40, 3, 3.0, 2.0, seed=seed), n_items=1000, per_item=5, seed=seed)
        result = DawidSkene().fit(made.crowd)
        assert honest_result(made.crowd, result) is result
        assert len(colluders(made.crowd, result)) == 0


def test_a_trusted_annotator_decides_against_the_majority():
    people = simulate.one_coin(4, 2, 0.9) + simulate.colluders(6, 2, p_corr=0.95, accuracy=1.0)
    made = simulate.crowd(people, n_items=1000, graph="dense", seed=0)
    fooled = DawidSkene().fit(made.crowd)
    assert (fooled.labels == made.truth).mean() < 0.1
    assert (honest_result(made.crowd, fooled, trusted=[0]).labels == made.truth).mean() > 0.95
    with pytest.raises(InputError, match="trusted: 'zz' is no annotator"):
        honest_result(made.crowd, fooled, trusted=["zz"])
    with pytest.raises(InputError, match="trusted: 99 is no annotator"):
        honest_result(made.crowd, fooled, trusted=[99])


def test_attacked_items_are_those_that_colluders_lie_about():
    people = simulate.one_coin(10, 3, 0.85) + simulate.colluders(4, 3, p_corr=1.0, plot="any")
    made = simulate.crowd(people, n_items=300, graph="dense", seed=0)
    result = fitted_to_truth(made)
    table = attacked_items(made.crowd, result, [10, 11, 12, 13], least=3)
    assert len(table) == 300 and (table["attackers"] == 4).all()
    assert (table["claimed"] != table["label"]).all() and (table["label"] == made.truth[table["item"]]).all()
    assert len(attacked_items(made.crowd, result, [], least=1)) == 0


def test_copies_are_shown_with_their_errors():
    made = simulate.crowd(simulate.one_coin(12, 3, 0.7), n_items=600, per_item=5, seed=0)
    crowd = made.crowd
    copied = simulate.with_copies(crowd, 3, n=1, noise=0.0, seed=0)
    table = copying_pairs(copied, DawidSkene().fit(copied, gold=dict(enumerate(made.truth.tolist()))))
    assert next(iter(table.rows()))[:2] == (3, 12)
    assert table["same_errors"][0] == 1.0 == table["agreement"][0]
    assert len(copying_pairs(crowd, DawidSkene().fit(crowd))) == 0


def test_effective_number():
    """Kish's formula with the correlation that was planted: following an opinion with chance f makes it f^2."""
    follow = 0.7
    panel = simulate.correlated_group(9, 2, accuracy=0.7, follow=follow)
    made = simulate.crowd(panel, n_items=20_000, graph="dense", seed=0)
    table = effective_number(made.crowd, fitted_to_truth(made), gold=known(made))
    assert table["correlation"][0] == pytest.approx(follow**2, abs=0.02)
    assert table["effective"][0] == pytest.approx(9 / (1 + 8 * follow**2), abs=0.1)
    alone = simulate.crowd(simulate.one_coin(9, 2, 0.7), n_items=20_000, graph="dense", seed=0)
    assert effective_number(alone.crowd, fitted_to_truth(alone))["effective"][0] > 8.5


# -- items ------------------------------------------------------------------------------------------------------------


def test_review_states_and_order():
    crowd = Crowd.from_mapping(
        {
            "easy": {"a": "x", "b": "x", "c": "x"},
            "split": {"a": "x", "b": "y"},
            "single": {"a": "x"},
            "told": {"a": "x", "b": "x", "boss": "y"},
            "more": {"a": "x", "b": "x", "c": "y"},
        },
        classes=["x", "y"],
    )
    result = MajorityVote().fit(crowd)
    table = review(crowd, result, trusted=["boss"], sure=0.9)
    state = dict(zip(table["item"].tolist(), table["state"].tolist(), strict=True))
    assert state == {"easy": "easy", "split": "uncertain", "single": "open", "told": "contested", "more": "uncertain"}
    assert table["item"].tolist()[:2] == ["told", "split"]
    assert dict(zip(table["item"].tolist(), table["trusted"].tolist(), strict=True))["told"] == "y"
    assert "trusted" not in review(crowd, result).columns


def test_gain_is_what_a_vote_tells():
    """Mutual information of the class and the next vote, by enumeration."""
    made = simulate.crowd(simulate.dirichlet(6, 3, seed=0), n_items=50, per_item=3, seed=0)
    result = DawidSkene().fit(made.crowd)
    table = review(made.crowd, result)
    counts = sum(
        np.outer(result.posterior[i], np.eye(3)[label])
        for i, label in zip(made.crowd.item, made.crowd.label, strict=True)
    )
    matrix = (counts + 0.5 / 3) / (counts + 0.5 / 3).sum(axis=1, keepdims=True)
    for row in table.rows():
        q = result.posterior[row[0]]
        joint = q[:, None] * matrix
        told = (joint * np.log2(joint / (q[:, None] * joint.sum(axis=0)))).sum()
        assert row[6] == pytest.approx(told, abs=1e-5)


def test_repeated_votes_are_listed():
    crowd = Crowd.from_triples([(1, "a", "x"), (1, "a", "x"), (2, "a", "y"), (2, "a", "x"), (2, "b", "x")])
    assert list(repeated(crowd).rows()) == [(1, "a", 2, "x", False), (2, "a", 2, "x|y", True)]
    assert len(repeated(Crowd.from_matrix([[0, 1]]))) == 0
