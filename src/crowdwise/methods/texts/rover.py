"""ROVER: texts aligned word by word, each place voted on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine.text_sums import Readings
from ...fit.options import AnyNumber, Natural
from ...votes.codes import Array
from .text_method import LEAST, TextMethod, Written

ANSWERS = 3.0  # that an annotator's rate of errors is shrunk by
POWER = 1.5


@dataclass(frozen=True, kw_only=True)
class Rover(TextMethod):
    """Texts of an item are aligned into slots, and each slot is voted on: the default for texts.

    The text that is nearest to the others begins, those further off are aligned to what stands there, word by word,
    nearest first. A vote counts one over the writer's usual distance from the others, to a power. "No word here" has
    a handicap. What comes out may be nobody's own text: column `written` says so.

    O(texts x words^2) an item. Use it for transcripts, and whatever has one right wording; where a text has to be
    somebody's own, `weighted-medoid`.

    power: how much the better writers count. handicap: how much more of the votes "no word" needs. refine: further
    rounds, in which writers are judged by what was found. One makes transcripts a little better; more do not, since
    writers then agree with themselves.

    Reference: Fiscus, ASRU 1997; weights and order are crowdwise's.

    >>> from crowdwise import Rover, Texts
    >>> said = Texts.from_columns([1] * 3, ["a", "b", "c"], ["the cat sat", "a cat sat down", "the bat sat down"])
    >>> Rover().fit(said).estimate.text.tolist()
    ['the cat sat down']
    """

    name: ClassVar[str] = "rover"
    power: float = 2.0
    handicap: AnyNumber = 0.1
    refine: Natural = 0

    def write(self, readings: Readings, distance: Array) -> Written:
        found = self._aligned(readings, (1.0 / np.maximum(distance, LEAST)) ** self.power)
        for _ in range(self.refine):
            distance = self._errors(readings, found[1])
            found = self._aligned(readings, np.clip(distance, 0.01, 0.95) ** -POWER)
        return Written(*found, distance)

    def _aligned(self, readings: Readings, worth: Array) -> tuple[list[str], list[bytes], Array]:
        weight = readings.weighed(worth)
        weight = weight / np.maximum(np.bincount(readings.item, weight)[readings.item], 1e-300)
        order = readings.best_first(readings.far(weight))
        return readings.aligned(weight, order, self.handicap)

    def _errors(self, readings: Readings, words: list[bytes]) -> Array:
        """Each writer's rate of wrong words, by what was found, shrunk to the crowd's."""
        votes, weight = readings.votes, readings.votes._weight()
        wrong, there = (weight * column[readings.reading] for column in readings.edits_to(words))
        few = ANSWERS * max(float(there.sum() / weight.sum()), 1.0)
        usual = float(wrong.sum() / max(there.sum(), 1.0))
        total, heard = (np.bincount(votes.annotator, column, votes.n_annotators) for column in (wrong, there))
        return np.asarray((total + few * usual) / (heard + few))
