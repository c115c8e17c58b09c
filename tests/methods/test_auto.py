"""Auto: sure of what votes support, taught by gold, and silent where it does not know."""

import os
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow.csv
import pytest
from crowdwise.annotators import verdicts
from scipy.sparse import csr_array

from crowdwise import Auto, Crowd, settle, simulate
from crowdwise.methods.classes import strangers
from crowdwise.methods.classes.gold_stack import SCALE, _mode
from crowdwise.methods.classes.strangers import MISLED, population, strangers_say


def by_hand(counts):
    """The strangers' model once more: all populations, all chances of knowing, item by item, vote by vote."""
    n_classes = counts.shape[1]
    knows = min(max((0.7 - 1 / n_classes) / (0.9 * (1 - 1 / n_classes)), 0.1), 0.9)
    weights, said = [], []
    for mean, spread in product(strangers.MEANS, strangers.SPREADS):
        size = 1 / spread - 1
        nodes = [a ** (mean * size - 1) * (1 - a) ** ((1 - mean) * size - 1) for a in strangers.KNOWS]
        prior = mean ** (8 * knows - 1) * (1 - mean) ** (8 * (1 - knows) - 1)
        rows = []
        for row in counts:
            chance = np.zeros(n_classes)
            for true in range(n_classes):
                for a, node in zip(strangers.KNOWS, nodes, strict=True):
                    product_of_votes = 1.0
                    for given, times in enumerate(row):
                        product_of_votes *= (a * (given == true) + (1 - a) / n_classes) ** times
                    chance[true] += node / sum(nodes) * product_of_votes
            rows.append(chance)
            prior *= chance.sum()
        weights.append(prior)
        said.append([row / row.sum() for row in rows])
    weights = np.array(weights) / sum(weights)
    return weights, (1 - MISLED) * np.tensordot(weights, said, 1) + MISLED / n_classes


def test_strangers_follow_their_equations():
    counts = np.array([[3.0, 1, 0], [0, 2, 2], [0, 0, 1], [5, 0, 0], [1, 3, 0], [0, 0, 0]])
    crowd = population(counts)
    weights, said = by_hand(counts)
    np.testing.assert_allclose(crowd, weights, atol=1e-12)
    np.testing.assert_allclose(strangers_say(counts, crowd), said, atol=1e-12)


def test_rows_of_counts_are_told_apart():
    """With eight classes and many votes, too: sums of counts times roots of whole numbers were once the same."""
    rows = np.array([[2.0, 2, 2, 2, 2, 2, 3, 5], [0, 2, 2, 2, 2, 2, 4, 5], [2, 2, 2, 2, 2, 2, 3, 5]])
    pattern, which, times = strangers._patterns(rows)
    assert len(pattern) == 2 and which[0] == which[2] != which[1]
    assert (pattern[which] == rows).all() and sorted(times.tolist()) == [1, 2]


@pytest.mark.parametrize(
    ("item", "annotator", "label", "most"),
    [
        (["a"] * 3, ["p", "q", "machine"], ["x", "y", "x"], 0.7),
        (list(range(50)), list(range(50)), [i % 2 for i in range(50)], 0.75),
        ([0, 1, 2], [0, 0, 0], [0, 1, 0], 0.75),
        ([1, 1, 1, 2, 2, 3, 3, 3], list("abcacabc"), ["cat", "cat", "dog", "dog", "cat", "cat", "cat", "dog"], 0.75),
        (["a"], ["p"], ["x"], 0.75),
    ],
)
def test_small_crowds_are_not_sure(item, annotator, label, most):
    """Two who disagree and a machine; fifty strangers; one annotator; the README's votes; one vote."""
    crowd = Crowd.from_columns(
        item, annotator, label, classes=sorted({*label, *("x", "y")} if label == ["x"] else {*label})
    )
    confidence = Auto().fit(crowd).confidence
    assert confidence.max() <= most
    assert confidence.min() >= 0.5


def unshrunk(result, crowd):
    """What the models say, as if everybody were well known."""
    ops = result.method.bind(result.method.reweigh_votes(crowd, result.params), "numpy")
    known = result.params | {"heard": np.full(ops.n_annotators, 10**9)}
    return result.method.infer(ops, known)


def test_large_crowds_are_as_sure_as_their_models():
    made = simulate.crowd(simulate.one_coin(30, 2, 0.8), n_items=3000, per_item=9, seed=0)
    result = Auto().fit(made.crowd)
    np.testing.assert_allclose(result.posterior, unshrunk(result, made.crowd), atol=0.01)


def test_labels_stay(made):
    """What strangers' votes are worth moves confidence only."""
    result = Auto().fit(made.crowd)
    assert (unshrunk(result, made.crowd).argmax(axis=1) == result.label_codes).all()


def test_a_thousand_classes_fit_in_memory(monkeypatch):
    """Members are held side by side: those that need a tenth of the memory are left out, and it is said."""
    made = simulate.crowd(simulate.one_coin(40, 200, 0.8), n_items=200, per_item=3, seed=0)
    monkeypatch.setattr("crowdwise.fit.aggregator.available_memory", lambda: 2**25)
    result = Auto().fit(made.crowd)
    assert any("left out" in note for note in result.notes)
    assert (result.labels == made.truth).mean() > 0.8
    monkeypatch.setattr("crowdwise.methods.classes.auto.SHARE", 1e-9)  # where none has room, the smallest is heard
    assert (Auto().fit(made.crowd).labels == made.truth).mean() > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_kinds_need_evidence(seed):
    """Plain confusion matrices: nothing speaks for kinds, and ebcc does not decide."""
    made = simulate.crowd(simulate.dirichlet(50, 2, 4.0, 1.0, seed=seed), n_items=2000, per_item=5, seed=seed)
    result = Auto().fit(made.crowd)
    assert "committee" not in result.params
    assert any("vote, and agree on" in note for note in result.notes)


def test_where_ebcc_decides_both_are_told(real_set):
    crowd, truth = real_set("zencrowd_us")
    result = Auto().fit(crowd)
    differ = result.params["committee"] != result.label_codes
    assert any(f"differs on {differ.sum()} items" in note for note in result.notes)
    assert (result.label_codes == truth)[truth >= 0].mean() > 0.89


def test_regression_on_gold_is_at_its_mode():
    """The mode has no slope, and the evidence is Laplace's: once more with dense matrices and finite differences."""
    rng = np.random.default_rng(0)
    base, dense = rng.normal(size=(12, 3)), rng.integers(0, 2, (36, 4)).astype(float)
    truth = rng.integers(3, size=12)

    def log_joint(b):
        scores = base + (dense @ b).reshape(12, 3)
        share = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        normal = -0.5 * (b @ b) / SCALE**2 - 2.0 * np.log(2 * np.pi * SCALE**2)
        return np.log(share[np.arange(12), truth]).sum() + normal

    mode, evidence = _mode(base, csr_array(dense), truth)
    step = 1e-4 * np.eye(4)
    slope = np.array([(log_joint(mode + e) - log_joint(mode - e)) / 2e-4 for e in step])
    np.testing.assert_allclose(slope, 0.0, atol=1e-3)
    hessian = np.array(
        [
            [
                (log_joint(mode + a + b) - log_joint(mode + a - b) - log_joint(mode - a + b) + log_joint(mode - a - b))
                / 4e-8
                for a in step
            ]
            for b in step
        ]
    )
    laplace = log_joint(mode) + 2.0 * np.log(2 * np.pi) - 0.5 * np.linalg.slogdet(-hessian)[1]
    assert evidence == pytest.approx(laplace, abs=1e-3)


def test_gold_of_one_class_teaches_nothing_false(real_set):
    """Ten known items of one class say nothing of who is right on the other."""
    crowd, truth = real_set("bluebird")
    told = np.flatnonzero(truth == 0)[:10]
    rest = np.setdiff1d(np.arange(truth.size), told)
    without, taught = Auto().fit(crowd), Auto().fit(crowd, gold={crowd.items[i]: crowd.classes[0] for i in told})
    right = [(result.label_codes == truth)[rest].mean() for result in (without, taught)]
    assert right[1] > right[0] - 0.03


@pytest.mark.slow
def test_gold_turns_misled_judges(real_set):
    """Judges of adversarial pairs are mostly wrong together: gold as a clamp does not help, as a teacher it does."""
    crowd, _ = real_set("llmbar")
    folder = Path(os.environ["CROWDWISE_DATA"], "llmbar")
    items, judges = (pyarrow.csv.read_csv(folder / f"{name}.csv") for name in ("items", "annotators"))
    hard = np.asarray(items["item"])[np.asarray(items["subset"]) != "Natural"]
    plain = np.asarray(judges["annotator"])[np.asarray(judges["prompt"]) == "Vanilla"]
    few = crowd.subset(items=hard, annotators=plain)
    truth = pyarrow.csv.read_csv(folder / "truth.csv")
    known = dict(zip(truth["item"].to_pylist(), truth["label"].to_pylist(), strict=True))
    right = []
    for seed in range(3):
        gold = np.random.default_rng(seed).choice(few.items, 20, replace=False).tolist()
        result = Auto().fit(few, gold={item: known[item] for item in gold})
        rest = [i for i, item in enumerate(few.items.tolist()) if item not in gold]
        right.append(np.mean([result.labels[i] == known[few.items[i]] for i in rest]))
    assert np.mean(right) > 0.8


def test_gold_is_what_it_is(made):
    gold = dict(enumerate(made.truth[:40].tolist()))
    result = Auto().fit(made.crowd, gold=gold)
    assert (result.labels[:40] == made.truth[:40]).all()
    assert (result.confidence[:40] > 0.999).all()
    assert any("40 known items taught" in note for note in result.notes)


@pytest.mark.slow
def test_a_thousand_classes_take_no_time():
    """Confusion matrices of so many classes say nothing and take minutes: their models are left out."""
    made = simulate.crowd(simulate.one_coin(20, 500, 0.8), n_items=300, per_item=5, seed=0)
    result = settle(made.crowd)
    assert "ibcc, community-bcc, ebcc left out: too many classes for them, or stopped early" in result.notes
    assert (result.labels == made.truth).mean() > 0.9
    assert len(verdicts(made.crowd, result)) == 20


@pytest.mark.slow
def test_a_large_crowd_is_asked_for_kinds_in_a_sample():
    """Nothing speaks for kinds in a sample: ebcc is not fitted to all votes. Where much does, it is."""
    made = simulate.crowd(simulate.dirichlet(60, 3, 4.0, 1.0, seed=1), n_items=24_000, per_item=5, seed=0)
    result = Auto().fit(made.crowd)
    assert not any("ebcc" in note for note in result.notes) and result.params["evidence"][0] < 0.0
    rng = np.random.default_rng(0)
    truth, hard = rng.integers(0, 3, 8000), rng.random(8000) < 0.3
    shared, sure = 0.4 * (np.eye(3) + np.roll(np.eye(3), 1, axis=1)) + 0.2 / 3, 0.85 * np.eye(3) + 0.05
    chance = np.where(hard[:, None], shared[truth], sure[truth])[:, None, :]
    said = (rng.random((8000, 20, 1)) > chance.cumsum(axis=2)[..., :2]).sum(axis=2)
    kinds = Auto().fit(Crowd.from_matrix(said))
    assert any("ebcc" in note for note in kinds.notes)
