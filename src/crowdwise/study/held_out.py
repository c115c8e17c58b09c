"""Held-out votes: how well a method forecasts votes it has not seen, and a temperature that makes it less cocksure.

A guide where there is no truth, and a weak one: a method that forecasts votes well has understood the annotators, their
common errors included, which is not to know the truth. Do not choose by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import bind
from ..errors import InputError, TooLarge
from ..fit.method import Method
from ..methods import make
from ..votes.codes import Array
from ..votes.crowd import Crowd
from ..votes.keyed import keyed_uniform
from .metrics import calibration_error

STRENGTH = 4.0  # votes' worth of the crowd's mean confusion in each annotator's row


@dataclass(frozen=True)
class HeldOut:
    """What held-out votes say of a method.

    log_likelihood: mean log chance of a held-out vote, in nats. calibration_error: of the forecasts of votes.
    temperature: T for which posteriors to the power 1 / T forecast best; above 1 the method is overconfident.
    """

    log_likelihood: float
    calibration_error: float
    temperature: float
    n_votes: int


def hold_out(crowd: Crowd, share: float = 0.1, seed: int = 0) -> tuple[Crowd, Crowd]:
    """The crowd in two: most votes, and a share of them held out; every item and annotator keeps a vote.

    >>> from crowdwise import simulate
    >>> seen, unseen = hold_out(simulate.crowd(simulate.one_coin(9, 2, 0.8), n_items=100, per_item=4, seed=0).crowd)
    >>> seen.n_votes + unseen.n_votes, bool(20 < unseen.n_votes < 60)
    (400, True)
    """
    crowd = Crowd.of(crowd)
    if not 0.0 < share < 1.0:
        raise InputError(f"share={share} must lie between 0 and 1")
    number = keyed_uniform(seed, crowd.vote_hash)
    out = number < share
    for code in (crowd.item, crowd.annotator):  # the last in a random order stays, whatever its number
        order = np.lexsort((number, code))
        last = order[np.append(code[order][1:] != code[order][:-1], True)]
        out[last] = False
    if not out.any():
        raise InputError("there are too few votes to hold some out: no item or annotator has one to spare")
    return crowd.take(~out), crowd.take(out)


def require_memory(crowd: Crowd) -> None:
    """Forecasts count a confusion matrix for each annotator, whatever the method."""
    if not make("dawid-skene").fits(crowd):
        raise TooLarge(f"there is no memory to forecast votes of {crowd.n_classes:,} classes: merge some")


def held_out(
    crowd: Crowd,
    method: Method[Any, Any],
    *,
    share: float = 0.1,
    seed: int = 0,
    gold: Any = None,
    start: Any = None,
    engine: str = "auto",
) -> HeldOut:
    r"""Fit to most votes, and forecast the rest: :math:`P(l_{ij}) = \sum_k q_i(k)^{1/T} A_j[k, l]`.

    The confusion matrices are counted alike for every method, from its posterior, each row with four votes' worth of
    the crowd's mean, so that methods without such matrices take part.

    >>> from crowdwise import DawidSkene, simulate
    >>> made = simulate.crowd(simulate.one_coin(20, 2, 0.8), n_items=300, per_item=5, seed=0)
    >>> bool(held_out(made.crowd, DawidSkene()).log_likelihood > np.log(0.5))
    True
    """
    require_memory(crowd)
    seen, unseen = hold_out(crowd, share, seed)
    posterior = np.asarray(method.fit(seen, gold=gold, start=start, engine=engine).posterior, float)
    counts = bind(seen, engine).confusion_counts(posterior)
    crowds = counts.sum(axis=0) + 1.0 / crowd.n_classes
    confusion = counts + STRENGTH * crowds / crowds.sum(axis=1, keepdims=True)
    confusion /= confusion.sum(axis=2, keepdims=True)
    says = confusion[unseen.annotator]  # (votes, true, given)
    said = np.take_along_axis(says, unseen.label.astype(np.int64)[:, None, None], axis=2)[:, :, 0]

    def log_likelihood(temperature: float) -> float:
        return float(np.log((tempered(posterior, temperature)[unseen.item] * said).sum(axis=1)).mean())

    forecast = np.einsum("vk,vkl->vl", posterior[unseen.item], says)
    return HeldOut(
        log_likelihood=log_likelihood(1.0),
        calibration_error=calibration_error(forecast, unseen.label),
        temperature=_highest(log_likelihood),
        n_votes=unseen.n_votes,
    )


def tempered(posterior: Array, temperature: float) -> Array:
    """The posterior to the power 1 / temperature: flatter above 1, sharper below; labels stay as they are.

    >>> tempered(np.array([[0.9, 0.1]]), 2.0).round(2).tolist()
    [[0.75, 0.25]]
    """
    with np.errstate(divide="ignore"):  # what is impossible stays so
        log = np.log(posterior) / temperature
    flat = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(flat / flat.sum(axis=1, keepdims=True))


def _highest(log_likelihood: Any) -> float:
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(lambda log_t: -log_likelihood(np.exp(log_t)), bounds=(-1.5, 3.5), method="bounded")
    return float(np.exp(found.x))
