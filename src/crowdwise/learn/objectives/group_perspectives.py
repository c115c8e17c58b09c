"""Group perspectives: one network with a head for each group of people, which learns what share of it says what."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from ...errors import InputError, how_many
from ...study.panels import soft_labels
from ...votes.codes import encode
from ...votes.crowd import Crowd
from ..base.class_prior import ClassPrior
from ..base.objective import Output
from ..training.vote_book import Votes, by_row
from .perspectives import Perspectives


class GroupPerspectives(Perspectives):
    r"""`Perspectives` for groups of people: one network, and on top of it a head for each group.

    Group g answers with shares :math:`\mathrm{softmax}(f(x) + V_g h(x) + b_g)`, with h the network's last features, and
    learns from its own soft labels (`crowdwise.study.panels.soft_labels` with `by`), which borrow from everybody's. The
    loss is the mean of the groups' cross-entropies, each group by its share of the votes; predictions are the mean of
    the groups' shares, likewise. `shares_of_groups` has each group's own: where groups disagree, no single label is
    right, and the mean hides it.

    by: the column of the annotators (`annotator_extra`) that names their groups; without it all are one group. groups:
    the names, found in the votes unless they are told. most_groups: heads that there is room for. pull: how strongly
    heads are held to the common answer, so that a small group does not make up a view of its own. strength,
    class_prior: as in `Perspectives`.

    Reference: Davani, Diaz & Prabhakaran, TACL 10, 2022 (one head for each annotator); here for groups, on soft labels.
    """

    name: ClassVar[str] = "group-perspectives"
    wants_features: ClassVar[bool] = True

    group_target: Tensor
    share: Tensor

    def __init__(
        self,
        by: str | None = None,
        groups: tuple[str, ...] = (),
        most_groups: int = 8,
        pull: float = 0.01,
        strength: float | None = None,
        class_prior: ClassPrior = None,
    ):
        super().__init__(strength, class_prior)
        self.by, self.groups, self.most_groups, self.pull = by, tuple(groups), most_groups, pull

    def allocate(self) -> None:
        super().allocate()
        g, k = self.most_groups, self.sizes.classes
        self.view = nn.Parameter(torch.zeros(g, k, self.sizes.width))
        self.shift = nn.Parameter(torch.zeros(g, k))
        self.register_buffer("group_target", torch.full((self.sizes.items, g, k), 1.0 / k))
        self.register_buffer("share", torch.eye(1, g)[0])

    def begin(self, crowd: Crowd) -> None:
        super().begin(crowd)
        people: Any = np.zeros(crowd.n_annotators, np.int64) if self.by is None else crowd.annotator_extra.get(self.by)
        if people is None:
            there = ", ".join(crowd.annotator_extra) or "none"
            raise InputError(f"by={self.by!r} is no column of the annotators, of which there are {there}")
        names, code = encode(np.asarray(people))
        if len(names) > self.most_groups:
            raise InputError(f"by={self.by!r} names {how_many(len(names), 'groups')}: most_groups={self.most_groups}")
        self.groups = tuple(str(name) for name in names.tolist())
        targets = soft_labels(crowd, np.asarray(code), strength=self.strength)
        for place in range(len(names)):
            own = torch.as_tensor(targets[place], dtype=torch.float32)
            self.group_target[:, place] = self.balanced(torch.log(own.clamp_min(1e-12)))
        votes = np.bincount(np.asarray(code)[crowd.annotator], crowd.weight, self.most_groups)
        self.share.copy_(torch.as_tensor(votes / votes.sum(), dtype=torch.float32))

    def log_shares_of_groups(self, output: Output) -> Tensor:
        """Log shares of each group, (rows, heads, classes)."""
        own = torch.einsum("gkw,rw->rgk", self.view, output.features) + self.shift
        return torch.log_softmax(output.logits[:, None] + own, dim=2)

    def shares_of_groups(self, output: Output) -> dict[str, Tensor]:
        """What share of each group would give each class, (rows, classes)."""
        found = torch.exp(self.log_shares_of_groups(output))
        return {name: found[:, place] for place, name in enumerate(self.groups)}

    def predict(self, output: Output) -> Tensor:
        return torch.einsum("g,rgk->rk", self.share, torch.exp(self.log_shares_of_groups(output)))

    def loss(self, output: Output, votes: Votes) -> Tensor:
        total = by_row(votes.weight, votes, len(output.logits)).clamp_min(1e-12)
        flat = self.group_target.flatten(1)[votes.item]
        target = by_row(votes.weight[:, None] * flat, votes, len(output.logits)) / total[:, None]
        said = self.log_shares_of_groups(output)
        cost = -(target.reshape(said.shape) * said).sum(dim=2) @ self.share
        return votes.mean_of_rows(cost) + self.pull * ((self.view**2).sum() + (self.shift**2).sum())
