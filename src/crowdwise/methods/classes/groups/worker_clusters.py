"""Worker clusters: annotators of one cluster share one confusion matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....fit.forms import TableEM
from ....fit.options import NonNegative
from ....fit.params import Axes, Params
from ....votes.codes import Array


@dataclass(frozen=True, kw_only=True)
class WorkerClusters(TableEM):
    r"""Dawid-Skene whose annotators come in clusters, one confusion matrix for each cluster, by EM.

    Annotator :math:`j` belongs to cluster :math:`c_j \sim \tau` and says :math:`l` of class :math:`k` with probability
    :math:`A_{c_j}[k, l]`: clusters x K^2 numbers in place of annotators x K^2. With n the expected counts,

    .. math::
        r_{jc} \propto \tau_c \prod_{k, l} A_c[k, l]^{n_{jkl}}, \qquad
        A_c[k, l] \propto s + \rho \, 1[k = l] + \sum_j r_{jc} n_{jkl}, \qquad
        \log q_i(k) = \log \pi_k + \sum_j \sum_c r_{jc} \log A_c[k, l_{ij}] + const

    The trace is the lower bound of classes and clusters together. O(votes x classes + clusters x annotators x
    classes^2) a step. Use it where annotators have few votes each and come in a few kinds; where the members of a kind
    differ, `CommunityBCC` is the model.

    clusters: how many. They start from experts down to guessers. smoothing, right: the pseudo-counts s and rho of
    `DawidSkene`, for each cluster. share_pseudo: the prior's annotators in each cluster.

    Reference: Imamura, Sato & Sugiyama, Analysis of Minimax Error Rate for Crowdsourcing and Its Application to Worker
    Clustering Model, ICML 2018 (the model; they infer clusters and classes by variational Bayes).

    >>> from crowdwise import WorkerClusters, simulate
    >>> people = simulate.one_coin(20, 3, 0.9) + simulate.spammers(10, 3)
    >>> result = WorkerClusters(clusters=2).fit(simulate.crowd(people, n_items=300, per_item=6, seed=0).crowd)
    >>> cluster = result.params["membership"].argmax(axis=1)
    >>> cluster[:20].max() < cluster[20:].min()
    np.True_
    """

    name: ClassVar[str] = "worker-clusters"
    params: ClassVar[Mapping[str, Axes]] = {
        "membership": Axes(("annotator", "cluster"), "simplex"),
        "cluster_shares": Axes(("cluster",), "simplex"),
        "cluster_confusion": Axes(("cluster", "true", "given"), "simplex"),
    }
    clusters: int = 3
    smoothing: float = 0.01
    right: NonNegative = 0.2
    share_pseudo: float = 1.0

    def initial(self, n_annotators: int, n_classes: int) -> Params:
        accuracy = np.linspace(0.9, 1.0 / n_classes, self.clusters)[:, None, None]
        others = (1.0 - accuracy) / max(n_classes - 1, 1)
        return {
            "cluster_confusion": np.where(np.eye(n_classes, dtype=bool), accuracy, others),
            "cluster_shares": np.full(self.clusters, 1.0 / self.clusters),
        }

    def estimate(self, statistics: Params, params: Params) -> Params:
        counts = statistics["counts"]
        member = _membership(counts, params["cluster_confusion"], params["cluster_shares"])
        votes = np.einsum("jc,jkl->ckl", member, counts) + self._pseudo(counts.shape[2])
        confusion = votes / votes.sum(axis=2, keepdims=True)
        shares = member.sum(axis=0) + self.share_pseudo
        shares /= shares.sum()
        member = _membership(counts, confusion, shares)
        return {"cluster_confusion": confusion, "cluster_shares": shares, "membership": member}

    def derived(self, params: Params) -> Params:
        return {"confusion": np.tensordot(params["membership"], params["cluster_confusion"], axes=1)}

    def log_table(self, params: Params) -> Array:
        return np.asarray(np.tensordot(params["membership"], np.log(params["cluster_confusion"]), axes=1))

    def log_prior(self, params: Params) -> float:
        member, log_shares = params["membership"], np.log(params["cluster_shares"])
        value = float((member * (log_shares - np.log(np.maximum(member, 1e-300)))).sum())
        value += float((self._pseudo(params["cluster_confusion"].shape[2]) * np.log(params["cluster_confusion"])).sum())
        return value + self.share_pseudo * float(log_shares.sum())

    def _pseudo(self, n_classes: int) -> Array:
        return self.smoothing + self.right * np.eye(n_classes)  # (true, given)


def _membership(counts: Array, confusion: Array, shares: Array) -> Array:
    log = np.log(shares) + np.einsum("jkl,ckl->jc", counts, np.log(confusion))
    member = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(member / member.sum(axis=1, keepdims=True))
