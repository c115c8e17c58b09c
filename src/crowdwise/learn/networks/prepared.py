"""Prepared: a network that wants to see rows before it learns."""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor, nn


class Prepared(nn.Module, ABC):
    """A network that is shown rows before training, and adds something of its own to the loss of a batch."""

    pace: float = 1.0
    """How much faster than other networks it is to learn: what `rate` is multiplied with."""

    @abstractmethod
    def begin(self, x: Tensor, n_rows: int) -> None:
        """Some rows of features, and how many it will learn from."""

    @abstractmethod
    def penalty(self) -> Tensor:
        """What is added to the loss of a batch."""
