"""TagEM: expectation maximisation over chains of tags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ...engine import NumpyEngine
from ...fit.em import EM
from ...fit.forms import TableEM
from ...fit.method import Callback, Solution
from ...fit.options import AnyNumber
from ...fit.params import Axes, Params
from ...votes.codes import Array
from ...votes.known import Known, with_known
from ...votes.sequences import Sequences
from ..classes.bayes.dirichlet import divergence, mean_log
from .tag_chain import TagChain
from .tagging import Tagging, decoded

Decode = Literal["expected", "path"]


@dataclass(frozen=True, kw_only=True)
class TagEM(TableEM):
    """Tags that follow each other, and annotators who confuse them: by variational Bayes, or as most likely.

    diagonal, rest: the prior's votes for the true tag, and for every tag. chain_pseudo: those for each beginning and
    move. variational: whether annotators and chain are uncertain. decode: "expected", the spans that are expected to
    have the best F1, or "path", the most likely tags. max_iter, tol, restarts, accelerate, seed: as in every EM.
    """

    takes: ClassVar[type[Sequences]] = Sequences
    gives: ClassVar[type[Tagging]] = Tagging
    params: ClassVar[Mapping[str, Axes]] = TagChain.params
    whole: ClassVar[str] = "its chains are not cut"

    diagonal: float = 10.0
    rest: float = 1.0
    chain_pseudo: float = 0.1
    variational: bool = True
    decode: Decode = "expected"
    structure: Literal["chain"] = "chain"
    tol: AnyNumber = 1e-6
    max_iter: int = 100

    @property
    def coupling(self) -> TagChain:
        return TagChain(self.chain_pseudo, self.variational)

    def begin(self, ops: NumpyEngine) -> Params:
        assert isinstance(ops.crowd, Sequences)
        return {"pseudo": self.pseudo(ops.crowd), "follows": ops.crowd.tags.follows.astype(float)}

    def pseudo(self, votes: Sequences) -> Array:
        """The prior's votes, (true, given)."""
        return self.rest + self.diagonal * np.eye(votes.n_classes)

    def log_table(self, params: Params) -> Array:
        votes = params["confusion_votes"]
        return mean_log(votes) if self.variational else np.log(votes / votes.sum(axis=-1, keepdims=True))

    def estimate(self, statistics: Params, params: Params) -> Params:
        return {"pseudo": params["pseudo"], "confusion_votes": statistics["counts"] + params["pseudo"]}

    def derived(self, params: Params) -> Params:
        votes = params["confusion_votes"]
        return {"confusion": votes / votes.sum(axis=-1, keepdims=True)}

    def log_prior(self, params: Params) -> float:
        votes, pseudo = params["confusion_votes"], params["pseudo"]
        if self.variational:
            return -divergence(votes, pseudo)
        return float((pseudo * np.log(votes / votes.sum(axis=-1, keepdims=True))).sum())

    # -- what is found ------------------------------------------------------------------------------------------------

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Tagging:  # type: ignore[override]
        assert isinstance(ops.crowd, Sequences)
        evidence = with_known(self.log_likelihood(ops, params), known)
        posterior = self.coupling.posterior(ops, evidence, params).posterior
        expected = self.decode == "expected"
        return decoded(ops.crowd, posterior, *self.coupling.log_rows(params), evidence, expected)

    def as_estimate(self, found: Any, votes: Any) -> Tagging:
        estimate: Tagging = found
        return estimate

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Any]:
        return EM.solve(self, ops, known, start, callback)

    def scores(self, ops: NumpyEngine, params: Params) -> None:
        return None
