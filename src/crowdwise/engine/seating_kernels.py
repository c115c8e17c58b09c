"""What numba compiles for annotators who sit down at tables: each in turn, given where the others sit."""

from __future__ import annotations

from math import lgamma

import numpy as np

from .kernels import jit


@jit
def log_evidence(counts, votes):
    """Log chance of counts (true, given) whose rows are Dirichlet, votes (true, given), summed out."""
    n, total = counts.shape[0], 0.0
    for k in range(n):
        all_votes, all_counts = 0.0, 0.0
        for g in range(n):
            total += lgamma(votes[k, g] + counts[k, g]) - lgamma(votes[k, g])
            all_votes += votes[k, g]
            all_counts += counts[k, g]
        total += lgamma(all_votes) - lgamma(all_votes + all_counts)
    return total


@jit
def seat(counts, pseudo, concentration, table, uniform):
    """Every annotator once, in their order: table (annotators,) in place; counts (annotators, true, given).

    Somebody joins a table with chance members x evidence of their counts given the members', or takes one of their own
    with concentration x evidence given the prior.
    """
    n, k = counts.shape[0], counts.shape[1]
    sums, size = np.zeros((n, k, k)), np.zeros(n)
    for j in range(n):
        sums[table[j]] += counts[j]
        size[table[j]] += 1.0
    log = np.empty(n)
    for j in range(n):
        sums[table[j]] -= counts[j]
        size[table[j]] -= 1.0
        empty, top = -1, -np.inf
        for t in range(n):
            log[t] = -np.inf
            if size[t] > 0.0:
                log[t] = np.log(size[t]) + log_evidence(counts[j], pseudo + sums[t])
            elif empty < 0:
                empty = t
                sums[t] = 0.0
                log[t] = np.log(concentration) + log_evidence(counts[j], pseudo)
            top = max(top, log[t])
        total = 0.0
        for t in range(n):
            total += np.exp(log[t] - top)
        left, chosen = uniform[j] * total, empty
        for t in range(n):
            left -= np.exp(log[t] - top)
            if left < 0.0:
                chosen = t
                break
        table[j] = chosen
        sums[chosen] += counts[j]
        size[chosen] += 1.0
