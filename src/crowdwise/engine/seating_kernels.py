"""What numba compiles for annotators who sit down at tables: each in turn, given where the others sit."""

from __future__ import annotations

from math import lgamma

import numpy as np

from .kernels import jit

FEW = 8  # votes, of which a product is sooner had than two log gammas


@jit
def log_rise(votes, count):
    """log Gamma(votes + count) - log Gamma(votes)."""
    if count > FEW or count != np.floor(count):
        return lgamma(votes + count) - lgamma(votes)
    product = 1.0
    for more in range(int(count)):
        product *= votes + more
    return np.log(product)


@jit
def log_evidence(counts, pseudo, sums):
    """Log chance of counts (true, given) whose rows are Dirichlet with pseudo + sums votes, summed out."""
    n, total = counts.shape[0], 0.0
    for k in range(n):
        all_votes, all_counts = 0.0, 0.0
        for g in range(n):
            votes = pseudo[k, g] + sums[k, g]
            if counts[k, g] > 0.0:
                total += log_rise(votes, counts[k, g])
            all_votes += votes
            all_counts += counts[k, g]
        if all_counts > 0.0:
            total -= log_rise(all_votes, all_counts)
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
                log[t] = np.log(size[t]) + log_evidence(counts[j], pseudo, sums[t])
            elif empty < 0:
                empty = t
                sums[t] = 0.0
                log[t] = np.log(concentration) + log_evidence(counts[j], pseudo, sums[t])
            top = max(top, log[t])
        total = 0.0
        for t in range(n):
            log[t] = np.exp(log[t] - top) if log[t] > -np.inf else 0.0  # a chance from here on
            total += log[t]
        left, chosen = uniform[j] * total, empty
        for t in range(n):
            left -= log[t]
            if left < 0.0:
                chosen = t
                break
        table[j] = chosen
        sums[chosen] += counts[j]
        size[chosen] += 1.0
