"""CrowdRanker: a network that learns scores from comparisons by many annotators, and the annotators with it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from ...engine.comparison_sums import Answers, People, sigmoid
from ...errors import InputError
from ...fit.options import Natural, NonNegative, checked_options
from ...methods.comparisons.annotator_bt import AnnotatorBT
from ...methods.comparisons.crowd_bt import CrowdBT
from ...methods.comparisons.noisy_bt import NoisyBT
from ...votes.codes import Array, find, names_array
from ...votes.comparisons import Comparisons
from ...votes.keyed import keyed_uniform
from ...votes.table import Table
from .score_networks import Learner, ScoreNetworks, device_of

MODELS: dict[str, type[AnnotatorBT]] = {"crowd-bt": CrowdBT, "noisy-bt": NoisyBT}


class CrowdRanker(Learner):
    r"""Scores as a function of features, :math:`P(left) = \sigma(f(x_l) - f(x_r))` behind a model of annotators, by EM.

    model: "crowd-bt", annotators who sometimes say the opposite (Chhan et al. 2024: reliability weighs preferences);
    "noisy-bt", annotators who sometimes answer by a coin or for one side; "bradley-terry", all alike. In turn, answers
    are heard through what is believed of annotators, and the networks learn the comparisons as they were meant.

    network: "linear", "mlp", "cnn", "resnet", "text", a factory of (shape of a row, 1), or a torch module. rounds:
    looks at the annotators; epochs: of the network, in all. folds: networks, each without a part of the pairs, on which
    annotators are judged. The rest as in `CrowdClassifier`.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> score = X @ np.array([2.0, -1.0, 0.0])
    >>> left, right = rng.integers(100, size=600), rng.integers(100, 200, size=600)
    >>> won = np.where(rng.random(600) < sigmoid(score[left] - score[right]), "left", "right")
    >>> said = Comparisons.from_columns(left, right, rng.integers(5, size=600), won)
    >>> model = CrowdRanker("linear", epochs=30, rate=0.02).fit(X, said)
    >>> bool(np.corrcoef(model.predict(X), score)[0, 1] > 0.97)
    True
    """

    def __init__(
        self,
        network: Any = "mlp",
        model: Literal["crowd-bt", "noisy-bt", "bradley-terry"] = "crowd-bt",
        epochs: int = 40,
        rounds: int = 10,
        folds: int = 2,
        batch: int = 64,
        rate: NonNegative = 3e-3,
        decay: NonNegative = 1e-4,
        standardise: bool = True,
        tokenizer: Any = None,
        length: int = 128,
        seed: Natural = 0,
        device: str = "auto",
    ):
        self.network, self.model, self.epochs, self.rounds, self.folds = network, model, epochs, rounds, folds
        self.batch, self.rate, self.decay = batch, rate, decay
        self.standardise, self.tokenizer, self.length = standardise, tokenizer, length
        self.seed, self.device = seed, device

    def fit(self, X: Any, comparisons: Any, items: Any = None) -> CrowdRanker:
        """Learn from features and comparisons; `items` names the rows of X, else items are row numbers."""
        checked_options(type(self), self.get_params())
        rows = self._rows(X)
        said, place = compared_rows(comparisons, items, len(rows))
        device = device_of(self.device)
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            networks = ScoreNetworks(self.network, rows.to(device), self.folds, self.standardise, device, self.seed)
            self._learn(networks, said, place)
        self.networks_, self.annotators_ = networks, said.annotators
        self.compared_ = np.bincount(said.annotator, minlength=said.n_annotators)
        return self

    def _learn(self, networks: ScoreNetworks, said: Comparisons, place: Array) -> None:
        """Rounds of hearing and learning."""
        answers, n = Answers(said), said.annotator_weight()
        left, right = (torch.as_tensor(place[code]) for code in (answers.left, answers.right))
        fold = np.floor(keyed_uniform(self.seed, pair_hash(said, answers)) * self.folds).astype(np.int64)
        chosen = MODELS[self.model]() if self.model in MODELS else None
        people, prior = (chosen or CrowdBT()).begin(n)
        if chosen is None:
            people = People(np.ones(n.size), np.zeros(n.size), np.full(n.size, 0.5))
        gap = np.zeros(left.numel())
        for epochs in (len(part) for part in np.array_split(np.arange(self.epochs), self.rounds)):
            pairs, sums, _ = answers.hear(gap, people)
            if chosen is not None:
                people, prior = chosen.judge(n, sums, people, prior)
                pairs, _, _ = answers.hear(gap, people)
            wins, losses = (torch.as_tensor(one, dtype=torch.float32, device=networks.device) for one in
                            (pairs.wins, pairs.losses))  # fmt: skip
            usual = float((wins + losses).mean())

            def loss(
                j: int, some: Tensor, wins: Tensor = wins, losses: Tensor = losses, usual: float = usual
            ) -> Tensor:
                d = networks.scores(j, left[some]) - networks.scores(j, right[some])
                at = some.to(d.device)
                return -(wins[at] * logsigmoid(d) + losses[at] * logsigmoid(-d)).mean() / usual

            networks.train(fold, loss, epochs=epochs, batch=self.batch, rate=self.rate, decay=self.decay)
            scores = networks.all()
            each = scores[:, place[answers.left]] - scores[:, place[answers.right]]
            gap = each[0] if self.folds == 1 else np.take_along_axis(each, fold[None], axis=0)[0]
        _, self.sums_, self.likely_ = answers.hear(gap, people)
        self.people_ = people

    def predict(self, X: Any) -> Array:
        """A score for each row, higher is better; a difference of 1 is a chance of .73 to win."""
        return np.asarray(self._said(X).mean(axis=0))

    def predict_proba(self, left: Any, right: Any) -> Array:
        """The chance that each row of `left` is better than that row of `right`."""
        return sigmoid(self.predict(left) - self.predict(right))

    def annotators(self) -> Table:
        """One row per annotator, least reliable first: comparisons, and how often they say what they see."""
        self._learned()
        honesty, coin, left = self.people_
        reliability = (1.0 - coin) * (2.0 * honesty - 1.0)
        columns = {
            "annotator": self.annotators_, "votes": self.compared_, "reliability": reliability, "honesty": honesty,
            "coin": coin, "left_share": left,
        }  # fmt: skip
        return Table(columns).take(np.argsort(reliability, kind="stable"))


def pair_hash(said: Comparisons, answers: Answers) -> Array:
    """A number for each pair that depends on the names of its items only."""
    with np.errstate(over="ignore"):
        return np.asarray(said.item_hash[answers.left] + said.item_hash[answers.right])


def compared_rows(comparisons: Any, items: Any, n_rows: int) -> tuple[Comparisons, Array]:
    """Comparisons of items that are rows of X, and the row of each item; those of other items are left out."""
    said: Comparisons = Comparisons.of(comparisons)
    names = names_array(np.arange(n_rows) if items is None else items)
    if len(names) != n_rows:
        raise InputError(f"{len(names)} items name {n_rows} rows of X")
    place = np.asarray(find(said.items, names))
    kept = (place[said.item] >= 0) & (place[said.other] >= 0)
    if not kept.any():
        raise InputError("no comparison is of two rows of X: name the rows with items=..., or number the items from 0")
    return said.take(kept), np.maximum(place, 0)
