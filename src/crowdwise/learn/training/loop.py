"""The training loop: epochs of batches, by Adam; the same on one process or several."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from ...errors import InputError
from ..base.objective import Output
from .learner import Learner
from .parallel import everybodys, rank, world
from .rows import Rows
from .vote_book import VoteBook

Watch = Callable[[], tuple[float, float]]
"""Gives the score of the moment, higher is better, and the power of the networks' probabilities that fits best."""
Told = Callable[[int, int, float, float], None]
"""Called after each epoch: its number, of how many, loss, score."""


class Diverged(InputError):
    """The loss is no number any more."""


@dataclass
class History:
    """What happened, epoch by epoch: loss and bound; in a run that is watched, score and power."""

    loss: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    bound: list[float] = field(default_factory=list)
    power: list[float] = field(default_factory=list)

    @property
    def best(self) -> int:
        """The number of epochs after which the score was highest; without scores, all."""
        return 1 + max(range(len(self.score)), key=self.score.__getitem__) if self.score else len(self.loss)

    def check(self) -> None:
        """Nothing good comes after a loss or a score that is no number."""
        if not all(map(math.isfinite, (self.loss[-1], *self.score[-1:]))):
            raise Diverged(f"training diverged in epoch {len(self.loss)}: lower rate or annotator_rate")

    def stale(self, patience: int | None) -> bool:
        """Whether the score has not risen for more than so many epochs."""
        return patience is not None and len(self.loss) - self.best > patience


@dataclass
class Loop:
    """One training run: a learner, the rows it learns from, and their items' votes.

    index: the rows; code: the items they are of, on the CPU; fold: the part that each is in. Each epoch's chance is
    keyed by seed and epoch, so that a run goes on from a checkpoint as if it had never stopped.
    """

    learner: Learner
    rows: Rows
    index: Tensor
    code: Tensor
    fold: Tensor
    book: VoteBook
    epochs: int
    batch: int
    rate: float
    annotator_rate: float
    decay: float
    anneal: bool
    seed: int
    accelerator: Any = None
    history: History = field(default_factory=History)

    def __post_init__(self) -> None:
        groups = [{"params": list(self.learner.network.parameters()), "weight_decay": self.decay}]
        groups[0]["pace"] = self.rate * self.learner.network.pace
        own = [parameter for parameter in self.learner.objective.parameters() if parameter.requires_grad]
        if own:
            groups.append({"params": own, "weight_decay": 0.0, "pace": self.annotator_rate})
        self.optimiser: Any = torch.optim.Adam(groups)
        self.module: Any = self.learner
        if self.accelerator is not None:
            _share_evenly(self.accelerator)
            self.module, self.optimiser = self.accelerator.prepare(self.learner, self.optimiser)

    def run(
        self,
        stop: int | None = None,
        watch: Watch | None = None,
        patience: int | None = None,
        told: Told | None = None,
        keep: Callable[[Loop], None] | None = None,
    ) -> History:
        """Train, from where the history ends, to the last epoch or to `stop`; `keep` writes a checkpoint."""
        stop = self.epochs if stop is None else stop
        while len(self.history.loss) < stop and not self.history.stale(patience):
            epoch = len(self.history.loss)
            self.history.loss.append(self._epoch(epoch))
            self.learner.objective.refresh(self.predict_all)
            bound = self.learner.objective.bound()
            self.history.bound.append(math.nan if bound is None else bound)
            if watch is not None:
                score, power = watch()
                self.history.score.append(everybodys(score))
                self.history.power.append(everybodys(power))
            self.history.check()
            if keep is not None:
                keep(self)
            if told is not None:
                score = self.history.score[-1] if self.history.score else math.nan
                told(epoch + 1, stop, self.history.loss[-1], score)
        return self.history

    def _epoch(self, epoch: int) -> float:
        for group in self.optimiser.param_groups:
            fall = (1.0 + math.cos(math.pi * epoch / self.epochs)) / 2.0 if self.anneal else 1.0
            group["lr"] = group["pace"] * fall
        self.module.train()
        torch.manual_seed(_key(self.seed, epoch, rank()))
        device = self.learner.network.centre.device
        total = torch.zeros((), device=device)
        batches, n_rows = self._batches(epoch), 0
        shares = [batch[rank() :: world()] for batch in batches]
        rows = self.rows.batches([self.index[some] for some in shares])
        for batch, some, x in zip(batches, shares, rows, strict=True):
            place = some.to(device)
            loss = self.module(x.to(device), self.fold[place], self.book.of(self.code[some]))
            self.optimiser.zero_grad()
            if self.accelerator is None:
                loss.backward()
            else:
                self.accelerator.backward(loss)
            self.optimiser.step()
            total += loss.detach() * len(batch)
            n_rows += len(batch)
        if world() > 1:
            dist.all_reduce(total)
            for buffer in self.learner.network.buffers():
                dist.broadcast(buffer, 0)  # running means, of batch norm, are one process's own
        return float(total) / world() / n_rows / len(self.learner.network)

    def _batches(self, epoch: int) -> list[Tensor]:
        """Rows in chance order; a last batch of less than half the size joins the one before."""
        order = torch.randperm(len(self.index), generator=torch.Generator().manual_seed(_key(self.seed, epoch)))
        batches = list(torch.split(order, self.batch))
        if len(batches) > 1 and len(batches[-1]) < self.batch / 2:
            batches[-2:] = [torch.cat(batches[-2:])]
        return batches

    def said(self) -> Output:
        """What is said of all its rows, each by a network that has not learned from it."""
        return self.learner.answer(self.rows, self.index, self.fold)

    def predict_all(self) -> Tensor:
        """Predictions of all items by networks that have not seen them, (items, classes); even where one has no row."""
        sizes = self.learner.objective.sizes
        mine = torch.arange(rank(), len(self.index), world())
        device = self.learner.network.centre.device
        place = mine.to(device)
        out = torch.zeros(sizes.items, sizes.classes, device=device)
        if len(mine):
            said = self.learner.answer(self.rows, self.index[mine], self.fold[place])
            out[self.code[mine].to(device)] = self.learner.objective.predict(said).detach()
        if world() > 1:
            dist.all_reduce(out)
        return torch.where(out.sum(dim=1, keepdim=True) > 0, out, torch.full_like(out, 1.0 / sizes.classes))


def _key(*numbers: int) -> int:
    """One seed from several numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


def _share_evenly(accelerator: Any) -> None:
    """Buffers are the same in every process already: targets of all items need not travel with every batch."""
    from accelerate import DistributedDataParallelKwargs

    accelerator.ddp_handler = accelerator.ddp_handler or DistributedDataParallelKwargs()
    accelerator.ddp_handler.broadcast_buffers = False
