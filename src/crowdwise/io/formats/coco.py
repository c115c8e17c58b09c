"""COCO: boxes and masks of images in one JSON object, whose annotations tell who drew them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...errors import InputError
from ...votes.codes import Array
from ...votes.frames import ALIASES
from ...votes.masks import pixels_of, runs_of
from ..answers import Answers
from ..archive import Files
from .format import Format

BOXES, MASKS = "boxes", "masks"


def read(files: Files, answers: Answers) -> None:
    """An annotation has a box, and may have a mask: runs down the columns, or polygons."""
    for path, content in files:
        where = f"{answers.name}, {path}" if str(path) != answers.name else answers.name
        try:
            found = json.loads(content())
            images = {image["id"]: image for image in found["images"]}
            labels = {one["id"]: str(one["name"]) for one in found.get("categories", [])}
            annotations = found["annotations"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{where}: images, categories and annotations of COCO are expected") from error
        for place, annotation in enumerate(annotations):
            answers.where = f"annotation {place + 1}"
            _read_one(annotation, images, labels, answers)


def _read_one(annotation: dict[str, Any], images: dict[Any, Any], labels: dict[Any, str], answers: Answers) -> None:
    who = next((annotation[name] for name in ALIASES["annotator"] if name in annotation), None)
    image = images.get(annotation.get("image_id"))
    if who is None or image is None:
        answers.fail("annotator" if who is None else "image_id", "it is missing: COCO's own files do not tell who drew")
    name = image.get("file_name", annotation["image_id"])
    box = annotation.get("bbox")
    if isinstance(box, list) and len(box) == 4:
        left, top, width, height = (answers.amount(side, "bbox") for side in box)
        label = labels.get(annotation.get("category_id"), "object")
        answers.other(BOXES, BOXES, name, str(who), left, top, left + width, top + height, label)
    drawn = annotation.get("segmentation")
    if drawn:
        size = (int(answers.amount(image.get("height"), "height")), int(answers.amount(image.get("width"), "width")))
        label = labels.get(annotation.get("category_id"), "object")
        answers.other(MASKS, MASKS, name, str(who), *size, runs_of(_mask(drawn, size, answers)), label)


def _mask(drawn: Any, size: tuple[int, int], answers: Answers) -> Array:
    if isinstance(drawn, list):
        return polygons([np.array(points, float).reshape(-1, 2) for points in drawn], size)
    counts = drawn.get("counts") if isinstance(drawn, dict) else None
    if isinstance(counts, str):
        counts = unpacked(counts)
    if not isinstance(counts, list):
        answers.fail("segmentation", "polygons, or runs as counts, are expected")
    ends = np.cumsum(counts)
    if not len(ends) or ends[-1] != size[0] * size[1]:
        answers.fail(
            "segmentation", f"the counts are of {int(ends[-1]) if len(ends) else 0} pixels, not {size[0]} x {size[1]}"
        )
    return np.repeat(np.arange(len(counts)) % 2 == 1, counts).reshape(size[1], size[0]).T


def counts_of(runs: str, height: int, width: int) -> list[int]:
    """COCO's runs of a mask, down the columns, first of what is not painted, from ours along the rows.

    >>> counts_of("0:2 3:1", 2, 3)
    [0, 3, 3]
    """
    down = pixels_of(runs, height * width).reshape(height, width).T.ravel()
    edges = np.flatnonzero(np.diff(down, prepend=False, append=True)).tolist()
    return np.diff([0, *edges, *([] if edges[-1] == down.size else [down.size])]).tolist()


def unpacked(text: str) -> list[int]:
    """Counts that COCO's tools have packed into letters: five bits in each, and each count but the first two as what it
    differs from the last but one.

    >>> unpacked("521N1")
    [5, 2, 1, 0, 2]
    """
    counts: list[int] = []
    number, shift = 0, 0
    for letter in text:
        bits = ord(letter) - 48
        number |= (bits & 31) << shift
        shift += 5
        if bits & 32:
            continue
        number -= (1 << shift) if bits & 16 else 0
        counts.append(number + (counts[-2] if len(counts) > 2 else 0))
        number, shift = 0, 0
    return counts


def polygons(shapes: Iterable[Array], size: tuple[int, int]) -> Array:
    """The pixels whose middle lies within an odd number of polygons' edges, (height, width).

    >>> polygons([np.array([[0, 0], [2, 0], [2, 2], [0, 2]])], (3, 3)).astype(int).tolist()
    [[1, 1, 0], [1, 1, 0], [0, 0, 0]]
    """
    inside = np.zeros(size, bool)
    y, x = np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5
    for points in shapes:
        for (ax, ay), (bx, by) in zip(points, np.roll(points, -1, axis=0), strict=True):
            crossed = (y >= min(ay, by)) & (y < max(ay, by))
            if crossed.any():
                at = ax + (y[crossed] - ay) * (bx - ax) / (by - ay)
                inside[crossed] ^= x[None, :] < at[:, None]
    return inside


COCO = Format("folder", looks=lambda endings: endings == {".json"}, read=read, endings=(".json",))
