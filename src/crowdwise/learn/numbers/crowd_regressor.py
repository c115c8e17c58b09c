"""CrowdRegressor: a network that learns values from the ratings of many annotators, and the annotators with it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from ...engine.rating_sums import RaterLines, bind_ratings
from ...errors import InputError
from ...fit.estimates import Values
from ...fit.options import Natural, NonNegative, checked_options
from ...methods.ratings.auto_ratings import AutoRatings
from ...methods.ratings.rater_fit import RaterFit
from ...votes.codes import Array, find, names_array
from ...votes.ratings import Ratings
from ...votes.table import Table
from .score_networks import Learner, ScoreNetworks, device_of, folds_of, own_fold

Model = Literal["eb", "raykar", "crowd-layer-s", "crowd-layer-b", "crowd-layer-sb"]
STEPS = 5  # of what is believed of annotators, between two looks at the network
SHAPE = 2.0  # ratings behind the prior of a precision


class CrowdRegressor(Learner):
    r"""A regression on what annotators rate, in scikit-learn's manners; annotators' biases, gains and precisions too.

    model: "eb", the default: `AutoRatings` with the network's prediction as the items' prior, :math:`t_i \sim N(f(x_i),
    \sigma^2)`. "raykar": every annotator has a precision, :math:`y_{ij} \sim N(f(x_i), 1 / \lambda_j)`, f is fitted to
    the precision-weighted means, :math:`1 / \lambda_j` is the mean squared error (Raykar et al., JMLR 2010, section 5).
    "crowd-layer-s", "-b", "-sb": :math:`y_{ij} = s_j f(x_i) + b_j` by gradients, the scale, the bias or both learned
    (Rodrigues & Pereira, AAAI 2018).

    network: "linear", "mlp", "cnn", "resnet", "text", a factory of (shape of a row, 1), or a torch module. rounds:
    looks at the annotators; epochs: of the network, in all. folds: networks, each without a part of the items, whose
    annotators are judged by it. The rest as in `CrowdClassifier`.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> truth = X @ np.array([1.0, -2.0, 0.5, 0.0])
    >>> item, who = np.repeat(np.arange(300), 2), rng.integers(6, size=600)
    >>> said = truth[item] + np.array([0.2, 0.2, 0.2, 3.0, 3.0, 3.0])[who] * rng.normal(size=600)
    >>> model = CrowdRegressor("linear", epochs=60, rate=0.02).fit(X, Ratings.from_columns(item, who, said))
    >>> bool(model.score(X, truth) > 0.95)
    True
    """

    def __init__(
        self,
        network: Any = "mlp",
        model: Model = "eb",
        epochs: int = 60,
        rounds: int = 6,
        folds: int = 2,
        batch: int = 64,
        rate: NonNegative = 3e-3,
        annotator_rate: NonNegative = 1e-2,
        decay: NonNegative = 1e-4,
        standardise: bool = True,
        tokenizer: Any = None,
        length: int = 128,
        seed: Natural = 0,
        device: str = "auto",
    ):
        self.network, self.model, self.epochs, self.rounds, self.folds = network, model, epochs, rounds, folds
        self.batch, self.rate, self.annotator_rate, self.decay = batch, rate, annotator_rate, decay
        self.standardise, self.tokenizer, self.length = standardise, tokenizer, length
        self.seed, self.device = seed, device

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags

        return Tags("regressor", TargetTags(required=True), regressor_tags=RegressorTags(), input_tags=InputTags())

    # -- learning -----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, ratings: Any, items: Any = None) -> CrowdRegressor:
        """Learn from features and ratings; `items` names the rows of X, else items are row numbers.

        ratings: `Ratings`, a frame of them, an (items, annotators) matrix with NaN where nobody rated, or one number a
        row.
        """
        checked_options(type(self), self.get_params())
        rows = self._rows(X)
        said = on_rows(ratings, items, len(rows))
        self.shift_, self.scale_ = float(said.value.mean()), float(said.value.std()) or 1.0
        said = said.derive(value=(said.value - self.shift_) / self.scale_)
        device, rated = device_of(self.device), np.bincount(said.item, minlength=said.n_items) > 0
        rows = rows.to(device)
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            networks = ScoreNetworks(self.network, rows, self.folds, self.standardise, device, self.seed)
            fold = folds_of(said.item_hash, self.folds)
            learn = {"eb": self._empirical_bayes, "raykar": self._raykar}.get(self.model, self._crowd_layer)
            lines = learn(networks, said, fold, np.flatnonzero(rated))
        self.networks_, self.lines_, self.annotators_ = networks, lines, said.annotators
        self.rated_ = np.bincount(said.annotator, minlength=said.n_annotators)
        return self

    def _to_targets(
        self, networks: ScoreNetworks, fold: Array, rated: Array, target: Array, weight: Array, epochs: int
    ) -> Array:
        """Some epochs of the networks on a number for each item; what they say of items that they have not seen."""
        goal, worth = (torch.as_tensor(one[rated], dtype=torch.float32, device=networks.device) for one in
                       (target, weight / weight[rated].mean()))  # fmt: skip
        index = torch.as_tensor(rated)

        def loss(j: int, some: Tensor) -> Tensor:
            off = networks.scores(j, index[some]) - goal[some.to(goal.device)]
            return (worth[some.to(goal.device)] * off**2).mean()

        networks.train(fold[rated], loss, epochs=epochs, batch=self.batch, rate=self.rate, decay=self.decay)
        return own_fold(networks.all(), fold)

    def _each_round(self) -> list[int]:
        """Epochs of each round."""
        return [len(part) for part in np.array_split(np.arange(self.epochs), self.rounds)]

    def _empirical_bayes(self, networks: ScoreNetworks, said: Ratings, fold: Array, rated: Array) -> RaterLines:
        method = AutoRatings(seed=self.seed)
        ops = bind_ratings(said).heard(method.heard(said))
        fit, number = RaterFit([ops]), 0
        for epochs in self._each_round():
            for _ in range(STEPS):
                number += 1
                fit.step(method, number)
            mean, variance = fit.found[0]
            ops.believed = self._to_targets(networks, fold, rated, mean, 1.0 / (variance + fit.spread), epochs)
        for _ in range(STEPS):
            number += 1
            fit.step(method, number)
        return fit.lines

    def _raykar(self, networks: ScoreNetworks, said: Ratings, fold: Array, rated: Array) -> RaterLines:
        ops, n = bind_ratings(said), said.n_annotators
        precision, spread = np.ones(n), 1.0
        for epochs in self._each_round():
            weight = ops.by_item(precision[said.annotator])
            target = ops.by_item(precision[said.annotator] * said.value) / np.maximum(weight, 1e-300)
            believed = self._to_targets(networks, fold, rated, target, weight, epochs)
            error = ops.by_annotator((said.value - believed[said.item]) ** 2)
            usual = float(error.sum() / max(float(ops.by_annotator().sum()), 1e-300))
            precision = (SHAPE + ops.by_annotator()) / (SHAPE * usual + error)
            spread = usual
        nothing = np.zeros(n)
        return RaterLines(nothing, nothing + 1.0, precision, nothing + 1.0, nothing, 0.0, spread)

    def _crowd_layer(self, networks: ScoreNetworks, said: Ratings, fold: Array, rated: Array) -> RaterLines:
        n, device, form = said.n_annotators, networks.device, self.model.rpartition("-")[2]
        scale = torch.ones(n, device=device, requires_grad="s" in form)
        bias = torch.zeros(n, device=device, requires_grad="b" in form)
        item, who = (torch.as_tensor(code.astype(np.int64)) for code in (said.item, said.annotator))
        value, weight = (torch.tensor(one, dtype=torch.float32, device=device) for one in (said.value, said._weight()))

        def loss(j: int, some: Tensor) -> Tensor:
            own, at = who[some].to(device), some.to(device)
            off = value[at] - scale[own] * networks.scores(j, item[some]) - bias[own]
            return (weight[at] * off**2).mean()

        learned = [one for one in (scale, bias) if one.requires_grad]
        networks.train(
            fold[said.item], loss, epochs=self.epochs, batch=self.batch, rate=self.rate, decay=self.decay,
            more=[{"params": learned, "lr": self.annotator_rate}],
        )  # fmt: skip
        ops, believed = bind_ratings(said), own_fold(networks.all(), fold)
        gain, offset = (one.detach().double().cpu().numpy() for one in (scale, bias))
        error = ops.by_annotator(
            (said.value - gain[said.annotator] * believed[said.item] - offset[said.annotator]) ** 2
        )
        usual = float(error.sum() / max(float(ops.by_annotator().sum()), 1e-300))
        precision = (SHAPE + ops.by_annotator()) / (SHAPE * usual + error)
        return RaterLines(offset, gain, precision, gain**2, np.zeros(n), 0.0, usual)

    # -- answers ------------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """A value for each row, by features alone."""
        return np.asarray(self.shift_ + self.scale_ * self._said(X).mean(axis=0))

    def infer(self, X: Any, ratings: Any, items: Any = None) -> Values:
        """Values with standard deviations, by features and ratings together; strangers are taken for the usual one."""
        self._learned()
        rows = self._rows(X)
        said = on_rows(ratings, items, len(rows))
        place, lines = find(said.annotators, self.annotators_), self._lines_of_strangers()
        at = np.where(place >= 0, place, len(self.annotators_))
        columns = [np.append(column, usual)[at] for column, usual in zip(self.lines_[:5], lines, strict=True)]
        own = RaterLines._make([*columns, self.lines_.mu, self.lines_.spread])
        ops = bind_ratings(said.derive(value=(said.value - self.shift_) / self.scale_))
        ops.believed = self.networks_.all(rows.to(self.networks_.device)).mean(axis=0)
        x, variance, _ = ops.sweep(own)
        heard = self.rated_ > 0
        bias, gain = (float(one[heard].var()) / heard.sum() for one in self.lines_[:2])
        sd = np.sqrt(variance + bias + gain * x**2)  # what all share, no rating can tell
        return Values(self.shift_ + self.scale_ * (x + own.mu), self.scale_ * sd)

    def _lines_of_strangers(self) -> list[float]:
        heard = self.rated_ > 0
        return [float(np.median(column[heard])) for column in self.lines_[:5]]

    def score(self, X: Any, truth: Any) -> float:
        """The share of the variance of known values that predictions explain (R squared)."""
        told, said = np.asarray(truth, float), self.predict(X)
        if told.shape != said.shape:
            raise InputError(f"{told.size} values for {said.size} rows of X")
        return 1.0 - float(((told - said) ** 2).sum()) / max(float(((told - told.mean()) ** 2).sum()), 1e-300)

    def annotators(self) -> Table:
        """One row per annotator, least exact first: ratings, bias and gain about the values' mean, spread."""
        self._learned()
        spread = self.scale_ / np.sqrt(self.lines_.precision)
        columns = {
            "annotator": self.annotators_,
            "votes": self.rated_,
            "bias": self.scale_ * self.lines_.bias,
            "gain": self.lines_.gain,
            "spread": spread,
        }
        return Table(columns).take(np.argsort(-spread, kind="stable"))


def on_rows(ratings: Any, items: Any, n_rows: int) -> Ratings:
    """Ratings whose items are the rows of X, in their order; those of other items are left out."""
    if not isinstance(ratings, Ratings) and isinstance(ratings, np.ndarray | list):
        matrix = np.asarray(ratings, float)
        matrix = matrix[:, None] if matrix.ndim == 1 else matrix
        if matrix.ndim != 2 or len(matrix) != n_rows:
            raise InputError(f"ratings of shape {matrix.shape} for {n_rows} rows of X")
        row, who = np.nonzero(np.isfinite(matrix))
        ratings = Ratings(
            item=row, annotator=who, value=matrix[row, who], items=np.arange(n_rows),
            annotators=np.arange(matrix.shape[1]),
        )  # fmt: skip
    said: Ratings = Ratings.of(ratings)
    names = names_array(np.arange(n_rows) if items is None else items)
    if len(names) != n_rows:
        raise InputError(f"{len(names)} items name {n_rows} rows of X")
    if len(set(names.tolist())) != n_rows:
        raise InputError("two rows of X have the same item name")
    place = np.asarray(find(said.items, names))
    if (place[said.item] < 0).all():
        raise InputError(
            "no item of the ratings is a row of X: name the rows with items=..., or number the items from 0"
        )
    said = said.take(place[said.item] >= 0)
    return Ratings(
        item=place[said.item], annotator=said.annotator, value=said.value, weight=said.weight, items=names,
        annotators=said.annotators,
    )  # fmt: skip
