"""Sparse sums over a Crowd in plain NumPy: the reference that every other engine is held to."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..votes.codes import Array
from ..votes.crowd import Crowd
from ..votes.known import Known, with_known
from ..votes.ties import largest
from .chains import forward_backward
from .memory import require_room
from .tuples import Tuples, count_tuples

MOST_MESSAGES = 2_000_000  # votes times points held at once


def normalise(log_joint: Array) -> tuple[Array, float]:
    """Rows of a distribution from its log, and the sum of the logs of what they were divided by.

    >>> posterior, evidence = normalise(np.log([[0.2, 0.2], [0.1, 0.3]]))
    >>> posterior.round(2).tolist()
    [[0.5, 0.5], [0.25, 0.75]]
    """
    top = largest(log_joint)
    joint = np.exp(log_joint - top)
    total = joint.sum(axis=1, keepdims=True)
    return joint / total, float((top + np.log(total)).sum())


class NumpyEngine:
    """A Crowd and the sums over its votes that methods are made of. Every sum multiplies by `crowd.weight`.

    Arrays go in and come out as NumPy arrays whatever the engine; a device keeps the votes, not the mathematics.
    """

    tolerance = 1e-11  # by which, relatively, the objective may fall from rounding alone

    def __init__(self, crowd: Crowd):
        self.crowd = crowd
        self.item, self.annotator, self.label, self.weight = crowd.item, crowd.annotator, crowd.label, crowd.weight
        self.n_items, self.n_annotators, self.n_classes = crowd.n_items, crowd.n_annotators, crowd.n_classes

    def over(self, crowd: Crowd) -> NumpyEngine:
        """The same engine over other votes."""
        return type(self)(crowd)

    # -- sums over votes ------------------------------------------------------------------------------------------

    def item_votes(self, value: Any = 1.0) -> Array:
        """Values a vote summed by item and given class: (votes,) -> (items, given)."""
        return self._sum(self._cell(self.item), value, self.n_items)

    def annotator_votes(self, value: Any = 1.0) -> Array:
        """Values a vote summed by annotator and given class: (votes,) -> (annotators, given)."""
        return self._sum(self._cell(self.annotator), value, self.n_annotators)

    def item_scores(self, table: Array) -> Array:
        """What an item's votes say of each state: (annotators, states, given) -> (items, states)."""
        out = np.empty((self.n_items, table.shape[1]))
        for s in range(table.shape[1]):
            out[:, s] = np.bincount(self.item, self._weighted(table[self.annotator, s, self.label]), self.n_items)
        return out

    def confusion_counts(self, posterior: Array) -> Array:
        """How often each annotator said what of which state: (items, states) -> (annotators, states, given)."""
        require_room(self.n_annotators, posterior.shape[1], self.n_classes)
        counts = [self.annotator_votes(posterior[self.item, s]) for s in range(posterior.shape[1])]
        return np.stack(counts, axis=1)

    def item_sums(self, table: Array) -> Array:
        """Rows of an item's annotators, summed: (annotators, states) -> (items, states)."""
        return np.asarray(self._meetings @ table)

    def annotator_sums(self, posterior: Array) -> Array:
        """Rows of an annotator's items, summed: (items, states) -> (annotators, states)."""
        return np.asarray(self._meetings.T @ posterior)

    @cached_property
    def given(self) -> Array:
        """How often each annotator named each class, (annotators, given)."""
        return self.annotator_votes()

    def vote_shares(self, silent: Array) -> Array:
        """Each item's votes as a distribution, (items, given); `silent`, by weight, where there are none."""
        votes = self.item_votes()
        votes[votes.sum(axis=1) == 0.0] = silent
        votes /= votes.sum(axis=1, keepdims=True)
        return votes

    def item_rows(self, rows: Array) -> Array:
        """Rows a vote summed by item: (votes, states) -> (items, states)."""
        return np.asarray(self._rows_by_item @ rows)

    def votes_of(self, annotators: Array) -> tuple[Array, Array]:
        """The votes of some annotators, one annotator after the other, and where each one's begin (and the end)."""
        order, first = self._by_annotator
        count = first[annotators + 1] - first[annotators]
        begin = np.concatenate([[0], np.cumsum(count)])
        return order[np.repeat(first[annotators] - begin[:-1], count) + np.arange(begin[-1])], begin

    def messages(
        self, votes: Array, begin: Array, log_weight: Array, chance: Array, to_annotator: Array
    ) -> tuple[Array, Array]:
        """What annotators tell each of their items when their confusion matrix is one of some points, with weights.

        `votes` and `begin` as `votes_of` gives them; log weights (points,), chances (points, true, given) and messages
        (all votes, true). Gives messages (votes, true), rows that sum to one, and how much of each annotator is at
        each point, (annotators, points). A vote's own message is left out of its answer.
        """
        n_annotators = len(begin) - 1
        sent, point = np.empty((len(votes), self.n_classes)), np.tile(log_weight, (n_annotators, 1))
        most, low = max(1, MOST_MESSAGES // len(log_weight)), 0
        while low < n_annotators:  # as many annotators at a time as memory takes, one at least
            high = max(low + 1, int(np.searchsorted(begin, begin[low] + most, side="right")) - 1)
            at = slice(begin[low], begin[high])
            by = np.repeat(np.arange(low, high), np.diff(begin[low : high + 1]))
            row = chance[:, :, self.label[votes[at]]]  # (points, true, votes)
            log_said = np.log(np.einsum("skv,vk->vs", row, to_annotator[votes[at]]))
            weight = np.ones((1, 1)) if self.weight is None else self.weight[votes[at], None]
            np.add.at(point, by, weight * log_said)
            left = point[by] - np.minimum(weight, 1.0) * log_said
            answer = np.einsum("vs,skv->vk", np.exp(left - left.max(axis=1, keepdims=True)), row)
            sent[at] = answer / answer.sum(axis=1, keepdims=True)
            low = high
        return sent, normalise(point)[0]

    @cached_property
    def kept(self) -> dict[Any, Any]:
        """What methods keep beside the votes while a fit lasts, by method."""
        return {}

    # -- votes that meet ------------------------------------------------------------------------------------------

    def tuples(self, order: int) -> Tuples:
        """Pairs (order 2) or triples (3) of votes that met on items, and how often."""
        return count_tuples(self.crowd, order)

    def tuple_sweep(self, met: Tuples, confusion: Array, prior: Array) -> tuple[Array, Array, float]:
        """E-step over tuples, each as an item of its own: chances (annotators, true, given) and shares of classes.

        Gives expected counts (annotators, true, given), mass of each class, and the log-likelihood of the tuples.
        """
        chance = confusion.transpose(0, 2, 1).reshape(-1, prior.size)  # (cells, true)
        joint = prior * np.prod([chance[column] for column in met.cells.T], axis=0)
        total = joint.sum(axis=1, keepdims=True)
        joint *= met.often[:, None] / total
        counts = np.stack(
            [sum(np.bincount(column, joint[:, k], len(chance)) for column in met.cells.T) for k in range(prior.size)],
            axis=1,
        )
        shaped = counts.reshape(self.n_annotators, self.n_classes, -1).transpose(0, 2, 1)
        return shaped, joint.sum(axis=0), float((met.often * np.log(total[:, 0])).sum())

    # -- the passes of EM; compiled engines fuse them -----------------------------------------------------------

    def posterior(self, table: Array, log_state: Array, known: Known | None = None) -> tuple[Array, float]:
        """E-step over a table of log chances: posterior (items, states) and the log-evidence of the votes."""
        scores = self.item_scores(table) + log_state
        return normalise(with_known(scores, known))

    def sweep(self, table: Array, log_state: Array, known: Known | None = None) -> tuple[Array, Array, float]:
        """E-step and its sums in one go: counts (annotators, states, given), mass of each state, log-evidence."""
        posterior, evidence = self.posterior(table, log_state, known)
        return self.confusion_counts(posterior), posterior.sum(axis=0), evidence

    def posterior_hits(
        self, hit: Array, miss: Array, log_state: Array, known: Known | None = None
    ) -> tuple[Array, float]:
        """As `posterior` where a vote lifts only the class that it names: hit, miss are (annotators, given)."""
        cell = (self.annotator, self.label)
        scores = self.item_votes((hit - miss)[cell]) + self.item_votes(miss[cell]).sum(axis=1, keepdims=True)
        scores += log_state
        return normalise(with_known(scores, known))

    def sweep_hits(
        self, hit: Array, miss: Array, log_state: Array, known: Known | None = None
    ) -> tuple[Array, Array, float]:
        """As `sweep` in the hit form: the sum is the mass of right votes, (annotators, given)."""
        posterior, evidence = self.posterior_hits(hit, miss, log_state, known)
        return self.annotator_votes(posterior[self.item, self.label]), posterior.sum(axis=0), evidence

    def logit_sweep(
        self, annotator_logits: Array, item_logits: Array, log_state: Array, known: Known | None = None
    ) -> tuple[Array, float, Array, Array]:
        """E-step where a vote's chances are softmax(annotator's + item's logits), rows (true, given), and its slopes.

        Posterior (items, classes), log-evidence, and the slope of the expected log chance of all votes in each of the
        logits: (annotators, true, given) and (items, true, given).
        """
        logits = annotator_logits[self.annotator] + item_logits[self.item]  # (votes, true, given)
        logits -= logits.max(axis=2, keepdims=True)
        chance = np.exp(logits)
        total = chance.sum(axis=2, keepdims=True)
        chance /= total
        said = logits[np.arange(self.label.size), :, self.label] - np.log(total[:, :, 0])  # (votes, true)
        scores = self.item_rows(said) + log_state
        posterior, evidence = normalise(with_known(scores, known))
        slope = -chance
        slope[np.arange(self.label.size), :, self.label] += 1.0
        slope *= posterior[self.item][:, :, None]
        flat = slope.reshape(self.label.size, -1)
        return (
            posterior,
            evidence,
            np.asarray(self._rows_by_annotator @ flat).reshape(annotator_logits.shape),
            self.item_rows(flat).reshape(item_logits.shape),
        )

    def chain(
        self, order: Array, begin: Array, log_start: Array, log_move: Array, log_evidence: Array
    ) -> tuple[Array, Array, Array, float]:
        """Forward and backward along chains of items: `order[begin[c] : begin[c + 1]]` are the items of chain c.

        Posterior (items, states), expected begins (states,) and moves (states, states), and the log-evidence.
        """
        return forward_backward(order, begin, log_start, log_move, log_evidence)

    # -- inside ---------------------------------------------------------------------------------------------------

    def _weighted(self, value: Any) -> Array:
        value = np.broadcast_to(np.asarray(value, float), self.label.shape)
        return value if self.weight is None else value * self.weight

    def _cell(self, code: Array) -> Array:
        return code.astype(np.int64) * self.n_classes + self.label

    def _sum(self, cell: Array, value: Any, rows: int) -> Array:
        sums = np.bincount(cell, self._weighted(value), rows * self.n_classes)
        return sums.astype(float, copy=False).reshape(rows, self.n_classes)  # of no votes NumPy counts in integers

    def _rows_by(self, code: Array, n: int) -> Any:
        """The sparse matrix that sums rows of votes by a code, (n, votes)."""
        from scipy.sparse import csr_array

        votes = np.arange(code.size)
        return csr_array((self._weighted(1.0), (code.astype(np.int64), votes)), shape=(n, code.size))

    @cached_property
    def _rows_by_item(self) -> Any:
        return self._rows_by(self.item, self.n_items)

    @cached_property
    def _rows_by_annotator(self) -> Any:
        return self._rows_by(self.annotator, self.n_annotators)

    @cached_property
    def _by_annotator(self) -> tuple[Array, Array]:
        order = np.argsort(self.annotator, kind="stable")
        return order, np.searchsorted(self.annotator[order], np.arange(self.n_annotators + 1))

    @cached_property
    def _meetings(self) -> Any:
        """How often each annotator voted on each item, sparse."""
        from scipy.sparse import csr_array

        cells = (self.item.astype(np.int64), self.annotator.astype(np.int64))
        return csr_array((self._weighted(1.0), cells), shape=(self.n_items, self.n_annotators))
