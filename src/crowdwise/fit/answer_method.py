"""AnswerMethod: methods that find answers from all votes at once, and look at new votes anew."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from .method import Callback, Found, Method, Ops, Solution
from .params import Params


@dataclass(frozen=True, kw_only=True)
class AnswerMethod(Method[Ops, Found]):
    """What is found belongs to these votes: a prediction is a fit of its own. A method says `find`."""

    @abstractmethod
    def find(self, ops: Ops, callback: Callback | None) -> Solution[Found]:
        """What is found of these votes, where they are summed."""

    def known(self, votes: Any, gold: Any, item_prior: Any) -> None:
        if gold is not None or item_prior is not None:
            raise InputError(f"{self.name} takes no gold and no item_prior")

    def bind(self, votes: Any, engine: str) -> Any:
        if engine not in ("auto", "numpy"):
            raise InputError(f"engine {engine!r}: {self.name} has one engine of its own: leave it out")
        return votes

    def as_estimate(self, found: Any, votes: Any) -> Any:
        return found

    def solve(self, ops: Ops, known: None, start: Any, callback: Callback | None) -> Solution[Found]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        return self.find(ops, callback)

    def infer(self, ops: Ops, params: Params, known: None = None) -> Found:
        return self.find(ops, None).found
