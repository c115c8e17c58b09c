"""CommunityBCC: annotators belong to communities whose members err alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....fit.params import Axes, Params
from ....votes.codes import Array
from . import polya
from .dirichlet import diagonal_prior, log_beta, mean_log
from .ibcc import DirichletRows


@dataclass(frozen=True, kw_only=True)
class CommunityBCC(DirichletRows):
    r"""Community-based Bayesian classifier combination: an annotator is first of all a member of a community.

    Annotator :math:`j` belongs to community :math:`c_j \sim h`, and the rows of that community's annotators are drawn
    around its own: :math:`A_j[k] \sim Dir(B_{c_j}[k])`. With n the expected counts and membership summed out exactly,

    .. math::
        r_{jc} \propto h_c \prod_k \frac{\mathrm{B}(n_{jk} + B_c[k])}{\mathrm{B}(B_c[k])}, \qquad
        E \log A_j[k, l] = \sum_c r_{jc}
        \left(\psi(n_{jkl} + B_{ckl}) - \psi\left(\sum_l n_{jkl} + B_{ckl}\right)\right)

    and the communities' matrices climb the same bound by steps of Minka's fixed point. The trace is the evidence lower
    bound. The paper has Gaussian scores and softmax where this has Dirichlet rows. O(votes x classes + communities x
    annotators x classes^2) a step. Use it where annotators have few votes and come in kinds: `params["membership"]`.

    communities: how many. They start from experts (twice the diagonal) down to guessers (rest everywhere).
    share_pseudo: the prior's annotators in each community. The other parameters are those of `IBCC`.

    Reference: Venanzi, Guiver, Kazai, Kohli & Shokouhi, WWW 2014, section 3.

    >>> from crowdwise import CommunityBCC, simulate
    >>> people = simulate.one_coin(20, 3, 0.9) + simulate.spammers(10, 3)
    >>> result = CommunityBCC(communities=2).fit(simulate.crowd(people, n_items=300, per_item=6, seed=0).crowd)
    >>> member = result.params["membership"].argmax(axis=1)
    >>> member[:20].max() < member[20:].min()
    np.True_
    """

    name: ClassVar[str] = "community-bcc"
    params: ClassVar[Mapping[str, Axes]] = {
        "membership": Axes(("annotator", "community"), "simplex"),
        "community_shares": Axes(("community",), "simplex"),
        "community_pseudo": Axes(("community", "true", "given"), "positive"),
    }
    communities: int = 3
    share_pseudo: float = 1.0

    def initial(self, n_annotators: int, n_classes: int) -> Params:
        shares = np.full(self.communities, 1.0 / self.communities)
        return {"community_pseudo": self._start(n_classes), "community_shares": shares}

    def estimate(self, statistics: Params, params: Params) -> Params:
        counts, communities = statistics["counts"], params["community_pseudo"]
        shares = params["community_shares"]
        member = self._membership(counts, communities, shares)
        communities = np.stack(
            [
                self._climb(counts, *each)
                for each in zip(communities, self._start(counts.shape[2]), member.T, strict=True)
            ]
        )
        shares = member.sum(axis=0) + self.share_pseudo
        shares /= shares.sum()
        member = self._membership(counts, communities, shares)
        return {
            "community_pseudo": communities,
            "community_shares": shares,
            "membership": member,
            "counts": counts,
        }

    def derived(self, params: Params) -> Params:
        votes = params["counts"] + np.tensordot(params["membership"], params["community_pseudo"], axes=1)
        return {"confusion": votes / votes.sum(axis=2, keepdims=True)}

    def log_table(self, params: Params) -> Array:
        each = zip(params["membership"].T, params["community_pseudo"], strict=True)
        return sum((r[:, None, None] * mean_log(params["counts"] + b) for r, b in each), np.zeros(1))

    def log_prior(self, params: Params) -> float:
        member, counts, communities = params["membership"], params["counts"], params["community_pseudo"]
        value = float((member * (np.log(params["community_shares"]) - np.log(np.maximum(member, 1e-300)))).sum())
        for r, b in zip(member.T, communities, strict=True):
            rows = log_beta(counts + b) - log_beta(b) - (counts * mean_log(counts + b)).sum(axis=2)  # -KL a row
            value += float((r * rows.sum(axis=1)).sum())
        hyper = np.log(communities) - communities / self._start(counts.shape[2])
        return value + float(hyper.sum()) + self.share_pseudo * float(np.log(params["community_shares"]).sum())

    def _start(self, n_classes: int) -> Array:
        diagonals = np.linspace(2.0 * self.diagonal, self.rest, self.communities)
        return np.stack([diagonal_prior(n_classes, diagonal, self.rest) for diagonal in diagonals])

    def _membership(self, counts: Array, communities: Array, shares: Array) -> Array:
        log_joint = np.log(shares) + np.stack([polya.evidence(counts, b) for b in communities], axis=1)
        member = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
        return member / member.sum(axis=1, keepdims=True)

    def _climb(self, counts: Array, pseudo: Array, start: Array, member: Array) -> Array:
        gain, cost = polya.gains(counts, pseudo, member)
        return polya.climb(
            lambda new: float(member @ polya.evidence(counts, new) + (np.log(new) - new / start).sum()),
            pseudo,
            (pseudo * gain + 1.0) / (cost[:, None] + 1.0 / start),
        )
