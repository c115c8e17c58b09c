"""EBCC: IBCC whose classes have sub-types, so that annotators may err together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....fit.forms import TableEM
from ....fit.params import Axes, Params
from ....fit.structure import Independent, class_shares
from ....votes.codes import Array
from ....votes.keyed import keyed_exponential
from ....votes.known import Known
from .class_votes import CERTAIN
from .dirichlet import diagonal_prior, divergence, mean_log

DEAD = 60.0  # nats below the largest sub-type of its class: beyond what a vote, or single precision, can bring back
WIDE = 8  # states from which one compiled pass serves all numbers of them


@dataclass(frozen=True)
class Types(Independent):
    """Shares of the classes, and of the sub-types of each class, both uncertain.

    The classes' prior is their first count itself. pseudo: the prior's votes for all types of a class together.
    """

    prior: str | tuple[float, ...]
    types: int
    pseudo: float

    def estimate(self, sums: Params, params: Params) -> Params:
        by_type = sums["states"].reshape(-1, self.types)
        by_class = by_type.sum(axis=1)
        pseudo = params.get("class_pseudo", by_class + 1e-6)
        votes = pseudo + by_class if self.prior == "learned" else CERTAIN * class_shares(self.prior, by_class)
        types = by_type + self.pseudo / self.types
        return {"class_pseudo": pseudo, "class_votes": votes, "prior": votes / votes.sum(), "type_votes": types.ravel()}

    def log_shares(self, params: Params) -> Array:
        types = mean_log(params["type_votes"].reshape(-1, self.types))
        return (mean_log(params["class_votes"])[:, None] + types).ravel()

    def log_prior(self, params: Params) -> float:
        types = params["type_votes"].reshape(-1, self.types)
        of_types = divergence(types, np.full(self.types, self.pseudo / self.types))
        return -of_types - (
            divergence(params["class_votes"], params["class_pseudo"]) if self.prior == "learned" else 0.0
        )


@dataclass(frozen=True, kw_only=True)
class EBCC(TableEM):
    r"""Enhanced Bayesian classifier combination: IBCC whose classes have sub-types, by variational Bayes.

    Item :math:`i` of class :math:`k` has a sub-type :math:`g_i \sim \rho_k`, and an annotator has a confusion row for
    each sub-type: items of one class that many get wrong together, the hard ones, form a sub-type of their own, so that
    votes depend on each other given the class. Mean field over class and sub-type together, :math:`\psi` as in `IBCC`:

    .. math::
        \log q_i(k, g) = E \log \pi_k + E \log \rho_{kg} + \sum_j E \log A_j[k, g, l_{ij}] + const

    The trace is the evidence lower bound. O(votes x classes x types) a step. Use it where items of one class are of
    different kinds; `types=1` is `IBCC` with a fixed prior.

    types: sub-types of each class. type_pseudo: the prior's items in all sub-types of a class. diagonal, rest: the
    prior's votes for the true class and for each other one. restarts: climbs from differently drawn sub-types, raced.
    max_iter, tol, accelerate, history, seed: as in every EM; the prior of the classes is the start's vote shares, as
    many as there are items, unless class_prior is given.

    Reference: Li, Rubinstein & Cohn, ICML 2019, section 4.

    >>> from crowdwise import EBCC, simulate
    >>> made = simulate.crowd(simulate.dirichlet(20, 3, 5, 1, seed=1), n_items=300, per_item=4, seed=0)
    >>> result = EBCC().fit(made.crowd)
    >>> bool((result.labels == made.truth).mean() > 0.8), result.params["confusion_votes"].shape
    (True, (20, 30, 3))
    """

    name: ClassVar[str] = "ebcc"
    params: ClassVar[Mapping[str, Axes]] = {
        "class_pseudo": Axes(("true",), "positive"),
        "type_votes": Axes(("true",), "positive"),
    }
    types: int = 10
    type_pseudo: float = 0.1
    diagonal: float = 4.0
    rest: float = 1.0
    restarts: int = 2
    accelerate: bool = True

    @property
    def states_per_class(self) -> int:
        return self.types

    def split(self, posterior: Array, run: int, key: Array) -> Array:
        part = keyed_exponential(self._seed_of(run), key, self.types)
        part /= part.sum(axis=1, keepdims=True)
        return (posterior[:, :, None] * part[:, None, :]).reshape(len(posterior), -1)

    def log_table(self, params: Params) -> Array:
        return mean_log(params["confusion_votes"])

    def estimate(self, statistics: Params, params: Params) -> Params:
        counts = statistics["counts"]
        return {"confusion_votes": counts + self._prior(counts.shape[2])}

    @property
    def independent(self) -> Types:
        return Types(self.class_prior, self.types, self.type_pseudo)

    def log_prior(self, params: Params) -> float:
        votes, prior = params["confusion_votes"], self._prior(params["confusion_votes"].shape[2])
        moved = (np.abs(votes - prior) > 1e-9 * prior).any(axis=(0, 2))  # what is at the prior has no divergence
        return -divergence(votes[:, moved], prior[moved])

    def sweep(self, ops: NumpyEngine, params: Params, known: Known | None) -> tuple[Params, float]:
        live, n_states = self._live(params), params["type_votes"].size
        if self.structure != "independent" or live.size == n_states:
            return super().sweep(ops, params, known)
        log_shares, by_state = self.independent.log_shares(params), self.by_state(known)
        of_live = None if by_state is None else replace(by_state, log_rows=by_state.log_rows[:, live])
        table = mean_log(params["confusion_votes"][:, live])
        counts, states, evidence = ops.sweep(table, log_shares[live], of_live)
        sums = {"counts": np.zeros((ops.n_annotators, n_states, ops.n_classes)), "states": np.zeros(n_states)}
        sums["counts"][:, live], sums["states"][live] = counts, states
        return sums, evidence

    def _live(self, params: Params) -> Array:
        """Sub-types that have items, and as many others as make a number of states that is compiled once.

        The share of a sub-type that lost its items is exp(-100) of the others': none will come back, and nothing is
        lost by leaving it out.
        """
        types = params["type_votes"].reshape(-1, self.types)
        dead = (mean_log(types) < mean_log(types).max(axis=1, keepdims=True) - DEAD).ravel()
        live, (n_classes, n_states) = int((~dead).sum()), (len(types), types.size)
        size = n_classes if live <= n_classes else max(live, WIDE)
        if size >= n_states:
            return np.arange(n_states)
        return np.sort(np.argsort(dead, kind="stable")[:size])

    def _prior(self, n_classes: int) -> Array:
        """Votes of the prior, (true and type, given)."""
        return np.repeat(diagonal_prior(n_classes, self.diagonal, self.rest), self.types, axis=0)
