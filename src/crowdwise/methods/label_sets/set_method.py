"""SetMethod: what methods for label sets have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...fit.answer_method import AnswerMethod
from ...fit.estimates import Classes
from ...fit.params import Axes
from ...votes.codes import Array, encode
from ...votes.label_sets import SEPARATOR, LabelSets
from ...votes.table import Table


@dataclass(frozen=True, eq=False)
class Ticked(Classes):
    """Yes or no to each label of each item, and how sure it is; as a table, one row per item, with its labels."""

    kind: ClassVar[str] = "label-sets"

    def rows(self, items: Array, keys: Table | None) -> Table:
        if keys is None:
            return Table({"item": items, **self.columns()})
        names, of = encode(keys["of"])
        order = np.lexsort((np.arange(of.size), of))
        option, yes = keys["option"][order], self.chosen[order] == 1
        ends = np.searchsorted(of[order], np.arange(len(names) + 1))
        ticked = [
            SEPARATOR.join(option[low:high][yes[low:high]].tolist())
            for low, high in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
        ]
        sure = np.exp(np.bincount(of, np.log(np.maximum(self.confidence, 1e-300)), len(names)))
        return Table({"item": names, "labels": np.array(ticked, object), "confidence": sure})


@dataclass(frozen=True, kw_only=True)
class SetMethod(AnswerMethod[LabelSets, Ticked]):
    """Answers with several labels in, a set for each item out."""

    takes: ClassVar[type[LabelSets]] = LabelSets
    gives: ClassVar[type[Ticked]] = Ticked
    params: ClassVar[dict[str, Axes]] = {"label_confusion": Axes(("option", "annotator", "true", "given"), "simplex")}


def ticked(votes: LabelSets, yes: Array) -> Ticked:
    """The estimate, from the chance of yes of each cell."""
    return Ticked(np.stack([1.0 - yes, yes], axis=1), votes.classes, (yes > 0.5).astype(np.int64))
