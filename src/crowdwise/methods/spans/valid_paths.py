"""Valid paths: any method for classes on the tokens, and then the best tags that can follow each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine import NumpyEngine
from ...errors import OptionError
from ...fit.method import Callback, Solution
from ...votes.crowd import Crowd
from .. import METHODS, make
from .span_method import SpanMethod, tokens_of
from .tag_em import Decode
from .tagging import Tagging, decoded, log_follows


@dataclass(frozen=True, kw_only=True)
class ValidPaths(SpanMethod):
    """A method for classes on tokens as if they were alone, and then the most likely tags of which each can follow.

    I-x follows B-x or I-x only: for Dawid-Skene and IBCC that is worth 1.0 to 1.7 points of F1. The posterior of the
    tokens is the method's. It costs what the method costs. Use it where only tags are known, no words.

    of: the method for classes. decode: "path", the most likely tags, or "expected", the spans of the best expected F1.

    Reference: crowdwise; the composer of Simpson & Gurevych 2019 over the models of Dawid & Skene 1979 and Kim &
    Ghahramani 2012.

    >>> from crowdwise import ValidPaths, simulate
    >>> made = simulate.spans(n_documents=40, n_annotators=10, per_document=5, seed=0)
    >>> len(ValidPaths(of="dawid-skene").fit(made.spans).estimate.spans()) > 50
    True
    """

    name: ClassVar[str] = "valid-paths"
    of: str = "ibcc"
    decode: Decode = "path"

    def __post_init__(self) -> None:
        super().__post_init__()
        if METHODS[self.of].takes != "classes":
            raise OptionError(f"of={self.of!r}: {self.of} takes {METHODS[self.of].takes}, and tags are classes")

    def find(self, ops: NumpyEngine, callback: Callback | None) -> Solution[Tagging]:
        votes = tokens_of(ops)
        model = make(self.of, seed=self.seed)
        tokens = Crowd(**{name: getattr(votes, name) for name in (*votes.per_vote, *votes.axes(), "weight")})
        result = model.fit(tokens, callback=callback)
        evidence = np.log(np.maximum(result.posterior.astype(float), 1e-300))
        start, move = log_follows(votes.tags)
        found = decoded(votes, result.posterior, start, move, evidence, self.decode == "expected")
        kept = {name: value for name, value in result.params.items() if name in ("confusion", "accuracy")}
        return Solution(found, kept, {}, result.trace, result.converged, result.notes)
