"""CROWDLAB and ActiveLab in one call, against the formulas written out, and bad input."""

import numpy as np
import pytest

from crowdwise import Crowd, InputError, label_quality, simulate


@pytest.fixture(scope="module")
def made():
    people = simulate.one_coin(9, 3, 0.7) + simulate.spammers(3, 3)
    drawn = simulate.crowd(people, n_items=80, per_item=3, seed=0)
    rng = np.random.default_rng(0)
    return drawn, 0.4 * np.eye(3)[drawn.truth] + 0.6 * rng.dirichlet(np.ones(3), 80)


def by_hand(crowd, proba, consensus):
    """A pass of the paper's estimates: loops over items and annotators."""
    votes = [[(a, k) for i, a, k in zip(crowd.item, crowd.annotator, crowd.label, strict=True) if i == n]
             for n in range(crowd.n_items)]  # fmt: skip
    agreed = np.mean([np.mean([k == consensus[n] for _, k in votes[n]]) for n in range(80)])
    common = np.bincount(consensus).argmax()
    guess = np.mean(consensus != common)
    weight = np.zeros(crowd.n_annotators)
    for j in range(crowd.n_annotators):
        same = [k == other for row in votes for a, k in row if a == j for b, other in row if b != j]
        weight[j] = max(1 - (1 - np.mean(same)) / guess, 1e-6)
    model = max(1 - np.mean(proba.argmax(axis=1) != consensus) / guess, 1e-6) * np.sqrt(3)
    q = np.zeros((80, 3))
    for n in range(80):
        q[n] = model * proba[n]
        for j, k in votes[n]:
            q[n] += weight[j] * np.where(np.arange(3) == k, agreed, (1 - agreed) / 2)
        q[n] /= model + sum(weight[j] for j, _ in votes[n])
    return q, model, weight


def test_against_the_formulas(made):
    drawn, proba = made
    crowd = drawn.crowd
    counts = np.zeros((80, 3))
    np.add.at(counts, (crowd.item, crowd.label), 1.0)
    first = (counts + 1e-3 * proba).argmax(axis=1)
    consensus = by_hand(crowd, proba, first)[0].argmax(axis=1)
    q, model, weight = by_hand(crowd, proba, consensus)
    told = label_quality(crowd, proba)
    assert told.labels["label"].tolist() == consensus.tolist()
    np.testing.assert_allclose(told.posterior, q, rtol=1e-10)
    np.testing.assert_allclose(told.annotator_weight, weight, rtol=1e-10)
    assert told.model_weight == pytest.approx(model)
    given = {j: [q[i, k] for i, a, k in zip(crowd.item, crowd.annotator, crowd.label, strict=True) if a == j]
             for j in range(12)}  # fmt: skip
    agrees = {j: np.mean([consensus[i] == k for i, a, k in zip(crowd.item, crowd.annotator, crowd.label, strict=True)
                          if a == j]) for j in range(12)}  # fmt: skip
    share = model / (model + weight.sum() * 3 / 12)
    for j, quality in zip(told.annotators["annotator"], told.annotators["quality"], strict=True):
        assert quality == pytest.approx(share * np.mean(given[j]) + (1 - share) * agrees[j])
    for n in range(80):
        total = model + sum(weight[a] for i, a in zip(crowd.item, crowd.annotator, strict=True) if i == n)
        expected = (q[n, consensus[n]] * total + weight.mean() / 3) / (total + weight.mean())
        assert told.labels["priority"][n] == pytest.approx(expected)


def test_it_tells_who_and_what_is_bad(made):
    drawn, proba = made
    told = label_quality(drawn.crowd, proba)
    assert len({9, 10, 11} & set(told.annotators["annotator"][:4].tolist())) >= 2
    wrong = told.labels["label"] != drawn.truth
    assert told.labels["quality"][wrong].mean() < told.labels["quality"][~wrong].mean() - 0.05
    assert (told.labels["label"] == drawn.truth).mean() > 0.75


def test_rows_and_columns_go_by_name(made):
    drawn, proba = made
    plain = label_quality(drawn.crowd, proba)
    order, columns = np.random.default_rng(1).permutation(80), [2, 0, 1]
    named = label_quality(drawn.crowd, proba[order][:, columns], items=order, classes=columns)
    np.testing.assert_allclose(named.labels["quality"], plain.labels["quality"])
    more = label_quality(drawn.crowd, np.vstack([proba, [[0.1, 0.8, 0.1]]]), items=np.arange(81))
    assert more.labels["label"][80] == 1 and more.labels["votes"][80] == 0
    assert more.labels["quality"][80] == pytest.approx(0.8)


def test_bad_input(made):
    drawn, proba = made
    for given, how, message in (
        (proba[:5], {}, "proba is 5 x 3 for 80 items and 3 classes"),
        (proba[:5], {"items": range(5)}, "item 5 has votes and no row"),
        (proba, {"items": range(3)}, "3 names for 80 rows"),
        (proba[:, :2], {"classes": [0, 1]}, "class 2 has votes and no column"),
        (proba - 1.0, {}, "not negative"),
    ):
        with pytest.raises(InputError, match=message):
            label_quality(drawn.crowd, given, **how)
    alone = Crowd.from_columns([0, 1], ["a", "b"], [0, 1])
    with pytest.raises(InputError, match="every item has one vote"):
        label_quality(alone, np.eye(2))


def test_items_that_are_numbers_are_rows():
    """A shuffled frame of items 0 to n - 1 gives the same labels: probabilities are looked up by number."""
    made = simulate.crowd(simulate.one_coin(5, 3, 0.6), n_items=50, per_item=3, seed=0)
    proba = np.random.default_rng(0).dirichlet(np.ones(3), size=50)
    frame = made.crowd.to_frame("pandas")
    plain, mixed = (label_quality(one, proba).labels for one in (frame, frame.sample(frac=1.0, random_state=1)))
    by_name = [dict(zip(one["item"].tolist(), one["label"].tolist(), strict=True)) for one in (plain, mixed)]
    assert by_name[0] == by_name[1]
