"""TextMethod: what methods for texts have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...engine.text_sums import Readings
from ...errors import InputError
from ...fit.answer_method import AnswerMethod
from ...fit.estimates import Estimate
from ...fit.method import Callback, Solution
from ...fit.params import Axes, Params
from ...votes.codes import Array
from ...votes.keyed import hashed
from ...votes.written import Texts

ROUNDS = 5
SHRINK = 2.0  # answers that an annotator's distance is shrunk by
LEAST = 0.02  # a distance below which nobody is trusted more


@dataclass(frozen=True, eq=False)
class Writing(Estimate):
    """A text for each item, how sure it is, and whether anybody wrote just that."""

    kind: ClassVar[str] = "texts"
    text: Array
    confidence: Array
    written: Array

    @property
    def main(self) -> Array:
        """Sureness, and a number that tells texts apart."""
        return np.stack([self.confidence, hashed(self.text) / 2.0**64], axis=1)

    def columns(self) -> dict[str, Array]:
        return {"text": self.text, "confidence": self.confidence, "written": self.written}


class Written(NamedTuple):
    """Texts and how sure they are, their words, and the weights of the annotators."""

    text: list[str]
    words: list[bytes]
    sure: Array
    skill: Array


@dataclass(frozen=True, kw_only=True)
class TextMethod(AnswerMethod[Texts, Writing]):
    """Texts in, one text for each item out. A method says `write`."""

    takes: ClassVar[type[Texts]] = Texts
    gives: ClassVar[type[Writing]] = Writing
    params: ClassVar[dict[str, Axes]] = {"distance": Axes(("annotator",), "real")}

    @abstractmethod
    def write(self, readings: Readings, distance: Array) -> Written:
        """A text for each item, from its readings and how far each annotator usually is from the others."""

    def find(self, ops: Texts, callback: Callback | None) -> Solution[Writing]:
        if not ops.n_votes:
            raise InputError("there are no texts")
        readings = Readings(ops)
        distance = usual_distance(readings)
        found = self.write(readings, distance)
        written = readings.as_found(found.words)
        weight = np.where(written, readings.weighed(np.ones(ops.n_annotators)), 0.0)
        text, order = list(found.text), np.lexsort((weight, readings.item))
        last = order[np.append(np.diff(readings.item[order]) != 0, True)] if order.size else order
        for reading in last[weight[last] > 0.0].tolist():  # word for word as somebody wrote it: with their punctuation
            text[int(readings.item[reading])] = str(ops.texts[readings.text[reading]])
        exact = np.bincount(readings.item, weight, ops.n_items) > 0.0
        made = Writing(np.array(text, object), found.sure, exact)
        nobody = int((~exact & (np.diff(readings.first) > 0)).sum())
        notes = (f"{nobody:,} texts are nobody's own: they are put together of several",) if nobody else ()
        params: Params = {"distance": found.skill}
        return Solution(made, params, {}, notes=notes)


def usual_distance(readings: Readings) -> Array:
    """How far each annotator usually is from the others' readings, those counting more who are nearer to the others.

    Shrunk to the crowd's by two answers.
    """
    votes, weight = readings.votes, readings.votes._weight()
    who, item = votes.annotator.astype(np.int64), votes.item
    n_readings = np.bincount(item, minlength=votes.n_items)[item]
    own_key = item.astype(np.int64) * votes.n_annotators + who
    _, own = np.unique(own_key, return_inverse=True)
    worth = np.ones(votes.n_annotators)
    distance = worth
    for _ in range(ROUNDS):
        given = weight * worth[who]
        total = np.bincount(item, given, votes.n_items)[item]
        others = total - np.bincount(own, given)[own]
        far = readings.far(readings.weighed(worth))[readings.reading]
        met = (n_readings > 1) & (others > 1e-9 * total)
        apart = np.where(met, far / np.where(met, others, 1.0), 0.0)
        counts = np.where(met, weight, 0.0)
        usual = float((counts * apart).sum() / max(counts.sum(), 1e-300))
        heard = np.bincount(who, counts, votes.n_annotators)
        distance = (np.bincount(who, counts * apart, votes.n_annotators) + SHRINK * usual) / (heard + SHRINK)
        worth = 1.0 / np.maximum(distance, LEAST)
    return distance


def nearest(readings: Readings, worth: Array) -> Written:
    """The reading of each item that is nearest to all of them; its share of nearness is how sure it is."""
    weight = readings.weighed(worth)
    total = np.bincount(readings.item, weight, readings.votes.n_items)
    far = readings.far(weight) / np.maximum(total[readings.item], 1e-300)
    order = readings.best_first(far)
    best = order[readings.first[:-1][np.diff(readings.first) > 0]]
    n = readings.votes.n_items
    text, words, sure = [""] * n, [b""] * n, np.zeros(n)
    for reading in best.tolist():
        item, code = int(readings.item[reading]), int(readings.text[reading])
        text[item] = str(readings.votes.texts[code])
        words[item] = readings.words[readings.begin[code] : readings.begin[code + 1]].tobytes()
        sure[item] = 1.0 - far[reading]
    return Written(text, words, sure, worth)
