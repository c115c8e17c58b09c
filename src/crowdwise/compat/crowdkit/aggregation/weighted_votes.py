"""Votes, plain and weighted by skills."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....engine import bind
from ....errors import InputError
from ....votes.codes import Array, find, names_array
from ....votes.crowd import Crowd
from .answers_in import Classification, accuracies, as_told, by_task, by_worker, crowd_of, probabilities, seen_first


@dataclass
class MajorityVote(Classification):
    """The label that most workers, by their skills, name; where votes are even, as crowd-kit and its pandas have it."""

    default_skill: float | None = None
    on_missing_skill: str = "error"
    skills_: Any = field(default=None, init=False)
    probas_: Any = field(default=None, init=False)
    labels_: Any = field(default=None, init=False)

    def fit(self, data: Any, skills: Any = None) -> MajorityVote:
        """Fit to votes, each counting the skill of its worker."""
        crowd = crowd_of(data)
        if skills is None and seen_first():
            crowd = crowd.with_classes(names_array(list(dict.fromkeys(as_told(data["label"]).tolist()))))
        weight = None if skills is None else self._weights(crowd, skills)
        kept = crowd if weight is None else crowd.take(np.isfinite(weight))
        if weight is not None:
            weight = weight[np.isfinite(weight)]
        votes = bind(kept).item_votes(1.0 if weight is None else weight)
        there = np.bincount(kept.item, minlength=kept.n_items) > 0
        if not there.all():
            raise ValueError(f"{int((~there).sum())} tasks have no worker with a known skill")
        total = votes.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            posterior = votes / total
        first = skills is None and seen_first()  # tasks too, and crowds keep that order
        order = np.arange(crowd.n_items) if first else np.argsort(crowd.items, kind="stable")
        self.probas_ = probabilities(crowd, posterior).iloc[order]
        self.labels_ = by_task(crowd, crowd.classes[votes.argmax(axis=1)]).iloc[order]
        self.skills_ = by_worker(kept, accuracies(kept, self.labels_)).sort_index()
        return self

    def _weights(self, crowd: Crowd, skills: Any) -> Array:
        """The skill of each vote's worker; NaN where it is to be left out."""
        if self.on_missing_skill != "value" and self.default_skill is not None:
            raise ValueError('default_skill is used but on_missing_skill is not "value"')
        place = np.asarray(find(crowd.annotators, names_array(list(skills.index))), np.int64)
        own = np.append(skills.to_numpy().astype(float), np.nan)[place][crowd.annotator]
        missing = np.isnan(own)
        if self.on_missing_skill == "error" and missing.any():
            raise ValueError(f"{int(missing.sum())} votes are of workers without a skill: see on_missing_skill")
        if self.on_missing_skill == "value":
            if self.default_skill is None:
                raise ValueError('on_missing_skill="value" needs default_skill')
            own = np.where(missing, self.default_skill, own)
        elif self.on_missing_skill not in ("error", "ignore"):
            raise InputError(f"on_missing_skill={self.on_missing_skill!r}: choose error, ignore or value")
        return np.asarray(own)


@dataclass
class _Skilled(Classification):
    """A vote weighted by skills that were fitted before."""

    skills_: Any = field(default=None, init=False)
    probas_: Any = field(default=None, init=False)
    labels_: Any = field(default=None, init=False)

    def predict(self, data: Any) -> Any:
        """The label of each task, by the skills that were fitted."""
        if self.skills_ is None:
            raise InputError(f"{type(self).__name__} is not fitted: call fit first")
        voted = MajorityVote().fit(data, self.skills_)
        self.labels_, self.probas_ = voted.labels_, voted.probas_
        return self.labels_

    def predict_proba(self, data: Any) -> Any:
        """The probability of each label, by the skills that were fitted."""
        self.predict(data)
        return self.probas_

    def fit_predict(self, data: Any, *more: Any, **named: Any) -> Any:
        return self.fit(data, *more, **named).predict(data)

    def fit_predict_proba(self, data: Any, *more: Any, **named: Any) -> Any:
        return self.fit(data, *more, **named).predict_proba(data)


@dataclass
class GoldMajorityVote(_Skilled):
    """Votes weighted by accuracy on known labels."""

    def fit(self, data: Any, true_labels: Any) -> GoldMajorityVote:
        """Skills by known labels: a series by task."""
        crowd = crowd_of(data)
        skill = accuracies(crowd, true_labels)
        known = np.isfinite(skill)
        self.skills_ = by_worker(crowd, skill)[
            known[np.bincount(crowd.annotator, minlength=known.size) > 0]
        ].sort_index()
        return self


@dataclass
class Wawa(_Skilled):
    """Votes weighted by agreement with the majority."""

    def fit(self, data: Any) -> Wawa:
        """Skills by the majority's labels."""
        self.skills_ = MajorityVote().fit(data).skills_
        return self


@dataclass
class ZeroBasedSkill(_Skilled):
    """Votes weighted by skills that follow their agreement with the outcome."""

    n_iter: int = 100
    lr_init: float = 1.0
    lr_steps_to_reduce: int = 20
    lr_reduce_factor: float = 0.5
    eps: float = 1e-5

    def fit(self, data: Any) -> ZeroBasedSkill:
        """Skills by steps towards the accuracy on what they lead to."""
        crowd = crowd_of(data)
        ops = bind(crowd)
        skill = np.full(crowd.n_annotators, 1.0 / crowd.n_classes + self.eps)
        n, rate = np.maximum(ops.given.sum(axis=1), 1.0), self.lr_init
        for step in range(1, self.n_iter + 1):
            if step % self.lr_steps_to_reduce == 0:
                rate *= self.lr_reduce_factor
            label = ops.item_votes(skill[ops.annotator]).argmax(axis=1)
            right = np.bincount(crowd.annotator, label[crowd.item] == crowd.label, crowd.n_annotators) / n
            skill = skill + rate * (right - skill)
        self.skills_ = by_worker(crowd, skill)
        return self
