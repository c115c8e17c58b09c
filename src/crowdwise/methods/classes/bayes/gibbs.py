"""Gibbs: Bayesian Dawid-Skene by sampling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....engine import NumpyEngine, normalise
from ....errors import InputError
from ....fit.aggregator import Aggregator
from ....fit.em import vote_shares
from ....fit.method import Callback, Solution, Watch
from ....fit.options import Natural
from ....fit.params import Axes, Params
from ....votes.codes import Array
from ....votes.known import Known, with_known
from .ibcc import IBCC, Prior

ENOUGH = 1.1  # R-hat below which chains are taken to agree


@dataclass(frozen=True, kw_only=True)
class Gibbs(Aggregator):
    r"""Bayesian Dawid-Skene by Gibbs sampling: the model of `IBCC`, its posterior drawn from instead of approximated.

    In turn, in several chains at once, with n the counts under the drawn classes:

    .. math::
        z_i \sim \pi_k \prod_j A_j[k, l_{ij}], \qquad \pi \sim Dir(c + n), \qquad A_j[k] \sim Dir(b_k + n_{jk})

    The posterior is the mean of :math:`P(z_i \mid \pi, A)` over the kept draws, and so are predictions; b is the prior
    that an `IBCC` fit learns. `params["confusion_draws"]` and `params["prior_draws"]` hold the draws,
    `params["rhat"]` the potential scale reduction of each annotator's accuracy, near 1 where the chains agree; the fit
    has converged if all are below 1.1. O(chains x votes x classes) a sweep and chains x (warmup + draws x thin)
    sweeps: a hundred times an `IBCC` fit. Use it where intervals must be right.

    chains, warmup, draws, thin: chains run side by side; sweeps thrown away; draws kept of each chain, one in `thin`
    sweeps. prior, diagonal, rest, class_pseudo: as for `IBCC`.

    Reference: Kim & Ghahramani, AISTATS 2012, section 2.1; R-hat as in Gelman et al., Bayesian Data Analysis, 2013,
    section 11.4 (split chains).

    >>> from crowdwise import Gibbs, simulate
    >>> made = simulate.crowd(simulate.dirichlet(10, 2, 4, 1, seed=1), n_items=100, per_item=5, seed=0)
    >>> result = Gibbs(draws=10).fit(made.crowd)
    >>> result.params["confusion_draws"].shape
    (40, 10, 2, 2)
    """

    name: ClassVar[str] = "gibbs"
    params: ClassVar[Mapping[str, Axes]] = {
        "rhat": Axes(("annotator",), "positive"),
        "prior_draws": Axes(("draw", "true"), "simplex"),
        "confusion_draws": Axes(("draw", "annotator", "true", "given"), "simplex"),
    }
    unit: ClassVar[str] = "log-odds"
    exempt: ClassVar[dict[str, str]] = {
        "Renaming classes renames the answer": "draws belong to places: renamed classes get others, and differ by them",
        "A shuffled file gives the same answer to every item": "draws belong to places: moved items get others",
    }

    chains: int = 4
    warmup: Natural = 100
    draws: int = 50
    thin: int = 2
    prior: Prior = "learned"
    diagonal: float = 4.0
    rest: float = 1.0
    class_pseudo: float = 1.0

    @property
    def load(self) -> int:
        return self.chains * 5  # sweeps, far more than steps of EM

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None:
            raise InputError(f"{self.name} starts from the votes: leave start out")
        model = IBCC(prior=self.prior, diagonal=self.diagonal, rest=self.rest, class_pseudo=self.class_pseudo)
        # To two digits: enough for a prior, and the same on engines of single precision, so that chains do not part.
        pseudo = _two_digits(model.solve(ops, known, None, None).params["pseudo"])
        rng = np.random.default_rng(self.seed)
        posterior = normalise(with_known(np.log(vote_shares(ops) + 1e-3), known))[0]
        z = self._classes(rng, np.stack([posterior] * self.chains, axis=1))
        beside, watch = self.begin_beside(ops), Watch(callback)
        kept: list[Params] = []
        shared: Params = {}
        for sweep in range(self.warmup + self.draws * self.thin):
            prior = self._dirichlet(rng, self.class_pseudo + z.sum(axis=0))  # (chains, true)
            counts = ops.confusion_counts(z.reshape(ops.n_items, -1)).reshape(
                ops.n_annotators, self.chains, ops.n_classes, ops.n_classes
            )
            confusion, shared = self.draw_confusion(rng, pseudo, counts, shared)
            joint = self._log_joint(ops, prior, confusion)
            if known is not None:
                joint[known.item] += known.log_rows[:, None, :]
            beside, log_beside = self.draw_beside(ops, rng, z, beside)
            posterior, evidence = normalise((joint + log_beside).reshape(-1, ops.n_classes))
            z = self._classes(rng, posterior.reshape(joint.shape))
            stop = watch(sweep + 1, evidence / self.chains)
            if stop or (sweep >= self.warmup and (sweep - self.warmup) % self.thin == 0):
                drawn = {"prior_draws": prior, "confusion_draws": confusion.transpose(1, 0, 2, 3)}
                kept.append(drawn | shared | beside)
            if stop:
                break
        drawn = {name: np.stack([draw[name] for draw in kept]) for name in kept[0]}  # (draws, chains, ...)
        rhat = split_rhat(np.einsum("dck,dcjkk->dcj", drawn["prior_draws"], drawn["confusion_draws"]))
        params = {
            **{name: value.reshape(-1, *value.shape[2:]) for name, value in drawn.items()},
            "prior": drawn["prior_draws"].mean(axis=(0, 1)),
            "confusion": drawn["confusion_draws"].mean(axis=(0, 1)),
            "rhat": rhat,
        }
        settled = bool((rhat < ENOUGH).all())
        notes = () if settled else (f"R-hat is up to {rhat.max():.2f}: take more draws (draws=, warmup=)",)
        return Solution(self.infer(ops, params, known), params, {}, converged=settled, notes=notes)

    def draw_confusion(
        self, rng: np.random.Generator, pseudo: Array, counts: Array, shared: Params
    ) -> tuple[Array, Params]:
        """Matrices, (annotators, chains, true, given), given counts, likewise; and what else was drawn for that."""
        return self._dirichlet(rng, pseudo + counts), shared

    def begin_beside(self, ops: NumpyEngine) -> Params:
        """What is drawn beside classes and confusion matrices, (chains, ...) by name, before the first sweep."""
        return {}

    def draw_beside(
        self, ops: NumpyEngine, rng: np.random.Generator, z: Array, beside: Params
    ) -> tuple[Params, Array | float]:
        """The next draw of it, given the classes z (items, chains, true), and what it says of them, likewise."""
        return beside, 0.0

    def log_beside(self, ops: NumpyEngine, params: Params, draw: int) -> Array | float:
        """What one kept draw of it says of the classes, (items, true)."""
        return 0.0

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        n_draws = len(params["prior_draws"])
        each = (self.infer_draw(ops, params, draw, known) for draw in range(n_draws))
        return sum(each, np.zeros((ops.n_items, ops.n_classes))) / n_draws

    def infer_draw(self, ops: NumpyEngine, params: Params, draw: int, known: Known | None = None) -> Array:
        """Posterior at one kept draw."""
        log_prior, log_confusion = np.log(params["prior_draws"][draw]), np.log(params["confusion_draws"][draw])
        beside = self.log_beside(ops, params, draw)
        if isinstance(beside, np.ndarray):
            known = Known.of_all(with_known(beside, known))
        return ops.posterior(log_confusion, log_prior, known)[0]

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        return self.chains * ((self.draws + 3) * n_annotators * n_classes**2 + 3 * n_items * n_classes)

    def _log_joint(self, ops: NumpyEngine, prior: Array, confusion: Array) -> Array:
        """Log chance of each item's votes and class in each chain, (items, chains, true)."""
        table = np.log(confusion).reshape(ops.n_annotators, -1, ops.n_classes)
        return ops.item_scores(table).reshape(ops.n_items, self.chains, -1) + np.log(prior)

    def _classes(self, rng: np.random.Generator, posterior: Array) -> Array:
        """One class for each item and chain, as 0 and 1: (items, chains, true)."""
        cumulative = posterior.cumsum(axis=2)
        at = (cumulative < rng.random(posterior.shape[:2])[:, :, None] * cumulative[:, :, -1:]).sum(axis=2)
        return np.eye(posterior.shape[2])[at]

    def _dirichlet(self, rng: np.random.Generator, votes: Array) -> Array:
        draw = np.maximum(rng.standard_gamma(votes), 1e-300)
        return draw / draw.sum(axis=-1, keepdims=True)


def _two_digits(value: Array) -> Array:
    unit = 10.0 ** (np.floor(np.log10(value)) - 1.0)
    return np.round(value / unit) * unit


def split_rhat(draws: Array) -> Array:
    """Potential scale reduction of (draws, chains, ...): each chain split in two, between over within.

    >>> same = np.random.default_rng(0).normal(size=(200, 4, 1))
    >>> bool(split_rhat(same)[0] < 1.02 < 3.0 < split_rhat(same + 5.0 * np.arange(4)[:, None])[0])
    True
    """
    half = len(draws) // 2
    if half < 2:
        return np.full(draws.shape[2:], np.inf)
    halves = np.concatenate([draws[:half], draws[half : 2 * half]], axis=1)
    within = halves.var(axis=0, ddof=1).mean(axis=0)
    between = halves.mean(axis=0).var(axis=0, ddof=1)
    return np.sqrt((half - 1) / half + between / np.maximum(within, 1e-300))
