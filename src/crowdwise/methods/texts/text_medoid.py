"""Medoid: the text that is nearest to all texts of its item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine.text_sums import Readings
from ...votes.codes import Array
from .text_method import LEAST, TextMethod, Written, nearest


@dataclass(frozen=True, kw_only=True)
class TextMedoid(TextMethod):
    """The text of each item that needs the fewest edits to become the others; nothing is written that nobody wrote.

    Distances are edits of words in parts of the longer text. O(texts^2 x words^2) an item. A baseline.

    Reference: textbook; as a baseline in Li & Fukumoto, AnnoNLP 2019.

    >>> from crowdwise import TextMedoid, Texts
    >>> said = Texts.from_columns([1, 1, 1], ["a", "b", "c"], ["the cat sat", "the cat sat", "a bat sat"])
    >>> TextMedoid().fit(said).estimate.text.tolist()
    ['the cat sat']
    """

    name: ClassVar[str] = "text-medoid"

    def write(self, readings: Readings, distance: Array) -> Written:
        return nearest(readings, np.ones_like(distance))._replace(skill=distance)


@dataclass(frozen=True, kw_only=True)
class WeightedMedoid(TextMethod):
    """As the medoid, texts weighing more whose writers are usually nearer to the others.

    A writer's weight is one over their usual distance, found in five rounds and shrunk to the crowd's by two texts.
    O(texts^2 x words^2) an item. Use it where nothing may be written that nobody wrote: translations, summaries.

    Reference: crowdwise; in the manner of the reliability-aware aggregation of Li, AACL 2020.

    >>> from crowdwise import Texts, WeightedMedoid
    >>> said = Texts.from_columns([1, 1, 1], ["a", "b", "c"], ["the cat sat", "the cat sat", "a bat sat"])
    >>> WeightedMedoid().fit(said).to_table()["written"].tolist()
    [True]
    """

    name: ClassVar[str] = "weighted-medoid"

    def write(self, readings: Readings, distance: Array) -> Written:
        return nearest(readings, 1.0 / np.maximum(distance, LEAST))._replace(skill=distance)
