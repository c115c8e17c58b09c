"""Structure: what is believed of the items' classes before a vote is seen, and how the items are coupled by it.

"Independent" is one structure, whose parameters are the shares of the classes; `Chain` is another. A structure holds
options only. What it needs to know of the votes is a layout, which is made once for each engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..engine import NumpyEngine, normalise
from ..errors import InputError
from ..votes.chained import Order, chain_order
from ..votes.codes import Array
from .params import Axes, Params


class Inferred(NamedTuple):
    """An E-step: the posterior over hidden states, (items, states), the structure's own sums, and the log-evidence."""

    posterior: Array
    sums: Params
    evidence: float


class Structure(ABC):
    """What EM asks of a prior over the items' classes."""

    @abstractmethod
    def sums(self, ops: NumpyEngine, posterior: Array) -> Params:
        """The structure's sums of a start, of which only the items' own distributions are known."""

    @abstractmethod
    def estimate(self, sums: Params, params: Params) -> Params:
        """The structure's parameters from its sums, and the last ones; "prior", the classes' shares, among them."""

    @abstractmethod
    def log_prior(self, params: Params) -> float:
        """Log density of the structure's parameters."""

    @abstractmethod
    def log_sums(self, sums: Params, params: Params) -> float:
        """Expected log chance of items that are known by their sums only: history."""

    @abstractmethod
    def posterior(self, ops: NumpyEngine, log_evidence: Array, params: Params) -> Inferred:
        """The E-step, from what the votes say of each item, (items, states)."""

    @abstractmethod
    def log_shares(self, params: Params) -> Array:
        """Log probability of each hidden state of a single item; its expectation, where that is uncertain."""


class Independent(Structure):
    """Items that have nothing to do with each other: a share for each class. How it is estimated, subclasses say."""

    def sums(self, ops: NumpyEngine, posterior: Array) -> Params:
        return {"states": posterior.sum(axis=0, dtype=float)}

    def log_sums(self, sums: Params, params: Params) -> float:
        return float((sums["states"] * self.log_shares(params)).sum())

    def posterior(self, ops: NumpyEngine, log_evidence: Array, params: Params) -> Inferred:
        posterior, evidence = normalise(log_evidence + self.log_shares(params))
        return Inferred(posterior, self.sums(ops, posterior), evidence)


@dataclass(frozen=True)
class ClassShares(Independent):
    """The shares of the classes: learned (with a pseudo-count for each), uniform, or as given."""

    prior: str | tuple[float, ...] = "learned"
    smoothing: float = 0.01

    def estimate(self, sums: Params, params: Params) -> Params:
        return {"prior": class_shares(self.prior, sums["states"] + self.smoothing)}

    def log_shares(self, params: Params) -> Array:
        return np.log(params["prior"])

    def log_prior(self, params: Params) -> float:
        return self.smoothing * float(np.log(params["prior"]).sum()) if self.prior == "learned" else 0.0


@dataclass(frozen=True)
class Chain(Structure):
    r"""Items that follow each other: class k is followed by l with chance :math:`T_{kl}`.

    Which items follow each other, the keys of the votes say: the first column of `keyed_by` names the chain, the others
    the place in it. An item without a neighbour is a chain of its own.

    pseudo: votes of the prior for each beginning, and for each step from a class to another.
    """

    params: ClassVar[Mapping[str, Axes]] = {
        "start": Axes(("true",), "simplex"),
        "transition": Axes(("true", "next"), "simplex"),
        "begins": Axes(("true",), "positive"),
        "moves": Axes(("true", "next"), "positive"),
    }
    pseudo: float = 0.1

    def sums(self, ops: NumpyEngine, posterior: Array) -> Params:
        order, begin = self.layout(ops)
        rows = posterior[order]
        inner = np.ones(len(rows), bool)
        inner[begin[:-1]] = False
        moves = rows[:-1][inner[1:]].T @ rows[1:][inner[1:]]
        return {"begins": rows[begin[:-1]].sum(axis=0), "moves": moves, "states": rows.sum(axis=0)}

    def estimate(self, sums: Params, params: Params) -> Params:
        begins, moves = sums["begins"] + self.pseudo, sums["moves"] + self.pseudo
        states = sums["states"] + self.pseudo
        return {
            "start": begins / begins.sum(),
            "transition": moves / moves.sum(axis=1, keepdims=True),
            "prior": states / states.sum(),
        }

    def log_prior(self, params: Params) -> float:
        return self.pseudo * float(np.log(params["start"]).sum() + np.log(params["transition"]).sum())

    def log_sums(self, sums: Params, params: Params) -> float:
        said = (sums["begins"] * np.log(params["start"])).sum() + (sums["moves"] * np.log(params["transition"])).sum()
        return float(said)

    def posterior(self, ops: NumpyEngine, log_evidence: Array, params: Params) -> Inferred:
        start, move = np.log(params["start"]), np.log(params["transition"])
        posterior, begins, moves, evidence = ops.chain(*self.layout(ops), start, move, log_evidence)
        return Inferred(posterior, {"begins": begins, "moves": moves, "states": posterior.sum(axis=0)}, evidence)

    def log_shares(self, params: Params) -> Array:
        return np.log(params["prior"])

    def layout(self, ops: NumpyEngine) -> Order:
        """The order of a crowd's items, from its keys."""
        if Chain not in ops.kept:
            if not ops.crowd.keyed_by:
                where = "an export of spans, or Crowd(keyed_by=...)"
                raise InputError(f"structure='chain' needs items that have a document and a place: {where}")
            ops.kept[Chain] = chain_order(ops.crowd)
        layout: Order = ops.kept[Chain]
        return layout


@dataclass(frozen=True)
class Graph(Independent):
    r"""Items that are linked tend to be of one class: a Potts prior, by mean field.

    .. math::
        q_i(k) \propto \pi_k \, e_i(k) \exp\left(\beta \sum_j w_{ij} q_j(k)\right)

    e is what the votes say, w the shares of an item's links. Damped sweeps, from what the votes alone say; beta stands
    in `params["strength"]`.
    """

    params: ClassVar[Mapping[str, Axes]] = {"strength": Axes(("strength",), "real")}
    prior: str | tuple[float, ...] = "learned"
    smoothing: float = 0.01
    sweeps: ClassVar[int] = 10

    def estimate(self, sums: Params, params: Params) -> Params:
        return {"prior": class_shares(self.prior, sums["states"] + self.smoothing), "strength": params["strength"]}

    def log_shares(self, params: Params) -> Array:
        return np.log(params["prior"])

    def log_prior(self, params: Params) -> float:
        return self.smoothing * float(np.log(params["prior"]).sum()) if self.prior == "learned" else 0.0

    def posterior(self, ops: NumpyEngine, log_evidence: Array, params: Params) -> Inferred:
        from scipy.special import xlogy

        links, strength = self.layout(ops), float(params["strength"][0])
        log = log_evidence + self.log_shares(params)
        posterior, evidence = normalise(log)
        if not strength:
            return Inferred(posterior, self.sums(ops, posterior), evidence)
        for _ in range(self.sweeps):
            posterior = 0.5 * posterior + 0.5 * normalise(log + strength * (links @ posterior))[0]
        pull = links @ posterior
        said = np.where(posterior > 0.0, posterior * np.maximum(log, -1e300), 0.0).sum()
        bound = said + 0.5 * strength * (posterior * pull).sum() - xlogy(posterior, posterior).sum()
        return Inferred(posterior, self.sums(ops, posterior), float(bound))

    def layout(self, ops: NumpyEngine) -> Any:
        """The links of a crowd's items, (items, items)."""
        if Graph not in ops.kept:
            if ops.crowd.graph is None:
                raise InputError("structure='graph' needs items that are linked: Crowd.with_graph or with_neighbours")
            ops.kept[Graph] = ops.crowd.graph.matrix(ops.n_items)
        return ops.kept[Graph]


def class_shares(prior: str | tuple[float, ...], mass: Array) -> Array:
    """The probability of each class: learned from its mass, uniform, or as given."""
    if prior == "uniform":
        mass = np.ones_like(mass)
    elif prior != "learned":
        given = np.asarray(prior, float)
        if given.shape != mass.shape:
            raise InputError(f"class_prior={prior}: there are {mass.size} classes")
        mass = given
    return np.asarray(mass / mass.sum())


def checked_class_prior(prior: Any) -> str | tuple[float, ...]:
    """ "learned", "uniform", or positive numbers."""
    if isinstance(prior, str):
        if prior not in ("learned", "uniform"):
            raise InputError(f"class_prior={prior!r}: choose 'learned', 'uniform' or a tuple of numbers")
        return prior
    try:
        given = tuple(float(share) for share in prior)
    except (TypeError, ValueError):
        given = (0.0,)
    if not given or not all(0.0 < share < np.inf for share in given):
        raise InputError(f"class_prior={prior!r}: a tuple of positive numbers, one for each class, is needed")
    return given
