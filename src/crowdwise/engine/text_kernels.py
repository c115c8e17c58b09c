"""What numba compiles for texts: how far they are apart, and how several of them are aligned into one."""

from __future__ import annotations

import numpy as np

from .kernels import jit


@jit
def edits(one, other, row):
    """How many words have to be changed, left out or put in to make one text the other (Levenshtein)."""
    m = other.size
    for j in range(m + 1):
        row[j] = j
    for i in range(one.size):
        before = row[0]
        row[0] = i + 1
        for j in range(m):
            least = min(row[j + 1] + 1, row[j] + 1, before + (1 if one[i] != other[j] else 0))
            before = row[j + 1]
            row[j + 1] = least
    return row[m]


@jit
def distances(low, high, first, text, begin, words, at, out):
    """Edits between all readings of each item, in parts of the longer one: out[at[i]:] holds a square."""
    longest = 0
    for t in range(begin.size - 1):
        longest = max(longest, begin[t + 1] - begin[t])
    row = np.empty(longest + 1, np.int64)
    for i in range(low, high):
        n = first[i + 1] - first[i]
        for a in range(n):
            one = text[first[i] + a]
            out[at[i] + a * n + a] = 0.0
            for b in range(a):
                other = text[first[i] + b]
                n_one, n_other = begin[one + 1] - begin[one], begin[other + 1] - begin[other]
                d = edits(words[begin[one] : begin[one + 1]], words[begin[other] : begin[other + 1]], row)
                apart = d / max(n_one, n_other, 1)
                out[at[i] + a * n + b] = apart
                out[at[i] + b * n + a] = apart


@jit
def rover(  # noqa: PLR0912, PLR0915
    low, high, first, order, text, begin, words, weight, handicap, at, chosen_reading, chosen_place, n_chosen, sureness
):
    """Readings of each item aligned one after the other, in their order, into slots of which each is voted on.

    A slot costs a word what those before say otherwise there. An empty slot has a handicap. chosen_reading[at[i]:] and
    chosen_place: from whom each chosen word is taken; sureness: mean share of what was chosen in the slots.
    """
    for i in range(low, high):
        n, most = first[i + 1] - first[i], at[i + 1] - at[i]
        n_chosen[i], sureness[i] = 0, 0.0
        if n == 0:
            continue
        slots, moved = np.full((most + 1, n), -1, np.int32), np.full((most + 1, n), -1, np.int32)
        used, done = 0, 0.0
        for a in range(n):
            r = order[first[i] + a]
            own = words[begin[text[r]] : begin[text[r] + 1]]
            m = own.size
            if a == 0:
                for j in range(m):
                    slots[j, 0] = j
                used, done = m, weight[r]
                continue
            cost, back = np.empty((used + 1, m + 1)), np.zeros((used + 1, m + 1), np.int8)
            cost[0, 0] = 0.0
            for j in range(1, m + 1):
                cost[0, j], back[0, j] = cost[0, j - 1] + 1.0, 2
            for s in range(1, used + 1):
                empty = 0.0
                for b in range(a):
                    if slots[s - 1, b] < 0:
                        empty += weight[order[first[i] + b]]
                skip = 1.0 - empty / done
                cost[s, 0], back[s, 0] = cost[s - 1, 0] + skip, 1
                for j in range(1, m + 1):
                    same = 0.0
                    for b in range(a):
                        place = slots[s - 1, b]
                        other = order[first[i] + b]
                        if place >= 0 and words[begin[text[other]] + place] == own[j - 1]:
                            same += weight[other]
                    meet, leave, insert = (
                        cost[s - 1, j - 1] + 1.0 - same / done, cost[s - 1, j] + skip, cost[s, j - 1] + 1.0,
                    )  # fmt: skip
                    if meet <= leave and meet <= insert:
                        cost[s, j], back[s, j] = meet, 0
                    elif leave <= insert:
                        cost[s, j], back[s, j] = leave, 1
                    else:
                        cost[s, j], back[s, j] = insert, 2
            s, j, n_new = used, m, 0
            while s > 0 or j > 0:  # from the end; turned round below
                for b in range(n):
                    moved[n_new, b] = -1
                step = back[s, j]
                if step != 2:
                    s -= 1
                    for b in range(a):
                        moved[n_new, b] = slots[s, b]
                if step != 1:
                    j -= 1
                    moved[n_new, a] = j
                n_new += 1
            for k in range(n_new):
                for b in range(n):
                    slots[k, b] = moved[n_new - 1 - k, b]
            used, done = n_new, done + weight[r]
        total = 0.0
        for s in range(used):
            empty, best, best_at = 0.0, 0.0, -1
            for b in range(n):
                r = order[first[i] + b]
                if slots[s, b] < 0:
                    empty += weight[r]
                    continue
                word, support = words[begin[text[r]] + slots[s, b]], 0.0
                for c in range(n):
                    other = order[first[i] + c]
                    if slots[s, c] >= 0 and words[begin[text[other]] + slots[s, c]] == word:
                        support += weight[other]
                if support > best * (1.0 + 1e-9):
                    best, best_at = support, b
            if best / done > empty / done - handicap + 1e-9:
                chosen_reading[at[i] + n_chosen[i]] = order[first[i] + best_at]
                chosen_place[at[i] + n_chosen[i]] = slots[s, best_at]
                n_chosen[i] += 1
                total += best / done
            else:
                total += empty / done
        sureness[i] = total / max(used, 1)
