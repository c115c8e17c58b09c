"""Boxes of one object, put together: by the median of each side, or by overlap."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...engine import NumpyEngine
from ...errors import OptionError
from ...fit.answer_method import AnswerMethod
from ...fit.estimates import Estimate
from ...fit.method import Callback, Solution
from ...fit.options import Share
from ...fit.params import Axes
from ...votes.boxes import SIDES, Boxes
from ...votes.codes import Array, names_array
from ...votes.crowd import Crowd
from ...votes.table import Table
from .. import METHODS, make
from ..classes.strangers import humbled


@dataclass(frozen=True, eq=False)
class FoundBoxes(Estimate):
    """Boxes: the image of each (its place among the items), sides, label, and the chance that the object is there."""

    kind: ClassVar[str] = "boxes"
    of: Array
    sides: Array
    label: Array
    chance: Array
    images: Array

    @property
    def main(self) -> Array:
        """How many objects each image has, and sums of sides and of chances of all of them."""
        n = len(self.images)
        rows = [np.bincount(self.of, minlength=n), *(np.bincount(self.of, side, n) for side in self.sides.T)]
        return np.stack([*rows, np.bincount(self.of, self.chance, n)], axis=1)

    def columns(self) -> dict[str, Array]:
        return {"objects": np.bincount(self.of, minlength=len(self.images))}

    def rows(self, items: Array, keys: Table | None) -> Table:
        """One row per box."""
        sides = {name: self.sides[:, place] for place, name in enumerate(SIDES)}
        return Table({"item": items[self.of], **sides, "label": self.label, "confidence": self.chance})


@dataclass(frozen=True, kw_only=True)
class BoxMethod(AnswerMethod[Boxes, FoundBoxes]):
    """Boxes in, one box for each object out. A method says `put_together`.

    Boxes of an image are of one object if they overlap enough with the one that overlaps most; an annotator has one box
    of an object at most. Everybody who saw the image and has none of it has said that it is not there: whether it is, a
    method for classes decides. Its label is what most say.
    """

    takes: ClassVar[type[Boxes]] = Boxes
    gives: ClassVar[type[FoundBoxes]] = FoundBoxes
    params: ClassVar[dict[str, Axes]] = {
        "finds": Axes(("annotator",), "unit"),
        "makes_up": Axes(("annotator",), "unit"),
    }

    overlap: Share = 0.5
    existence: str = "dawid-skene"
    least: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if METHODS[self.existence].takes != "classes":
            raise OptionError(f"existence={self.existence!r}: name a method for classes: there, or not there")

    @abstractmethod
    def put_together(self, first: Array, sides: Array, weight: Array) -> Array:
        """A box for each object, (objects, 4): boxes of object g are first[g] to first[g + 1], weights beside them."""

    def find(self, ops: Boxes, callback: Callback | None) -> Solution[FoundBoxes]:
        from ...engine.box_kernels import matched

        drawn = _different(ops)
        item, who, sides, weight = drawn.item, drawn.annotator, drawn.sides, drawn.weight
        group = np.full(item.size, -1, np.int64)
        n = matched(np.searchsorted(item, np.arange(ops.n_items + 1)), who, sides, weight, self.overlap, group)
        by_group = np.argsort(group, kind="stable")
        first = np.searchsorted(group[by_group], np.arange(n + 1))
        of = item[by_group[first[:-1]]] if n else np.empty(0, np.int64)
        boxes = self.put_together(first, sides[by_group], weight[by_group]) if n else np.empty((0, 4))
        label = _likeliest(group, drawn.label, weight, n, len(ops.classes))
        there, confusion, converged = self._existence(ops, group, of, who, weight, n, callback)
        exists, there = there, there * _label_share(group, drawn.label, label, weight, n)
        kept = np.flatnonzero(exists > self.least)
        kept = kept[np.lexsort((-there[kept], of[kept]))]
        found = FoundBoxes(of[kept], boxes[kept], ops.classes[label[kept]], there[kept], ops.items)
        params = {"finds": confusion[:, 1, 1], "makes_up": confusion[:, 0, 1]}
        return Solution(found, params, {}, converged=converged)

    def _existence(
        self, votes: Boxes, group: Array, of: Array, who: Array, weight: Array, n: int, callback: Callback | None
    ) -> tuple[Array, Array, bool]:
        """Whether each object is there: yes of those who drew it, no of the others who saw the image."""
        pairs = np.unique(votes.item.astype(np.int64) * votes.n_annotators + votes.annotator)
        image, reader = np.divmod(pairs, votes.n_annotators)
        begin = np.searchsorted(image, np.arange(votes.n_items + 1))
        count = (begin[1:] - begin[:-1])[of]
        row = np.repeat(begin[of] - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
        objects, readers = np.repeat(np.arange(n), count), reader[row]
        drew = np.unique(group * votes.n_annotators + who)
        said = np.isin(objects * votes.n_annotators + readers, drew)
        answers = _different(votes, drawn=False)
        own = np.searchsorted(pairs, answers.item * votes.n_annotators + answers.annotator)
        count_of = np.bincount(own, minlength=pairs.size)
        heard = (np.bincount(own, answers.weight, pairs.size) / np.maximum(count_of, 1))[row]
        confusion = np.full((votes.n_annotators, 2, 2), 0.5)
        crowd = Crowd(
            item=objects, annotator=readers, label=said.astype(np.int64), items=np.arange(n),
            annotators=votes.annotators, classes=names_array(["no", "yes"]),
            weight=heard,
        )  # fmt: skip
        if not n or said.all():  # nobody ever missed one: strangers' word for it
            sure = humbled(NumpyEngine(crowd), np.tile([0.0, 1.0], (n, 1)))[:, 1] if n else np.empty(0)
            return sure, confusion, True
        result = make(self.existence, seed=self.seed).fit(crowd, callback=callback)
        sure = humbled(NumpyEngine(crowd), result.posterior.astype(float))[:, 1]
        return (
            np.where(result.label_codes == 1, np.maximum(sure, 0.5 + 1e-9), np.minimum(sure, 0.5)),
            result.params.get("confusion", confusion),
            result.converged,
        )


@dataclass(frozen=True, kw_only=True)
class MedianBox(BoxMethod):
    """The median of each side over the boxes of an object: the default for boxes.

    Whoever draws too wide, or somewhere else, moves it little: with three of seven boxes far off, .87 of the area is
    right, and .61 by the mean. O(boxes of an image^2).

    overlap: of a box with the first one of its object, intersection over union, at least. existence: the method for
    classes that decides whether there is an object; least: the chance that it needs.

    Reference: textbook; several objects as in Russakovsky, Li & Fei-Fei, CVPR 2015.

    >>> from crowdwise import Boxes, MedianBox
    >>> sides = [0, 1, 9], [0, 0, 9], [10, 11, 30], [10, 10, 30]
    >>> said = Boxes.from_columns(["i"] * 3, ["a", "b", "c"], *sides)
    >>> MedianBox().fit(said).to_table()["right"].tolist()
    [10.5]
    """

    name: ClassVar[str] = "median-box"

    def put_together(self, first: Array, sides: Array, weight: Array) -> Array:
        group = np.repeat(np.arange(first.size - 1), np.diff(first))
        return np.stack([_medians(group, side, weight, first.size - 1) for side in sides.T], axis=1)


@dataclass(frozen=True, kw_only=True)
class OverlapBox(BoxMethod):
    """The mean of the boxes of an object, each counting by how much it overlaps with the others, to a power.

    Where boxes are loose in every direction and nobody is far off, a mean is nearer than a median. O(boxes^2).

    power: of the mean overlap; 0 is the plain mean. The others as in `MedianBox`.

    Reference: crowdwise; boxes weighted by agreement as in CVAT's consensus.

    >>> from crowdwise import Boxes, OverlapBox
    >>> sides = [0, 2, 1], [0, 0, 0], [10, 12, 11], [10, 10, 10]
    >>> OverlapBox().fit(Boxes.from_columns(["i"] * 3, ["a", "b", "c"], *sides)).to_table()["left"].round(2).tolist()
    [1.0]
    """

    name: ClassVar[str] = "overlap-box"
    power: float = 4.0

    def put_together(self, first: Array, sides: Array, weight: Array) -> Array:
        from ...engine.box_kernels import own_overlap

        near = np.empty(len(sides))
        own_overlap(first, sides, weight, near)
        count = weight * near**self.power + 1e-12
        total = np.add.reduceat(count, first[:-1])
        return np.add.reduceat(sides * count[:, None], first[:-1], axis=0) / total[:, None]


class _Answers(NamedTuple):
    """Answers that differ, image after image, in an order that is not the file's; repeated ones weigh more."""

    item: Array
    annotator: Array
    sides: Array
    label: Array
    weight: Array


def _different(votes: Boxes, drawn: bool = True) -> _Answers:
    """The boxes of an image that differ; also, unless only those that are drawn, who saw that there is nothing."""
    some = np.flatnonzero(votes.drawn) if drawn else np.arange(votes.n_votes)
    columns = (votes.item, votes.vote_hash, *votes.sides.T, votes.label)
    keys = [np.asarray(column)[some] for column in columns]
    order = np.lexsort(keys[::-1])
    keys = [key[order] for key in keys]
    new = np.append(True, np.logical_or.reduce([key[1:] != key[:-1] for key in keys])) if order.size else order
    first, which = order[np.flatnonzero(new)], np.cumsum(new) - 1
    weight = np.bincount(which, votes._weight()[some][order], first.size)
    at = some[first]
    return _Answers(
        votes.item[at].astype(np.int64), votes.annotator[at].astype(np.int64), votes.sides[at],
        votes.label[at].astype(np.int64), weight,
    )  # fmt: skip


def _likeliest(group: Array, label: Array, weight: Array, n: int, n_classes: int) -> Array:
    """The label of most boxes of each object; the first of equals."""
    votes = np.bincount(group * n_classes + label, weight, n * n_classes).reshape(n, n_classes)
    return votes.argmax(axis=1) if n else np.empty(0, np.int64)


def _label_share(group: Array, said: Array, label: Array, weight: Array, n: int) -> Array:
    """The share of an object's boxes that have its label."""
    same = np.bincount(group, weight * (said == label[group]), n) if n else np.empty(0)
    return same / np.maximum(np.bincount(group, weight, n), 1e-300) if n else same


def _medians(group: Array, value: Array, weight: Array, n: int) -> Array:
    """The weighted median of each group; halfway, where two are."""
    order = np.lexsort((value, group))
    own, sorted_value, mass = group[order], value[order], weight[order]
    total = np.bincount(own, mass, n)
    reached = np.cumsum(mass) - np.concatenate([[0.0], np.cumsum(total)[:-1]])[own]
    low = np.searchsorted(own + np.minimum(reached / total[own], 1.0 - 1e-12) / 2.0, np.arange(n) + 0.25 - 1e-9)
    high = np.searchsorted(own + np.minimum(reached / total[own], 1.0 - 1e-12) / 2.0, np.arange(n) + 0.25 + 1e-9)
    return np.asarray((sorted_value[low] + sorted_value[high]) / 2.0)
