"""CrowdClassifier: a network trained straight from the votes, in scikit-learn's manners."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..codes import Array, find, names_array
from ..crowd import Crowd
from ..errors import InputError
from .ensemble import Ensemble
from .networks import build, run, run_all
from .objective import Output
from .objectives import make_objective
from .rows import as_features, as_votes, matched
from .votes import VoteBook


class CrowdClassifier:
    """A classifier that learns from the votes of many annotators, and the annotators with it.

    network: "linear", "mlp", a factory of (n_features, n_classes), or a torch module. objective: the name of one of
    `crowdwise.learn.OBJECTIVES`, or an Objective; options: those of the named one. epochs, batch, rate (of the
    network), annotator_rate, decay, anneal (rates fall to nothing, as a cosine does): of training by Adam. standardise:
    centre and scale each feature by the training rows. seed: same seed, same answer. device: where it is trained.

    >>> from crowdwise import simulate
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=200)
    >>> X = rng.normal(size=(200, 5)) + 2.0 * truth[:, None]
    >>> votes = simulate.crowd(simulate.one_coin(8, 2, 0.7), truth=truth, per_item=3, seed=0).crowd
    >>> model = CrowdClassifier(network="linear", epochs=20, rate=1e-2).fit(X, votes)
    >>> bool(model.score(X, truth) > 0.95)
    True
    """

    def __init__(
        self,
        network: Any = "mlp",
        objective: Any = "cross-fit",
        options: dict[str, Any] | None = None,
        epochs: int = 20,
        batch: int = 64,
        rate: float = 1e-3,
        annotator_rate: float = 1e-2,
        decay: float = 1e-4,
        anneal: bool = True,
        standardise: bool = True,
        seed: int = 0,
        device: str = "cpu",
    ):
        self.network, self.objective, self.options = network, objective, options
        self.epochs, self.batch, self.rate, self.annotator_rate = epochs, batch, rate, annotator_rate
        self.decay, self.anneal, self.standardise, self.seed, self.device = decay, anneal, standardise, seed, device

    # -- scikit-learn's manners -------------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Hyper-parameters by name."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def set_params(self, **params: Any) -> CrowdClassifier:
        """Change hyper-parameters by name."""
        for name, value in params.items():
            if name not in signature(type(self)).parameters:
                raise InputError(f"CrowdClassifier has no parameter {name!r}")
            setattr(self, name, value)
        return self

    # -- learning ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, votes: Any, items: Any = None) -> CrowdClassifier:
        """Learn from features (rows, ...) and votes; `items` names the rows, else items are row numbers."""
        x, crowd = as_features(X), as_votes(votes)
        item = matched(x, crowd, items)
        self.classes_, self.annotators_ = crowd.classes, crowd.annotators
        torch.manual_seed(self.seed)
        self._scale(x[torch.as_tensor(item >= 0)])
        objective = make_objective(self.objective, **(self.options or {}))
        if objective.folds > 1 and isinstance(self.network, nn.Module):
            raise InputError(f"{objective.name} trains {objective.folds} networks: give a name or a factory")
        networks = [build(self.network, x[0].numel(), crowd.n_classes) for _ in range(objective.folds)]
        self.network_ = Ensemble(networks).to(self.device)
        x = self._scaled(x)
        self.objective_ = objective.start(crowd, run_all(networks[0], x[:2]).features.shape[1]).to(self.device)
        self.history_ = self._train(x, crowd, item)
        return self

    def _train(self, x: Tensor, crowd: Crowd, item: Array) -> list[float]:
        known = np.flatnonzero(item >= 0)
        if not known.size:
            raise InputError("no row of X has a vote")
        rows = torch.as_tensor(known, device=self.device)
        x, code = x[rows], torch.as_tensor(item, device=self.device)[rows]
        book, fold = VoteBook(crowd).to(self.device), self.network_.folds(known.size, self.seed).to(self.device)
        groups = [{"params": self.network_.parameters(), "lr": self.rate, "weight_decay": self.decay}]
        own = [parameter for parameter in self.objective_.parameters() if parameter.requires_grad]
        if own:
            groups.append({"params": own, "lr": self.annotator_rate, "weight_decay": 0.0})
        optimiser = torch.optim.Adam(groups)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, self.epochs) if self.anneal else None
        order = torch.Generator().manual_seed(self.seed)
        history = []
        for _ in range(self.epochs):
            self.network_.train()
            total = 0.0
            for batch in torch.split(torch.randperm(known.size, generator=order).to(self.device), self.batch):
                loss = torch.zeros((), device=self.device)
                for network, may in self.network_.learners(fold[batch]):
                    if may.any():
                        some = batch[may]
                        seen, votes = self.objective_.prepare(x[some], book.of(code[some]))
                        loss = loss + self.objective_(run(network, seen), votes) / len(self.network_.networks)
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                total += float(loss.detach()) * len(batch)
            if schedule is not None:
                schedule.step()
            history.append(total / known.size)
            self.objective_.refresh(lambda: self._of_items(x, code, fold))
        self.items_, self.unseen_ = crowd.items[code.cpu().numpy()], self.network_.unseen(x, fold)
        return history

    def _of_items(self, x: Tensor, code: Tensor, fold: Tensor) -> Tensor:
        """Predictions of all items of the crowd by networks that have not seen them; even where an item has no row."""
        n_classes = len(self.classes_)
        out = torch.full((self.objective_.n_items, n_classes), 1.0 / n_classes, device=self.device)
        out[code] = self.objective_.predict(self.network_.unseen(x, fold))
        return out

    # -- answers ----------------------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes, (rows, classes), by features alone."""
        return self.objective_.predict(self._output(X)).detach().cpu().numpy()

    def predict(self, X: Any) -> Array:
        """The most probable class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def score(self, X: Any, truth: Any, items: Any = None) -> float:
        """Accuracy against true labels, a name a row; against votes, the mean log chance of a vote, in nats.

        Votes are a Crowd or an (items, annotators) matrix, as in `fit`: hold some items out and choose by them. They
        are weak guides, and the only ones where there is no truth.
        """
        if isinstance(truth, Crowd) or np.ndim(truth) == 2:
            return self._vote_score(as_features(X), as_votes(truth), items)
        codes = find(names_array(truth), self.classes_)
        return float((find(self.predict(X), self.classes_) == codes).mean())

    def _vote_score(self, x: Tensor, votes: Crowd, items: Any) -> float:
        crowd = votes.with_classes(self.classes_)
        item = matched(x, crowd, items)
        row = np.zeros(crowd.n_items, np.int64)
        row[item[item >= 0]] = np.flatnonzero(item >= 0)
        confusion = self.confusion()
        known = np.concatenate([confusion, confusion.mean(axis=0, keepdims=True)])  # last: a stranger
        place = find(crowd.annotators, self.annotators_)[crowd.annotator]
        chance = known[place, :, crowd.label] * self.predict_proba(x)[row[crowd.item]]
        weight = np.ones(crowd.n_votes) if crowd.weight is None else crowd.weight
        return float(np.average(np.log(np.maximum(chance.sum(axis=1), 1e-12)), weights=weight))

    @torch.no_grad()
    def infer_proba(self, X: Any, votes: Any, items: Any = None) -> Array:
        """Probabilities by features and votes together, (rows, classes); votes of annotators seen in training.

        Items of the training set are predicted by the network that has not learned from them, where there are several.
        """
        crowd = as_votes(votes).with_names(annotators=self.annotators_).with_classes(self.classes_)
        x = as_features(X)
        item = matched(x, crowd, items)
        place = find(crowd.annotators, self.annotators_)
        if (place < 0).any():
            raise InputError(f"annotator {crowd.annotators[place < 0][0]!r} was not there in training")
        book = VoteBook(crowd).to(self.device)
        book.annotator = torch.as_tensor(place, device=self.device)[book.annotator]
        output = self._output(x)
        names = np.arange(len(x)) if items is None else names_array(items)
        again = find(names, self.items_)
        trained = torch.as_tensor(again >= 0, device=self.device)
        seen = torch.as_tensor(again, device=self.device)[trained]
        output.logits[trained] = self.unseen_.logits[seen]
        output.features[trained] = self.unseen_.features[seen]
        there = torch.as_tensor(np.flatnonzero(item >= 0), device=self.device)
        out = self.objective_.predict(output)
        some = Output(output.logits[there], output.features[there])
        out[there] = self.objective_.posterior(some, book.of(torch.as_tensor(item, device=self.device)[there]))
        return out.cpu().numpy()

    def confusion(self) -> Array:
        """(annotators, true, given), as the objective has it."""
        return self.objective_.confusion().detach().cpu().numpy()

    def _output(self, x: Any) -> Output:
        return self.network_.answer(self._scaled(as_features(x)))

    def _scale(self, x: Tensor) -> None:
        flat = x.reshape(len(x), -1)
        on = self.standardise and x.ndim == 2
        self.centre_ = flat.mean(dim=0) if on else torch.zeros(())
        self.spread_ = flat.std(dim=0, correction=0).clamp_min(1e-6) if on else torch.ones(())

    def _scaled(self, x: Tensor) -> Tensor:
        return ((x - self.centre_) / self.spread_).to(self.device)
