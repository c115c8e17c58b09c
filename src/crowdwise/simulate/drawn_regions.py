"""Boxes and masks drawn from a known truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..votes.boxes import Boxes
from ..votes.codes import Array
from ..votes.masks import Masks
from ..votes.table import Table


class DrawnBoxes(NamedTuple):
    """Boxes as people drew them, the true ones (item, left, top, right, bottom, label), and who sees how much."""

    boxes: Boxes
    truth: Table
    sees: Array


class PaintedMasks(NamedTuple):
    """Masks as people painted them, and the true ones, (images, height, width)."""

    masks: Masks
    truth: Array


def boxes(
    *,
    n_items: int,
    n_annotators: int,
    per_item: int = 5,
    objects: float = 2.0,
    labels: tuple[str, ...] = ("cat", "dog"),
    jitter: float = 0.08,
    sees: tuple[float, float] = (0.6, 0.98),
    makes_up: float = 0.1,
    spammers: int = 0,
    seed: int = 0,
) -> DrawnBoxes:
    """Images of 100 x 100 with a few objects; annotators overlook some, draw sides off, and see what is not there.

    jitter: the error of a side, in parts of the box. makes_up: boxes of nothing, an image. The last annotators,
    `spammers`, draw one box anywhere.

    >>> made = boxes(n_items=20, n_annotators=6, per_item=3)
    >>> made.boxes.n_items, len(made.truth) > 20
    (20, True)
    """
    if per_item > n_annotators or spammers >= n_annotators:
        raise InputError(f"n_annotators={n_annotators} are too few for so many spammers, or for {per_item} an item")
    rng = np.random.default_rng(seed)
    skill, true = rng.uniform(*sees, n_annotators), []
    rows: list[tuple[object, ...]] = []
    for item in range(n_items):
        there = [(_box(rng), int(rng.integers(len(labels)))) for _ in range(1 + rng.poisson(objects - 1.0))]
        true += [(item, *box.tolist(), labels[kind]) for box, kind in there]
        for who in rng.permutation(n_annotators)[:per_item].tolist():
            seen = [(_moved(rng, box, jitter), kind) for box, kind in there if rng.random() < skill[who]]
            seen += [(_box(rng), int(rng.integers(len(labels)))) for _ in range(int(rng.random() < makes_up))]
            if who >= n_annotators - spammers:
                seen = [(_box(rng), int(rng.integers(len(labels))))]
            rows += [(item, who, *box.tolist(), labels[kind]) for box, kind in seen]
            rows += [] if seen else [(item, who, None, None, None, None, None)]
    made = Boxes.from_columns(*map(list, zip(*rows, strict=True)))
    names = ("item", "left", "top", "right", "bottom", "label")
    columns = [
        np.array(column, object if name == "label" else float)
        for name, column in zip(names, zip(*true, strict=True), strict=True)
    ]
    return DrawnBoxes(made, Table(dict(zip(names, columns, strict=True))), skill)


def masks(
    *,
    n_items: int,
    n_annotators: int,
    per_item: int = 5,
    size: int = 24,
    shift: float = 1.0,
    far: int = 0,
    seed: int = 0,
) -> PaintedMasks:
    """One disc in each image; annotators move and stretch it a little; the last, `far`, are somewhere else.

    >>> masks(n_items=4, n_annotators=5, per_item=3).masks.n_votes
    12
    """
    if per_item > n_annotators or far >= n_annotators:
        raise InputError(f"n_annotators={n_annotators} are too few for {per_item} an item, or for so many far off")
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:size, :size]
    truth, item, who, said = [], [], [], []
    for image in range(n_items):
        centre, radius = rng.uniform(0.35, 0.65, 2) * size, rng.uniform(0.15, 0.3) * size
        truth.append((y - centre[0]) ** 2 + (x - centre[1]) ** 2 <= radius**2)
        for annotator in rng.permutation(n_annotators)[:per_item].tolist():
            off = rng.normal(0.0, shift, 3) if annotator < n_annotators - far else rng.uniform(4.0, 8.0, 3) * shift
            own = (y - centre[0] - off[0]) ** 2 + (x - centre[1] - off[1]) ** 2 <= max(radius + off[2] / 2.0, 1.0) ** 2
            item.append(image)
            who.append(annotator)
            said.append(own)
    return PaintedMasks(Masks.from_arrays(item, who, said), np.array(truth))


def _box(rng: np.random.Generator) -> Array:
    width, height = rng.uniform(10.0, 40.0, 2)
    left, top = rng.uniform(0.0, 100.0 - width), rng.uniform(0.0, 100.0 - height)
    return np.array([left, top, left + width, top + height])


def _moved(rng: np.random.Generator, box: Array, jitter: float) -> Array:
    size = np.array([box[2] - box[0], box[3] - box[1]] * 2)
    moved = box + rng.normal(0.0, jitter, 4) * size
    return np.array([min(moved[0], moved[2] - 1.0), min(moved[1], moved[3] - 1.0), moved[2], moved[3]])
