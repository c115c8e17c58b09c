"""Forward and backward along chains of items, in plain NumPy: all chains side by side, one place at a time."""

from __future__ import annotations

import numpy as np

from ..votes.codes import Array


def forward_backward(
    order: Array, begin: Array, log_start: Array, log_move: Array, log_evidence: Array
) -> tuple[Array, Array, Array, float]:
    """See `NumpyEngine.chain`. Rows are scaled at each place, so that long chains do not underflow."""
    start, move = np.exp(log_start), np.exp(log_move)
    length, steps = np.diff(begin), places(order, begin)
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


def places(order: Array, begin: Array) -> list[Array]:
    """The items at the first place of all chains, those at the second ..., longest chains first."""
    length = np.diff(begin)
    longest_first = np.argsort(-length, kind="stable")
    at, size = begin[:-1][longest_first], length[longest_first]
    return [order[at[: np.count_nonzero(size > t)] + t] for t in range(int(size.max(initial=0)))]


def best_paths(order: Array, begin: Array, log_start: Array, log_move: Array, log_evidence: Array) -> Array:
    """The most likely states of each chain together (Viterbi), a state for each item."""
    steps = places(order, begin)
    state = np.zeros(len(log_evidence), np.int64)
    came_from = np.zeros(log_evidence.shape, np.int16)
    best = np.empty(log_evidence.shape)
    for t, here in enumerate(steps):
        if t == 0:
            best[here] = log_start + log_evidence[here]
            continue
        joint = best[steps[t - 1][: here.size], :, None] + log_move
        came_from[here] = joint.argmax(axis=1)
        best[here] = joint.max(axis=1) + log_evidence[here]
    for t in range(len(steps) - 1, -1, -1):
        here = steps[t]
        longer = steps[t + 1].size if t + 1 < len(steps) else 0
        state[here[longer:]] = best[here[longer:]].argmax(axis=1)
        if t > 0:
            state[steps[t - 1][: here.size]] = came_from[here, state[here]]
    return state


def next_chances(order: Array, begin: Array, log_move: Array, log_evidence: Array, state: int) -> Array:
    """The chance that the item after has a state, by the state of each item: (items, states), 0 at a chain's end."""
    steps, move = places(order, begin), np.exp(log_move)
    chance = np.exp(log_evidence - log_evidence.max(axis=1, keepdims=True))
    out, behind = np.zeros_like(chance), np.ones_like(chance)
    for t in range(len(steps) - 1, 0, -1):
        here, last = steps[t], steps[t - 1][: steps[t].size]
        row = chance[here] * behind[here]
        total = row @ move.T
        out[last] = row[:, [state]] * move[:, state] / np.where(total > 0.0, total, 1.0)
        behind[last] = total / np.maximum(total.max(axis=1, keepdims=True), 1e-300)
    return out
