"""Objective: the loss that owns the annotators' parameters. A plain module, for anybody's training loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import deepcopy
from inspect import signature
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import torch
from torch import Tensor, nn

from ...errors import InputError
from ...fit.options import checked_options, require_known
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ..objectives import OBJECTIVES
from ..training.parallel import gathered
from ..training.vote_book import Votes, by_row
from .class_prior import ClassPrior, checked, compare_with_votes, log_shares

PredictAll = Callable[[], Tensor]


class Output(NamedTuple):
    """What a network says of a batch: logits of the classes, (rows, classes), and the features under them."""

    logits: Tensor
    features: Tensor


class Sizes(NamedTuple):
    """How many of each an objective has parameters for; width: of the network's features."""

    items: int
    votes: int
    annotators: int
    classes: int
    width: int


class Suited(NamedTuple):
    """What is trained on some votes: an objective, a group for each annotator (`fair`), and a sentence on why."""

    objective: Objective
    group: Array
    note: str


class Objective(nn.Module, ABC):
    """What is minimised when a network learns from votes.

    class_prior: None, nothing is stated; "uniform"; or the classes' shares, in their order. A stated prior holds the
    mean prediction of a batch to it, by their divergence, unless an objective has a better way. It is the strongest
    assumption of all, and the votes can hardly check it: a warning says so when they speak against it.

    >>> from crowdwise.learn import CCEM, VoteBook
    >>> crowd = Crowd.from_matrix([[0, 1], [1, 1], [0, -1]])
    >>> objective = CCEM().start(crowd)
    >>> logits = torch.zeros(3, 2)
    >>> objective(Output(logits, logits), VoteBook(crowd).of(torch.arange(3))).item() > 0
    True
    """

    name: ClassVar[str]
    folds: int = 1
    """How many networks learn, each without one part of the items, so that items are predicted by one that has not
    seen them; 1: a single network that sees all."""
    wants_features: ClassVar[bool] = False
    """Whether it looks at the network's features, and not at its logits alone."""
    wants_rows: ClassVar[bool] = False
    """Whether it looks at the features of all items before training (`see`)."""
    notes: tuple[str, ...] = ()
    """What is not to be relied on after the last epoch, in sentences."""
    stated: Tensor | None
    voters: Tensor
    """Annotators who have votes: silent ones have no part in a penalty."""
    voted: Tensor
    """Items that have votes."""

    def __init__(self, class_prior: ClassPrior = None):
        super().__init__()
        self.class_prior = checked(class_prior)

    # -- what an objective says ---------------------------------------------------------------------------------------

    @abstractmethod
    def allocate(self) -> None:
        """Make parameters and buffers by `sizes`, as they are before any vote is seen."""

    def begin(self, crowd: Crowd) -> None:
        """Set them by the votes, where they start from them."""

    def see(self, x: Tensor, item: Tensor) -> None:
        """The features of all items that are learned from, a row each, and the items' codes; where it wants them."""

    def prepare(self, x: Tensor, votes: Votes) -> tuple[Tensor, Votes]:
        """A batch before the network sees it."""
        return x, votes

    @abstractmethod
    def loss(self, output: Output, votes: Votes) -> Tensor:
        """What a batch costs, without what is stated about the classes."""

    def predict(self, output: Output) -> Tensor:
        """Probabilities of the classes by the features alone, (rows, classes)."""
        return torch.softmax(output.logits, dim=1)

    @abstractmethod
    def confusion(self) -> Tensor:
        """(annotators, true, given)."""

    def log_votes(self, output: Output, votes: Votes) -> Tensor:
        """Log chance of each row's votes given each class, (rows, classes)."""
        log_chance = torch.log(self.confusion().clamp_min(1e-12))[votes.annotator, :, votes.label]  # (votes, true)
        return by_row(log_chance * votes.weight[:, None], votes, len(output.logits))

    def posterior(self, output: Output, votes: Votes) -> Tensor:
        """Probabilities of the classes by features and votes together, (rows, classes)."""
        log = torch.log(self.predict(output).clamp_min(1e-12))
        return torch.softmax(log + self.log_votes(output, votes), dim=1)

    def refresh(self, predict_all: PredictAll) -> None:
        """Between epochs: renew what depends on the predictions of all items, (items, classes)."""

    def bound(self) -> float | None:
        """The evidence lower bound at the last `refresh`, a vote; None where there is none."""
        return None

    def moments(self) -> tuple[Tensor, Tensor] | None:
        """Mean and variance of the confusion matrices, (annotators, true, given), where they have a posterior."""
        return None

    def suited(self, crowd: Crowd) -> Suited:
        """The objective that is trained on these votes: this one, on the votes as they are, unless it chooses."""
        return Suited(self, np.full(crowd.n_annotators, -1), "")

    # -- what all of them do ------------------------------------------------------------------------------------------

    def start(self, crowd: Crowd, width: int = 0) -> Self:
        """Allocate the annotators' parameters for a crowd, and a network whose features have that width."""
        self.resize(Sizes(crowd.n_items, crowd.n_votes, crowd.n_annotators, crowd.n_classes, width))
        if self.stated is not None:
            compare_with_votes(self.stated, crowd)
        counts = slice(None) if crowd.weight is None else crowd.weight > 0.0
        self.voters, self.voted = (
            torch.as_tensor(np.unique(c[counts]).astype(np.int64)) for c in (crowd.annotator, crowd.item)
        )
        self.begin(crowd)
        return self

    def resize(self, sizes: Sizes) -> Self:
        """Allocate without votes: for parameters that are about to be loaded."""
        if self.wants_features and not sizes.width:
            raise InputError(
                f"{self.name} looks at the network's features: start(crowd, width=...) says how many there are"
            )
        checked_options(type(self), self.options())
        self.sizes = sizes
        stated = None if self.class_prior is None else log_shares(self.class_prior, sizes.classes)
        self.register_buffer("stated", stated)
        self.allocate()
        return self

    def options(self) -> dict[str, Any]:
        """What it was made with, by name."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def forward(self, output: Output | Tensor, votes: Votes) -> Tensor:
        """The loss of a batch; plain logits are an output without other features."""
        if isinstance(output, Tensor):
            output = Output(output, output)
        return self.loss(output, votes) + self.balance(output)

    def balance(self, output: Output) -> Tensor:
        """The divergence of the batch's mean prediction from what is stated about the classes."""
        if self.stated is None:
            return output.logits.new_zeros(())
        mean = gathered(self.predict(output)).mean(dim=0)
        return (mean * (torch.log(mean.clamp_min(1e-12)) - self.stated)).sum()


def make_objective(objective: Any, **options: Any) -> Objective:
    """An objective by name with options, or a copy of one that is made already.

    >>> make_objective("trace", strength=0.1).strength
    0.1
    """
    if isinstance(objective, Objective):
        if options:
            raise InputError(f"{', '.join(options)}: options go with an objective's name; this one is made already")
        return deepcopy(objective)
    kind: type[Objective] = OBJECTIVES.load(objective)
    require_known(objective, kind, options)
    try:
        options = checked_options(kind, options)
    except InputError as error:
        raise InputError(f"{objective}: {error}") from error
    return kind(**options)
