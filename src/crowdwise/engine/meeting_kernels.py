"""What numba compiles for votes that meet: counting pairs and triples, EM over them, a walk over who met whom."""

from __future__ import annotations

import numpy as np

from .kernels import jit


@jit
def tuples(low, high, begin, item, own, first, cells, weight, n_classes, n_cells, place, met, often):
    """Meetings of votes in cells low..high with those of later annotators, into met (tuples, order); how many differ.

    begin, item, own: votes (and weights) in the order of their cells. place: (n_cells ** (order - 1),), below 0 at
    first. Positions only rise, so that a place below the cell's first says "not met yet".
    """
    n, triples = 0, met.shape[1] == 3
    for one in range(low, high):
        start, later = n, (one // n_classes + 1) * n_classes
        for p in range(begin[one], begin[one + 1]):
            i = item[p]
            for u in range(first[i], first[i + 1]):
                two = np.int64(cells[u])
                if two < later:
                    continue
                both = own[p] * weight[u] if weight.size > 0 else 1.0
                if not triples:
                    if place[two] < start:
                        place[two] = n
                        met[n, 0], met[n, 1] = one, two
                        n += 1
                    often[place[two]] += both
                    continue
                last = (two // n_classes + 1) * n_classes
                for t in range(first[i], first[i + 1]):
                    three = cells[t]
                    if three < last:
                        continue
                    key = two * n_cells + three
                    if place[key] < start:
                        place[key] = n
                        met[n, 0], met[n, 1], met[n, 2] = one, two, three
                        n += 1
                    often[place[key]] += both * weight[t] if weight.size > 0 else both
    return n


@jit
def tuple_sweep(low, high, cells, often, chance, prior, sums, mass):
    """Tuples low..high as items of their own; adds to sums (cells, true) and mass (true,), returns log-likelihood."""
    n_classes, order = prior.size, cells.shape[1]
    joint = np.empty(n_classes)
    evidence = 0.0
    for n in range(low, high):
        total = 0.0
        for k in range(n_classes):
            joint[k] = prior[k]
        for r in range(order):
            for k in range(n_classes):
                joint[k] *= chance[cells[n, r], k]
        for k in range(n_classes):
            total += joint[k]
        evidence += often[n] * np.log(total)
        share = often[n] / total
        for k in range(n_classes):
            joint[k] *= share
            mass[k] += joint[k]
        for r in range(order):
            for k in range(n_classes):
                sums[cells[n, r], k] += joint[k]
    return evidence


@jit
def linked(low, high, begin, item, value, first, who, other, variance, mean, least_shared, least_z, pairs, figures):
    """Pairs of annotators, the first of them low..high, whose values on shared items go together more than by chance.

    begin, item, value: annotators' items (CSR); first, who, other: the same by item; mean: the variance of each item's
    mean value. Writes pairs (first, second) and figures (shared items, z) as far as there is room; returns how many
    pairs there are, and how many share items enough.
    """
    n = begin.size - 1
    shared, product, spread = np.zeros(n), np.zeros(n), np.zeros(n)
    by_size, by_variance, met = np.zeros(n), np.zeros(n), np.empty(n, np.int64)
    found, tested = 0, 0
    for j in range(low, high):
        n_met = 0
        for v in range(begin[j], begin[j + 1]):
            i, own = item[v], value[v]
            size = first[i + 1] - first[i]
            for p in range(first[i], first[i + 1]):
                m = who[p]
                if m <= j:
                    continue
                if shared[m] == 0.0:
                    met[n_met] = m
                    n_met += 1
                both = own * other[p]
                shared[m] += 1.0
                product[m] += both
                spread[m] += both * both
                by_size[m] += 1.0 / size
                by_variance[m] += mean[i]
        for t in range(n_met):
            m = met[t]
            if shared[m] >= least_shared:
                tested += 1
                expected = max(by_variance[m] - (variance[j] + variance[m]) * by_size[m], 0.0)
                z = (product[m] - expected) / np.sqrt(max(spread[m], 1e-300))
                if z > least_z:
                    if found < len(pairs):
                        pairs[found, 0], pairs[found, 1] = j, m
                        figures[found, 0], figures[found, 1] = shared[m], z
                    found += 1
            shared[m] = product[m] = spread[m] = by_size[m] = by_variance[m] = 0.0
    return found, tested


@jit
def low_links(first, neighbour):
    """A depth-first walk over an undirected graph (CSR): order, lowest order reached from below, parent (-1: none)."""
    n = first.size - 1
    order, low, parent = np.full(n, -1, np.int64), np.zeros(n, np.int64), np.full(n, -1, np.int64)
    following, walk = first[:-1].copy(), np.empty(n, np.int64)
    time = 0
    for root in range(n):
        if order[root] >= 0:
            continue
        depth = 0
        walk[0] = root
        order[root] = low[root] = time
        time += 1
        while depth >= 0:
            node = walk[depth]
            if following[node] < first[node + 1]:
                other = neighbour[following[node]]
                following[node] += 1
                if order[other] < 0:
                    parent[other] = node
                    order[other] = low[other] = time
                    time += 1
                    depth += 1
                    walk[depth] = other
                elif other != parent[node]:
                    low[node] = min(low[node], order[other])
            else:
                depth -= 1
                if depth >= 0:
                    low[walk[depth]] = min(low[walk[depth]], low[node])
    return order, low, parent
