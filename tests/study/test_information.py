"""Capacity of annotators as channels, against closed forms and brute force; the spammer score by its definition."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from crowdwise.study.annotators import capacity, spammer_score


def entropy(p):
    p = np.asarray(p)
    return -(p[p > 0] * np.log2(p[p > 0])).sum()


@pytest.mark.parametrize("error", [0.0, 0.05, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_symmetric_channels(error, n_classes):
    matrix = np.full((n_classes, n_classes), error / (n_classes - 1))
    np.fill_diagonal(matrix, 1.0 - error)
    assert capacity(matrix) == pytest.approx(np.log2(n_classes) - entropy(matrix[0]), abs=1e-6)


def test_z_channel():
    """One class always right, the other taken for it half of the time: log2(5/4)."""
    assert capacity(np.array([[1.0, 0.0], [0.5, 0.5]])) == pytest.approx(np.log2(1.25), abs=1e-6)


def test_brute_force():
    matrices = np.random.default_rng(0).dirichlet(np.ones(3), size=(6, 3))
    for matrix, bits in zip(matrices, capacity(matrices), strict=True):

        def lost(free, matrix=matrix):
            share = np.exp(free - free.max())
            share /= share.sum()
            return -(entropy(share @ matrix) - sum(p * entropy(row) for p, row in zip(share, matrix, strict=True)))

        assert bits == pytest.approx(-minimize(lost, np.zeros(3), method="Nelder-Mead", tol=1e-10).fun, abs=1e-5)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_names_of_labels_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.dirichlet(np.ones(4), size=4)
    moved = matrix[rng.permutation(4)][:, rng.permutation(4)]
    assert capacity(moved) == pytest.approx(float(capacity(matrix)), abs=1e-5)
    assert spammer_score(moved) == pytest.approx(float(spammer_score(matrix)))


def test_spammer_score_is_its_definition():
    for matrix in np.random.default_rng(0).dirichlet(np.ones(4), size=(5, 4)):
        pairs = sum(((matrix[a] - matrix[b]) ** 2).sum() for a, b in combinations(range(4), 2))
        assert spammer_score(matrix) == pytest.approx(pairs / 12)
    sensitivity, specificity = 0.8, 0.7
    two = np.array([[specificity, 1 - specificity], [1 - sensitivity, sensitivity]])
    assert spammer_score(two) == pytest.approx((sensitivity + specificity - 1) ** 2)
