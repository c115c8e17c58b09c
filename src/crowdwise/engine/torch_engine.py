"""The same sums with PyTorch, on a CPU or a GPU, in double precision and in a fixed order of addition."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import torch

from ..errors import InputError
from ..votes.codes import Array, stable_sort
from ..votes.crowd import Crowd
from ..votes.known import Known
from .cores import available_cores
from .numba_engine import NumbaEngine
from .numpy_engine import NumpyEngine
from .tuples import Tuples


class TorchEngine(NumpyEngine):
    """Votes live on the device; tables go there and sums come back, once a pass.

    Sums run over votes sorted by what they are summed by (`segment_reduce`), not by atomic additions, so that the
    same call gives the same bits on a GPU too.
    """

    tolerance = 1e-11

    def __init__(self, crowd: Crowd, device: str = "cpu"):
        super().__init__(crowd)
        try:
            self.device = torch.device(device)
            torch.empty(0, device=self.device)
        except (RuntimeError, AssertionError) as error:
            raise InputError(f"engine 'torch:{device}': this machine has no such device") from error
        cell = crowd.annotator.astype(np.int64) * crowd.n_classes + crowd.label
        n_cells = crowd.n_annotators * crowd.n_classes
        moved = stable_sort(cell)
        order = np.arange(cell.size) if moved is None else moved[1].astype(np.int64)
        self._cells = self._put(cell)
        self._labels = self._put(crowd.label.astype(np.int64))
        self._item_of = self._put(crowd.item.astype(np.int64))
        self._votes_of_item = self._put(np.bincount(crowd.item, minlength=crowd.n_items))
        self._by_cell = self._put(order)
        self._votes_of_cell = self._put(np.bincount(cell, minlength=n_cells))
        self._item_by_cell = self._item_of[self._by_cell]
        weight = None if crowd.weight is None else self._put(crowd.weight)
        self._w = weight
        self._w_by_cell = None if weight is None else weight[self._by_cell]

    def over(self, crowd: Crowd) -> TorchEngine:
        return TorchEngine(crowd, str(self.device))

    def tuples(self, order: int) -> Tuples:
        return self._compiled.tuples(order)

    def tuple_sweep(self, met: Tuples, confusion: Array, prior: Array) -> tuple[Array, Array, float]:
        return self._compiled.tuple_sweep(met, confusion, prior)

    @cached_property
    def _compiled(self) -> NumbaEngine:
        """What counts votes that meet: on the processor, compiled."""
        return NumbaEngine(self.crowd, available_cores())

    def posterior(self, table: Array, log_state: Array, known: Known | None = None) -> tuple[Array, float]:
        posterior, evidence = self._posterior(table, log_state, known)
        return self._get(posterior), evidence

    def sweep(self, table: Array, log_state: Array, known: Known | None = None) -> tuple[Array, Array, float]:
        posterior, evidence = self._posterior(table, log_state, known)
        counts = self._sum_cells(posterior[self._item_by_cell])  # (annotators * given, states)
        shaped = self._get(counts).reshape(self.n_annotators, self.n_classes, -1).transpose(0, 2, 1)
        return shaped, self._get(posterior.sum(dim=0)), evidence

    def posterior_hits(
        self, hit: Array, miss: Array, log_state: Array, known: Known | None = None
    ) -> tuple[Array, float]:
        posterior, evidence = self._posterior_hits(hit, miss, log_state, known)
        return self._get(posterior), evidence

    def sweep_hits(
        self, hit: Array, miss: Array, log_state: Array, known: Known | None = None
    ) -> tuple[Array, Array, float]:
        posterior, evidence = self._posterior_hits(hit, miss, log_state, known)
        right = posterior[self._item_by_cell, self._labels[self._by_cell]]
        agree = self._get(self._sum_cells(right[:, None])).reshape(self.n_annotators, self.n_classes)
        return agree, self._get(posterior.sum(dim=0)), evidence

    # -- on the device --------------------------------------------------------------------------------------------

    def _posterior(self, table: Array, log_state: Array, known: Known | None) -> tuple[torch.Tensor, float]:
        rows = self._put(table.transpose(0, 2, 1).reshape(-1, table.shape[1]))[self._cells]  # (votes, states)
        return self._normalise(self._sum_items(rows), log_state, known)

    def _posterior_hits(
        self, hit: Array, miss: Array, log_state: Array, known: Known | None
    ) -> tuple[torch.Tensor, float]:
        gain, floor = (self._put(value.ravel())[self._cells] for value in (hit - miss, miss))  # (votes,)
        gain = gain if self._w is None else gain * self._w
        order, lengths = self._by_item_label
        scores = torch.segment_reduce(gain[order], "sum", lengths=lengths, unsafe=True, initial=0.0)
        scores = scores.reshape(self.n_items, self.n_classes) + self._sum_items(floor[:, None])
        return self._normalise(scores, log_state, known)

    @cached_property
    def _by_item_label(self) -> tuple[torch.Tensor, torch.Tensor]:
        cell = self._item_of * self.n_classes + self._labels
        lengths = torch.bincount(cell, minlength=self.n_items * self.n_classes)
        return torch.argsort(cell, stable=True), lengths

    def _normalise(self, scores: torch.Tensor, log_state: Array, known: Known | None) -> tuple[torch.Tensor, float]:
        scores = scores + self._put(log_state)
        if known is not None:
            scores[self._put(known.item)] += self._put(known.log_rows)
        total = torch.logsumexp(scores, dim=1, keepdim=True)
        return torch.exp(scores - total), float(total.sum())

    def _sum_items(self, rows: torch.Tensor) -> torch.Tensor:
        rows = rows if self._w is None else rows * self._w[:, None]
        return torch.segment_reduce(rows, "sum", lengths=self._votes_of_item, axis=0, unsafe=True, initial=0.0)

    def _sum_cells(self, rows: torch.Tensor) -> torch.Tensor:
        rows = rows if self._w_by_cell is None else rows * self._w_by_cell[:, None]
        return torch.segment_reduce(rows, "sum", lengths=self._votes_of_cell, axis=0, unsafe=True, initial=0.0)

    def _put(self, array: Any) -> torch.Tensor:
        return torch.from_numpy(np.require(array, requirements=["C", "W"])).to(self.device)

    def _get(self, tensor: torch.Tensor) -> Array:
        return tensor.cpu().numpy()
