"""TableEM and HitEM: the two forms in which EM makes one fused pass over the votes."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from ..engine import NumpyEngine
from ..votes.codes import Array
from ..votes.known import Known
from .em import EM
from .params import Params


@dataclass(frozen=True, kw_only=True)
class TableEM(EM):
    """Votes independent given the class: annotator j says l of class k with chance exp(log_table[j, k, l]).

    A method says `log_table`, `estimate` from "counts" (annotators, true, given) and `log_prior`; the rest follows,
    in one fused pass over the votes.
    """

    @abstractmethod
    def log_table(self, params: Params) -> Array:
        """Log chances, (annotators, true, given)."""

    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        return ops.item_scores(self.log_table(params))

    def statistics(self, ops: NumpyEngine, posterior: Array) -> Params:
        return {"counts": ops.confusion_counts(posterior)}

    def log_sums(self, statistics: Params, params: Params) -> float:
        return float((statistics["counts"] * self.log_table(params)).sum())

    def sweep(self, ops: NumpyEngine, params: Params, known: Known | None) -> tuple[Params, float]:
        if self.structure != "independent":
            return super().sweep(ops, params, known)
        log_shares = self.independent.log_shares(params)
        counts, states, evidence = ops.sweep(self.log_table(params), log_shares, self.by_state(known))
        return {"counts": counts, "states": states}, evidence

    def posterior(self, ops: NumpyEngine, params: Params, known: Known | None) -> Array:
        if self.structure != "independent":
            return super().posterior(ops, params, known)
        return ops.posterior(self.log_table(params), self.independent.log_shares(params), self.by_state(known))[0]

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        floats = 2 * n_items * n_classes + 4 * n_annotators * n_classes**2
        return self.states_per_class * floats + 2 * n_annotators * n_classes


@dataclass(frozen=True, kw_only=True)
class HitEM(EM):
    """As TableEM where an error says nothing about the class: O(1) a vote, O(annotators x classes) kept.

    A method says `log_hits`, `estimate` from "agree" and "given" (annotators, given) and `log_prior`.
    """

    @abstractmethod
    def log_hits(self, params: Params) -> tuple[Array, Array]:
        """Log chances to say l where it is true, and where it is not: two (annotators, given)."""

    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        (hit, miss), cell = self.log_hits(params), (ops.annotator, ops.label)
        return ops.item_votes(miss[cell]).sum(axis=1, keepdims=True) + ops.item_votes((hit - miss)[cell])

    def statistics(self, ops: NumpyEngine, posterior: Array) -> Params:
        return {"agree": ops.annotator_votes(posterior[ops.item, ops.label]), "given": ops.given}

    def log_sums(self, statistics: Params, params: Params) -> float:
        hit, miss = self.log_hits(params)
        agree = statistics["agree"]
        return float((agree * hit + (statistics["given"] - agree) * miss).sum())

    def sweep(self, ops: NumpyEngine, params: Params, known: Known | None) -> tuple[Params, float]:
        if self.structure != "independent":
            return super().sweep(ops, params, known)
        log_shares = self.independent.log_shares(params)
        agree, states, evidence = ops.sweep_hits(*self.log_hits(params), log_shares, known)
        return {"agree": agree, "given": ops.given, "states": states}, evidence

    def posterior(self, ops: NumpyEngine, params: Params, known: Known | None) -> Array:
        if self.structure != "independent":
            return super().posterior(ops, params, known)
        return ops.posterior_hits(*self.log_hits(params), self.independent.log_shares(params), known)[0]
