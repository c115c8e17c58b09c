"""BeliefPropagation: messages between items and annotators whose confusion matrices are summed out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ....engine import NumpyEngine, normalise
from ....errors import InputError, how_many
from ....fit.em import vote_shares
from ....fit.method import Callback, Solution
from ....fit.options import AnyNumber, Fraction
from ....fit.params import Params
from ....fit.structure import checked_class_prior, class_shares
from ....votes.codes import Array
from ....votes.known import Known, with_known
from .annotator_prior import AnnotatorPrior
from .prior_points import two_by_two
from .row_factor import RowFactor

FEW = 5.0  # effective samples below which an annotator's factor is not to be relied on


@dataclass(frozen=True, kw_only=True)
class BeliefPropagation(AnnotatorPrior):
    r"""Belief propagation on the graph of items and annotators, confusion matrices summed out under any prior.

    An annotator is a factor :math:`E_A \prod_{i \in N_j} A[z_i, l_{ij}]` over the classes of all items voted on.
    Messages from items to annotators and back,

    .. math::
        m_{i \to j}(k) \propto \pi_k \prod_{u \ne j} m_{u \to i}(k), \qquad
        m_{j \to i}(k) \propto
        E_A \left[A[k, l_{ij}] \prod_{n \in N_j \setminus i} \sum_c A[c, l_{nj}] m_{n \to j}(c)\right]

    are repeated until the beliefs :math:`q_i \propto \pi \prod_j m_{j \to i}` settle. The mean over A is a sum over
    points of the prior: Gauss-Jacobi nodes under one coin, which are exact (to rounding, above some 250 votes),
    products of these with two classes and few votes. On a tree the beliefs are then exact. Dirichlet rows of more
    classes or votes are summed out by expectation propagation (`RowFactor`), within .02 of the exact beliefs on small
    trees, and nothing is drawn. Mixtures with rows, and two coins with more classes, are sums over samples, drawn once
    and kept. O(votes x classes x points) a step, with votes / 2 points an annotator at most and about 8 sqrt(votes)
    where there are many; O(votes x classes) with rows. Use it where annotators have few votes each: it hedges where
    `MeanField` and EM commit.

    prior, right, wrong: the prior on annotators, see `AnnotatorPrior`. samples: how many to draw; where fewer than five
    of them carry an annotator's factor, a note says so. class_prior: "uniform", as published, "learned", or the
    classes' probabilities. max_iter, tol: stop after so many rounds, or when no belief changes by more. damping: how
    much of the last message is kept.

    Reference: Liu, Peng & Ihler, NIPS 2012, section 3.1; general priors as in Kim, Cho, Kim & Ok,
    Robust Deep Learning from Crowds with Belief Propagation, appendix E.

    >>> from crowdwise import BeliefPropagation, simulate
    >>> made = simulate.crowd(simulate.one_coin(20, 2, 0.8), n_items=100, per_item=5, seed=0)
    >>> bool((BeliefPropagation(right=4.0).fit(made.crowd).labels == made.truth).mean() > 0.9)
    True
    """

    name: ClassVar[str] = "belief-propagation"
    unit: ClassVar[str] = "log-odds"
    exempt: ClassVar[dict[str, str]] = {
        "Predict on the training votes gives what was found in training": (
            "a message leaves out the item it goes to; for new items there is nothing to leave out"
        ),
    }

    samples: int = 400
    class_prior: str | tuple[float, ...] = "uniform"
    max_iter: int = 100
    tol: AnyNumber = 1e-5
    damping: Fraction = 0.0

    @property
    def load(self) -> int:
        return self.samples if self.draws else 20  # points, in an annotator of a few dozen votes

    @property
    def draws(self) -> bool:
        """Whether the mean over matrices is one over samples."""
        return not self.by_rows and (not self.parts() or any(kind != "one-coin" for _, kind, _, _ in self.parts()))

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "class_prior", checked_class_prior(self.class_prior))

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None:
            raise InputError(f"{self.name} starts from even messages: leave start out")
        settled = self.settle(ops, known, callback)
        params = {"prior": settled.prior, "confusion": settled.moments(ops)[0]}
        return Solution(settled.belief, params, {}, converged=settled.change <= self.tol, notes=self.notes(settled))

    def settle(
        self,
        ops: NumpyEngine,
        known: Known | None = None,
        callback: Callback | None = None,
        counts: Array | None = None,
    ) -> Settled:
        """Exchange messages until beliefs settle.

        known: what else is known of items. counts: of each annotator's votes, (annotators,
        true, given), as expected before; draws of the prior are made near them, near the votes' own otherwise.
        """
        if counts is None and self.draws:
            counts = ops.confusion_counts(vote_shares(ops))
        factors = self._factors(ops, counts)
        prior = self._class_shares(np.ones(ops.n_classes))
        to_item = np.zeros((ops.label.size, ops.n_classes))  # log messages, (votes, true)
        own = np.ones(1) if ops.weight is None else np.minimum(ops.weight, 1.0)[:, None]
        said = ops.item_rows(to_item)
        belief = normalise(_joined(said, prior, known))[0]
        change, step = np.inf, 0
        while step < self.max_iter and change > self.tol:
            to_annotator = normalise(_joined(said, prior, known)[ops.item] - own * to_item)[0]
            for factor in factors:
                new = np.log(np.maximum(factor.send(ops, to_annotator), 1e-300))
                to_item[factor.votes] = self.damping * to_item[factor.votes] + (1.0 - self.damping) * new
            said = ops.item_rows(to_item)
            before, belief = belief, normalise(_joined(said, prior, known))[0]
            change, step = float(np.abs(belief - before).max()), step + 1
            prior = self._class_shares(belief.sum(axis=0))
            if callback is not None and callback(step, -change):
                break
        return Settled(belief, prior, factors, change, step)

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        return ops.posterior(np.log(params["confusion"]), np.log(params["prior"]), known)[0]

    def scores(self, ops: NumpyEngine, params: Params) -> Array:
        return ops.item_scores(np.log(params["confusion"]))

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        return 4 * n_items * n_classes + 2 * n_annotators * n_classes**2 + self.samples * n_classes**2

    def _class_shares(self, mass: Array) -> Array:
        return class_shares(self.class_prior, mass + 0.01)

    def _factors(self, ops: NumpyEngine, counts: Array | None) -> list[_PointFactor | RowFactor]:
        """Annotators by how many votes they have: those with few need few points."""
        if self.by_rows and ops.n_classes > 2:
            return [RowFactor(ops, np.arange(ops.n_annotators), self.row_votes(ops.n_classes))]
        votes = np.bincount(ops.annotator, minlength=ops.n_annotators)
        degree = np.maximum(votes, np.ceil(ops.crowd.annotator_weight()))
        size = np.ceil(np.log2(np.maximum(degree, 8.0)) / 3.0).astype(int)  # up to 8, 64, 512 ... votes
        factors: list[_PointFactor | RowFactor] = []
        for group in np.unique(size):
            annotators = np.flatnonzero(size == group)
            most = int(degree[annotators].max())
            if self.by_rows and ops.n_classes == 2 and two_by_two(most, self.row_votes(2)) is None:
                factors.append(RowFactor(ops, annotators, self.row_votes(2)))
                continue
            near = None if counts is None else counts[annotators]
            nodes = self.nodes(ops.n_classes, most, self.samples, near)
            factors.append(_PointFactor(annotators, *ops.votes_of(annotators), nodes))
        return factors

    def notes(self, settled: Settled) -> tuple[str, ...]:
        """What is not to be relied on, in sentences."""
        notes = []
        if settled.change > self.tol:
            notes.append(
                f"messages did not settle in {how_many(settled.step, 'rounds')}: "
                f"beliefs still change by {settled.change:.2g}"
            )
        points = [factor.point for factor in settled.factors if isinstance(factor, _PointFactor) and self.draws]
        effective = np.concatenate([1.0 / (point**2).sum(axis=1) for point in points]) if points else np.empty(0)
        if few := int((effective < FEW).sum()):
            notes.append(
                f"the factors of {few} annotators rest on fewer than {FEW:.0f} effective points of the prior: "
                "take more samples, or prior='one-coin', which is exact"
            )
        return tuple(notes)


@dataclass
class _PointFactor:
    """Annotators whose matrices are summed over the same points: their votes, the points, and where they are."""

    annotators: Array
    votes: Array
    begin: Array
    nodes: tuple[Array, Array]
    point: Array = field(default_factory=lambda: np.empty((0, 0)))

    def send(self, ops: NumpyEngine, to_annotator: Array) -> Array:
        """Messages to items, (votes, true), given those from items."""
        sent, self.point = ops.messages(self.votes, self.begin, *self.nodes, to_annotator)
        return sent

    def moments(self, ops: NumpyEngine) -> tuple[Array, Array]:
        """Mean and variance of the matrices, (annotators, true, given)."""
        mean, square = (np.tensordot(self.point, chance, axes=1) for chance in (self.nodes[1], self.nodes[1] ** 2))
        return mean, np.maximum(square - mean**2, 0.0)


@dataclass(frozen=True)
class Settled:
    """Where messages end: beliefs (items, classes), the classes' shares, and the annotators' factors."""

    belief: Array
    prior: Array
    factors: list[_PointFactor | RowFactor]
    change: float
    step: int

    def moments(self, ops: NumpyEngine) -> tuple[Array, Array]:
        """Mean and variance of every annotator's confusion matrix, (annotators, true, given)."""
        mean, variance = np.empty((2, ops.n_annotators, ops.n_classes, ops.n_classes))
        for factor in self.factors:
            mean[factor.annotators], variance[factor.annotators] = factor.moments(ops)
        return mean, variance


def _joined(said: Array, prior: Array, known: Known | None) -> Array:
    """What messages, the classes' shares and gold say of each item, in logs."""
    return with_known(said + np.log(prior), known)
