"""How alike two answers to the same question are, for every kind of structured answer: a number from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError, OptionError
from ...methods.spans.span_vote import spans_said
from ...votes.boxes import Boxes
from ...votes.codes import Array
from ...votes.label_sets import LabelSets
from ...votes.masks import Masks
from ...votes.sequences import Sequences
from ...votes.similarities import Groupings, Similarities
from ...votes.tags import Spans
from ...votes.written import Texts

MEASURES = {
    "spans": "F1 of spans",
    "label-sets": "overlap of sets",
    "similarities": "same answers",
    "groupings": "pairs put alike",
    "texts": "1 - edits",
    "boxes": "F1 of boxes",
    "masks": "overlap of masks",
}
ALIGNED = "aligned spans"
NEAREST = 5  # pairs of a pile that each item is looked at with
ENOUGH = 0.5  # overlap from which two boxes are of one object


class Likeness(NamedTuple):
    """Pairs of answers: the unit they are of, the two annotators, how alike they are; and names of the units.

    chance: how alike answers to different units are.
    """

    unit: Array
    one: Array
    other: Array
    alike: Array
    units: Array
    chance: float


def likeness(votes: Any, *, aligned: bool = False) -> Likeness:
    """How alike answers are, each two of a unit (a document, an item, an image, a pair).

    aligned: spans need not be the same, but are laid side by side, as in Mathet's gamma for two annotators.

    >>> from crowdwise import Texts
    >>> found = likeness(Texts.from_columns([1, 1, 2], ["a", "b", "a"], ["one two", "one too", "three"]))
    >>> found.alike.tolist(), found.units.tolist()
    ([0.5], [1, 2])
    """
    if aligned:
        if not isinstance(votes, Sequences):
            raise OptionError(f"only spans are aligned, and these are {votes.kind}")
        return _aligned(votes)
    for kind, look in _LOOKS:
        if isinstance(votes, kind):
            found: Likeness = look(votes)
            return found
    raise InputError(f"these are {votes.kind}: structured answers are needed here")


def unit_of(votes: Any) -> Array:
    """The unit of each vote: the document of a token, the item of a cell; of the others the item itself."""
    if isinstance(votes, Sequences):
        return _chains(votes)[votes.item]
    return votes.owner[votes.item] if isinstance(votes, LabelSets) else np.asarray(votes.item)


def _chains(votes: Sequences) -> Array:
    """The chain of each token."""
    order, begin = votes.order
    out = np.empty(votes.n_items, np.int64)
    out[order] = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    return out


class _Answers(NamedTuple):
    """Answers that are sets of marks: unit and annotator of each answer, and the marks of all of them."""

    unit: Array
    annotator: Array
    answer_of_mark: Array
    mark: Array


def _of_marks(answers: _Answers, units: Array, jaccard: bool) -> Likeness:
    """How many marks two answers share, in parts of all (Jaccard) or of both (F1); none and none are alike."""
    from scipy.sparse import csr_array

    n = answers.unit.size
    _, mark = np.unique(answers.mark, return_inverse=True)
    has = csr_array((np.ones(mark.size), (answers.answer_of_mark, mark)), shape=(n, int(mark.max(initial=-1)) + 1))
    size = np.bincount(answers.answer_of_mark, minlength=n).astype(float)

    def share(a: Array, b: Array) -> Array:
        both = np.asarray(has[a].multiply(has[b]).sum(axis=1)).ravel()
        total = size[a] + size[b]
        whole = total - both if jaccard else total / 2.0
        return np.where(total > 0.0, both / np.maximum(whole, 1e-300), 1.0)

    return _likeness(answers, share, units)


def _likeness(answers: _Answers, share: Callable[[Array, Array], Array], units: Array) -> Likeness:
    """Each two answers of a unit, and, for chance, answers that are far from each other."""
    n = answers.unit.size
    one, other = _pairs(answers.unit)
    far = np.roll(np.arange(n), n // 2)
    apart = answers.unit != answers.unit[far]
    chance = float(share(np.flatnonzero(apart), far[apart]).mean()) if apart.any() else 0.0
    who = answers.annotator
    return Likeness(answers.unit[one], who[one], who[other], share(one, other), units, chance)


def _pairs(unit: Array) -> tuple[Array, Array]:
    """Places of each two answers of a unit, answers being sorted by unit."""
    n = np.bincount(unit)[unit] if unit.size else unit
    first = np.searchsorted(unit, unit)
    later = first + n - np.arange(unit.size) - 1
    one = np.repeat(np.arange(unit.size), later)
    return one, one + 1 + np.arange(one.size) - np.repeat(np.cumsum(later) - later, later)


def _answers(unit: Array, who: Array, n_annotators: int, mark_unit: Array, mark_who: Array, mark: Array) -> _Answers:
    key = np.unique(unit.astype(np.int64) * n_annotators + who)
    own = np.searchsorted(key, mark_unit.astype(np.int64) * n_annotators + mark_who)
    return _Answers(key // n_annotators, key % n_annotators, own, mark)


def _spans(votes: Sequences) -> Likeness:
    answers, spans = _spans_of(votes)
    mark = (spans.first * (votes.n_items + 1) + spans.last) * max(len(votes.tags.types), 1) + spans.type
    return _of_marks(answers._replace(mark=mark), _documents(votes), False)


def _aligned(votes: Sequences) -> Likeness:
    """1 - what the cheapest alignment costs, in parts of what it costs to leave every span alone."""
    from ...engine.alignment_kernels import aligned

    answers, spans = _spans_of(votes)
    size = np.bincount(answers.answer_of_mark, minlength=answers.unit.size)
    own = np.lexsort((spans.first, answers.answer_of_mark))
    within = votes.order.begin[answers.unit[answers.answer_of_mark[own]]]  # places count from the document's first
    begin, end = (spans.first[own] - within).astype(float), (spans.last[own] + 1 - within).astype(float)
    first, kind = np.append(0, np.cumsum(size)), spans.type[own]

    def share(a: Array, b: Array) -> Array:
        cost, total = np.empty(a.size), size[a] + size[b]
        aligned(first, a, b, begin, end, kind, cost)
        return 1.0 - cost / np.maximum(total, 1)

    return _likeness(answers, share, _documents(votes))


def _documents(votes: Sequences) -> Array:
    order, begin = votes.order
    return np.asarray(votes.item_extra["document"][order[begin[:-1]]])


def _spans_of(votes: Sequences) -> tuple[_Answers, Spans]:
    """Everybody's answers to documents they saw, with their spans as marks."""
    of_item, said = _chains(votes), spans_said(votes)
    unit = of_item[votes.order.order[said.spans.first]]
    marks = (unit, said.annotator, np.arange(unit.size))
    return _answers(of_item[votes.item], votes.annotator, votes.n_annotators, *marks), said.spans


def _label_sets(votes: LabelSets) -> Likeness:
    unit, yes = votes.owner[votes.item], votes.label == 1
    names = np.empty(int(votes.owner.max(initial=-1)) + 1, object)
    names[votes.owner] = votes.item_extra["of"]
    order = (unit[yes], votes.annotator[yes], votes.option[votes.item[yes]])
    return _of_marks(_answers(unit, votes.annotator, votes.n_annotators, *order), names, True)


def _boxes(votes: Boxes) -> Likeness:
    from ...engine.box_kernels import matched

    some = np.flatnonzero(votes.drawn)
    some = some[np.lexsort((votes.vote_hash[some], votes.item[some]))]
    item, group = votes.item[some].astype(np.int64), np.full(some.size, -1, np.int64)
    first = np.searchsorted(item, np.arange(votes.n_items + 1))
    matched(first, votes.annotator[some].astype(np.int64), votes.sides[some], np.ones(some.size), ENOUGH, group)
    mark = group * len(votes.classes) + votes.label[some]  # one object, by one name
    answers = _answers(votes.item, votes.annotator, votes.n_annotators, item, votes.annotator[some], mark)
    return _of_marks(answers, votes.items, False)._replace(chance=0.0)


def _similarities(votes: Similarities) -> Likeness:
    low, high = np.minimum(votes.item, votes.other).astype(np.int64), np.maximum(votes.item, votes.other)
    pair, unit = np.unique(low * votes.n_items + high, return_inverse=True)
    order = np.lexsort((votes.vote_hash, unit))
    one, other = _pairs(unit[order])
    said, who = votes.same_said[order], votes.annotator[order].astype(np.int64)
    names = np.array(
        [f"{votes.items[a]} / {votes.items[b]}" for a, b in zip(*np.divmod(pair, votes.n_items), strict=True)], object
    )
    share = float(said.mean()) if said.size else 0.0
    alike = (said[one] == said[other]).astype(float)
    return Likeness(unit[order][one], who[one], who[other], alike, names, share**2 + (1.0 - share) ** 2)


def _groupings(votes: Groupings) -> Likeness:
    """Pairs of items that two annotators both have: whether both put them together, or both apart."""
    order = np.lexsort((votes.item_hash[votes.item], votes.annotator))
    item, who, pile = votes.item[order].astype(np.int64), votes.annotator[order].astype(np.int64), votes.label[order]
    left, right, by, same = [], [], [], []
    for step in range(1, NEAREST + 1):
        near = who[step:] == who[:-step]
        left.append(item[:-step][near])
        right.append(item[step:][near])
        by.append(who[step:][near])
        same.append((pile[step:] == pile[:-step])[near])
    pairs = Similarities(
        item=np.concatenate(left), other=np.concatenate(right), annotator=np.concatenate(by),
        label=np.concatenate(same).astype(np.int64), items=votes.items, annotators=votes.annotators,
        classes=np.array(["different", "same"], object),
    )  # fmt: skip
    return _similarities(pairs)


def _texts(votes: Texts) -> Likeness:
    from ...engine.text_sums import Readings

    readings = Readings(votes)
    one, other = _pairs(votes.item.astype(np.int64))
    a, b = readings.reading[one], readings.reading[other]
    n = np.diff(readings.first)[readings.item[a]]
    begin = readings.first[readings.item[a]]
    apart = readings.apart[readings.at[readings.item[a]] + (a - begin) * n + (b - begin)]
    who = votes.annotator
    return Likeness(votes.item[one].astype(np.int64), who[one], who[other], 1.0 - apart, votes.items, 0.0)


def _masks(votes: Masks) -> Likeness:
    unit: list[Array] = []
    one: list[Array] = []
    other: list[Array] = []
    alike: list[Array] = []
    for item in range(votes.n_items):  # an image is an array of its own
        said = votes.pixels(item).astype(np.float32)
        area = said.sum(axis=1)
        both = said @ said.T
        either = area[:, None] + area[None] - both
        a, b = np.triu_indices(len(said), 1)
        unit.append(np.full(a.size, item))
        one.append(votes.annotator[votes.first[item] + a])
        other.append(votes.annotator[votes.first[item] + b])
        alike.append(np.where(either > 0, both / np.maximum(either, 1), 1.0)[a, b])
    a, b, c, d = (np.concatenate(column) if column else np.empty(0, np.int64) for column in (unit, one, other, alike))
    return Likeness(a, b, c, d, votes.items, 0.0)


_LOOKS: tuple[tuple[type[Any], Any], ...] = (
    (Sequences, _spans), (LabelSets, _label_sets), (Similarities, _similarities), (Groupings, _groupings),
    (Texts, _texts), (Boxes, _boxes), (Masks, _masks),
)  # fmt: skip
