"""CrowdClassifier: a network trained straight from the votes, in scikit-learn's manners."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..errors import InputError, OptionError
from ..fit.options import Fraction, Natural, NonNegative, checked_options
from ..fit.result import Result
from ..study.uncertainty import beta_interval
from ..votes.codes import Array, find, names_array
from ..votes.crowd import Crowd
from ..votes.table import Table
from .base.class_prior import in_order
from .base.estimator import Estimator
from .base.objective import Objective, Suited, make_objective
from .networks.build import build
from .networks.ensemble import Ensemble
from .training.checkpoint import Checkpoint, fingerprint
from .training.fair_votes import fair
from .training.fitted import Fitted
from .training.hidden_votes import Hidden
from .training.learner import Learner
from .training.loop import History, Loop, Told, Watch
from .training.model_files import load_model, save_model
from .training.parallel import check_processes, rank
from .training.rows import AT_ONCE, Rows, TextRows, as_rows, as_votes, matched, named, row_names
from .training.vote_book import VoteBook

OF_THE_LOOP = ("epochs", "batch", "rate", "annotator_rate", "decay", "anneal", "seed")


class CrowdClassifier(Estimator):
    """A classifier that learns from the votes of many annotators, and the annotators with it.

    network: "linear", "mlp", "cnn", "resnet", "gp" (Gaussian processes), "text" (a small transformer), a factory of
    (shape of a row, number of classes), or a torch module, such as those of torchvision, timm and transformers; where
    several networks are trained, each begins as a copy of it.
    objective: the name of one of `crowdwise.learn.OBJECTIVES`, or an Objective; options: those of the named one.
    class_prior: what is known of the classes' shares; None, nothing; "uniform"; or the shares, by name or in the
    classes' order. epochs, batch, rate (of the network), annotator_rate, decay, anneal (rates fall to nothing, as a
    cosine does): of training by Adam. stop: end after so many of the epochs, rates as they would be. hold_out: share of
    the items whose votes are hidden in a first run, which chooses the number of epochs by them; 0: train for `epochs`,
    without choice. patience: epochs without progress after which that first run ends. calibrate: `predict_proba` is
    tempered to be as sure as votes allow that the network has not learned from: those held out or, without a first run,
    those of the folds. harden: train on rows changed by so much, in standard deviations of a feature, in the direction
    that hurts most, against features that were tampered with or are noisy (Chen et al., AAAI 2022, in one step); 0: on
    the rows as they are. standardise: centre and scale
    each feature (of images, each channel) by the training rows; sparse rows and Datasets come as they are. seed: same
    seed, same answer. device: where it is trained; "auto" takes a GPU where there is one. workers: processes that read
    rows of a torch Dataset. tokenizer, length: how texts become numbers, and how many at most of each; a tokenizer of
    transformers, or None for words as they are.

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
        objective: Any = "auto",
        options: dict[str, Any] | None = None,
        class_prior: Any = None,
        epochs: int = 20,
        batch: int = 64,
        rate: NonNegative = 1e-3,
        annotator_rate: NonNegative = 1e-2,
        decay: NonNegative = 1e-4,
        anneal: bool = True,
        stop: int | None = None,
        hold_out: Fraction = 0.0,
        patience: Natural | None = None,
        calibrate: bool = False,
        harden: NonNegative = 0.0,
        standardise: bool = True,
        seed: Natural = 0,
        device: str = "auto",
        workers: Natural = 0,
        tokenizer: Any = None,
        length: int = 128,
    ):
        self.network, self.objective, self.options, self.class_prior = network, objective, options, class_prior
        self.epochs, self.batch, self.rate, self.annotator_rate = epochs, batch, rate, annotator_rate
        self.decay, self.anneal, self.stop, self.hold_out, self.patience = decay, anneal, stop, hold_out, patience
        self.calibrate, self.harden = calibrate, harden
        self.standardise, self.seed, self.device, self.workers = standardise, seed, device, workers
        self.tokenizer, self.length = tokenizer, length

    # -- scikit-learn's manners -------------------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        target = TargetTags(required=True, multi_output=True)
        return Tags("classifier", target, classifier_tags=ClassifierTags(), input_tags=InputTags(sparse=True))

    # -- learning ---------------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        votes: Any,
        items: Any = None,
        *,
        clean: Any = None,
        accelerator: Any = None,
        checkpoint: str | Path | None = None,
        callback: Told | None = None,
    ) -> CrowdClassifier:
        """Learn from features and votes; `items` names the rows of X, else items are row numbers.

        clean: known labels of some items, a mapping or a frame; the number of epochs is then chosen by accuracy on
        them, with their votes hidden, in place of held-out votes. accelerator: an `accelerate.Accelerator`, for its
        devices, processes and precision. checkpoint: a folder; a run that was stopped goes on from there. callback:
        called after each epoch with its number, of how many, loss, and score.
        """
        rows, everybody, names = self._opened(X, votes, items, accelerator)
        suited = self._suited(everybody)
        crowd = fair(everybody, suited.group)
        mark = "" if checkpoint is None else fingerprint(self.get_params(), rows, names, everybody, clean)
        told = callback if rank() == 0 else None

        def run(loop: Loop, name: str, stop: int | None = None, watch: Watch | None = None) -> History:
            keep = None
            if checkpoint is not None:
                saved = Checkpoint(checkpoint, name, mark)
                saved.resume(loop)
                keep = saved.keep if rank() == 0 else None
            return loop.run(stop, watch, self.patience if watch else None, told, keep)

        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            chosen, first = self.stop or self.epochs, History()
            hidden = self._hidden(crowd, names, clean)
            if hidden is not None:
                loop = self._loop(rows, hidden.rest(crowd), names, suited.objective, accelerator)
                first = run(loop, "choice", watch=lambda: hidden.judge(loop, rows, names))
                chosen = first.best
            loop = self._loop(rows, crowd, names, suited.objective, accelerator)
            if self.calibrate and hidden is None and len(loop.learner.network) == 1:
                raise InputError(
                    "calibrate wants votes that a network has not learned from: give hold_out, clean, or an objective "
                    "with folds"
                )
            self.final_ = run(loop, "final", stop=chosen)
            power = first.power[chosen - 1] if hidden is not None else None
            self.choice_ = first
            self.fitted_ = Fitted.of(loop, everybody, names, suited, power, self.calibrate)
        return self

    def rehearse(self, X: Any, votes: Any, items: Any = None, *, split: int = 0) -> History:
        """Train with the votes of `hold_out` of the items hidden, and judge by them after each epoch; fits nothing.

        split: which items; `crowdwise.learn.choose` compares models by it.
        """
        rows, crowd, names = self._opened(X, votes, items)
        suited = self._suited(crowd)
        crowd = fair(crowd, suited.group)
        hidden = Hidden.of_votes(crowd, self.hold_out, split)
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            loop = self._loop(rows, hidden.rest(crowd), names, suited.objective)
            return loop.run(None, lambda: hidden.judge(loop, rows, names), self.patience)

    def _opened(self, X: Any, votes: Any, items: Any, accelerator: Any = None) -> tuple[Rows, Crowd, Array]:
        """Rows on their device, votes, and the names of the rows; checked against each other."""
        self._check()
        check_processes(accelerator)
        items = named(X, votes, items)
        rows = self._rows(X).to(self._device(accelerator))
        crowd = as_votes(votes, items, len(rows))
        if self.harden and isinstance(rows, TextRows):
            raise InputError("harden changes numbers: leave it out where X is texts")
        matched(rows, crowd, items)
        if not crowd.n_votes:
            raise InputError("no row of X has a vote")
        return rows, crowd, row_names(rows, items)

    def _rows(self, X: Any) -> Rows:
        return as_rows(X, self.workers, self.tokenizer, self.length)

    def _hidden(self, crowd: Crowd, names: Array, clean: Any) -> Hidden | None:
        if self.stop and (self.hold_out or clean is not None):
            raise InputError("stop says when to end, hold_out and clean choose it: give one of them")
        if clean is not None:
            return Hidden.of_labels(clean, crowd, names)
        return Hidden.of_votes(crowd, self.hold_out, self.seed) if self.hold_out else None

    def _check(self) -> None:
        checked_options(type(self), self.get_params())
        if self.stop is not None and self.stop > self.epochs:
            raise InputError(f"stop={self.stop} must be at most epochs={self.epochs}")

    def _device(self, accelerator: Any = None) -> torch.device:
        if accelerator is not None:
            return torch.device(accelerator.device)
        name = ("cuda" if torch.cuda.is_available() else "cpu") if self.device == "auto" else self.device
        try:
            return torch.zeros(0, device=name).device
        except (RuntimeError, AssertionError) as error:
            raise OptionError(f"device={self.device!r} is not there: choose auto, cpu or cuda") from error

    def _suited(self, crowd: Crowd) -> Suited:
        """The objective that these votes are learned by."""
        options = dict(self.options or {})
        if self.class_prior is not None:
            if "class_prior" in options:
                raise InputError("class_prior is given twice: by itself, and among the options")
            options["class_prior"] = self.class_prior
        if isinstance(options.get("class_prior"), Mapping):
            options["class_prior"] = in_order(options["class_prior"], crowd.classes)
        return make_objective(self.objective, **options).suited(crowd)

    def _loop(self, rows: Rows, crowd: Crowd, names: Array, objective: Objective, accelerator: Any = None) -> Loop:
        """A run that has not begun: networks and a copy of the objective as they start."""
        item = np.asarray(find(names, crowd.items))
        torch.manual_seed(self.seed)
        objective = make_objective(objective)
        weight = np.bincount(crowd.item, crowd.weight, minlength=crowd.n_items)
        index = torch.as_tensor(np.flatnonzero((item >= 0) & (weight[item] > 0.0)))  # those with votes
        moments = rows.moments(index) if self.standardise else Rows.moments(rows, index)
        networks = [build(self.network, rows.shape, crowd.n_classes) for _ in range(objective.folds)]
        device = self._device(accelerator)
        network = Ensemble(networks, *moments).to(device)
        network.begin(rows, index)
        said = network.answer(rows, index[:2])
        if said.logits.shape[1:] != (crowd.n_classes,) or said.features.ndim != 2:
            raise InputError(
                f"the network gives {tuple(said.logits.shape[1:])} logits a row for {crowd.n_classes} classes"
            )
        width = said.features.shape[1]
        learner = Learner(network, objective.start(crowd, width), self.harden).to(device)
        if objective.wants_rows:
            batches = rows.batches(torch.split(index, AT_ONCE))
            x = torch.cat([(some.to(device) - network.centre) / network.spread for some in batches])
            objective.see(x, torch.as_tensor(item)[index])
        return Loop(
            learner, rows, index,
            code=torch.as_tensor(item)[index],
            fold=network.folds(len(index), self.seed).to(device),
            book=VoteBook(crowd).to(device),
            accelerator=accelerator,
            **{name: getattr(self, name) for name in OF_THE_LOOP},
        )  # fmt: skip

    # -- answers ----------------------------------------------------------------------------------------------------

    @property
    def _answers(self) -> Fitted:
        if not hasattr(self, "fitted_"):
            raise InputError("this CrowdClassifier has learned nothing yet: call fit first")
        return self.fitted_

    @property
    def classes_(self) -> Array:
        """The classes' names, in the order of the columns of `predict_proba`."""
        return self._answers.classes

    @property
    def annotators_(self) -> Array:
        """The annotators' names, in the order of the matrices of `confusion`."""
        return self._answers.annotators

    @property
    def notes_(self) -> tuple[str, ...]:
        """What was found and chosen, in plain sentences."""
        return self._answers.notes

    @property
    def power_(self) -> float:
        """The power that `predict_proba` is tempered by: below 1, the network claimed too much; 1, not calibrated."""
        return self._answers.power

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes, (rows, classes), by features alone."""
        return self._answers.predict_proba(self._rows(X))

    def predict_groups(self, X: Any) -> dict[str, Array]:
        """What share of each group of people would give each class, (rows, classes): of `group-perspectives`."""
        return self._answers.predict_groups(self._rows(X))

    def predict(self, X: Any) -> Array:
        """The most probable class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def score(self, X: Any, truth: Any, items: Any = None) -> float:
        """Accuracy against true labels, a name a row; against votes, the mean log chance of a vote, in nats.

        Votes are a Crowd or an (items, annotators) matrix, as in `fit`: hold some items out and choose by them. They
        are weak guides, and the only ones where there is no truth. Confusion is counted from the model's own posterior,
        so that every objective is judged alike.
        """
        if isinstance(truth, Crowd) or np.ndim(truth) == 2:
            items = named(X, truth, items)
            rows = self._rows(X)
            crowd = as_votes(truth, items, len(rows))
            return self._answers.vote_score(rows, crowd, matched(rows, crowd, items))
        labels = names_array(truth)
        if len(labels) != len(said := self.predict(X)):
            raise InputError(f"{len(labels)} labels for {len(said)} rows of X")
        code = find(labels, self.classes_)
        if len(code) and (code < 0).all():
            raise InputError(f"none of the labels is a class: {labels[0]!r} is not among {self.classes_.tolist()}")
        return float((find(said, self.classes_) == code).mean())

    def infer(self, X: Any, votes: Any, items: Any = None) -> Result:
        """Labels from features and votes together, a row each.

        Items of the training set are predicted by the network that has not learned from them, where there are several.
        Votes on items that are no rows of X are left out. Annotators who were not there in training are taken for the
        mean of those who were. `notes` says of both how many there are.
        """
        items = named(X, votes, items)
        rows = self._rows(X)
        crowd = as_votes(votes, items, len(rows))
        return self._answers.infer(rows, crowd, row_names(rows, items))

    def confusion(self) -> Array:
        """(annotators, true, given), as the objective has it."""
        return self._answers.learner.objective.confusion().detach().cpu().numpy()

    def confusion_interval(self, level: float = 0.9) -> tuple[Array, Array]:
        """Ends of central intervals for every entry of `confusion`, (annotators, true, given) each.

        For objectives with a posterior over confusion matrices: bayes-dgc, deep-mf, deep-bp.
        """
        if not isinstance(level, int | float) or not 0.0 < level < 1.0:
            raise InputError(f"level={level!r} must lie between 0 and 1")
        objective = self._answers.learner.objective
        moments = objective.moments()
        if moments is None:
            raise InputError(
                f"{objective.name} has no posterior over confusion matrices: bayes-dgc, deep-mf and deep-bp have one"
            )
        mean, variance = (part.detach().cpu().numpy().astype(float) for part in moments)
        return beta_interval(mean, variance, level)

    def confusion_table(self, level: float = 0.9) -> Table:
        """One row per entry of `confusion`: annotator, true and given class, chance; and its interval, if any."""
        matrices = self.confusion()
        who, true, given = (place.ravel() for place in np.indices(matrices.shape))
        columns = {
            "annotator": self.annotators_[who],
            "true": self.classes_[true],
            "given": self.classes_[given],
            "chance": matrices.ravel().astype(float),
        }
        if self._answers.learner.objective.moments() is not None:
            columns |= dict(zip(("low", "high"), (end.ravel() for end in self.confusion_interval(level)), strict=True))
        return Table(columns)

    def annotators(self) -> Table:
        """How good every annotator is, worst first, by what features and votes say of the training items."""
        return self._answers.annotators_table

    def history(self) -> Table:
        """One row per epoch: loss, and in the run that chose their number loss and score on what was hidden.

        Objectives that climb an evidence lower bound have it too, in nats a vote.
        """
        columns = {"loss": self.final_.loss, "choice_loss": self.choice_.loss, "choice_score": self.choice_.score}
        if not np.isnan(self.final_.bound).all():
            columns["bound"] = self.final_.bound
        most = max(map(len, columns.values()))
        padded = {name: np.array([*values, *[np.nan] * (most - len(values))]) for name, values in columns.items()}
        return Table({"epoch": np.arange(1, most + 1), **padded})

    # -- on disk ----------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the model to one file of arrays and JSON; `CrowdClassifier.load` reads it back."""
        save_model(self, path)

    @classmethod
    def load(
        cls, path: str | Path, network: Any = None, objective: Any = None, device: str = "auto", tokenizer: Any = None
    ) -> CrowdClassifier:
        """Read a saved model. A network, an objective or a tokenizer of your own is not in the file: give it again."""
        return load_model(cls, path, network, objective, device, tokenizer)
