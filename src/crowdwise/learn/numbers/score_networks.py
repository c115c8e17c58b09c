"""ScoreNetworks: networks that give one number a row, several of them where each leaves out a part of the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...errors import InputError
from ...votes.codes import Array
from ..base.estimator import Estimator
from ..networks.build import build
from ..networks.ensemble import Ensemble
from ..training.rows import AT_ONCE, Rows, as_rows


class Learner(Estimator):
    """What the models of numbers and pairs have in common: rows of features, and networks that give one number each."""

    tokenizer: Any
    length: int
    networks_: ScoreNetworks

    def _rows(self, X: Any) -> Rows:
        """Features as rows; texts by the tokenizer, if there is one."""
        return as_rows(X, 0, self.tokenizer, self.length)

    def _learned(self) -> ScoreNetworks:
        if not hasattr(self, "networks_"):
            raise InputError(f"this {type(self).__name__} has learned nothing yet: call fit first")
        return self.networks_

    def _said(self, X: Any) -> Array:
        """What each network says of each row, (networks, rows)."""
        networks = self._learned()
        return networks.all(self._rows(X).to(networks.device))


class ScoreNetworks:
    """As many networks as folds, on features of one scale; number j never learns from the data of fold j.

    What is believed of annotators is found from data that a network has not learned from: a network that has learned
    an annotator's errors by heart would find them right.
    """

    def __init__(
        self, network: Any, rows: Rows, folds: int, standardise: bool, device: torch.device, seed: int, width: int = 1
    ):
        torch.manual_seed(seed)
        self.rows, self.device, self.seed, self.width = rows, device, seed, width
        index = torch.arange(len(rows))
        moments = rows.moments(index) if standardise else Rows.moments(rows, index)
        self.ensemble = Ensemble([build(network, rows.shape, width) for _ in range(folds)], *moments).to(device)
        self.epoch = 0
        said = self.scores(0, index[:2])
        if said.shape != (min(2, len(rows)), *((width,) if width > 1 else ())):
            raise InputError(f"the network gives {tuple(said.shape[1:])} numbers a row, and {width} are needed")

    def __len__(self) -> int:
        return len(self.ensemble)

    def scores(self, j: int, index: Tensor) -> Tensor:
        """What network j says of some rows, with gradients."""
        logits = self.ensemble.run(j, self.rows.take(index).to(self.device)).logits
        return logits[:, 0] if logits.ndim == 2 and logits.shape[1] == 1 == self.width else logits

    @torch.no_grad()
    def all(self, rows: Rows | None = None) -> Array:
        """What each network says of all rows, (networks, rows), and numbers, where it gives several."""
        rows = self.rows if rows is None else rows
        self.ensemble.eval()
        parts = torch.split(torch.arange(len(rows)), AT_ONCE)
        found = [
            torch.cat([self.ensemble.run(j, x.to(self.device)).logits for x in rows.batches(parts)])
            for j in range(len(self))
        ]
        self.ensemble.train()
        said = torch.stack(found).double().cpu().numpy()
        return said[:, :, 0] if self.width == 1 else said

    def train(
        self,
        fold: Array,
        loss: Callable[[int, Tensor], Tensor],
        *,
        epochs: int,
        batch: int,
        rate: float,
        decay: float,
        more: list[dict[str, Any]] | None = None,
    ) -> float:
        """Some epochs of Adam on loss(network, some data), and the mean loss. fold: of each datum; more: parameters."""
        total, seen = 0.0, 0
        groups = [{"params": list(self.ensemble.networks.parameters()), "weight_decay": decay, "lr": rate}]
        adam = torch.optim.Adam([*groups, *(more or [])])
        own = torch.as_tensor(np.asarray(fold))
        for _ in range(epochs):
            self.epoch += 1
            chance = torch.Generator().manual_seed(self.seed * 1_000_003 + self.epoch)
            for j in range(len(self)):
                left = torch.nonzero(own != j)[:, 0] if len(self) > 1 else torch.arange(len(own))
                for some in torch.split(left[torch.randperm(len(left), generator=chance)], batch):
                    value = loss(j, some)
                    adam.zero_grad(set_to_none=True)
                    value.backward()  # type: ignore[no-untyped-call]
                    adam.step()
                    total, seen = total + float(value.detach()) * len(some), seen + len(some)
        return total / max(seen, 1)


def folds_of(hashes: Array, folds: int) -> Array:
    """A fold for each datum, by a hash of what it is called."""
    return np.asarray(hashes % np.uint64(folds), np.int64) if folds > 1 else np.zeros(hashes.size, np.int64)


def own_fold(said: Array, fold: Array) -> Array:
    """Of each row what the network says that has not learned from it; said: (networks, rows) and more."""
    return said[0] if len(said) == 1 else np.asarray(said[fold, np.arange(len(fold))])


def device_of(name: str) -> torch.device:
    """A device by name; "auto" is a GPU where there is one."""
    name = ("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name
    try:
        return torch.zeros(0, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise InputError(f"device={name!r} is not there: choose auto, cpu or cuda") from error
