"""Forward and backward along chains of items, in plain NumPy: all chains side by side, one place at a time."""

from __future__ import annotations

import numpy as np

from ..votes.codes import Array


def forward_backward(
    order: Array, begin: Array, log_start: Array, log_move: Array, log_evidence: Array
) -> tuple[Array, Array, Array, float]:
    """See `NumpyEngine.chain`. Rows are scaled at each place, so that long chains do not underflow."""
    start, move = np.exp(log_start), np.exp(log_move)
    length = np.diff(begin)
    longest_first = np.argsort(-length, kind="stable")
    at, size = begin[:-1][longest_first], length[longest_first]
    steps = [order[at[: np.count_nonzero(size > t)] + t] for t in range(int(size.max(initial=0)))]
    top = log_evidence.max(axis=1, keepdims=True)
    chance = np.exp(log_evidence - top)
    ahead, scale = np.empty_like(chance), np.ones(len(chance))
    for t, here in enumerate(steps):
        before = start if t == 0 else ahead[steps[t - 1][: here.size]] @ move
        joint = before * chance[here]
        scale[here] = joint.sum(axis=1)
        ahead[here] = joint / scale[here, None]
    behind, moves = np.ones_like(chance), np.zeros_like(move)
    for t in range(len(steps) - 1, 0, -1):
        here, last = steps[t], steps[t - 1][: steps[t].size]
        row = chance[here] * behind[here] / scale[here, None]
        behind[last] = row @ move.T
        moves += move * (ahead[last].T @ row)
    posterior = ahead * behind
    begins = posterior[order[begin[:-1][length > 0]]].sum(axis=0)
    return posterior, begins, moves, float(np.log(scale).sum() + top.sum())
