"""The same sums on a GPU, by kernels of our own: single-precision tables and posteriors, double-precision sums."""

from __future__ import annotations

import os
import warnings
from functools import cached_property
from typing import Any

import numpy as np
import torch

from ..errors import InputError
from ..votes.codes import Array
from ..votes.crowd import Crowd
from ..votes.known import Known
from .card_array import CardArray
from .cores import available_cores
from .cuda_kernels import score_items, sum_cells
from .numba_engine import NumbaEngine
from .numpy_engine import NumpyEngine
from .tuples import Tuples

STRETCH = 8192  # votes of a cell that one program sums
TILE = 2048  # numbers that a program holds
STAYS = 20_000  # numbers of a table, from which its M-step is sooner done on the card
NEVER = -1e30  # a log chance of nothing that single precision can subtract from


class CudaEngine(NumpyEngine):
    """Votes live on the GPU, by item and by cell; tables go there and sums come back, once a pass.

    A pass is two kernels, fused but for the posterior, which stays on the GPU between them. Where there is no GPU,
    TRITON_INTERPRET=1 runs the kernels on the processor, very slowly: that is how tests hold them to NumPy.
    """

    tolerance = 1e-7

    def __init__(self, crowd: Crowd):
        super().__init__(crowd)
        if torch.cuda.is_available():
            self.device = torch.device("cuda")
        elif os.environ.get("TRITON_INTERPRET") == "1":
            self.device = torch.device("cpu")
        else:
            raise InputError("engine 'cuda': this machine has no GPU that PyTorch can use")
        self.n_cells = self.n_annotators * self.n_classes
        cells = self._put(crowd.annotator).to(torch.int32) * self.n_classes + self._put(crowd.label).to(torch.int32)
        item = self._put(crowd.item).to(torch.int32)
        self.first = torch.searchsorted(item, torch.arange(crowd.n_items + 1, device=self.device, dtype=torch.int32))
        self.cells = cells
        moved, by_cell = torch.sort(cells, stable=True)
        self.item_by_cell = item[by_cell]
        edges = torch.arange(self.n_cells + 1, device=self.device, dtype=torch.int32)
        bounds = torch.searchsorted(moved, edges)
        self.votes_of_cell = torch.diff(bounds)
        self.stretches = (self.votes_of_cell + STRETCH - 1) // STRETCH
        owner = torch.repeat_interleave(torch.arange(self.n_cells, device=self.device), self.stretches)
        rank = torch.arange(owner.numel(), device=self.device) - (self.stretches.cumsum(0) - self.stretches)[owner]
        self.begin = bounds[owner] + rank * STRETCH
        self.end = torch.minimum(self.begin + STRETCH, bounds[owner + 1])
        self.label_of = (owner % self.n_classes).to(torch.int32)
        weight = None if crowd.weight is None else self._put(crowd.weight).to(torch.float32)
        self.w = self._none if weight is None else weight
        self.w_by_cell = self._none if weight is None else weight[by_cell]

    def over(self, crowd: Crowd) -> CudaEngine:
        return CudaEngine(crowd)

    # -- sums over votes ------------------------------------------------------------------------------------------

    def item_votes(self, value: Any = 1.0) -> Array:
        each = np.broadcast_to(np.asarray(value, np.float32), self.label.shape)
        scores, _ = self._scores(self._put(each), np.zeros(self.n_classes), hits=True, each=True, soft=False)
        return self._got(scores, self.n_classes).astype(float)

    @cached_property
    def given(self) -> Array:
        """How often each annotator named each class, (annotators, given)."""
        if self.weight is None:
            return self.votes_of_cell.cpu().numpy().astype(float).reshape(self.n_annotators, self.n_classes)
        return self.annotator_votes()

    def vote_shares(self, silent: Array) -> Array:
        """As NumPy's, on the card: what EM starts from does not travel."""
        ones = torch.ones(self.n_cells, dtype=torch.float32, device=self.device)
        scores, _ = self._scores(ones, np.zeros(self.n_classes), hits=True, soft=False)
        votes = scores[:, : self.n_classes].to(torch.float64)
        votes[votes.sum(dim=1) == 0.0] = self._put(np.asarray(silent, float))
        shares: Any = CardArray(votes / votes.sum(dim=1, keepdim=True))
        return shares

    def item_scores(self, table: Array) -> Array:
        scores, _ = self._scores(self._flat(table, centred=False)[0], np.zeros(table.shape[1]), soft=False)
        return self._got(scores, table.shape[1]).astype(float)

    def item_sums(self, table: Array) -> Array:
        return self.item_scores(np.repeat(table[:, :, None], self.n_classes, axis=2))

    def confusion_counts(self, posterior: Array) -> Array:
        states = posterior.shape[1]
        rows = torch.zeros((self.n_items, _padded(states)), dtype=torch.float32, device=self.device)
        rows[:, :states] = posterior.tensor if isinstance(posterior, CardArray) else self._put(posterior)
        return self._counts(rows, states)

    def annotator_sums(self, posterior: Array) -> Array:
        return self.confusion_counts(posterior).sum(axis=2)

    def posterior(self, table: Array, log_state: Array, known: Known | None = None) -> tuple[Array, float]:
        rows, offset = self._flat(table)
        scores, (evidence, _) = self._scores(rows, log_state, known)
        return self._got(scores, log_state.size), evidence + offset

    def sweep(self, table: Array, log_state: Array, known: Known | None = None) -> tuple[Array, Array, float]:
        rows, offset = self._flat(table)
        scores, (evidence, mass) = self._scores(rows, log_state, known)
        counts = self._sums(scores)[:, : log_state.size].reshape(self.n_annotators, self.n_classes, -1).permute(0, 2, 1)
        if counts.numel() < STAYS:
            return counts.cpu().numpy(), mass, evidence + offset
        return CardArray(counts), mass, evidence + offset  # type: ignore[return-value]

    def posterior_hits(
        self, hit: Array, miss: Array, log_state: Array, known: Known | None = None
    ) -> tuple[Array, float]:
        scores, (evidence, _) = self._scores(self._gain(hit, miss), log_state, known, hits=True)
        return self._got(scores, log_state.size), evidence + float((self.given * miss).sum())

    def sweep_hits(
        self, hit: Array, miss: Array, log_state: Array, known: Known | None = None
    ) -> tuple[Array, Array, float]:
        scores, (evidence, mass) = self._scores(self._gain(hit, miss), log_state, known, hits=True)
        agree = self._sums(scores, hits=True).sum(dim=1).cpu().numpy().reshape(self.n_annotators, self.n_classes)
        return agree, mass, evidence + float((self.given * miss).sum())

    def tuples(self, order: int) -> Tuples:
        return self._compiled.tuples(order)

    def tuple_sweep(self, met: Tuples, confusion: Array, prior: Array) -> tuple[Array, Array, float]:
        return self._compiled.tuple_sweep(met, confusion, prior)

    @cached_property
    def _compiled(self) -> NumbaEngine:
        """What counts votes that meet: on the processor, compiled."""
        return NumbaEngine(self.crowd, available_cores())

    # -- on the device --------------------------------------------------------------------------------------------

    def _scores(
        self,
        table: torch.Tensor,
        log_state: Array,
        known: Known | None = None,
        *,
        hits: bool = False,
        each: bool = False,
        soft: bool = True,
    ) -> tuple[torch.Tensor, tuple[float, Array]]:
        """Scores or posterior, (items, padded states), on the device; log-evidence and mass of the states."""
        n_states = log_state.size
        width = _padded(n_states)
        block = max(16, TILE // width)
        programs = -(-self.n_items // block)
        state = torch.full((width,), NEVER, dtype=torch.float32, device=self.device)
        state[:n_states] = self._put(np.maximum(log_state, NEVER))
        scores = torch.empty((self.n_items, width), dtype=torch.float32, device=self.device)
        evidence = torch.zeros(programs, dtype=torch.float64, device=self.device)
        mass = torch.zeros((programs, width), dtype=torch.float64, device=self.device)
        row_of, rows = self._known(known, width)
        score_items[(programs,)](
            self.first, self.cells, self.w, table, state, row_of, rows, scores, evidence, mass, self.n_items,
            K=self.n_classes, P=width, B=block, WEIGHTED=self.weight is not None, KNOWN=known is not None,
            HITS=hits, EACH=each, SOFT=soft, num_warps=_warps(block),
        )  # fmt: skip
        return scores, (float(evidence.sum()), mass.sum(dim=0)[:n_states].cpu().numpy())

    def _sums(self, scores: torch.Tensor, hits: bool = False) -> torch.Tensor:
        """Rows of items summed by cell, (cells, padded states)."""
        width = scores.shape[1]
        part = torch.zeros((self.begin.numel(), width), dtype=torch.float64, device=self.device)
        block = max(16, TILE // 2 // width)
        if part.numel():
            sum_cells[(self.begin.numel(),)](
                self.begin, self.end, self.item_by_cell, self.w_by_cell, self.label_of, scores, part,
                P=width, B=block, WEIGHTED=self.weight is not None, HITS=hits, num_warps=_warps(block),
            )  # fmt: skip
        return torch.segment_reduce(part, "sum", lengths=self.stretches, axis=0, unsafe=True, initial=0.0)

    def _counts(self, scores: torch.Tensor, n_states: int) -> Array:
        flat = self._sums(scores)[:, :n_states].cpu().numpy()
        return flat.reshape(self.n_annotators, self.n_classes, n_states).transpose(0, 2, 1)

    def _flat(self, table: Array, centred: bool = True) -> tuple[torch.Tensor, float]:
        """A table (annotators, states, given) as padded rows of cells, centred; and what that took off all votes."""
        there = table.tensor if isinstance(table, CardArray) else self._put(np.ascontiguousarray(table))
        rows = there.permute(0, 2, 1).reshape(self.n_cells, -1)
        top = rows.max(dim=1, keepdim=True).values * centred
        flat = torch.zeros((self.n_cells, _padded(rows.shape[1])), dtype=torch.float32, device=self.device)
        flat[:, : rows.shape[1]] = rows - top
        return flat, float((self._given * top[:, 0]).sum())

    def _gain(self, hit: Array, miss: Array) -> torch.Tensor:
        return self._put((hit - miss).ravel()).to(torch.float32)

    def _known(self, known: Known | None, width: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Which row says what is known of an item, -1 where nothing is; and the rows."""
        if known is None:
            return self._none, self._none
        row_of = torch.full((self.n_items,), -1, dtype=torch.int32, device=self.device)
        row_of[self._put(known.item)] = torch.arange(known.item.size, dtype=torch.int32, device=self.device)
        rows = torch.zeros((known.item.size, width), dtype=torch.float32, device=self.device)
        rows[:, : known.log_rows.shape[1]] = self._put(np.maximum(known.log_rows, NEVER))
        return row_of, rows

    @cached_property
    def _given(self) -> torch.Tensor:
        return self._put(self.given.ravel())

    @cached_property
    def _none(self) -> torch.Tensor:
        return torch.zeros(1, dtype=torch.float32, device=self.device)

    def _got(self, scores: torch.Tensor, n_states: int) -> Array:
        return scores[:, :n_states].cpu().numpy()

    def _put(self, array: Array) -> torch.Tensor:
        with warnings.catch_warnings():  # of arrays that cannot be written to: nobody does
            warnings.simplefilter("ignore", UserWarning)
            return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)


def _warps(block: int) -> int:
    """Groups of 32 threads: never more threads than items, which Triton 3.4 does not compile."""
    return max(1, min(4, block // 32))


def _padded(n_states: int) -> int:
    """The power of two that holds so many states."""
    return 1 << max(n_states - 1, 0).bit_length()
