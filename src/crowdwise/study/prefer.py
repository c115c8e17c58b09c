"""prefer: which of two answers is better, by annotators of whom some flip."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InputError, how_many
from ..methods import make
from ..votes.codes import names_array
from ..votes.preferences import Preferences
from ..votes.table import Table
from .annotators.verdict import verdicts
from .settle import settle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..fit.method import Callback
    from ..fit.result import Result


class Preferred(NamedTuple):
    """Each pair the better way round, who flips, and what both are from.

    pairs: prompt, chosen, rejected; `probability` that chosen is better; `weight`, 2 p - 1, and `label_smoothing`,
    1 - p, for a loss; how many votes there are, and how many are for chosen. annotators: `flips`, how often each one
    names the worse answer, with its interval, and the verdict.
    """

    pairs: Table
    annotators: Table
    result: Result
    notes: tuple[str, ...]

    @staticmethod
    def as_text(pairs: Table) -> Table:
        """The same pairs, messages as JSON: for files that hold texts only."""

        def text(cell: Any) -> str:
            return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False, default=str)

        said = {"prompt", "chosen", "rejected"} & set(pairs.columns)
        return Table({**pairs.columns, **{name: names_array([*map(text, pairs[name])]) for name in said}})


def prefer(
    preferences: Preferences | Any,
    method: Any = "one-coin",
    *,
    level: float = 0.9,
    seed: int = 0,
    callback: Callback | None = None,
) -> Preferred:
    """What annotators' preferences come to: which answer of each pair is better, how surely, and who flips.

    preferences: `Preferences`; a path, or several, as `crowdwise prefer` reads them; or a frame with columns prompt,
    chosen, rejected and annotator. method: one for classes; every pair is an item whose classes are its two answers, in
    an order that tells nothing, equally likely before anybody is asked. Where pairs have one answer only, votes cannot
    tell who flips: `crowdwise.learn.CrowdReward` finds out from features.

    >>> import pyarrow
    >>> told = {"prompt": ["hi"] * 3, "chosen": ["a", "a", "b"], "rejected": ["b", "b", "a"], "annotator": [1, 2, 3]}
    >>> found = prefer(pyarrow.table(told))
    >>> found.pairs["chosen"].tolist(), found.pairs["votes"].tolist(), found.annotators["annotator"].tolist()[0]
    (['a'], [3], '3')
    """
    notes: list[str] = []
    if not isinstance(preferences, Preferences):
        preferences, notes = _read(preferences)
    crowd = preferences.crowd
    if isinstance(method, str):
        options = {"class_prior": "uniform"} if "class_prior" in make(method).get_params() else {}
        method = make(method, seed=seed, **options)
    result = settle(crowd, method, callback=callback)
    second = result.on(crowd)[1][:, 1]
    votes = np.bincount(crowd.item, minlength=crowd.n_items)
    for_second = np.bincount(crowd.item, crowd.label == 1, minlength=crowd.n_items).astype(np.int64)
    turned = second > 0.5
    probability = np.where(turned, second, 1.0 - second)
    chosen, rejected = preferences.first.copy(), preferences.second.copy()
    chosen[turned], rejected[turned] = preferences.second[turned], preferences.first[turned]
    asked = {"prompt": preferences.prompt} if any(prompt != "" for prompt in preferences.prompt) else {}
    pairs = Table({
        **asked, "chosen": chosen, "rejected": rejected, "probability": probability,
        "weight": 2.0 * probability - 1.0, "label_smoothing": 1.0 - probability, "votes": votes,
        "for_chosen": np.where(turned, for_second, votes - for_second),
    })  # fmt: skip
    alone = int((votes == 1).sum())
    if alone:
        left = "every pair has" if alone == crowd.n_items else f"{alone:,} of {how_many(crowd.n_items, 'pairs')} have"
        notes.append(f"{left} one answer: votes do not tell who flips there, and all count alike "
                     "(crowdwise.learn.CrowdReward learns it from features)")  # fmt: skip
    return Preferred(pairs, _flips(crowd, result, level), result, (*notes, *result.notes))


def _flips(crowd: Any, result: Result, level: float) -> Table:
    """How often each annotator names the worse answer, most often first."""
    judged = verdicts(crowd, result, level=level)
    return Table({
        "annotator": judged["annotator"], "votes": judged["votes"], "flips": 1.0 - judged["accuracy"],
        "low": 1.0 - judged["accuracy_high"], "high": 1.0 - judged["accuracy_low"], "verdict": judged["verdict"],
        "reason": judged["reason"],
    }).take(np.argsort(np.nan_to_num(judged["accuracy"], nan=2.0), kind="stable"))  # fmt: skip


def _read(given: Any) -> tuple[Preferences, list[str]]:
    """Preferences from paths, or from a frame."""
    from pathlib import Path

    from ..io.preference_records import of_frame, read_preferences

    several: Sequence[Any] = given if isinstance(given, list | tuple) else [given]
    if several and all(isinstance(one, str | Path) for one in several):
        return read_preferences(several)
    if several is given:
        raise InputError("preferences come as paths, as a frame, or as Preferences")
    return of_frame(given)
