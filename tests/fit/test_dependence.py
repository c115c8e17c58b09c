"""Annotators who err together are found, share their votes, and no longer outvote the rest."""

import dataclasses

import numpy as np
import pytest

from crowdwise import Crowd, InputError, simulate
from crowdwise.fit.dependence import find_groups, linked_pairs, share_votes
from crowdwise.methods import make, names


def mediocre(crowd, truth):
    """The busiest of the annotators whose accuracy is in the middle, by code."""
    known = truth[crowd.item] >= 0
    votes = np.bincount(crowd.annotator[known], minlength=crowd.n_annotators)
    right = np.bincount(crowd.annotator[known], (crowd.label == truth[crowd.item])[known], crowd.n_annotators)
    heard = np.flatnonzero(votes >= 5)
    accuracy = right[heard] / votes[heard]
    low, high = np.quantile(accuracy, [0.3, 0.6])
    middle = heard[(accuracy >= low) & (accuracy <= high)]
    return middle[votes[middle].argmax()]


def test_copies_are_found_and_nobody_else():
    made = simulate.crowd(simulate.one_coin(20, 3, 0.65), n_items=1000, per_item=6, seed=1)
    crowd = simulate.with_copies(made.crowd, of=3)
    group = find_groups(crowd)
    together = set(np.flatnonzero(group == group[3]).tolist())
    assert together == {3, 20, 21, 22, 23}
    assert (group[[j for j in range(20) if j != 3]] == -1).all()


def test_independent_crowds_have_no_groups():
    found = 0
    for seed in range(20):
        people = simulate.dirichlet(25, 3, 4, 1, seed=seed)
        found += (find_groups(simulate.crowd(people, n_items=300, per_item=6, seed=seed).crowd) >= 0).any()
    assert found <= 3  # one crowd in twenty may, by the threshold


@pytest.mark.slow
@pytest.mark.parametrize("favourite", [False, True])
def test_experts_among_guessers_are_no_group(favourite):
    """Neither that the others guess, nor that they have a favourite in common, makes the experts look like copies."""
    guess = np.full((2, 2), 0.5) if not favourite else np.array([[0.7, 0.3], [0.7, 0.3]])
    others = simulate.Annotators.make("guesser", np.repeat(guess[None], 20, axis=0))
    people = simulate.one_coin(3, 2, 0.95) + others
    for seed in range(3):
        made = simulate.crowd(people, n_items=2000, graph="dense", class_prior=[0.3, 0.7], seed=seed)
        assert (find_groups(made.crowd)[:3] == -1).all()
        assert (make("auto").fit(made.crowd).labels == made.truth).mean() > 0.95


def test_pairs_are_those_of_a_plain_loop():
    crowd = simulate.crowd(simulate.copying_juniors(4, 3) + simulate.one_coin(6, 3, 0.7), n_items=80, per_item=6).crowd
    posterior = make("majority-vote").fit(crowd).posterior
    pairs = {(a, b): z for a, b, _, z in linked_pairs(crowd, posterior, least_z=-100.0).rows()}
    residual = np.full((crowd.n_annotators, crowd.n_items), np.nan)
    residual[crowd.annotator, crowd.item] = posterior[crowd.item, crowd.label]
    for own in residual:
        voted = ~np.isnan(own)
        met = posterior[voted].sum(axis=0)
        accuracy = ((own[voted, None] * posterior[voted]).sum(axis=0) + 4.0 * own[voted].mean()) / (met + 4.0)
        own[voted] -= posterior[voted] @ accuracy
    variance = np.nanmean(residual**2, axis=1)
    size = (~np.isnan(residual)).sum(axis=0)
    mean_variance = np.where(np.isnan(residual), 0.0, variance[:, None]).sum(axis=0) / size**2
    residual -= np.nanmean(residual, axis=0, keepdims=True)
    for (a, b), z in pairs.items():
        both = ~np.isnan(residual[a] + residual[b])
        product = residual[a, both] * residual[b, both]
        shift = max(0.0, (mean_variance - (variance[a] + variance[b]) / size)[both].sum())
        assert both.sum() >= 8 and z == pytest.approx((product.sum() - shift) / np.sqrt((product**2).sum()))


def test_votes_are_shared_by_members_not_by_votes():
    """Two votes of one annotator on an item are one member's: they keep their weight."""
    crowd = Crowd.from_columns([0, 0, 0, 0], [0, 0, 1, 2], ["a", "a", "b", "a"], weight=[1.0, 1.0, 3.0, 1.0])
    shared = share_votes(crowd, np.array([5, 5, -1]) - 5 * np.array([1, 1, 0]))
    assert shared.weight.tolist() == [0.5, 0.5, 1.5, 1.0]
    assert share_votes(crowd, np.full(3, -1)) is crowd


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in names() if not name.startswith(("group-", "follow-"))])
def test_every_method_takes_group_weights(name):
    made = simulate.crowd(simulate.one_coin(15, 3, 0.65), n_items=500, per_item=6, seed=2)
    crowd = simulate.with_copies(made.crowd, of=3)
    method = make(name, weights="groups")
    result = method.fit(crowd)
    assert result.params["group"][3] == result.params["group"][15] >= 0
    assert "err together" in result.notes[0]
    if "Predict on the training votes gives what was found in training" not in method.exempt:
        assert (result.predict(crowd).posterior == result.posterior).all()
    by_hand = dataclasses.replace(method, weights="given").fit(share_votes(crowd, result.params["group"]))
    np.testing.assert_array_equal(by_hand.posterior, result.posterior)


def test_weights_are_checked():
    with pytest.raises(InputError, match="weights='some': choose given or groups"):
        make("dawid-skene", weights="some")


@pytest.mark.slow
def test_copies_of_a_mediocre_annotator(real_set):
    """Four noisy copies in each of four sets: what Auto loses on average is a third of what Dawid-Skene does.

    `python -m benchmarks robustness` has ten sets.
    """
    lost = {"auto": [], "dawid-skene": []}
    for data in ("bluebird", "face", "weather_cf", "music"):
        crowd, truth = real_set(data)
        copied = simulate.with_copies(crowd, mediocre(crowd, truth))
        place = {item: code for code, item in enumerate(crowd.items.tolist())}
        known = truth[[place[item] for item in copied.items.tolist()]]
        for name, losses in lost.items():
            before = (make(name).fit(crowd).label_codes == truth)[truth >= 0].mean()
            losses.append(before - (make(name).fit(copied).label_codes == known)[known >= 0].mean())
    assert np.mean(lost["auto"]) < 0.03
    assert 3.0 * np.mean(lost["auto"]) < np.mean(lost["dawid-skene"])
