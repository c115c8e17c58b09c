"""What Label Studio keeps of spans, boxes, masks, texts and paths in a taxonomy; and back again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...votes.codes import Array
from ...votes.masks import pixels_of, runs_of
from ..answers import Answers
from .coco import polygons

SPANS = ("labels", "hypertextlabels", "paragraphlabels")
TEXTS, PATHS, BOXES, MASKS, POLYGONS = "textarea", "taxonomy", "rectanglelabels", "brushlabels", "polygonlabels"
READ = {*SPANS, TEXTS, PATHS, BOXES, MASKS, POLYGONS}
OPAQUE = 128  # of the fourth number of a pixel: painted
COUNTS = (3, 4, 8, 16)  # bits that tell how long a run is


def read_region(result: dict[str, Any], item: Any, who: str, answers: Answers) -> None:
    """One result of an annotation, as an answer of its kind."""
    question, kind, value = str(result.get("from_name")), str(result.get("type")), result.get("value")
    if not isinstance(value, dict):
        answers.fail("value", "an object is expected")
    if kind in SPANS:
        begin, end = value.get("start"), value.get("end")
        if not isinstance(begin, int) or not isinstance(end, int):
            answers.refuse(question, "spans between elements of a page")
            return
        for label in answers.listed(value.get(kind, value.get("labels")), kind):
            answers.other(question, "spans", item, who, begin, end, str(label))
    elif kind == TEXTS:
        text = value.get("text")
        answers.other(
            question, "texts", item, who, " ".join(map(str, text)) if isinstance(text, list) else str(text or "")
        )
    elif kind == PATHS:
        paths = answers.listed(value.get("taxonomy"), "taxonomy")
        answers.other(question, "label-sets", item, who, ["/".join(map(str, path)) for path in paths if path])
    elif kind == BOXES:
        left, top, width, height = (answers.amount(value.get(name), name) for name in ("x", "y", "width", "height"))
        labels = answers.listed(value.get(kind), kind)
        label = str(labels[0]) if labels else "object"
        answers.other(question, "boxes", item, who, left, top, left + width, top + height, label)
    else:
        high, wide = (
            answers.amount(result.get(f"original_{name}"), f"original_{name}") for name in ("height", "width")
        )
        if kind == POLYGONS:
            corners = answers.listed(value.get("points"), "points")
            points = np.array([[answers.amount(end, "points") for end in point] for point in corners], float)
            mask = polygons([points.reshape(-1, 2) * (wide / 100.0, high / 100.0)], (int(high), int(wide)))
        elif value.get("format", "rle") != "rle" or not isinstance(value.get("rle"), list):
            answers.refuse(question, "masks that are no runs")
            return
        else:
            mask = painted(value["rle"], int(high), int(wide), answers)
        labels = answers.listed(value.get(kind), kind) if value.get(kind) is not None else []
        label = str(labels[0]) if labels else "object"
        answers.other(question, "masks", item, who, int(high), int(wide), runs_of(mask), label)


def results_in(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All results of a task's annotations."""
    for annotation in task.get("annotations") or task.get("completions") or ():
        if isinstance(annotation, dict):
            yield from (one for one in annotation.get("result") or () if isinstance(one, dict))


def tags_of(records: Iterable[tuple[str, dict[str, Any]]], question: str) -> tuple[str, str]:
    """What a question of a project shows, and the type of its results, by the first one; empty where there is none."""
    for _, task in records:
        for result in results_in(task):
            if str(result.get("from_name")) == question:
                return str(result.get("to_name") or ""), str(result.get("type") or "")
    return "", ""


def image_sizes(records: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, tuple[float, float]]:
    """Width and height of the images of tasks, as results tell them: sides of boxes are percent of these."""
    sizes = {}
    for where, task in records:
        for result in results_in(task):
            wide, high = result.get("original_width"), result.get("original_height")
            if isinstance(wide, int | float) and isinstance(high, int | float):
                sizes[str(task.get("id", where))] = (float(wide), float(high))
    return sizes


def result_of(kind: str, found: dict[str, Any], question: str, shown: str, tag: str = "") -> dict[str, Any]:
    """A row of what was found as a result of Label Studio's; tag: the type of the project's own results."""
    told = {"from_name": question, "to_name": shown, "score": found.get("confidence")}
    if kind == "spans":
        kind_of_span = tag if tag in SPANS else "labels"
        value: dict[str, Any] = {"start": found["begin"], "end": found["end"], kind_of_span: [found["label"]]}
        return told | {"type": kind_of_span, "value": value}
    if kind == "label-sets" and tag == PATHS:
        paths = [label.split("/") for label in found["labels"].split("|") if label]
        return told | {"type": PATHS, "value": {PATHS: paths}}
    if kind == "label-sets":
        return told | {"type": "choices", "value": {"choices": found["labels"].split("|") if found["labels"] else []}}
    if kind == "texts":
        return told | {"type": TEXTS, "value": {"text": [found["text"]]}}
    if kind == "masks":
        mask = pixels_of(found["runs"], found["height"] * found["width"])
        value = {"format": "rle", "rle": as_runs(mask), MASKS: ["object"]}
        size = {f"original_{name}": found[name] for name in ("height", "width")}
        return told | size | {"type": MASKS, "value": value}
    sides = {"x": found["left"], "y": found["top"]}
    sides |= {"width": found["right"] - found["left"], "height": found["bottom"] - found["top"]}
    return told | {"type": BOXES, "value": {**sides, "rotation": 0, BOXES: [found["label"]]}}


def as_runs(mask: Array) -> list[int]:
    """Pixels as `painted` reads them: four numbers each, all 0 or all 255, in runs of up to 65,536 numbers."""
    flat = np.asarray(mask, bool).ravel()
    edges = np.flatnonzero(np.diff(flat)) + 1
    bits = [f"{4 * flat.size:032b}", f"{8 - 1:05b}", *(f"{length - 1:04b}" for length in COUNTS)]
    for low, high in zip([0, *edges.tolist()], [*edges.tolist(), flat.size], strict=True):
        left = 4 * (high - low)
        while left:
            n = min(left, 1 << COUNTS[-1])
            bits.append(f"1{len(COUNTS) - 1:02b}{n - 1:0{COUNTS[-1]}b}{255 * int(flat[low]):08b}")
            left -= n
    text = "".join(bits)
    text += "0" * (-len(text) % 8)
    return [int(text[at : at + 8], 2) for at in range(0, len(text), 8)]


def painted(code: list[int], height: int, width: int, answers: Answers) -> Array:
    """The pixels behind Label Studio's runs: bits of numbers, four of which are one pixel.

    First how many numbers there are (32 bits), how long a number is (5), and four lengths of counts (4 each). Then
    runs: a bit that says whether all numbers of the run are the same, two that choose the length of its count, the
    count, and the number, or the numbers.
    """
    bits = np.unpackbits(np.array(code, np.uint8)).tolist()
    place = 0

    def take(n: int) -> int:
        nonlocal place
        number = int("".join(map(str, bits[place : place + n])) or "0", 2)
        place += n
        return number

    n = take(32)
    if n != 4 * height * width:
        answers.fail("rle", f"it holds {n} numbers, and {height} x {width} pixels have {4 * height * width}")
    length = take(5) + 1
    counts = [take(4) + 1 for _ in range(4)]
    out, at = np.zeros(n, np.uint8), 0
    while at < n and place < len(bits):
        same, choice = take(1), take(2)
        until = min(at + 1 + take(counts[choice]), n)
        if same:
            out[at:until] = take(length)
        else:
            out[at:until] = [take(length) for _ in range(until - at)]
        at = until
    return np.asarray(out[3::4].reshape(height, width) >= OPAQUE)
