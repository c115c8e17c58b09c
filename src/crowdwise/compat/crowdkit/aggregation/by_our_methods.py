"""GLAD, MACE, MMSR, KOS and the noisy Bradley-Terry model: our methods of these names, by crowd-kit's signatures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....fit.result import Result
from ....methods import make
from ....votes.comparisons import Comparisons
from .answers_in import Classification, by_task, by_worker, crowd_of, probabilities


@dataclass
class _Ours(Classification):
    """Fitted by one of our methods."""

    labels_: Any = field(default=None, init=False)
    probas_: Any = field(default=None, init=False)

    def _fitted(self, data: Any, name: str, **options: Any) -> tuple[Any, Result]:
        crowd = crowd_of(data)
        result = make(name, **options).fit(crowd)
        self.labels_ = by_task(crowd, result.labels)
        self.probas_ = probabilities(crowd, np.asarray(result.posterior, float))
        return crowd, result


@dataclass
class GLAD(_Ours):
    """Abilities of workers and ease of tasks. Ours sums the ease out; priors of series are not used."""

    n_iter: int = 100
    tol: float = 1e-5
    silent: bool = True
    labels_priors: Any = None
    alphas_priors_mean: Any = None
    betas_priors_mean: Any = None
    m_step_max_iter: int = 25
    m_step_tol: float = 1e-2
    alphas_: Any = field(default=None, init=False)
    betas_: Any = field(default=None, init=False)
    loss_history_: list[float] = field(default_factory=list, init=False)

    def fit(self, data: Any) -> GLAD:
        """Fit to votes."""
        import pandas as pd

        crowd, result = self._fitted(data, "glad", max_iter=max(self.n_iter, 1))
        self.alphas_ = by_worker(crowd, np.asarray(result.params["ability"], float)).rename("alpha")
        ease = np.exp(-np.asarray(result.params["difficulty"], float))
        self.betas_ = pd.Series(ease, index=pd.Index(crowd.items, name="task"), name="beta")
        self.loss_history_ = list(result.trace)
        return self


@dataclass
class MACE(_Ours):
    """Workers who spam with some chance."""

    n_restarts: int = 10
    n_iter: int = 50
    method: str = "vb"
    smoothing: float = 0.1
    default_noise: float = 0.5
    alpha: float = 0.5
    beta: float = 0.5
    random_state: int = 0
    verbose: int = 0
    spamming_: Any = field(default=None, init=False)
    thetas_: Any = field(default=None, init=False)

    def fit(self, data: Any) -> MACE:
        """Fit to votes."""
        _, result = self._fitted(data, "mace", restarts=max(self.n_restarts, 1), max_iter=max(self.n_iter, 1),
                                 seed=self.random_state)  # fmt: skip
        honest = np.asarray(result.params["honesty"], float)
        self.spamming_, self.thetas_ = np.stack([1.0 - honest, honest], axis=1), result.params["spam"]
        return self


@dataclass
class MMSR(_Ours):
    """Skills by robust completion of the matrix of agreements."""

    n_iter: int = 10_000
    tol: float = 1e-10
    random_state: int | None = 0
    skills_: Any = field(default=None, init=False)
    loss_history_: list[float] = field(default_factory=list, init=False)

    def fit(self, data: Any) -> MMSR:
        """Fit to votes."""
        crowd, result = self._fitted(data, "mmsr", seed=self.random_state or 0)
        name = "skill" if "skill" in result.params else "accuracy"
        self.skills_ = by_worker(crowd, np.asarray(result.params[name], float))
        self.loss_history_ = list(result.trace)
        return self


@dataclass
class KOS(_Ours):
    """Message passing between workers and tasks; any number of classes."""

    n_iter: int = 100
    random_state: int = 0

    def fit(self, data: Any) -> KOS:
        """Fit to votes."""
        self._fitted(data, "kos", seed=self.random_state)
        return self


@dataclass
class NoisyBradleyTerry:
    """Scores of compared items, with skills and biases of the workers."""

    n_iter: int = 100
    tol: float = 1e-5
    regularization_ratio: float = 1e-5
    random_state: int = 0
    scores_: Any = field(default=None, init=False)
    skills_: Any = field(default=None, init=False)
    biases_: Any = field(default=None, init=False)

    def fit(self, data: Any) -> NoisyBradleyTerry:
        """Fit to a frame of worker, left, right and label, the one of the two that is better."""
        import pandas as pd

        told = (data["label"] == data["left"]) | (data["label"] == data["right"])
        data = data[told]  # who names neither has not compared
        side = np.where(data["label"].to_numpy() == data["left"].to_numpy(), "left", "right")
        votes = Comparisons.from_columns(
            data["left"].to_numpy(), data["right"].to_numpy(), data["worker"].to_numpy(), side
        )
        result = make("noisy-bt", seed=self.random_state).fit(votes)
        order = np.argsort(result.items.astype(str), kind="stable")
        self.scores_ = pd.Series(_unit(result.estimate.main)[order], index=result.items[order], name="agg_score")
        self.skills_ = pd.Series(
            1.0 - result.params["coin"], index=pd.Index(result.annotators, name="worker"), name="skill"
        )
        self.biases_ = pd.Series(result.params["left_share"], index=self.skills_.index, name="bias")
        return self

    def fit_predict(self, data: Any) -> Any:
        """The score of each item."""
        return self.fit(data).scores_


def _unit(scores: Any) -> Any:
    """Scores between 0 and 1, as crowd-kit's are."""
    return 1.0 / (1.0 + np.exp(-np.asarray(scores, float)))
