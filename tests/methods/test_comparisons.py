"""Methods for comparisons against slow, plain code, and on crowds of every odd sort."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from crowdwise import (
    AutoComparisons,
    BradleyTerry,
    Comparisons,
    CrowdBT,
    Elo,
    Hodge,
    InputError,
    NoisyBT,
    RankCentrality,
    SlopeBT,
    WinRate,
    simulate,
)
from crowdwise.engine import comparison_sums
from crowdwise.engine.comparison_sums import pairs_of
from crowdwise.fit.checks.small import small_comparisons
from crowdwise.methods import make, names
from crowdwise.methods.comparisons import pairs as pair_sums
from crowdwise.methods.comparisons.pairs import Laplacian, newton


def tau(result, made):
    return kendalltau(result.estimate.mean, made.truth)[0]


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def test_pairs_are_counted_either_way():
    said = small_comparisons(0)
    wins = np.zeros((said.n_items, said.n_items))
    for one, other, won in zip(said.item, said.other, said.won, strict=True):
        wins[one, other] += won
        wins[other, one] += 1.0 - won
    pairs = pairs_of(said)
    np.testing.assert_allclose(pairs.wins, wins[pairs.left, pairs.right])
    np.testing.assert_allclose(pairs.losses, wins[pairs.right, pairs.left])
    # small codes must not overflow in keys of pairs
    assert said.item.dtype.itemsize == 1 or said.n_items > 127
    many = simulate.comparisons(n_items=5000, n_annotators=3, per_annotator=200, seed=0).comparisons
    assert pairs_of(many).wins.sum() + pairs_of(many).losses.sum() == 600


def test_sparse_systems_are_the_dense_ones(monkeypatch):
    pairs = pairs_of(small_comparisons(1))
    dense = newton(pairs, 15, 0.2)
    monkeypatch.setattr(pair_sums, "DENSE", 3)
    sparse = newton(pairs, 15, 0.2)
    np.testing.assert_allclose(sparse.score, dense.score, atol=1e-8)
    assert (Laplacian(pairs, pairs.wins + pairs.losses, 0.2, 15).variances() <= dense.variance * 10).all()


def test_bradley_terry_learns_how_far_scores_spread(monkeypatch):
    """The ridge of the highest evidence; of many items, the precision of scores and their variances."""
    said = small_comparisons(2)
    fitted = pair_sums.learned(pairs_of(said), said.n_items)
    heights = [
        pair_sums.log_evidence(pairs_of(said), newton(pairs_of(said), said.n_items, fitted.ridge * factor))
        for factor in (0.8, 1.0, 1.25)
    ]
    assert max(heights) == heights[1]
    monkeypatch.setattr(pair_sums, "FEW", 3)
    many = pair_sums.learned(pairs_of(said), said.n_items)
    assert many.ridge == pytest.approx(pair_sums.prior_of(many), rel=1e-3)
    monkeypatch.undo()
    np.testing.assert_allclose(BradleyTerry().fit(said).params["score"], fitted.score - fitted.score.mean())


def test_bradley_terry_intervals_hold_what_they_say():
    held = []
    for seed in range(20):
        made = simulate.comparisons(n_items=30, n_annotators=10, per_annotator=100, seed=seed)
        low, high = BradleyTerry().fit(made.comparisons).estimate.interval(0.9)
        truth = made.truth - made.truth.mean()
        held.append(((low <= truth) & (truth <= high)).mean())
    assert 0.86 < np.mean(held) < 0.94


def test_hodge_is_least_squares():
    said = small_comparisons(3)
    rows, right = [], []
    for one, other, won in zip(said.item, said.other, said.won, strict=True):
        row = np.zeros(said.n_items)
        row[one], row[other] = 1.0, -1.0
        rows.append(row)
        right.append(2.0 * won - 1.0)
    ridge = np.sqrt(1e-3) * np.eye(said.n_items)
    best = np.linalg.lstsq(np.vstack([*rows, ridge]), np.concatenate([right, np.zeros(said.n_items)]), rcond=None)[0]
    np.testing.assert_allclose(Hodge().fit(said).estimate.mean, best - best.mean(), atol=1e-8)


def test_rank_centrality_is_the_stationary_share():
    said = small_comparisons(4)
    pairs, n = pairs_of(said), said.n_items
    move = np.zeros((n, n))
    for i, j, wins, losses in zip(*pairs, strict=True):
        move[i, j], move[j, i] = ((part + 0.1) / (wins + losses + 0.2) for part in (losses, wins))
    move /= (move > 0).sum(axis=1).max()
    move += np.diag(1.0 - move.sum(axis=1))
    values, vectors = np.linalg.eig(move.T)
    share = np.abs(np.real(vectors[:, np.argmax(np.real(values))]))
    expected = np.log(share / share.sum())
    np.testing.assert_allclose(RankCentrality().fit(said).estimate.mean, expected - expected.mean(), atol=1e-6)


def test_win_rate_by_hand():
    said = Comparisons.from_columns(["a", "a", "b"], ["b", "c", "c"], ["x"] * 3, ["left", "tie", "right"])
    np.testing.assert_allclose(WinRate(pseudo=0).fit(said).params["score"], [0.25, -0.5, 0.25])


def test_elo_by_hand():
    said = Comparisons.from_columns(["a", "b"], ["b", "c"], ["x"] * 2, ["left", "left"])
    a = 0.18 * 0.5
    b = -a + 0.18 * (1.0 - sigmoid(-a))
    np.testing.assert_allclose(Elo().fit(said).estimate.mean, [a, b, -a - b])


def test_crowd_bt_is_at_its_fixed_point():
    """Where it settled, honesty and scores are what its equations make of each other."""
    made = simulate.comparisons(n_items=10, n_annotators=8, per_annotator=80, flippers=2, ties=0.1, seed=0)
    said, result = made.comparisons, CrowdBT(max_iter=500).fit(made.comparisons)
    score, honesty = result.params["score"], result.params["honesty"]
    z, n = np.empty(said.n_votes), np.bincount(said.annotator, minlength=8)
    for v in range(said.n_votes):
        e, chance = honesty[said.annotator[v]], sigmoid(score[said.item[v]] - score[said.other[v]])
        seen = chance if said.label[v] == 0 else 1.0 - chance
        z[v] = e if said.label[v] == 2 else e * seen / (e * seen + (1.0 - e) * (1.0 - seen))
    won = np.where(said.label == 2, 0.5, z * said.won + (1.0 - z) * (1.0 - said.won))
    slope = np.zeros(10)
    for v in range(said.n_votes):
        pull = won[v] - sigmoid(score[said.item[v]] - score[said.other[v]])
        slope[said.item[v]] += pull
        slope[said.other[v]] -= pull
    # drawn to zero by a ridge, which is one number for all items
    ridge = (slope @ score) / (score @ score)
    np.testing.assert_allclose(slope, ridge * score, atol=0.02 * np.abs(slope).max() + 0.02)
    # and honesty by one Beta prior for all annotators
    total = np.bincount(said.annotator, z, 8)
    a, b = np.linalg.lstsq(np.stack([1.0 - honesty, -honesty], axis=1), honesty * n - total, rcond=None)[0]
    np.testing.assert_allclose((a + total) / (a + b + n), honesty, atol=1e-3)


@pytest.mark.parametrize(
    ("odd", "model", "axis"),
    [
        ({"flippers": 4}, CrowdBT, "honesty"),
        ({"flippers": 4}, SlopeBT, "slope"),
        ({"spammers": 4}, NoisyBT, "coin"),
        ({"left": 4}, NoisyBT, "left_share"),
    ],
    ids=str,
)
def test_the_odd_are_told_apart(odd, model, axis):
    made = simulate.comparisons(n_items=15, n_annotators=20, per_annotator=80, seed=0, **odd)
    told = model().fit(made.comparisons).params[axis]
    assert told[16:].max() < told[:16].min() if axis in ("honesty", "slope") else told[16:].mean() > told[:16].max()


@pytest.mark.slow
@pytest.mark.parametrize("odd", [{}, {"flippers": 6}, {"spammers": 10}, {"left": 8}], ids=str)
def test_auto_is_insurance(odd):
    gain = []
    for seed in range(4):
        made = simulate.comparisons(n_items=20, n_annotators=24, per_annotator=20, seed=seed, **odd)
        gain.append(
            tau(AutoComparisons().fit(made.comparisons), made) - tau(BradleyTerry().fit(made.comparisons), made)
        )
    assert np.mean(gain) > (0.02 if odd else -0.02)


def test_what_cannot_be_known_is_said():
    said = Comparisons.from_columns(["a", "c"], ["b", "d"], ["x", "y"], ["left", "left"])
    notes = BradleyTerry().fit(said).notes
    assert any("fall into 2 parts" in note for note in notes)
    assert any(note.startswith("2 items never won") for note in notes)
    made = simulate.comparisons(n_items=10, n_annotators=5, per_annotator=40, seed=0).comparisons
    turned = Comparisons.from_columns(
        np.where(made.label == 0, made.item, made.other), np.where(made.label == 0, made.other, made.item),
        made.annotator, ["left"] * made.n_votes,
    )  # fmt: skip
    assert any("is the winner written first?" in note for note in BradleyTerry().fit(turned).notes)


@pytest.mark.parametrize("name", names("comparisons"))
def test_odd_crowds_have_an_answer(name):
    """One comparison, one annotator, ties alone, an item that never met another."""
    for left, right, who, said, items in (
        (["a"], ["b"], ["x"], ["left"], ()),
        (["a", "b"], ["b", "c"], ["x", "x"], ["left", "right"], ()),
        (["a", "b"], ["b", "a"], ["x", "y"], ["tie", "tie"], ("z",)),
    ):
        made = Comparisons.from_columns(left, right, who, said, items=items)
        estimate = make(name).fit(made).estimate
        assert np.isfinite(estimate.mean).all() and np.isfinite(estimate.sd).all(), name


def test_a_comparison_with_itself_is_refused():
    with pytest.raises(InputError, match="compared with itself"):
        Comparisons.from_columns(["a"], ["a"], ["x"], ["left"])


def test_one_comparison_does_not_make_items_alike():
    estimate = BradleyTerry().fit(Comparisons.from_columns(["a"], ["b"], ["x"], ["left"])).estimate
    assert estimate.mean[0] > 0.3 and estimate.sd.min() > 0.5


@pytest.mark.parametrize("small", [0, 10**9], ids=["numba", "numpy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_sweep_over_answers_is_its_mixture(monkeypatch, small, weighted):
    """Meant, reversed or tossed: the three chances of each answer, by a loop; and the pass over pairs."""
    monkeypatch.setattr(comparison_sums, "SMALL", small)
    votes, rng = small_comparisons(5), np.random.default_rng(1)
    votes = votes.with_weight(rng.uniform(0.5, 2.0, votes.n_votes) if weighted else None)
    score = rng.normal(size=votes.n_items)
    people = comparison_sums.People(*(rng.uniform(0.1, 0.9, votes.n_annotators) for _ in range(3)))
    pairs, sums, likely = comparison_sums.Answers(votes).sweep(score, people)
    wins, met = np.zeros((2, votes.n_items, votes.n_items))
    by, total = np.zeros((4, votes.n_annotators)), 0.0
    for n in range(votes.n_votes):
        left, right, j = votes.item[n], votes.other[n], votes.annotator[n]
        e, u, q = (column[j] for column in people)
        f = 1.0 / (1.0 + np.exp(score[right] - score[left]))
        seen, side, to_left = {0: (f, q, 1.0), 1: (1.0 - f, 1.0 - q, 0.0), 2: (0.5, 0.5, 0.5)}[int(votes.label[n])]
        parts = np.array([(1 - u) * e * seen, (1 - u) * (1 - e) * (1 - seen), u * side])
        weight = 1.0 if votes.weight is None else votes.weight[n]
        total += weight * np.log(parts.sum())
        parts *= weight / parts.sum()
        by[:, j] += [*parts, parts[2] * to_left]
        wins[left, right] += parts[0] * to_left + parts[1] * (1 - to_left)
        wins[right, left] += parts[0] * (1 - to_left) + parts[1] * to_left
        met[left, right] += parts[0] + parts[1]
        met[right, left] += parts[0] + parts[1]
    assert likely == pytest.approx(total, rel=1e-12)
    np.testing.assert_allclose(sums, by, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(pairs.wins, wins[pairs.left, pairs.right], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(pairs.wins + pairs.losses, met[pairs.left, pairs.right], rtol=1e-10)
    ll, slope, curve = comparison_sums.pair_pass(pairs, score)
    d = score[pairs.left] - score[pairs.right]
    p = 1.0 / (1.0 + np.exp(-d))
    assert ll == pytest.approx((pairs.wins * np.log(p) + pairs.losses * np.log(1.0 - p)).sum(), rel=1e-12)
    np.testing.assert_allclose(curve, (pairs.wins + pairs.losses) * p * (1.0 - p), rtol=1e-12)
    gain = pairs.wins - (pairs.wins + pairs.losses) * p
    n = votes.n_items
    np.testing.assert_allclose(slope, np.bincount(pairs.left, gain, n) - np.bincount(pairs.right, gain, n), atol=1e-10)


@pytest.mark.parametrize("odd", [{}, {"flippers": 2}, {"flippers": 4}, {"spammers": 5}])
def test_scores_of_the_default_keep_the_scale_of_honest_answers(odd):
    """Whoever lies: intervals hold, and a difference of scores is the chance that an honest annotator would give."""
    slope, inside = [], []
    for seed in range(20, 28):
        made = simulate.comparisons(n_items=20, n_annotators=20, per_annotator=60, seed=seed, **odd)
        found = AutoComparisons().fit(made.comparisons).estimate
        truth = np.asarray(made.truth, float)[made.comparisons.items.astype(int)]
        truth = truth - truth.mean()
        slope.append(found.mean @ truth / (truth @ truth))
        inside.append((np.abs(found.mean - truth) < 1.645 * found.sd).mean())
    assert 0.85 < np.mean(slope) < 1.2 and np.mean(inside) > 0.85
