"""Per label: each label as a question of its own, by any method for classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine import NumpyEngine
from ...errors import OptionError
from ...fit.method import Callback, Solution
from ...votes.crowd import Crowd
from ...votes.label_sets import LabelSets
from .. import METHODS, make
from ..classes.strangers import humbled
from .set_method import SetMethod, Ticked


@dataclass(frozen=True, kw_only=True)
class PerLabel(SetMethod):
    """Yes or no to each label by itself, with annotators of its own: the default for label sets.

    An annotator may see one label well and overlook another: the method for classes, Dawid and Skene's unless told, is
    fitted to each label alone. A label that nobody ticked, or everybody, is what they say. As many fits as labels.

    of: the method for classes.

    Reference: binary relevance (Tsoumakas & Katakis 2007) over Dawid & Skene 1979.

    >>> from crowdwise import PerLabel, simulate
    >>> made = simulate.label_sets(n_items=200, n_annotators=12, per_item=5, seed=0)
    >>> found = PerLabel().fit(made.sets).to_table()
    >>> bool((found["labels"] == made.truth).mean() > 0.8)
    True
    """

    name: ClassVar[str] = "per-label"
    of: str = "dawid-skene"

    def __post_init__(self) -> None:
        super().__post_init__()
        if METHODS[self.of].takes != "classes":
            raise OptionError(f"of={self.of!r}: {self.of} takes {METHODS[self.of].takes}, and yes or no are classes")

    def find(self, ops: LabelSets, callback: Callback | None) -> Solution[Ticked]:
        model, yes = make(self.of, seed=self.seed), np.full(ops.n_items, 0.5)
        kept = np.full((len(ops.options), ops.n_annotators, 2, 2), 0.5)
        said, converged = np.zeros(ops.n_items, np.int64), True
        for option in range(len(ops.options)):
            cells = np.flatnonzero(ops.option == option)
            own = one_label(ops, option)
            if not own.n_votes:
                continue
            if len(set(own.label.tolist())) == 1:
                yes[cells] = said[cells] = own.label[0]
                continue
            result = model.fit(own, callback=callback)
            yes[cells] = humbled(NumpyEngine(own), result.posterior)[:, 1]
            said[cells] = result.label_codes
            converged = converged and result.converged
            kept[option] = result.params.get("confusion", kept[option])
        found = Ticked(np.stack([1.0 - yes, yes], axis=1), ops.classes, said)
        return Solution(found, {"label_confusion": kept}, {}, converged=converged)


def one_label(votes: LabelSets, option: int) -> Crowd:
    """The answers to one label, as votes for no or yes; items are its cells, annotators are all."""
    cells = votes.option == option
    own, rank = cells[votes.item], np.cumsum(cells) - 1
    return Crowd(
        item=rank[votes.item[own]], annotator=votes.annotator[own], label=votes.label[own], items=votes.items[cells],
        annotators=votes.annotators, classes=votes.classes, weight=None if votes.weight is None else votes.weight[own],
    )  # fmt: skip
