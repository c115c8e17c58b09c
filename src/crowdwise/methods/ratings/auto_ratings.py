"""AutoRatings: the default for ratings, a bias, a gain and a precision for each annotator, with five safeguards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import how_many
from ...fit.dependence import share_votes
from ...fit.method import Weighed
from ...fit.params import Axes, Params
from ...votes.codes import Array, shown
from ...votes.ratings import Ratings
from .constant import constant_raters
from .copies import find_copies
from .empirical_bayes import EmpiricalBayes
from .one_number import weighted_median

MOST_PRECISE = 20.0  # times the median annotator
LEAST_GAIN = 0.2  # of the median annotator, to be called 1
SILENT, SURE = 0.35, 2.0  # of the usual gain, below which somebody tells next to nothing, by so many deviations
WILD, FROM = 3.0, 4  # standard deviations beyond which a rating is doubted, and the step from which it is


FAR, LEAST_FAR = 50.0, 12
LITTLE = 0.02  # of the variance of ratings


def far_off(votes: Ratings) -> Array:
    """Ratings so far from all others that they are slips of the keyboard: fifty times as far as half of them spread."""
    if votes.n_votes < LEAST_FAR:
        return np.zeros(votes.n_votes, bool)
    low, middle, high = np.quantile(votes.value, [0.25, 0.5, 0.75])
    return (
        np.asarray(np.abs(votes.value - middle) > FAR * (high - low)) if high > low else np.zeros(votes.n_votes, bool)
    )


def _about_far(votes: Ratings, far: Array) -> str:
    at = int(np.flatnonzero(far)[np.abs(votes.value[far]).argmax()])
    item, who = votes.items[votes.item[at]], votes.annotators[votes.annotator[at]]
    what = f"{votes.value[at]:g} of item {shown(item)} by {shown(who)}"
    verb = "is" if far.sum() == 1 else "are"
    return f"{how_many(int(far.sum()), 'ratings')} {verb} far off all others and left out, such as {what}"


@dataclass(frozen=True, kw_only=True)
class AutoRatings(EmpiricalBayes):
    r"""`EmpiricalBayes` with five safeguards, each of which some crowd needs. The default for ratings.

    1. Annotators who gave four ratings or more, and always the same, are set aside.
    2. Nobody is more than twenty times as precise as the median annotator: values do not become those of one.
    3. The median gain, by ratings, is 1, so that a fifth of the crowd who reverse the scale do not halve it. Those who
       surely tell next to nothing are not asked for it: the few who give most ratings may be spammers.
    4. A rating z > 3 standard deviations off counts :math:`(3 / z)^2`: wild answers move nothing.
    5. Annotators whose ratings are the same again and again, in errors too, share one rating on an item.

    `Result.notes` says who was set aside. Where annotators are few and ratings heavy-tailed, or where all share a bias,
    it is no better than the mean: only gold helps there.

    max_iter, tol: as in `EmpiricalBayes`.

    Reference: crowdwise; docs: ratings and comparisons.

    >>> from crowdwise import AutoRatings, simulate
    >>> made = simulate.ratings(n_items=200, n_annotators=20, per_item=5, constant=4, seed=0)
    >>> AutoRatings().fit(made.ratings).notes[0]
    '4 annotators always say the same and are set aside: 16, 17, 18, 19'
    """

    name: ClassVar[str] = "auto-ratings"
    params: ClassVar[Mapping[str, Axes]] = {"group": Axes(("annotator",), "code"), **EmpiricalBayes.params}

    def weigh_votes(self, votes: Ratings, known: Any, engine: str) -> Weighed:
        far = far_off(votes)
        told = (_about_far(votes, far),) if far.any() else ()
        if far.any():
            weight = np.where(far, 0.0, votes._weight())
            votes = votes.with_weight(weight)
        group = find_copies(votes.counted())
        members = votes.annotators[group >= 0]
        if not members.size:
            return Weighed(votes, {"group": group}, told)
        names = ", ".join(shown(name) for name in members[:5]) + (" ..." if members.size > 5 else "")
        note = f"{how_many(members.size, 'annotators')} copy each other ({names}): their ratings share one weight"
        return Weighed(share_votes(votes, group), {"group": group}, (*told, note))

    def reweigh_votes(self, votes: Ratings, params: Params) -> Ratings:
        far = far_off(votes)
        heard = votes.with_weight(np.where(far, 0.0, votes._weight())) if far.any() else votes
        return share_votes(heard, params["group"])

    def heard(self, votes: Ratings) -> Array:
        constant, n = constant_raters(votes), np.bincount(votes.annotator, minlength=votes.n_annotators)
        return np.ones(votes.n_annotators) if (~constant & (n > 0)).sum() < 2 else (~constant).astype(float)

    def capped(self, precision: Array, n: Array) -> Array:
        there = n > 0.0
        return np.minimum(precision, MOST_PRECISE * weighted_median(precision[there], n[there]))

    def anchor(self, gain: Array, variance: Array, n: Array, told: Array) -> float:
        usual = weighted_median(np.abs(gain), n * told)
        silent = np.abs(gain) + SURE * np.sqrt(variance) < SILENT * usual
        among = weighted_median(gain, np.where(silent, 0.0, n))
        return among if among > LEAST_GAIN else 1.0

    def wild(self, step: int) -> float:
        return WILD if step >= FROM else np.inf

    def said(self, ops: Ratings, params: Params) -> tuple[str, ...]:
        notes = []
        aside = ops.annotators[params["heard"] == 0.0]
        if aside.size:
            names = ", ".join(shown(name) for name in aside[:5]) + (" ..." if aside.size > 5 else "")
            notes.append(f"{how_many(aside.size, 'annotators')} always say the same and are set aside: {names}")
        heard = ops.value[ops._weight() > 0.0]
        if 0.0 < params["population"][1] < LITTLE * float(np.var(heard)) and ops.n_annotators > 1:
            notes.append(
                "ratings tell next to nothing of the items, or annotators contradict each other: known values (gold) "
                "of some items would tell whom to believe"
            )
        sure = params["gain"] < -2.0 * np.sqrt(params["gain_variance"])
        if sure.any():
            names = ", ".join(shown(name) for name in ops.annotators[sure][:5]) + (" ..." if sure.sum() > 5 else "")
            notes.append(f"{how_many(int(sure.sum()), 'annotators')} use the scale the other way round: {names}")
        return tuple(notes)
