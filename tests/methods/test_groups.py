"""Annotators in groups: found, and heard as one witness."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest

from crowdwise import (
    DawidSkene,
    FollowDawidSkene,
    GroupDawidSkene,
    GroupVote,
    InputError,
    MajorityVote,
    load,
    simulate,
)
from crowdwise.engine import bind
from crowdwise.fit.dependence import find_groups
from crowdwise.methods.classes.groups.grouped import Grouped
from crowdwise.methods.classes.moments import spectral_groups
from crowdwise.methods.classes.moments.k_means import k_means
from crowdwise.methods.classes.moments.spectral_groups import _score

group = simulate.correlated_group
FOUR = group(6, 7, 0.5, 0.95) + group(3, 7, 0.75, 0.9) + group(3, 7, 0.75, 0.9) + group(3, 7, 0.75, 0.9)
OF_FOUR = [0] * 6 + [1] * 3 + [2] * 3 + [3] * 3


def right(result, made):
    return (result.labels == made.truth).mean()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_hidden_opinions_of_the_tutorial(seed):
    """N = 5,000, M = 40, K = 3, J = 5: groups found, within a point of the oracle, where Dawid-Skene is far below."""
    crowd, truth, of, known = simulate.hidden_opinions(seed=seed)
    oracle = (known == truth).mean()
    result = GroupDawidSkene().fit(crowd)
    assert (result.params["group"] == of).all()
    found, plain = ((one.labels == truth).mean() for one in (result, DawidSkene().fit(crowd)))
    assert found > oracle - 0.01
    assert plain < oracle - 0.05


@pytest.mark.parametrize("method", [GroupDawidSkene, FollowDawidSkene])
def test_without_groups_it_is_dawid_skene(method):
    made = simulate.crowd(simulate.one_coin(10, 3, 0.7), n_items=300, per_item=4, seed=0)
    a, b = (one(accelerate=False).fit(made.crowd, engine="numpy") for one in (DawidSkene, method))
    assert (b.params["group"] == -1).all()
    assert np.allclose(a.posterior, b.posterior, atol=1e-6)
    assert np.allclose(a.params["confusion"], b.params["confusion"], atol=1e-6)


@pytest.mark.parametrize("method", [GroupDawidSkene, FollowDawidSkene])
def test_e_step_by_enumeration(method):
    """Two groups and one alone: classes and opinions of every item summed by hand."""
    people = group(2, 3, 0.7, 0.8) + group(3, 3, 0.6, 0.8) + simulate.one_coin(1, 3, 0.8)
    crowd = simulate.crowd(people, n_items=40, per_item=4, seed=0).crowd
    crowd = replace(crowd, annotator_extra={"team": np.array(["a", "a", "b", "b", "b", "c"])})
    result = method(by="team", max_iter=5).fit(crowd, engine="numpy")
    params, code = result.params, result.params["group"]
    assert code.tolist() == [0, 0, 1, 1, 1, -1]
    for i in range(crowd.n_items):
        votes = np.flatnonzero(crowd.item == i)
        chance = np.zeros(3)
        for y, *z in product(range(3), repeat=3):
            p = params["prior"][y] * params["opinion"][0, y, z[0]] * params["opinion"][1, y, z[1]]
            for v in votes:
                j, said = crowd.annotator[v], crowd.label[v]
                own = params["own_confusion"][j]
                if code[j] < 0:
                    p *= own[y, said]
                elif method is GroupDawidSkene:
                    p *= own[z[code[j]], said]
                else:
                    p *= params["follow"][j] * (said == z[code[j]]) + (1.0 - params["follow"][j]) * own[y, said]
            chance[y] += p
        assert np.allclose(result.posterior[i], chance / chance.sum(), atol=1e-9)


def test_one_step_of_group_aware_em_by_hand():
    """E- and M-step of the model once more, item by item, from the parameters of four steps to those of five."""
    crowd, _, of, _ = simulate.hidden_opinions(60, 8, n_groups=2, seed=3)
    crowd = replace(crowd, annotator_extra={"g": of})
    before, after = (GroupDawidSkene(by="g", max_iter=n, tol=1e-300).fit(crowd).params for n in (4, 5))
    own, xi, prior = (np.zeros_like(before[name]) for name in ("own_confusion", "opinion", "prior"))
    for i in range(60):
        votes = np.flatnonzero(crowd.item == i)
        joint = np.zeros((3, 3, 3))
        for y, *z in product(range(3), repeat=3):
            joint[y, z[0], z[1]] = before["prior"][y] * before["opinion"][0, y, z[0]] * before["opinion"][1, y, z[1]]
            for v in votes:
                j = crowd.annotator[v]
                joint[y, z[0], z[1]] *= before["own_confusion"][j, z[of[j]], crowd.label[v]]
        joint /= joint.sum()
        prior += joint.sum(axis=(1, 2))
        xi[0] += joint.sum(axis=2)
        xi[1] += joint.sum(axis=1)
        held = joint.sum(axis=(0, 2)), joint.sum(axis=(0, 1))
        for v in votes:
            own[crowd.annotator[v], :, crowd.label[v]] += held[of[crowd.annotator[v]]]
    own += 0.01 + 0.2 * np.eye(3)
    xi += 1.0 + 2.0 * np.eye(3)
    assert np.allclose(after["own_confusion"], own / own.sum(axis=2, keepdims=True), atol=1e-9)
    assert np.allclose(after["opinion"], xi / xi.sum(axis=2, keepdims=True), atol=1e-9)


@pytest.mark.slow
def test_groups_are_one_witness():
    """Correlated classifiers: plain Dawid-Skene follows the largest group, the group-aware one does not."""
    panel = group(5, 2, 0.65, 0.95) + simulate.one_coin(4, 2, 0.75)
    made = simulate.crowd(panel, n_items=2000, graph="dense", seed=0)
    assert right(DawidSkene().fit(made.crowd), made) < 0.7
    assert right(GroupDawidSkene().fit(made.crowd), made) > 0.87
    made = simulate.crowd(FOUR, n_items=10_000, graph="dense", seed=0)
    found = FollowDawidSkene().fit(made.crowd)
    assert found.params["group"].tolist() == OF_FOUR
    assert right(found, made) > right(DawidSkene().fit(made.crowd), made) + 0.04
    assert right(GroupVote().fit(made.crowd), made) > right(MajorityVote().fit(made.crowd), made) + 0.04


@pytest.mark.slow
@pytest.mark.parametrize(("n_classes", "follow"), [(2, 0.6), (2, 0.9), (3, 0.6), (3, 0.9)])
def test_number_of_groups_by_residual(n_classes, follow):
    """Forty annotators in five groups, as in the tutorial's synthetic test: all found, by either way."""
    skills = (0.6, 0.65, 0.7, 0.55, 0.75)
    people = group(8, n_classes, skills[0], follow)
    for skill in skills[1:]:
        people += group(8, n_classes, skill, follow)
    made = simulate.crowd(people, n_items=5000, graph="dense", seed=0)
    five = np.repeat(np.arange(5), 8)
    assert (spectral_groups(made.crowd) == five).all()
    assert (find_groups(made.crowd) == five).all()
    plain, aware = DawidSkene().fit(made.crowd), FollowDawidSkene().fit(made.crowd)
    assert right(aware, made) > right(plain, made) + 0.01


def test_jaffes_score_by_loops():
    rng = np.random.default_rng(0)
    r = rng.normal(size=(7, 7))
    r = r + r.T
    slow = np.zeros((7, 7))
    for i, j in permutations(range(7), 2):
        others = [one for one in range(7) if one not in (i, j)]
        minors = [abs(r[i, j] * r[k, m] - r[i, m] * r[k, j]) for k, m in permutations(others, 2)]
        slow[i, j] = sum(minors) / len(minors)
    np.testing.assert_allclose(_score(r, rng), slow, atol=1e-12)


def test_independent_annotators_are_no_group():
    for n_classes in (2, 4):
        made = simulate.crowd(simulate.beta(15, n_classes, seed=2), n_items=2000, per_item=8, seed=1)
        assert (find_groups(made.crowd) == -1).all()
    assert (spectral_groups(simulate.crowd(simulate.beta(15, 2, seed=2), n_items=2000, seed=1).crowd) == -1).all()


def test_groups_travel_with_the_result(tmp_path):
    made = simulate.crowd(group(4, 3, 0.7, 0.9) + simulate.one_coin(4, 3, 0.7), n_items=3000, graph="dense", seed=3)
    for method in (GroupDawidSkene(), GroupVote()):
        result = method.fit(made.crowd)
        assert result.params["group"].tolist() == [0, 0, 0, 0, -1, -1, -1, -1]
        result.save(tmp_path / method.name)
        again = load(tmp_path / method.name)
        few = made.crowd.subset(items=made.crowd.items[:50])
        assert np.allclose(again.predict(few).posterior, result.posterior[:50], atol=1e-6)


def test_bad_options():
    crowd = simulate.crowd(simulate.one_coin(5, 2, 0.7), n_items=20, per_item=3, seed=0).crowd
    with pytest.raises(InputError, match="by='family': the annotators have no such column; they have none"):
        GroupDawidSkene(by="family").fit(crowd)
    with pytest.raises(InputError, match=r"history=1\.0"):
        GroupDawidSkene(history=1.0)
    for method in (GroupDawidSkene, GroupVote):
        with pytest.raises(InputError, match="knows groups by itself"):
            method(weights="groups")
    with pytest.raises(InputError, match="groups=-1"):
        GroupVote(groups=-1)


def test_k_means_by_weight():
    rows = np.array([[0.0], [1.0], [10.0]])
    assert k_means(rows, 2, np.array([1.0, 1.0, 1.0]))[0].tolist() in ([0, 0, 1], [1, 1, 0])
    cluster, centres = k_means(rows, 2, np.array([1.0, 1e6, 1.0]))
    assert 1.0 in centres.round(3) and cluster[0] != cluster[2]


def test_members_votes_are_counted_once_a_cell():
    """The engine over cells: every grouped vote is in the cell of its item and group."""
    crowd = simulate.crowd(simulate.one_coin(6, 3, 0.7), n_items=30, per_item=4, seed=0).crowd
    code = np.array([0, 0, 1, 1, -1, -1])
    votes = Grouped(bind(crowd, "numpy"), code)
    assert votes.ops.item_votes().sum() == (code[crowd.annotator] >= 0).sum()
    for cell in range(votes.item.size):
        own = votes.ops.item == cell
        assert (code[votes.ops.annotator[own]] == votes.of[cell]).all()


@pytest.mark.parametrize("opinion", [0.55, 0.7])
def test_copies_of_one_opinion_do_not_outvote_the_honest(opinion):
    """Eight copies against four honest annotators, groups known: heard once, from the start."""
    people = simulate.one_coin(4, 2, 0.8) + group(8, 2, opinion, follow=1.0)
    made = simulate.crowd(people, n_items=600, graph="dense", seed=0)
    office = np.array([*"abcd", *["x"] * 8], object)
    crowd = replace(made.crowd, annotator_extra={"office": office})
    assert right(DawidSkene().fit(crowd), made) < 0.7
    assert right(GroupDawidSkene(by="office").fit(crowd), made) > 0.85


def test_nobody_is_grouped_by_a_missing_name():
    crowd = simulate.crowd(simulate.one_coin(6, 2, 0.8), n_items=50, per_item=3, seed=0).crowd
    team = np.array(["x", "x", None, None, np.nan, ""], object)
    result = GroupVote(by="team").fit(replace(crowd, annotator_extra={"team": team}))
    assert result.params["group"].tolist() == [0, 0, -1, -1, -1, -1]
