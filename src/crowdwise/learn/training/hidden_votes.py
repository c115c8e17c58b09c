"""Choice without truth: how well votes that were hidden are predicted, or known labels where there are some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...errors import InputError
from ...votes.codes import Array, find, shown
from ...votes.crowd import Crowd
from ...votes.frames import labels_by_item
from ..base.counted import counts, normalised
from ..base.objective import Output
from .loop import Loop
from .rows import Rows
from .temperature import WIDE, likeliest_power
from .vote_book import VoteBook, Votes, by_row

POOLED = 5.0  # votes' worth of the crowd's mean in each row of a matrix that votes are judged with


def vote_score(proba: Tensor, votes: Votes, matrices: Tensor) -> float:
    """The mean log chance of votes on rows with these probabilities, seen through confusion matrices, in nats.

    >>> votes = VoteBook(Crowd.from_matrix([[0, 1]])).everything()
    >>> round(vote_score(torch.tensor([[0.9, 0.1]]), votes, torch.eye(2).expand(2, 2, 2)), 3)
    -1.204
    """
    chance = (proba[votes.row] * matrices[votes.annotator, :, votes.label]).sum(dim=1)
    return float((votes.weight * torch.log(chance.clamp_min(1e-12))).sum() / votes.weight.sum())


def log_votes(votes: Votes, matrices: Tensor, n_rows: int) -> Tensor:
    """Log chance of each row's votes given each class, (rows, classes)."""
    log_chance = torch.log(matrices.clamp_min(1e-12))[votes.annotator, :, votes.label]
    return by_row(log_chance * votes.weight[:, None].to(log_chance.dtype), votes, n_rows)


@torch.no_grad()
def own_posterior(loop: Loop, said: Output) -> Tensor:
    """What a run takes for true of every item, from what it `said` and votes, (items, classes); even without a row."""
    objective = loop.learner.objective
    even = torch.full((objective.sizes.items, objective.sizes.classes), 1.0 / objective.sizes.classes)
    out = even.to(said.logits.device)
    out[loop.code.to(out.device)] = objective.posterior(said, loop.book.of(loop.code))
    return out


def own_confusion(loop: Loop, posterior: Tensor) -> Tensor:
    """Confusion counted from a run's own posterior: every objective has that, and it means the same for each."""
    counted = counts(posterior, loop.book.everything(), loop.learner.objective.sizes.annotators)
    return normalised(counted, POOLED).cpu()


@dataclass(frozen=True)
class Hidden:
    """Items that a first run does not see, and what it is judged by: their votes, or their known classes."""

    items: Array
    votes: Crowd | None = None
    code: Array | None = None

    @classmethod
    def of_votes(cls, crowd: Crowd, share: float, seed: int) -> Hidden:
        """All votes of a share of the items."""
        voted = np.unique(crowd.item if crowd.weight is None else crowd.item[crowd.weight > 0.0])
        n_hidden = int(share * len(voted))
        if not 0 < n_hidden < len(voted):
            raise InputError(f"hold_out={share} of {len(voted)} items: too few to learn from or to judge by")
        items = crowd.items[np.sort(np.random.default_rng(seed).permutation(voted)[:n_hidden])]
        return cls(items, votes=crowd.subset(items=items))

    @classmethod
    def of_labels(cls, clean: Any, crowd: Crowd, names: Array) -> Hidden:
        """Items whose labels are known; they have rows, and may have votes."""
        items, labels = labels_by_item(clean)
        code = np.asarray(find(labels, crowd.classes))
        for bad, what in ((find(items, names) < 0, "no row in X"), (code < 0, "a label that nobody voted for")):
            if bad.any():
                raise InputError(f"clean: item {shown(items[bad][0])} has {what}")
        if not len(items):
            raise InputError("clean has no labels to choose by")
        if not (find(crowd.items, items) < 0).any():
            raise InputError("clean names every item that has votes: nothing is left to learn from")
        return cls(items, code=code)

    def rest(self, crowd: Crowd) -> Crowd:
        """The crowd without these items."""
        return crowd.subset(items=crowd.items[find(crowd.items, self.items) < 0])

    def judge(self, loop: Loop, rows: Rows, names: Array) -> tuple[float, float]:
        """How good a run's networks are on these items, and the power of their probabilities that fits best."""
        index = torch.as_tensor(np.asarray(find(self.items, names)))
        said = loop.learner.objective.predict(loop.learner.answer(rows, index)).detach().cpu()
        log = torch.log(said.clamp_min(1e-12))
        if self.code is not None:
            known = torch.log(torch.eye(said.shape[1])[torch.as_tensor(self.code)].clamp_min(1e-12))
            return float((said.numpy().argmax(axis=1) == self.code).mean()), likeliest_power(log, known, WIDE)
        assert self.votes is not None
        matrices, votes = own_confusion(loop, own_posterior(loop, loop.said())), VoteBook(self.votes).everything()
        return vote_score(said, votes, matrices), likeliest_power(log, log_votes(votes, matrices, len(log)), WIDE)
