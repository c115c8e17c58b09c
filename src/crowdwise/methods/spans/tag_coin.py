"""TagCoin: annotators who have one number each over a hidden Markov chain of tags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine import NumpyEngine
from ...fit.params import Axes, Params
from ...votes.codes import Array
from ..classes.bayes.dirichlet import divergence, mean_log
from .tag_em import TagEM


@dataclass(frozen=True, kw_only=True)
class TagCoin(TagEM):
    r"""A chain of tags, and annotators who name the right tag with a chance of their own, or another one by lot.

    .. math::
        P(y_{jt} = l \mid z_t = k) = a_j \, 1[l = k] + \frac{1 - a_j}{K - 1} \, 1[l \ne k], \qquad
        q(z) \propto T_{0 z_1} \prod_t T_{z_{t-1} z_t} \prod_j P(y_{jt} \mid z_t)

    Mean field with Beta distributions of :math:`a_j`, or as most likely. O(votes x tags + tokens x tags^2) a step. Use
    it where annotators have a document or two each: a matrix has too many numbers for them. Under a network it is a
    random field whose annotators have one number each (`CrowdTagger(annotators="one-number")`).

    diagonal, rest: the prior's votes: diagonal + rest that were right, and rest that were wrong. The others are those
    of every method for spans: chain_pseudo, variational, decode, max_iter, tol, restarts, accelerate, seed.

    Reference: the "accuracy" annotators of Simpson & Gurevych, EMNLP 2019, section 3, over the chain of Nguyen et al.
    2017.

    >>> from crowdwise import TagCoin, simulate
    >>> made = simulate.spans(n_documents=60, n_annotators=10, per_document=5, spammers=2, seed=0)
    >>> accuracy = np.sort(TagCoin().fit(made.spans).params["accuracy"])
    >>> bool(accuracy[:2].max() < 0.8 < accuracy[2:].min())
    True
    """

    name: ClassVar[str] = "tag-coin"
    params: ClassVar[Mapping[str, Axes]] = {
        **TagEM.params,
        "accuracy": Axes(("annotator",), "unit"),
        "accuracy_votes": Axes(("annotator", "right or wrong"), "positive"),
        "pseudo": Axes(("right or wrong",), "positive"),
    }
    diagonal: float = 1.0
    rest: float = 1.0

    def begin(self, ops: NumpyEngine) -> Params:
        pseudo = np.array([self.diagonal + self.rest, self.rest])
        return {**super().begin(ops), "pseudo": pseudo}

    def log_table(self, params: Params) -> Array:
        n = len(params["prior"])
        log = self._log_chances(params["accuracy_votes"])
        right, wrong = log[:, 0, None, None], log[:, 1, None, None] - np.log(max(n - 1, 1))
        return np.where(np.eye(n, dtype=bool), right, wrong)

    def estimate(self, statistics: Params, params: Params) -> Params:
        counts = statistics["counts"]
        right = np.einsum("jkk->j", counts)
        votes = np.stack([right, np.maximum(counts.sum(axis=(1, 2)) - right, 0.0)], axis=1)
        return {"pseudo": params["pseudo"], "accuracy_votes": votes + params["pseudo"]}

    def derived(self, params: Params) -> Params:
        votes = params["accuracy_votes"]
        return {"accuracy": votes[:, 0] / votes.sum(axis=1)}

    def log_prior(self, params: Params) -> float:
        votes, pseudo = params["accuracy_votes"], params["pseudo"]
        if self.variational:
            return -divergence(votes, pseudo)
        return float((pseudo * self._log_chances(votes)).sum())

    def _log_chances(self, votes: Array) -> Array:
        """Logs of the chances to be right and wrong, (annotators, 2); their expectations."""
        return mean_log(votes) if self.variational else np.log(votes / votes.sum(axis=1, keepdims=True))
