"""Two passes of EM on a GPU, in Triton: scores of items, and sums over the votes of a cell. No atomic additions.

A cell is an (annotator, given class) pair; rows are padded to `P` states, a power of two. Every program writes what is
its own, so that the same call gives the same bits.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def score_items(
    first, cells, weight, table, log_state, row_of, log_rows, scores, evidence, mass, n_items,
    K: tl.constexpr, P: tl.constexpr, B: tl.constexpr,
    WEIGHTED: tl.constexpr, KNOWN: tl.constexpr, HITS: tl.constexpr, EACH: tl.constexpr, SOFT: tl.constexpr,
):  # fmt: skip
    """B items: what their votes say of each state; a distribution, its log-evidence and its mass, if it is to be SOFT.

    HITS: a vote lifts only the class that it names, by table[cell], or by table[vote] where EACH vote has its own.
    """
    program = tl.program_id(0)
    i = program.to(tl.int64) * B + tl.arange(0, B)
    there = i < n_items
    low = tl.load(first + i, mask=there, other=0)
    high = tl.load(first + i + 1, mask=there, other=0)
    s = tl.arange(0, P)
    score = tl.zeros((B, P), tl.float32) + tl.load(log_state + s)[None, :]
    if KNOWN:
        row = tl.load(row_of + i, mask=there, other=-1).to(tl.int64)
        score += tl.load(log_rows + row[:, None] * P + s[None, :], mask=(row >= 0)[:, None], other=0.0)
    for v in range(0, tl.max(high - low, 0)):
        at = low + v
        live = at < high
        cell = tl.load(cells + at, mask=live, other=0).to(tl.int64)
        if HITS:
            gain = tl.load(table + (at if EACH else cell), mask=live, other=0.0)
            said = tl.where(s[None, :] == (cell % K)[:, None], gain[:, None], 0.0)
        else:
            said = tl.load(table + cell[:, None] * P + s[None, :], mask=live[:, None], other=0.0)
        if WEIGHTED:
            said *= tl.load(weight + at, mask=live, other=0.0)[:, None]
        score += said
    if SOFT:
        top = tl.max(score, 1)
        score = tl.exp(score - top[:, None])
        total = tl.sum(score, 1)
        score = score / total[:, None]
        tl.store(evidence + program, tl.sum(tl.where(there, top + tl.log(total), 0.0).to(tl.float64), 0))
        tl.store(mass + program.to(tl.int64) * P + s, tl.sum(tl.where(there[:, None], score, 0.0), 0).to(tl.float64))
    tl.store(scores + i[:, None] * P + s[None, :], score, mask=there[:, None])


@triton.jit
def sum_cells(
    begin, end, item, weight, label, scores, part,
    P: tl.constexpr, B: tl.constexpr, WEIGHTED: tl.constexpr, HITS: tl.constexpr,
):  # fmt: skip
    """A stretch of the votes of one cell, which are sorted by cell: rows of their items, summed.

    HITS: of each row only the class that the cell names.
    """
    program = tl.program_id(0).to(tl.int64)
    low, high = tl.load(begin + program), tl.load(end + program)
    s = tl.arange(0, P)
    own = tl.load(label + program)
    total = tl.zeros((B, P), tl.float32)  # of few enough numbers that single precision will do
    for v in range(low, high, B):
        at = v + tl.arange(0, B)
        live = at < high
        i = tl.load(item + at, mask=live, other=0).to(tl.int64)
        wanted = live[:, None] & ((s[None, :] == own) | (not HITS))
        said = tl.load(scores + i[:, None] * P + s[None, :], mask=wanted, other=0.0)
        if WEIGHTED:
            said *= tl.load(weight + at, mask=live, other=0.0)[:, None]
        total += said
    tl.store(part + program * P + s, tl.sum(total.to(tl.float64), 0))
