"""The same sums compiled and threaded: single-precision tables and posteriors, double-precision sums."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import TooLarge
from ..votes.codes import Array, smallest_int, stable_sort
from ..votes.crowd import Crowd
from ..votes.known import Known
from . import chain_kernels, kernels, meeting_kernels
from .memory import require_room
from .numpy_engine import NumpyEngine
from .tuples import Tuples, meetings, positive

NOTHING = np.empty(0, np.float32)
NO_ROWS = np.empty((0, 0), np.float32)
MOST_KEYS = 2**28  # pairs of cells that a thread keeps count of: a GiB
CACHE_LINE = 64  # bytes, and more than enough numbers to keep threads apart


class NumbaEngine(NumpyEngine):
    """Tables are (annotators, states, given) outside and lie in memory as (annotators, given, states): views.

    A pass is fused (scores, posterior and sums of a block of items while it is in the cache) as long as the counts of
    a thread fit into the cache themselves; above that, counts are summed over votes sorted by cell.
    """

    tolerance = 1e-7
    fused_bytes = 12 << 20

    def __init__(self, crowd: Crowd, threads: int):
        super().__init__(crowd)
        self.n_cells = self.n_annotators * self.n_classes
        self.first = _first(self.item, self.n_items)
        self.cells = self.annotator.astype(smallest_int(max(self.n_cells, 2**16)))
        self.cells *= self.n_classes
        self.cells += self.label
        self.w = NOTHING if self.weight is None else self.weight
        self.threads, self.ranges = threads, even_ranges(self.first, threads)

    def over(self, crowd: Crowd) -> NumbaEngine:
        return NumbaEngine(crowd, self.threads)

    def item_votes(self, value: Any = 1.0) -> Array:
        out, value = np.zeros((self.n_items, self.n_classes)), np.atleast_1d(np.asarray(value, float))
        self._each(lambda _, low, high: kernels.item_votes(low, high, self.first, self.label, value, self.w, out))
        return out

    def annotator_votes(self, value: Any = 1.0) -> Array:
        value, out = np.atleast_1d(np.asarray(value, float)), self._private(self.n_cells)
        first = self.first
        self._each(lambda t, low, high: kernels.cell_votes(first[low], first[high], self.cells, value, self.w, out[t]))
        return out.sum(axis=0).reshape(self.n_annotators, self.n_classes)

    def item_scores(self, table: Array) -> Array:
        return self._item_rows(self.cells, self._flat(table))

    def item_sums(self, table: Array) -> Array:
        return self._item_rows(self.annotator, np.ascontiguousarray(table))

    def confusion_counts(self, posterior: Array) -> Array:
        require_room(self.n_annotators, posterior.shape[1], self.n_classes)
        posterior = np.ascontiguousarray(posterior)
        if self._fits(posterior.shape[1]):
            return self._shaped(self._cell_sums(self.cells, posterior, self.n_cells))
        out, (first, item, weight) = np.empty((self.n_cells, posterior.shape[1])), self._by_cell
        self._each(
            lambda _, low, high: kernels.sums_by_cell(low, high, first, item, weight, posterior, out),
            even_ranges(first, self.threads),
        )
        return self._shaped(out)

    def annotator_sums(self, posterior: Array) -> Array:
        return self._cell_sums(self.annotator, np.ascontiguousarray(posterior), self.n_annotators)

    def posterior(self, table: Array, log_state: Array, known: Known | None = None) -> tuple[Array, float]:
        posterior = np.empty((self.n_items, log_state.size), np.float32)
        _, evidence = self._from_table(table, log_state, known, posterior=posterior)
        return posterior, evidence

    def sweep(self, table: Array, log_state: Array, known: Known | None = None) -> tuple[Array, Array, float]:
        if not self._fits(log_state.size):
            posterior = np.empty((self.n_items, log_state.size), np.float32)
            mass, evidence = self._from_table(table, log_state, known, posterior=posterior)
            return self.confusion_counts(posterior), mass, evidence
        counts = np.zeros((self.threads, self.n_cells, log_state.size))
        mass, evidence = self._from_table(table, log_state, known, counts=counts)
        return self._shaped(counts.sum(axis=0)), mass, evidence

    def posterior_hits(
        self, hit: Array, miss: Array, log_state: Array, known: Known | None = None
    ) -> tuple[Array, float]:
        posterior = np.empty((self.n_items, log_state.size), np.float32)
        _, evidence = self._from_hits(hit, miss, log_state, known, posterior=posterior)
        return posterior, evidence

    def sweep_hits(
        self, hit: Array, miss: Array, log_state: Array, known: Known | None = None
    ) -> tuple[Array, Array, float]:
        agree = self._private(self.n_cells)
        mass, evidence = self._from_hits(hit, miss, log_state, known, agree=agree)
        return agree.sum(axis=0).reshape(self.n_annotators, self.n_classes), mass, evidence

    def logit_sweep(
        self, annotator_logits: Array, item_logits: Array, log_state: Array, known: Known | None = None
    ) -> tuple[Array, float, Array, Array]:
        posterior, pull_item = np.empty((self.n_items, self.n_classes)), np.zeros(item_logits.shape)
        pull = np.zeros((self.threads, *annotator_logits.shape))
        prior = np.empty((0, 0)) if known is None else known.dense(self.n_items)
        parts = self._each(
            lambda t, low, high: kernels.from_logits(
                low, high, self.first, self.annotator, self.label, self.w, annotator_logits, item_logits, log_state,
                prior, posterior, pull[t], pull_item,
            )
        )  # fmt: skip
        return posterior, sum(parts), pull.sum(axis=0), pull_item

    def messages(
        self, votes: Array, begin: Array, log_weight: Array, chance: Array, to_annotator: Array
    ) -> tuple[Array, Array]:
        sent, point = np.empty((len(votes), self.n_classes)), np.empty((len(begin) - 1, len(log_weight)))
        prior, table = np.asarray(log_weight, float), np.ascontiguousarray(chance.transpose(2, 1, 0))
        self._each(
            lambda _, low, high: kernels.messages(
                low, high, votes, begin, self.label, self.w, prior, table, to_annotator, sent, point
            ),
            even_ranges(begin, self.threads),
        )
        return sent, point

    def tuples(self, order: int) -> Tuples:
        begin, item, own = self._by_cell
        later = 1.0 - np.arange(self.n_cells) / self.n_cells  # an annotator meets those after them
        work = np.concatenate([[0.0], np.cumsum(np.diff(begin) * later ** (order - 1))])
        ranges, keys = even_ranges(work, self.threads), self.n_cells ** (order - 1)
        if keys > MOST_KEYS:
            raise TooLarge(
                f"triples of {self.n_annotators:,} annotators and {self.n_classes:,} classes: take fewer annotators, "
                "Crowd.subset(annotators=...), or merge classes"
            )
        # As many as there can be: memory is taken only as it is written to.
        there = meetings(self.crowd, order)
        edges = np.cumsum([0, *(min(there, (high - low) * keys) for low, high in ranges)])
        met, often = np.empty((edges[-1], order), np.int32), np.zeros(edges[-1])

        def write(t: int, low: int, high: int) -> int:
            at = slice(edges[t], edges[t + 1])
            found: int = meeting_kernels.tuples(
                low, high, begin, item, own, self.first, self.cells, self.w, self.n_classes, self.n_cells,
                np.full(keys, -1, np.int32), met[at], often[at],
            )  # fmt: skip
            return found

        n = 0
        for t, found in enumerate(self._each(write, ranges)):
            kept, at = slice(n, n + found), slice(edges[t], edges[t] + found)
            met[kept], often[kept], n = met[at], often[at], n + found
        return positive(Tuples(met[:n].copy(), often[:n].copy()) if 2 * n < len(often) else Tuples(met[:n], often[:n]))

    def tuple_sweep(self, met: Tuples, confusion: Array, prior: Array) -> tuple[Array, Array, float]:
        chance, n = self._flat(confusion), len(met.often)
        sums, mass = np.zeros((self.threads, *chance.shape)), self._private(prior.size)
        edges = np.linspace(0, n, self.threads + 1).astype(int).tolist()
        parts = self._each(
            lambda t, low, high: meeting_kernels.tuple_sweep(
                low, high, met.cells, met.often, chance, prior, sums[t], mass[t]
            ),
            list(pairwise(edges)),
        )
        return self._shaped(sums.sum(axis=0)), mass.sum(axis=0), float(sum(parts))

    def chain(
        self, order: Array, begin: Array, log_start: Array, log_move: Array, log_evidence: Array
    ) -> tuple[Array, Array, Array, float]:
        start, move, n = np.exp(log_start), np.exp(log_move), log_start.size
        posterior, begins = np.empty_like(log_evidence), self._private(n)
        moves = np.zeros((self.threads, n, n))
        parts = self._each(
            lambda t, low, high: chain_kernels.forward_backward(
                low, high, order, begin, start, move, log_evidence, posterior, begins[t], moves[t]
            ),
            even_ranges(begin, self.threads),
        )
        return posterior, begins.sum(axis=0), moves.sum(axis=0), float(sum(parts))

    # -- one pass over the items ----------------------------------------------------------------------------------

    def _from_table(
        self,
        table: Array,
        log_state: Array,
        known: Known | None,
        counts: Array | None = None,
        posterior: Array = NO_ROWS,
    ) -> tuple[Array, float]:
        flat = self._flat(table)
        # Rows centred at their maximum keep single-precision sums small where an item has thousands of votes; what
        # was taken off is added in double precision. Not with @: a BLAS thread left spinning costs a core.
        top = flat.max(axis=1)
        offset = float((self.given.ravel() * top).sum())
        flat = np.subtract(flat, top[:, None], out=np.empty(flat.shape, np.float32), casting="same_kind")
        unrolled = kernels.sized(log_state.size)
        state, mass = log_state.astype(np.float32), self._private(log_state.size)
        items, rows = _rows(known)
        counts = np.empty((self.threads, 0, 0)) if counts is None else counts
        parts = self._each(
            lambda t, low, high: kernels.from_table(
                unrolled,
                low,
                high,
                self.first,
                self.cells,
                self.w,
                flat,
                state,
                items,
                rows,
                counts[t],
                mass[t],
                posterior,
            )
        )
        return mass.sum(axis=0), sum(parts) + offset

    def _from_hits(
        self,
        hit: Array,
        miss: Array,
        log_state: Array,
        known: Known | None,
        agree: Array | None = None,
        posterior: Array = NO_ROWS,
    ) -> tuple[Array, float]:
        offset = float((self.given * miss).sum())
        gain = (hit - miss).ravel().astype(np.float32)
        unrolled = kernels.sized(log_state.size)
        state, mass = log_state.astype(np.float32), self._private(log_state.size)
        items, rows = _rows(known)
        agree = np.empty((self.threads, 0)) if agree is None else agree
        parts = self._each(
            lambda t, low, high: kernels.from_hits(
                unrolled,
                low,
                high,
                self.first,
                self.cells,
                self.label,
                self.w,
                gain,
                state,
                items,
                rows,
                agree[t],
                mass[t],
                posterior,
            )
        )
        return mass.sum(axis=0), sum(parts) + offset

    def _item_rows(self, cells: Array, table: Array) -> Array:
        out = np.zeros((self.n_items, table.shape[1]))
        self._each(lambda _, low, high: kernels.item_scores(low, high, self.first, cells, self.w, table, out))
        return out

    def _cell_sums(self, cells: Array, posterior: Array, n_cells: int) -> Array:
        out = np.zeros((self.threads, n_cells, posterior.shape[1]))
        self._each(lambda t, low, high: kernels.cell_sums(low, high, self.first, cells, self.w, posterior, out[t]))
        return np.asarray(out.sum(axis=0))

    # -- memory and threads ---------------------------------------------------------------------------------------

    def _each(self, work: Callable[[int, int, int], Any], ranges: list[tuple[int, int]] | None = None) -> list[Any]:
        ranges = ranges or self.ranges
        if self.threads == 1:
            return [work(0, *ranges[0])]
        jobs = [pool_of(self.threads).submit(work, t, low, high) for t, (low, high) in enumerate(ranges)]
        return [job.result() for job in jobs]

    def _private(self, size: int) -> Array:
        """Zeros for each thread, further apart than a cache line."""
        return np.zeros((self.threads, size + CACHE_LINE))[:, :size]

    def _flat(self, table: Array) -> Array:
        return np.ascontiguousarray(table.transpose(0, 2, 1)).reshape(-1, table.shape[1])

    def _shaped(self, flat: Array) -> Array:
        return flat.reshape(self.n_annotators, self.n_classes, -1).transpose(0, 2, 1)

    def _fits(self, states: int) -> bool:
        return self.n_cells * states * 8 <= self.fused_bytes

    @cached_property
    def _by_cell(self) -> tuple[Array, Array, Array]:
        moved = stable_sort(self.cells)
        at = slice(None) if moved is None else moved[1]
        return _first(self.cells, self.n_cells), self.item[at], self.w[at] if self.w.size else self.w


@cache
def pool_of(threads: int) -> ThreadPoolExecutor:
    """Threads that stay."""
    return ThreadPoolExecutor(threads, thread_name_prefix="crowdwise")


def _rows(known: Known | None) -> tuple[Array, Array]:
    """Items of which something is known, and their rows in single precision."""
    if known is None:
        return np.empty(0, np.int64), NO_ROWS
    return known.item.astype(np.int64, copy=False), np.ascontiguousarray(known.log_rows, np.float32)


def _first(code: Array, n: int) -> Array:
    """Where the votes of each code begin, votes sorted by code; one more at the end."""
    out = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(code, minlength=n), out=out[1:])
    return out


def even_ranges(first: Array, threads: int) -> list[tuple[int, int]]:
    """Ranges of items (or cells) with about as many votes each."""
    cuts = np.searchsorted(first, np.linspace(0, first[-1], threads + 1)[1:-1])
    edges = [0, *cuts.tolist(), len(first) - 1]
    return list(pairwise(edges))
