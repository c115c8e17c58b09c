import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdwise import Crowd, InputError, simulate
from crowdwise import engine as engines
from crowdwise.engine import bind, kernels, suited
from crowdwise.engine.numba_engine import NumbaEngine
from crowdwise.engine.warm import warm
from crowdwise.methods import make
from crowdwise.votes.known import Known

OTHERS = ["numba:1", "numba:3", "torch"]


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(1, 20), st.booleans(), st.booleans())
@settings(max_examples=25, deadline=None)
def test_every_sum_is_the_reference(seed, n_classes, weighted, gold):
    rng = np.random.default_rng(seed)
    n, m, votes = rng.integers(1, 200), rng.integers(1, 30), rng.integers(1, 700)
    crowd = Crowd(
        item=rng.integers(n, size=votes), annotator=rng.integers(m, size=votes),
        label=rng.integers(n_classes, size=votes),
        items=np.arange(n), annotators=np.arange(m), classes=np.arange(n_classes),
        weight=rng.uniform(0, 3, votes) if weighted else None,
    )  # fmt: skip
    table = np.log(rng.dirichlet(np.ones(n_classes), (m, n_classes)) + 1e-9)
    hit, miss, state = (
        np.log(rng.random((m, n_classes))),
        np.log(rng.random((m, n_classes))),
        np.log(rng.dirichlet(np.ones(n_classes))),
    )
    q, value = rng.dirichlet(np.ones(n_classes), n), rng.random(votes)
    known = np.where(rng.random((n, n_classes)) < 0.3, -np.inf, 0.0) if gold else None
    if gold:
        known[:, 0] = 0.0
        some = np.flatnonzero(rng.random(n) < 0.5)
        known = Known(some, known[some])

    def sums(ops):
        return [
            ops.item_votes(), ops.item_votes(value), ops.annotator_votes(), ops.annotator_votes(value),
            ops.item_scores(table), ops.confusion_counts(q), ops.item_sums(table[:, 0]), ops.annotator_sums(q),
            *ops.posterior(table, state, known), *ops.sweep(table, state, known),
            *ops.posterior_hits(hit, miss, state, known), *ops.sweep_hits(hit, miss, state, known),
        ]  # fmt: skip

    reference = sums(bind(crowd, "numpy"))
    for engine in OTHERS:
        single = engine.startswith("numba")
        for a, b in zip(reference, sums(bind(crowd, engine)), strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-3 if single else 1e-9, atol=5e-4 if single else 1e-9)


def test_unfused_counts_are_the_fused_ones(monkeypatch):
    crowd = simulate.crowd(simulate.dirichlet(9, 4, seed=0), n_items=500, per_item=4, seed=0).crowd
    table, state = np.log(simulate.dirichlet(9, 4, seed=1).confusion), np.log(np.full(4, 0.25))
    fused = NumbaEngine(crowd, 2).sweep(table, state)
    monkeypatch.setattr(NumbaEngine, "fused_bytes", 0)
    for a, b in zip(fused, NumbaEngine(crowd, 2).sweep(table, state), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_same_bits_twice_and_close_whatever_the_threads():
    crowd = simulate.crowd(simulate.one_coin(50, 5, 0.6), n_items=3000, per_item=5, seed=0).crowd
    table, state = np.log(simulate.dirichlet(50, 5, seed=1).confusion), np.log(np.full(5, 0.2))
    runs = [
        bind(crowd, engine).sweep(table, state)[0] for engine in ("numba:2", "numba:2", "numba:7", "torch", "torch")
    ]
    assert (runs[0] == runs[1]).all() and (runs[3] == runs[4]).all()
    np.testing.assert_allclose(runs[2], runs[0], rtol=1e-6)


def test_more_threads_than_items():
    crowd = Crowd.from_matrix([[0, 1, 1]])
    assert bind(crowd, "numba:8").item_votes().tolist() == [[1.0, 2.0]]


def test_auto_takes_numpy_for_the_small_and_numba_for_the_large(monkeypatch):
    monkeypatch.setattr(engines, "is_warm", lambda: True)
    assert type(bind(Crowd.from_matrix([[0, 1]]))).__name__ == "NumpyEngine"
    item = np.arange(250_000)
    assert type(bind(Crowd.from_columns(item, item % 10, item % 2))).__name__ == "NumbaEngine"


@pytest.mark.parametrize(
    ("engine", "message"),
    [("gpu", "engine 'gpu' is unknown"), ("numba:x", "whole number"), ("torch:cuda:99", "no such device")],
)
def test_unknown_engines_are_refused(engine, message):
    with pytest.raises(InputError, match=message):
        bind(Crowd.from_matrix([[0, 1]]), engine)


def test_a_cold_cache_makes_crowds_small_for_longer(monkeypatch):
    crowd = Crowd.from_columns(np.arange(300_000) // 3, np.arange(300_000) % 100, np.arange(300_000) % 5)
    monkeypatch.setattr(engines, "is_warm", lambda: False)
    assert (suited(crowd), suited(crowd, load=10), suited(crowd, "numba")) == ("numpy", "numba", "numba")
    monkeypatch.setattr(engines, "is_warm", lambda: True)
    assert suited(crowd) == "numba"


@pytest.mark.slow
def test_warm_compiles_what_fits_use():
    """In one process, after `warm`, nothing is compiled for a fit of any number of classes."""
    warm()
    before = len(kernels.from_table.signatures), len(kernels.from_hits.signatures)
    for n_classes in (2, 3, 7, 8, 30):
        made = simulate.crowd(simulate.one_coin(5, n_classes, 0.8), n_items=50, per_item=3, seed=0)
        for crowd in (made.crowd, made.crowd.with_weight(np.full(made.crowd.n_votes, 0.5))):
            make("dawid-skene", max_iter=2).fit(crowd, engine="numba:1")
            make("mace", max_iter=2).fit(crowd, engine="numba:1")
    assert (len(kernels.from_table.signatures), len(kernels.from_hits.signatures)) == before
