"""CrowdMatcher: clusters as a function of features, learned from answers of same or different."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from ...fit.options import Natural, NonNegative, checked_options
from ...methods.similarities.same_groups import SameGroups
from ...votes.codes import Array, find, names_array
from ...votes.similarities import Similarities
from ...votes.table import Table
from ..numbers.score_networks import Learner, ScoreNetworks, device_of

EDGE = 0.02
SHRINK = 10.0


class CrowdMatcher(Learner):
    r"""P(same) = f(x_i)' f(x_j), f a network of shares of clusters, behind annotators who see same and different.

    Annotator m says same with chance :math:`s a_m + (1 - s)(1 - b_m)`, :math:`s = f(x_i)^T f(x_j)`: the networks learn
    all answers at once, and a, b are found in turn by EM. The start are the clusters that the answers alone tell
    (`SameGroups`), which the networks learn first.

    clusters: how many. network: as in `CrowdClassifier`. warm: epochs on the first clusters; epochs: on the answers;
    rounds: looks at the annotators. batch, rate, decay, standardise, tokenizer, length, seed, device: as in
    `CrowdRegressor`.

    Reference: pairwise similarities as in Hsu, Lv, Schlosser, Odom & Kira (ICLR 2019), with annotators.

    >>> from crowdwise import simulate
    >>> made = simulate.similarities(n_items=60, n_annotators=8, n_votes=800, n_clusters=3, seed=0)
    >>> X = np.eye(3)[made.truth] + 0.3 * np.random.default_rng(0).normal(size=(60, 3))
    >>> CrowdMatcher(3, "linear", warm=5, epochs=5).fit(X, made.similarities).predict(X).shape
    (60,)
    """

    def __init__(
        self,
        clusters: int,
        network: Any = "mlp",
        warm: int = 20,
        epochs: int = 30,
        rounds: int = 5,
        batch: int = 256,
        rate: NonNegative = 3e-3,
        decay: NonNegative = 1e-4,
        standardise: bool = True,
        tokenizer: Any = None,
        length: int = 128,
        seed: Natural = 0,
        device: str = "auto",
    ):
        self.clusters, self.network, self.warm, self.epochs, self.rounds = clusters, network, warm, epochs, rounds
        self.batch, self.rate, self.decay = batch, rate, decay
        self.standardise, self.tokenizer, self.length = standardise, tokenizer, length
        self.seed, self.device = seed, device

    def fit(self, X: Any, similarities: Any, items: Any = None) -> CrowdMatcher:
        """Learn from features and answers; `items` names the rows of X, else items are row numbers."""
        checked_options(type(self), self.get_params())
        rows = self._rows(X)
        said = Similarities.of(similarities)
        names = names_array(np.arange(len(rows)) if items is None else items)
        place = np.asarray(find(said.items, names))
        said = said.take((place[said.item] >= 0) & (place[said.other] >= 0))
        place, device = np.maximum(place, 0), device_of(self.device)
        begun = SameGroups(clusters=self.clusters, seed=self.seed).fit(said)
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            networks = ScoreNetworks(
                self.network, rows.to(device), 1, self.standardise, device, self.seed, self.clusters
            )
            self._begin(networks, begun.estimate.cluster - 1, place)  # type: ignore[attr-defined]
            self._learn(networks, said, place, begun.params["sees_same"], begun.params["sees_different"])
        self.networks_, self.annotators_ = networks, said.annotators
        return self

    def _begin(self, networks: ScoreNetworks, cluster: Array, place: Array) -> None:
        target = torch.as_tensor(cluster, device=networks.device)
        at = torch.as_tensor(place)

        def loss(j: int, some: Tensor) -> Tensor:
            return torch.nn.functional.cross_entropy(networks.scores(j, at[some]), target[some.to(target.device)])

        fold = np.zeros(len(cluster), np.int64)
        networks.train(fold, loss, epochs=self.warm, batch=self.batch, rate=self.rate, decay=self.decay)

    def _learn(self, networks: ScoreNetworks, said: Similarities, place: Array, a: Array, b: Array) -> None:
        left, right = (torch.as_tensor(place[code]) for code in (said.item, said.other))
        yes, who, n = said.same_said, said.annotator, said.n_annotators
        weight = torch.as_tensor(said._weight(), dtype=torch.float32, device=networks.device)
        for epochs in (len(part) for part in np.array_split(np.arange(self.epochs), self.rounds)):
            if_same = torch.as_tensor(np.where(yes, a[who], 1.0 - a[who]), dtype=torch.float32, device=networks.device)
            if_not = torch.as_tensor(np.where(yes, 1.0 - b[who], b[who]), dtype=torch.float32, device=networks.device)

            def loss(j: int, some: Tensor, if_same: Tensor = if_same, if_not: Tensor = if_not) -> Tensor:
                one = log_softmax(networks.scores(j, left[some]), dim=1).exp()
                other = log_softmax(networks.scores(j, right[some]), dim=1).exp()
                same, at = (one * other).sum(dim=1), some.to(if_same.device)
                return -(weight[at] * torch.log(same * if_same[at] + (1.0 - same) * if_not[at] + 1e-9)).mean()

            fold = np.zeros(said.n_votes, np.int64)
            networks.train(fold, loss, epochs=epochs, batch=self.batch, rate=self.rate, decay=self.decay)
            share = _softmax(networks.all()[0])
            same = (share[place[said.item]] * share[place[said.other]]).sum(axis=1)
            told, not_told = same * if_same.cpu().numpy(), (1.0 - same) * if_not.cpu().numpy()
            same = told / np.maximum(told + not_told, 1e-12)
            a, b = _chance(same * yes, same, who, n), _chance((1 - same) * ~yes, 1 - same, who, n)
        self.sees_same_, self.sees_different_ = a, b

    def predict_proba(self, X: Any) -> Array:
        """Shares of the clusters for each row."""
        return _softmax(self._said(X).mean(axis=0))

    def predict(self, X: Any) -> Array:
        """The cluster of each row."""
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def annotators(self) -> Table:
        """One row per annotator: how often they see that two are the same, and that they are different."""
        self._learned()
        columns = {"annotator": self.annotators_, "sees_same": self.sees_same_, "sees_different": self.sees_different_}
        return Table(columns)


def _softmax(logits: Array) -> Array:
    chance = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(chance / chance.sum(axis=1, keepdims=True))


def _chance(hit: Array, met: Array, who: Array, n: int) -> Array:
    usual = (hit.sum() + 3.0) / (met.sum() + 4.0)
    return np.asarray(
        np.clip((np.bincount(who, hit, n) + SHRINK * usual) / (np.bincount(who, met, n) + SHRINK), EDGE, 1 - EDGE)
    )
