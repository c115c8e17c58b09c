"""What numba compiles for comparisons: a pass over pairs of items, and one over answers through their annotators."""

from __future__ import annotations

import numpy as np

from .kernels import jit


@jit
def pair_pass(low, high, left, right, wins, losses, score, slope, curve):
    """Pairs low..high under Bradley and Terry's model; adds to slope (items,), writes curve, returns log-likelihood."""
    total = 0.0
    for p in range(low, high):
        d = score[left[p]] - score[right[p]]
        met = wins[p] + losses[p]
        e = np.exp(-abs(d))
        chance = 1.0 / (1.0 + e) if d >= 0.0 else e / (1.0 + e)
        total -= (losses[p] * d if d >= 0.0 else -wins[p] * d) + met * np.log1p(e)
        curve[p] = met * chance * (1.0 - chance)
        gain = wins[p] - met * chance
        slope[left[p]] += gain
        slope[right[p]] -= gain
    return total


@jit
def answer_sweep(low, high, first, who, said, weight, gap, people, wins, met, sums):
    """Answers on pairs low..high through what is believed of annotators; writes wins and met, returns log-likelihood.

    gap: of scores, the pair's first item above the second. said: 0, 1, 2 (the left item as shown, the right one, a
    tie), three more where the pair's first item stood on the right. people: (annotators, 3): honesty, how often a coin,
    the coin's left share. sums: (annotators, 4): answers that were meant, reversed, tossed, and tossed to the left.
    """
    total, product, held = 0.0, 1.0, 0
    for p in range(low, high):
        chance = 1.0 / (1.0 + np.exp(-gap[p]))
        won = 0.0
        both = 0.0
        for n in range(first[p], first[p + 1]):
            j, own = who[n], (weight[n] if weight.size > 0 else 1.0)
            turned, label = said[n] >= 3, said[n] % 3
            if label == 2:
                seen, tossed, to_first, to_left = 0.5, 0.5, 0.5, 0.5
            else:
                to_left = 1.0 - label
                to_first = 1.0 - to_left if turned else to_left
                seen = chance if to_first == 1.0 else 1.0 - chance
                tossed = people[j, 2] if label == 0 else 1.0 - people[j, 2]
            attentive = 1.0 - people[j, 1]
            meant = attentive * people[j, 0] * seen
            turned_round = attentive * (1.0 - people[j, 0]) * (1.0 - seen)
            coin = people[j, 1] * tossed
            likely = meant + turned_round + coin
            share = own / likely
            meant, turned_round, coin = meant * share, turned_round * share, coin * share
            won += meant * to_first + turned_round * (1.0 - to_first)
            both += meant + turned_round
            sums[j, 0] += meant
            sums[j, 1] += turned_round
            sums[j, 2] += coin
            sums[j, 3] += coin * to_left
            if own == 1.0:
                product *= likely
                held += 1
                if held == 16:
                    total += np.log(product)
                    product, held = 1.0, 0
            else:
                total += own * np.log(likely)
        wins[p], met[p] = won, both
    return total + np.log(product)
