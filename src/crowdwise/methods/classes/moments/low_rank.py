"""A symmetric matrix of low rank from entries that are known more or less well, or not at all."""

from __future__ import annotations

import numpy as np

from ....engine import NumpyEngine
from ....fit.em import vote_shares
from ....votes.codes import Array
from .joint_counts import joint_of

HALF = 10.0  # shared items at which a pair of annotators is trusted by half


def completed_root(matrix: Array, trust: Array, root: Array, max_iter: int, tol: float) -> tuple[Array, bool]:
    r"""U, (n, rank), with :math:`\sum trust (matrix - U U^\top)^2` small, and whether it has settled.

    What is not trusted is imputed: :math:`Y = t X + (1 - t) U U^\top`, U from the largest eigenvalues of Y, in turn
    (Srebro & Jaakkola 2003). `root` is where it starts.

    >>> full = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0])
    >>> root, settled = completed_root(full, 1.0 - np.eye(4), np.ones((4, 1)), 2000, 1e-12)
    >>> abs(root[:, 0]).round(3).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    low = root @ root.T
    misfit = float((trust * (matrix - low) ** 2).sum())
    for _ in range(max_iter):
        root = _root(trust * matrix + (1.0 - trust) * low, root)
        low = root @ root.T
        before, misfit = misfit, float((trust * (matrix - low) ** 2).sum())
        if before - misfit <= tol * before:
            return root, True
    return root, False


def _root(matrix: Array, root: Array) -> Array:
    """Towards the root of the largest eigenvalues, from the last one: two steps of subspace iteration."""
    basis = root
    for _ in range(2):
        basis = np.linalg.qr(matrix @ basis)[0]
    value, vector = np.linalg.eigh(basis.T @ matrix @ basis)
    return np.asarray(basis @ vector * np.sqrt(np.maximum(value, 0.0)))


def completed_vector(matrix: Array, trust: Array, root: Array, max_iter: int, tol: float) -> Array:
    """`completed_root` of rank one, whose steps are products with vectors.

    >>> full = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0])
    >>> completed_vector(full, 1.0 - np.eye(4), np.ones(4), 2000, 1e-12).round(3).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    known, unknown = trust * matrix, 1.0 - trust
    all_of_it = float((known * matrix).sum())

    def off(root: Array) -> float:
        return float(all_of_it - 2.0 * root @ known @ root + root**2 @ trust @ root**2)

    misfit = off(root)
    for _ in range(max_iter):
        basis = root / np.sqrt(max(float(root @ root), 1e-300))
        for _ in range(2):
            moved = known @ basis + root * (unknown @ (root * basis))
            basis = moved / np.sqrt(max(float(moved @ moved), 1e-300))
        value = float(basis @ (known @ basis + root * (unknown @ (root * basis))))
        root = basis * np.sqrt(max(value, 0.0))
        before, misfit = misfit, off(root)
        if before - misfit <= tol * before:
            break
    return root


def voted_root(ops: NumpyEngine) -> Array:
    """H, (cells, true), with everybody's confusion as counted against the votes: a start, and it names the classes."""
    shares = vote_shares(ops)
    votes = ops.confusion_counts(shares) + 0.01 + 0.2 * np.eye(ops.n_classes)
    votes *= np.sqrt(shares.mean(axis=0))[:, None] / votes.sum(axis=2, keepdims=True)
    return np.asarray(votes.transpose(0, 2, 1).reshape(-1, ops.n_classes))


def pair_matrix(ops: NumpyEngine) -> tuple[Array, Array]:
    """All pairs' joint label distributions as one matrix, (cells, cells), and how far each entry is to be trusted."""
    pairs, n, n_classes = joint_of(ops, ops.tuples(2)), ops.n_annotators, ops.n_classes
    blocks, shared = np.zeros((n, n, n_classes, n_classes)), np.zeros((n, n))
    first, second = pairs.annotators.T
    blocks[first, second], blocks[second, first] = pairs.joint, pairs.joint.transpose(0, 2, 1)
    shared[first, second] = shared[second, first] = pairs.shared
    trust = np.repeat(np.repeat(shared / (shared + HALF), n_classes, axis=0), n_classes, axis=1)
    return blocks.transpose(0, 2, 1, 3).reshape(n * n_classes, -1), trust
