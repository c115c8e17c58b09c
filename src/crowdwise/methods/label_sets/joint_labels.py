"""Joint labels: which sets there are is learned, so that labels that go together help each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine import NumpyEngine, normalise
from ...errors import TooLarge
from ...fit.method import Callback, Solution, Watch
from ...fit.options import AnyNumber, NonNegative
from ...votes.codes import Array
from ...votes.label_sets import LabelSets
from .per_label import one_label
from .set_method import SetMethod, Ticked, ticked

MOST = 50_000_000  # numbers: items x sets


@dataclass(frozen=True, kw_only=True)
class JointLabels(SetMethod):
    r"""A prior over whole sets, and annotators who see each label in their own way, by EM.

    Item i has a set :math:`S_i` with chance :math:`\pi_S`; of each label, annotator j says yes or no with chances of a
    2 x 2 matrix of their own for that label, given whether it is in the set:

    .. math::
        q_i(S) \propto \pi_S \prod_l \prod_j A_{jl}[1(l \in S), y_{ijl}]

    Sets are those that somebody answered, and that of each item's majority: what nobody ever said together is not
    found. O(votes + items x sets x labels) a step. Use it where labels depend on each other.

    smoothing, right: pseudo-counts of each cell of a matrix, and more of them where it is right; set_pseudo: those of
    each set. max_iter, tol: stop after so many steps, or when a step gains less.

    Reference: label powersets (Tsoumakas & Katakis 2007) with annotators as in Dawid & Skene 1979.

    >>> from crowdwise import JointLabels, simulate
    >>> made = simulate.label_sets(n_items=200, n_annotators=12, per_item=5, seed=0)
    >>> found = JointLabels().fit(made.sets).to_table()
    >>> bool((found["labels"] == made.truth).mean() > 0.8)
    True
    """

    name: ClassVar[str] = "joint-labels"
    smoothing: float = 0.01
    right: NonNegative = 0.2
    set_pseudo: float = 0.1
    max_iter: int = 200
    tol: AnyNumber = 1e-7

    def find(self, ops: LabelSets, callback: Callback | None) -> Solution[Ticked]:
        n_options, n_items = len(ops.options), int(ops.owner.max(initial=-1)) + 1
        shares = NumpyEngine(ops).item_votes()
        share = (shares[:, 1] + 0.01) / (shares.sum(axis=1) + 0.02)
        sets = self._sets(ops, share, n_items)
        if sets.shape[0] * n_items > MOST:
            raise TooLarge(f"{sets.shape[0]:,} different sets for {n_items:,} items are too many: take per-label")
        engines = [NumpyEngine(one_label(ops, option)) for option in range(n_options)]
        cells = [np.flatnonzero(ops.option == option) for option in range(n_options)]
        pseudo = self.smoothing + self.right * np.eye(2)
        chance, watch, trace, converged = share, Watch(callback), [], False
        mass = np.zeros(len(sets))
        for step in range(1, self.max_iter + 1):
            log, prior_of_rows, kept = np.zeros((n_items, len(sets))), 0.0, []
            for option, engine in enumerate(engines):
                rows = chance[cells[option]]
                counts = engine.confusion_counts(np.stack([1.0 - rows, rows], axis=1)) + pseudo
                confusion = counts / counts.sum(axis=2, keepdims=True)
                kept.append(confusion)
                prior_of_rows += float((pseudo * np.log(confusion)).sum())
                said = np.zeros((n_items, 2))
                said[ops.owner[cells[option]]] = engine.item_scores(np.log(confusion))
                log += said[:, sets[:, option]]
            prior = mass + self.set_pseudo if step > 1 else np.ones(len(sets))
            prior = prior / prior.sum()
            posterior, evidence = normalise(log + np.log(prior))
            mass = posterior.sum(axis=0)
            chance = (posterior @ sets)[ops.owner, ops.option]
            trace.append(evidence + prior_of_rows + self.set_pseudo * float(np.log(prior).sum()))
            converged = step > 2 and trace[-1] - trace[-2] <= self.tol * abs(trace[-1])
            if watch(step, trace[-1]) or converged:
                break
        confusions = np.array(kept)
        return Solution(ticked(ops, chance), {"label_confusion": confusions}, {}, tuple(trace[1:]), converged)

    def _sets(self, votes: LabelSets, share: Array, n_items: int) -> Array:
        """The sets that somebody answered, and those of the majorities, (sets, labels)."""
        n_options = len(votes.options)
        who = votes.owner[votes.item] * votes.n_annotators + votes.annotator
        _, answer = np.unique(who, return_inverse=True)
        said = np.zeros((int(answer.max(initial=-1)) + 1, n_options), np.int64)
        said[answer[votes.label == 1], votes.option[votes.item[votes.label == 1]]] = 1
        most = np.zeros((n_items, n_options), np.int64)
        most[votes.owner, votes.option] = share > 0.5
        return np.unique(np.concatenate([said, most]), axis=0)
