"""MomentMethod: confusion matrices from moments of the votes, then the MAP rule."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ....engine import NumpyEngine, meetings
from ....errors import InputError
from ....fit.aggregator import Aggregator
from ....fit.method import Callback, Solution
from ....fit.options import NonNegative
from ....fit.params import Params
from ....votes.codes import Array
from ....votes.crowd import Crowd
from ....votes.known import Known

UNKNOWN = 0.7  # accuracy that annotators outside the factorisation have before they are fitted to what the rest say
SILENT = 1e-6  # share of a class that nobody names


class Factors(NamedTuple):
    """Confusion matrices (annotators, true, given), class shares, and whose matrices were found."""

    confusion: Array
    prior: Array
    found: Array
    settled: bool = True

    @classmethod
    def none(cls, ops: NumpyEngine) -> Factors:
        """Nothing was found."""
        even = np.full(ops.n_classes, 1.0 / ops.n_classes)
        return cls(one_coin(ops, 1.0), even, np.zeros(ops.n_annotators, bool))


@dataclass(frozen=True, kw_only=True)
class MomentMethod(Aggregator):
    """Moments of the busiest annotators are factored; everybody else is fitted to what these say.

    A method says `factor`. Votes on gold items are counted beside it. core: how many annotators, those of most votes,
    are factored. smoothing, right: pseudo-votes of each cell of a confusion matrix, and more of them on its diagonal,
    beside the votes that are behind the matrix.
    """

    unit: ClassVar[str] = "log-odds"

    core: int = 500
    smoothing: float = 0.01
    right: NonNegative = 0.2

    @abstractmethod
    def factor(self, ops: NumpyEngine) -> Factors:
        """Confusion matrices and class shares of the core, whose votes `ops` holds."""

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        heard = np.flatnonzero(ops.given.any(axis=0))  # of a class that nobody names there are no moments
        core, among = busiest(ops if heard.size == ops.n_classes else _of_classes(ops, heard), self.core)
        found = self.factor(among)
        confusion, shares = aligned(found.confusion, found.prior, among.given.sum(axis=1))
        told = np.zeros(ops.n_annotators, bool)
        told[core] = found.found
        whole, prior = one_coin(ops, UNKNOWN), np.full(ops.n_classes, SILENT)
        who = core[found.found]
        whole[np.ix_(who, heard)] = 0.0
        whole[np.ix_(who, heard, heard)] = confusion[found.found]
        prior[heard] = shares
        prior /= prior.sum()
        pseudo = self.smoothing + self.right * np.eye(ops.n_classes)
        params = {"prior": prior, "confusion": completed(ops, whole, prior, told, pseudo, known)}
        posterior = self.infer(ops, params, known)
        return Solution(posterior, params, {}, converged=found.settled, notes=_about(found, ops))

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        return ops.posterior(np.log(params["confusion"]), np.log(params["prior"]), known)[0]

    def scores(self, ops: NumpyEngine, params: Params) -> Array:
        return ops.item_scores(np.log(params["confusion"]))

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        return 2 * n_items * n_classes + 4 * n_annotators * n_classes**2

    def bytes_needed(self, crowd: Crowd) -> int:
        return super().bytes_needed(crowd) + pair_bytes(crowd, self.core)

    @property
    def load(self) -> int:
        return 10


def pair_bytes(crowd: Crowd, core: int) -> int:
    """Memory for pairs of votes that met, roughly: as many as there are meetings, or can be."""
    cells = min(crowd.n_annotators, core) * crowd.n_classes
    return 100 * min(meetings(crowd, 2), cells**2 // 2)


def busiest_codes(ops: NumpyEngine, most: int) -> Array:
    """Codes of the annotators of most votes, without those who have none.

    They are in an order of their names: what is tied goes the same way in whatever order they came.
    """
    votes, by_name = ops.given.sum(axis=1), np.argsort(ops.crowd.annotator_hash, kind="stable")
    some = by_name[votes[by_name] > 0.0]
    return some if some.size <= most else some[np.sort(np.argsort(-votes[some], kind="stable")[:most])]


def busiest(ops: NumpyEngine, most: int) -> tuple[Array, NumpyEngine]:
    """Codes of the annotators of most votes, and the engine over these alone."""
    core = busiest_codes(ops, most)
    names = ops.crowd.annotators[core]
    return core, ops.over(ops.crowd.subset(annotators=names).with_first("annotator", names))


def _of_classes(ops: NumpyEngine, classes: Array) -> NumpyEngine:
    """The engine over the same votes, with these classes only."""
    code = np.full(ops.n_classes, -1)
    code[classes] = np.arange(classes.size)
    return ops.over(ops.crowd.derive(label=code[ops.label], classes=ops.crowd.classes[classes]))


def aligned(confusion: Array, prior: Array, votes: Array) -> tuple[Array, Array]:
    """Moments do not name classes: the one order of them, for the whole crowd, whose summed trace is largest.

    Matrices count by their votes. The rows of somebody who guesses are alike, whatever their favourite: they have no
    say.

    >>> confusion, prior = aligned(np.array([[[0.2, 0.8], [0.9, 0.1]]]), np.array([0.3, 0.7]), np.ones(1))
    >>> confusion.tolist(), prior.tolist()
    ([[[0.9, 0.1], [0.2, 0.8]]], [0.7, 0.3])
    """
    from scipy.optimize import linear_sum_assignment

    component, true = linear_sum_assignment(-np.einsum("j,jkl->kl", votes, confusion))
    order = component[np.argsort(true)]
    return confusion[:, order], prior[order]


def _about(found: Factors, ops: NumpyEngine) -> tuple[str, ...]:
    """Who is not known from moments, if there is anybody with votes."""
    voting = int((ops.given.sum(axis=1) > 0.0).sum())
    known = int(found.found.sum())
    if known == voting:
        return ()
    if not known:
        return ("the moments do not suffice: annotators are known by one step from a vote that believes all alike",)
    return (f"{known} of {voting} annotators are known from moments; the others are fitted to what these say",)


def completed(
    ops: NumpyEngine, confusion: Array, prior: Array, told: Array, pseudo: Array, known: Known | None
) -> Array:
    """Confusion matrices with pseudo-votes; those of annotators of whom nothing is told, by what the others say.

    Votes on gold items are counted as they are; the matrix that was found stands for the others.
    """
    gold = _gold_counts(ops, known)
    rest = ops.given.sum(axis=1) - gold.sum(axis=(1, 2))
    votes = gold + confusion * prior[:, None] * np.maximum(rest, 0.0)[:, None, None]
    if not told.all():
        posterior = ops.posterior(np.log(confusion + 1e-9), np.log(prior), known)[0]
        votes[~told] = ops.confusion_counts(posterior)[~told]
    votes = votes + pseudo
    return np.asarray(votes / votes.sum(axis=2, keepdims=True))


def _gold_counts(ops: NumpyEngine, known: Known | None) -> Array:
    """What each annotator said of the items whose class is known, (annotators, true, given)."""
    if known is None:
        return np.zeros((ops.n_annotators, ops.n_classes, ops.n_classes))
    gold, certain = known.gold, np.zeros((ops.n_items, ops.n_classes))
    certain[gold.item] = np.isfinite(gold.log_rows)
    return ops.confusion_counts(certain)


def one_coin(ops: NumpyEngine, accuracy: float) -> Array:
    """Confusion matrices of annotators who are all equally good."""
    n_classes = ops.n_classes
    error = (1.0 - accuracy) / max(n_classes - 1, 1)
    matrix = np.where(np.eye(n_classes, dtype=bool), accuracy if n_classes > 1 else 1.0, error)
    return np.repeat(matrix[None], ops.n_annotators, axis=0)


def distributions(rows: Array, floor: float = 1e-6) -> Array:
    """Rows made distributions: cut off below, divided by their sums."""
    rows = np.maximum(rows, floor)
    return np.asarray(rows / rows.sum(axis=-1, keepdims=True))
