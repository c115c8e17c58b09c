"""What numba compiles. Each kernel takes a range of items (or cells) and releases the GIL; plain threads run them.

No parallel=True: no threading layer to choose or to fork, half the compile time, and fixed ranges, so that sums come
out the same every run. A cell is an (annotator, given class) pair; tables and counts are (cells, states).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numba
import numpy as np

from .prefetch import prefetch

# Without nnan and ninf: gold is -inf.
jit: Any = partial(
    numba.njit, nogil=True, cache=True, fastmath={"reassoc", "contract", "arcp", "nsz"}, error_model="numpy"
)
f32 = np.float32
BLOCK = 64  # items whose scores stay in the first-level cache between the E-step and its sums
FOLD = 16  # votes, each at least 1e-12 likely, whose product is a number
UNROLLED = 7  # up to this many states their number is known when a kernel is compiled; more gain nothing by it
WIDE = 10  # states from which tables outgrow the caches


def sized(n_states: int) -> tuple[int, ...]:
    """A tuple whose length, being part of its type, tells the compiler how many states there are."""
    return (0,) * n_states if n_states <= UNROLLED else ()


@jit
def soften(unrolled, scores, bits, n_items, mass):
    """Scores of a block of items, (items, states), become distributions; returns their log-evidence."""
    states = len(unrolled) if len(unrolled) > 0 else scores.shape[1]
    evidence = 0.0
    for j in range(n_items):
        top = scores[j, 0]
        for s in range(1, states):
            top = max(top, scores[j, s])
        evidence += top
        for s in range(states):
            scores[j, s] -= top
    # exp of numbers <= 0 as polynomial and integer arithmetic that vectorises (Cephes' expf, no SVML needed)
    x, power, n = scores.reshape(scores.size), bits.view(np.float32), n_items * states
    for t in range(n):
        v = max(x[t], f32(-80.0))  # not -87: divided by the total that would be a denormal
        m = np.floor(v * f32(1.44269504) + f32(0.5))
        r = v - m * f32(0.693359375)
        r = r + m * f32(2.12194440e-4)
        p = f32(1.9875691500e-4)
        p = p * r + f32(1.3981999507e-3)
        p = p * r + f32(8.3334519073e-3)
        p = p * r + f32(4.1665795894e-2)
        p = p * r + f32(1.6666665459e-1)
        p = p * r + f32(5.0000001201e-1)
        x[t] = p * r * r + r + f32(1.0)
        bits[t] = (np.int32(m) + np.int32(127)) << np.int32(23)
    for t in range(n):
        x[t] *= power[t]
    product = 1.0  # of totals in 1..states: one logarithm for several items
    for j in range(n_items):
        total = f32(0.0)
        for s in range(states):
            total += scores[j, s]
        product *= np.float64(total)
        if product > 1e250:
            evidence += np.log(product)
            product = 1.0
        share = f32(1.0) / total
        for s in range(states):
            scores[j, s] *= share
        for s in range(states):
            mass[s] += scores[j, s]
    return evidence + np.log(product)


@jit
def from_table(  # noqa: PLR0912
    unrolled, low, high, first, cells, weight, table, log_state, known, log_rows, counts, mass, posterior
):
    """Items low..high; empty weight, counts or posterior: there is none, or it is not wanted.

    known: items of which something is known, ascending; log_rows: what that adds to their scores.
    """
    states = len(unrolled) if len(unrolled) > 0 else log_state.size
    scores, bits = np.empty((BLOCK, states), np.float32), np.empty(BLOCK * states, np.int32)
    weighted, counting, keeping = weight.size > 0, counts.size > 0, posterior.size > 0
    row = np.searchsorted(known, low)
    evidence = 0.0
    for block in range(low, high, BLOCK):
        n_items = min(BLOCK, high - block)
        if states >= WIDE:
            # Rows of the next block's votes, and of this one's counts, are fetched while there is something else to do.
            for v in range(first[block + n_items], first[min(block + 2 * BLOCK, high)]):
                for s in range(0, states, 16):
                    prefetch(table, cells[v], s)
            if counting:
                for v in range(first[block], first[block + n_items]):
                    for s in range(0, states, 8):
                        prefetch(counts, cells[v], s)
        for j in range(n_items):
            i = block + j
            for s in range(states):
                scores[j, s] = log_state[s]
            if row < known.size and known[row] == i:
                for s in range(states):
                    scores[j, s] += log_rows[row, s]
                row += 1
            if weighted:
                for v in range(first[i], first[i + 1]):
                    cell, w = cells[v], f32(weight[v])
                    for s in range(states):
                        scores[j, s] += w * table[cell, s]
            else:
                for v in range(first[i], first[i + 1]):
                    cell = cells[v]
                    for s in range(states):
                        scores[j, s] += table[cell, s]
        evidence += soften(unrolled, scores, bits, n_items, mass)
        if keeping:
            for j in range(n_items):
                for s in range(states):
                    posterior[block + j, s] = scores[j, s]
        if counting:
            for j in range(n_items):
                i = block + j
                if weighted:
                    for v in range(first[i], first[i + 1]):
                        cell, w = cells[v], weight[v]
                        for s in range(states):
                            counts[cell, s] += w * scores[j, s]
                else:
                    for v in range(first[i], first[i + 1]):
                        cell = cells[v]
                        for s in range(states):
                            counts[cell, s] += scores[j, s]
    return evidence


@jit
def from_hits(
    unrolled, low, high, first, cells, label, weight, gain, log_state, known, log_rows, agree, mass, posterior
):
    """The same where a vote lifts only the class that it names, by gain[cell]; agree: (cells,). O(1) a vote."""
    states = len(unrolled) if len(unrolled) > 0 else log_state.size
    scores, bits = np.empty((BLOCK, states), np.float32), np.empty(BLOCK * states, np.int32)
    weighted, counting, keeping = weight.size > 0, agree.size > 0, posterior.size > 0
    row = np.searchsorted(known, low)
    evidence = 0.0
    for block in range(low, high, BLOCK):
        n_items = min(BLOCK, high - block)
        for j in range(n_items):
            i = block + j
            for s in range(states):
                scores[j, s] = log_state[s]
            if row < known.size and known[row] == i:
                for s in range(states):
                    scores[j, s] += log_rows[row, s]
                row += 1
            for v in range(first[i], first[i + 1]):
                scores[j, label[v]] += gain[cells[v]] * (f32(weight[v]) if weighted else f32(1.0))
        evidence += soften(unrolled, scores, bits, n_items, mass)
        if keeping:
            for j in range(n_items):
                for s in range(states):
                    posterior[block + j, s] = scores[j, s]
        if counting:
            for j in range(n_items):
                i = block + j
                for v in range(first[i], first[i + 1]):
                    agree[cells[v]] += scores[j, label[v]] * (weight[v] if weighted else 1.0)
    return evidence


@jit
def item_votes(low, high, first, label, value, weight, out):
    """Value a vote (or one for all) into (items, given)."""
    for i in range(low, high):
        for v in range(first[i], first[i + 1]):
            out[i, label[v]] += (value[v] if value.size > 1 else value[0]) * (weight[v] if weight.size > 0 else 1.0)


@jit
def cell_votes(low, high, cells, value, weight, out):
    """Value a vote (or one for all) into (cells,)."""
    for v in range(low, high):
        out[cells[v]] += (value[v] if value.size > 1 else value[0]) * (weight[v] if weight.size > 0 else 1.0)


@jit
def item_scores(low, high, first, cells, weight, table, out):
    """Rows of the table at an item's cells, summed into (items, states)."""
    for i in range(low, high):
        for v in range(first[i], first[i + 1]):
            cell, w = cells[v], weight[v] if weight.size > 0 else 1.0
            for s in range(out.shape[1]):
                out[i, s] += w * table[cell, s]


@jit
def cell_sums(low, high, first, cells, weight, posterior, out):
    """Posterior rows of items low..high, summed into (cells, states)."""
    for i in range(low, high):
        for v in range(first[i], first[i + 1]):
            cell, w = cells[v], weight[v] if weight.size > 0 else 1.0
            for s in range(out.shape[1]):
                out[cell, s] += w * posterior[i, s]


@jit
def sums_by_cell(low, high, first, item, weight, posterior, out):
    """The same with votes in the order of their cells low..high: nothing private to a thread, one row at a time."""
    states = posterior.shape[1]
    row = np.empty(states)
    for cell in range(low, high):
        row[:] = 0.0
        for p in range(first[cell], first[cell + 1]):
            i, w = item[p], weight[p] if weight.size > 0 else 1.0
            for s in range(states):
                row[s] += w * posterior[i, s]
        for s in range(states):
            out[cell, s] = row[s]


@jit
def from_logits(  # noqa: PLR0912
    low, high, first, annotator, label, weight, of_annotator, of_item, log_state, log_known, posterior, pull, pull_item
):
    """Items low..high where chances are softmax(annotator's + item's logits); adds to the slopes, returns evidence."""
    n_classes = log_state.size
    most = 0
    for i in range(low, high):
        most = max(most, first[i + 1] - first[i])
    chance = np.empty((most, n_classes, n_classes))
    scores = np.empty(n_classes)
    weighted, prior = weight.size > 0, log_known.size > 0
    evidence = 0.0
    for i in range(low, high):
        for k in range(n_classes):
            scores[k] = log_state[k]
            if prior:
                scores[k] += log_known[i, k]
        for v in range(first[i], first[i + 1]):
            a, at = annotator[v], v - first[i]
            w = weight[v] if weighted else 1.0
            for k in range(n_classes):
                top = -np.inf
                for g in range(n_classes):
                    chance[at, k, g] = of_annotator[a, k, g] + of_item[i, k, g]
                    top = max(top, chance[at, k, g])
                said = chance[at, k, label[v]] - top
                total = 0.0
                for g in range(n_classes):
                    chance[at, k, g] = np.exp(chance[at, k, g] - top)
                    total += chance[at, k, g]
                for g in range(n_classes):
                    chance[at, k, g] /= total
                scores[k] += w * (said - np.log(total))
        top = scores[0]
        for k in range(1, n_classes):
            top = max(top, scores[k])
        total = 0.0
        for k in range(n_classes):
            scores[k] = np.exp(scores[k] - top)
            total += scores[k]
        evidence += top + np.log(total)
        for k in range(n_classes):
            scores[k] /= total
            posterior[i, k] = scores[k]
        for v in range(first[i], first[i + 1]):
            a, at = annotator[v], v - first[i]
            w = weight[v] if weighted else 1.0
            for k in range(n_classes):
                share = w * scores[k]
                for g in range(n_classes):
                    slope = -share * chance[at, k, g]
                    pull[a, k, g] += slope
                    pull_item[i, k, g] += slope
                pull[a, k, label[v]] += share
                pull_item[i, k, label[v]] += share
    return evidence


@jit
def messages(  # noqa: PLR0912
    low, high, votes, begin, label, weight, prior, chance, to_annotator, sent, point
):
    """Annotators low..high; prior: log weights; chance: (given, true, points); point: (annotators, points).

    Products of a few votes, then their logarithms: nothing underflows, however many votes an annotator has.
    """
    n_classes, n_points = chance.shape[1], prior.size
    said, product = np.empty(n_points), np.ones(n_points)
    for j in range(low, high):
        left = point[j]
        left[:] = prior
        for p in range(begin[j], begin[j + 1]):
            v = votes[p]
            row = chance[label[v]]
            tell(row, to_annotator[v], said)
            if weight.size > 0 and weight[v] != 1.0:
                for s in range(n_points):
                    left[s] += weight[v] * np.log(said[s])
            else:
                for s in range(n_points):
                    product[s] *= said[s]
            if (p - begin[j]) % FOLD == FOLD - 1 or p == begin[j + 1] - 1:
                for s in range(n_points):
                    left[s] += np.log(product[s])
                product[:] = 1.0
        top = left.max()
        for s in range(n_points):
            left[s] = np.exp(left[s] - top)
        for p in range(begin[j], begin[j + 1]):
            v = votes[p]
            row = chance[label[v]]
            tell(row, to_annotator[v], said)
            own = min(weight[v], 1.0) if weight.size > 0 else 1.0
            for s in range(n_points):
                said[s] = left[s] / (said[s] if own == 1.0 else said[s] ** own)
            total = 0.0
            for k in range(n_classes):
                answer = 0.0
                for s in range(n_points):
                    answer += said[s] * row[k, s]
                sent[p, k] = answer
                total += answer
            for k in range(n_classes):
                sent[p, k] /= total
        total = 0.0
        for s in range(n_points):
            total += left[s]
        for s in range(n_points):
            left[s] /= total


@jit
def tell(row, message, said):
    """How likely a vote is at each point, by what its item says of its class: row is (true, points)."""
    for s in range(said.size):
        said[s] = message[0] * row[0, s]
    for k in range(1, row.shape[0]):
        for s in range(said.size):
            said[s] += message[k] * row[k, s]


@jit
def first_near_top(low, high, posterior, tolerance, out):
    """The first state of each of some items that is as likely as any, up to a tolerance."""
    for i in range(low, high):
        top = posterior[i, 0]
        for s in range(1, posterior.shape[1]):
            top = max(top, posterior[i, s])
        out[i] = 0
        for s in range(posterior.shape[1]):
            if posterior[i, s] >= top - tolerance:
                out[i] = s
                break
