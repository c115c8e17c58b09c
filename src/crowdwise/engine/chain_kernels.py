"""Forward and backward along chains of items, compiled."""

from __future__ import annotations

import numpy as np

from .kernels import jit


@jit
def forward_backward(  # noqa: PLR0912
    low, high, order, begin, start, move, log_evidence, posterior, begins, moves
):
    """Chains low .. high: the posterior of each item; expected begins and moves are added; gives the log-evidence."""
    n_states, longest, evidence = start.size, 0, 0.0
    for c in range(low, high):
        longest = max(longest, begin[c + 1] - begin[c])
    ahead, chance, scale = np.empty((longest, n_states)), np.empty((longest, n_states)), np.empty(longest)
    behind, row = np.empty(n_states), np.empty(n_states)
    for c in range(low, high):
        n = begin[c + 1] - begin[c]
        for t in range(n):
            i = order[begin[c] + t]
            top = log_evidence[i].max()
            total = 0.0
            for k in range(n_states):
                chance[t, k] = np.exp(log_evidence[i, k] - top)
                before = start[k]
                if t > 0:
                    before = 0.0
                    for j in range(n_states):
                        before += ahead[t - 1, j] * move[j, k]
                ahead[t, k] = before * chance[t, k]
                total += ahead[t, k]
            for k in range(n_states):
                ahead[t, k] /= total
            scale[t] = total
            evidence += top + np.log(total)
        behind[:] = 1.0
        for t in range(n - 1, -1, -1):
            i = order[begin[c] + t]
            for k in range(n_states):
                posterior[i, k] = ahead[t, k] * behind[k]
                row[k] = chance[t, k] * behind[k] / scale[t]
            if t == 0:
                for k in range(n_states):
                    begins[k] += posterior[i, k]
                break
            for j in range(n_states):
                total = 0.0
                for k in range(n_states):
                    total += move[j, k] * row[k]
                    moves[j, k] += ahead[t - 1, j] * move[j, k] * row[k]
                behind[j] = total
    return evidence
