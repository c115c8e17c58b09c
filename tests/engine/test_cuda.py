"""The kernels of the GPU engine, run by Triton's interpreter on a processor, held to NumPy."""

import os
import subprocess
import sys

import pytest
import torch

from crowdwise import Crowd, DawidSkene, InputError

SUMS = """
import numpy as np
from crowdwise import Crowd
from crowdwise.engine import bind
from crowdwise.votes.known import Known

for seed, n_classes in enumerate((1, 2, 3, 9)):
    rng = np.random.default_rng(seed)
    n, m, votes = rng.integers(1, 40), rng.integers(1, 9), rng.integers(1, 70)
    crowd = Crowd(
        item=rng.integers(n, size=votes), annotator=rng.integers(m, size=votes),
        label=rng.integers(n_classes, size=votes),
        items=np.arange(n), annotators=np.arange(m), classes=np.arange(n_classes),
        weight=rng.uniform(0, 3, votes) if seed % 2 else None,
    )
    table = np.log(rng.dirichlet(np.ones(n_classes), (m, n_classes)) + 1e-9)
    hit, miss = np.log(rng.random((2, m, n_classes)))
    state, q, value = np.log(rng.dirichlet(np.ones(n_classes))), rng.dirichlet(np.ones(n_classes), n), rng.random(votes)
    rows = np.where(rng.random((n, n_classes)) < 0.3, -np.inf, 0.0)
    rows[:, 0] = 0.0
    some = np.flatnonzero(rng.random(n) < 0.5)
    known = Known(some, rows[some])

    def sums(ops):
        return [
            ops.item_votes(), ops.item_votes(value), ops.annotator_votes(), ops.annotator_votes(value), ops.given,
            ops.item_scores(table), ops.confusion_counts(q), ops.item_sums(table[:, 0]), ops.annotator_sums(q),
            *ops.posterior(table, state, known), *ops.sweep(table, state, known), *ops.sweep(table, state),
            *ops.posterior_hits(hit, miss, state, known), *ops.sweep_hits(hit, miss, state, known),
        ]

    for k, (a, b) in enumerate(zip(sums(bind(crowd, "numpy")), sums(bind(crowd, "cuda")), strict=True)):
        np.testing.assert_allclose(b, a, rtol=1e-3, atol=5e-4, err_msg=f"seed {seed}, sum {k}")
"""


@pytest.mark.slow
def test_kernels_are_the_reference():
    pytest.importorskip("triton", reason="Triton is not installed: pip install 'crowdwise[cuda]'")
    environment = {**os.environ, "TRITON_INTERPRET": "1"}  # read when Triton is loaded
    done = subprocess.run([sys.executable, "-c", SUMS], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]


def test_no_gpu_is_one_sentence():
    pytest.importorskip("triton", reason="Triton is not installed: pip install 'crowdwise[cuda]'")
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(InputError, match="has no GPU that PyTorch can use"):
        DawidSkene().fit(Crowd.from_matrix([[0, 1]]), engine="cuda")
