"""Structured answers to what annotation tools import, with how sure each is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from xml.sax.saxutils import quoteattr

from ..votes.boxes import SIDES
from ..votes.table import Table
from .export import check_target, write_content
from .file_content import Content, as_lines, as_list, as_object, as_text, as_zip
from .formats import number_formats
from .formats.coco import counts_of
from .formats.label_studio_regions import result_of, tags_of
from .recognise import format_of
from .source import open_source
from .table_rows import records_of

Rows = list[dict[str, Any]]
UNIT = {"spans": "document"}


@dataclass(frozen=True)
class Outgoing:
    """What was found, by what it was found of; the records that it came from, if it did; and what it is called.

    tokens: of spans, the words of all documents and their tags: document, token, label. shown, tag: what a project of
    Label Studio shows there, and the type of its results. sizes: of images whose boxes are percent of them.
    """

    kind: str
    found: dict[str, Rows]
    records: Iterable[tuple[str, dict[str, Any]]] | None
    question: str
    model: str
    tokens: Table | None
    shown: str = ""
    tag: str = ""
    sizes: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def write_answers(
    kind: str, table: Table, target: str | Path, to: str, *, source: str | Path | None = None, question: str = "answer",
    units: Iterable[Any] = (), model: str = "crowdwise", tokens: Table | None = None,
    sizes: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> None:  # fmt: skip
    """Write what was found, a table as `Result.to_table` gives it, as a tool imports it.

    units: everything that was looked at; where nothing was found, that is written too. source: the export of the same
    tool that the answers came from: its texts and other data come along. tokens, sizes: see `Outgoing`.
    """
    check_target(target, to, ["table", *number_formats(kind)])
    opened = open_source(source) if source is not None and format_of(to).shape == "records" else None
    records = None if opened is None else records_of(opened)
    found = _by_unit(table, UNIT.get(kind, "item"), units)
    tagged = opened is not None and to == "label-studio"
    shown, tag = tags_of(records_of(opened), question) if tagged and opened is not None else ("", "")
    write_content(TARGETS[to](Outgoing(kind, found, records, question, model, tokens, shown, tag, sizes)), target)


def _by_unit(table: Table, unit: str, units: Iterable[Any]) -> dict[str, Rows]:
    found: dict[str, Rows] = {str(name): [] for name in units}
    for row in table.records():
        if unit in row:
            found.setdefault(str(row[unit]), []).append(row)
    return found


def _label_studio(out: Outgoing) -> Content:
    shown = out.shown or ("text" if out.kind in ("spans", "texts") else "image")

    def tasks() -> Iterator[dict[str, Any]]:
        plain = ((name, {"id": name, "data": {"item": name}}) for name in out.found)
        for where, task in plain if out.records is None else out.records:
            rows = out.found.get(str(task.get("id", where)))
            if rows is None:
                continue
            result = [result_of(out.kind, row, out.question, shown, out.tag) for row in rows]
            kept = {name: task[name] for name in ("id", "data") if name in task}
            yield kept | {"predictions": [{"model_version": out.model, "score": _surest(rows), "result": result}]}

    return as_list(tasks())


def _prodigy(out: Outgoing) -> Content:
    def tasks() -> Iterator[dict[str, Any]]:
        plain = ((name, {"_input_hash": name, "text": name}) for name in out.found)
        seen = set()
        for _, task in plain if out.records is None else out.records:
            name = str(task.get("_input_hash"))
            if name in seen or (out.records is None and name not in out.found):
                continue
            seen.add(name)
            own = {
                key: value for key, value in task.items() if key not in ("_annotator_id", "_session_id", "_timestamp")
            }
            yield own | _answer(out.kind, out.found.get(name, [])) | {"answer": "accept"}

    return as_lines(tasks())


def _answer(kind: str, rows: Rows) -> dict[str, Any]:
    if kind == "spans":
        return {"spans": [{"start": row["begin"], "end": row["end"], "label": row["label"], "score": row["confidence"]}
                          for row in rows]}  # fmt: skip
    return {"accept": _ticked(rows), "score": rows[0]["confidence"] if rows else None}


def _doccano(out: Outgoing) -> Content:
    def marks(rows: Rows) -> list[Any]:
        return [[row["begin"], row["end"], row["label"]] for row in rows] if out.kind == "spans" else _ticked(rows)

    return as_lines({"id": name, "label": marks(rows), "score": _surest(rows)} for name, rows in out.found.items())


def _brat(out: Outgoing) -> Content:
    def lines(rows: Rows) -> Iterator[str]:
        for number, row in enumerate(rows, start=1):
            yield f"T{number}\t{row['label']} {row['begin']} {row['end']}\n"
            yield f"#{number}\tAnnotatorNotes T{number}\t{row['confidence']:.4f}\n"

    return as_zip((f"crowdwise/{name}.ann", "".join(lines(rows))) for name, rows in out.found.items())


def _conll(out: Outgoing) -> Content:
    assert out.tokens is not None

    def lines() -> Iterator[str]:
        last = None
        for row in out.tokens.records() if out.tokens is not None else ():
            if last not in (None, row["document"]):
                yield "\n"
            last = row["document"]
            yield f"{row['token']} {row['label']}\n"

    return as_text(lines())


def _coco(out: Outgoing) -> Content:
    """Masks as runs down the columns, boxes as left, top, width and height; how sure is the score."""
    image = {name: place for place, name in enumerate(out.found, start=1)}
    labels = list(dict.fromkeys(row.get("label", "object") for rows in out.found.values() for row in rows))
    sizes = {name: {end: rows[0][end] for end in ("height", "width") if rows and end in rows[0]}
             for name, rows in out.found.items()}  # fmt: skip
    sizes |= {name: {"width": wide, "height": high} for name, (wide, high) in out.sizes.items()}

    def annotations() -> Iterator[dict[str, Any]]:
        for name, rows in out.found.items():
            for row in rows:
                told: dict[str, Any] = {
                    "image_id": image[name],
                    "category_id": 1 + labels.index(row.get("label", "object")),
                }
                told |= {"score": row["confidence"], "annotator": out.model}
                if out.kind == "boxes":
                    left, top, right, bottom = _pixels(out, name, row)
                    yield told | {"bbox": [left, top, right - left, bottom - top]}
                else:
                    size = [row["height"], row["width"]]
                    counts = counts_of(row["runs"], *size)
                    yield told | {"segmentation": {"size": size, "counts": counts}, "iscrowd": 1}

    return as_object(
        [
            ("images", [{"id": place, "file_name": name, **sizes[name]} for name, place in image.items()]),
            ("categories", [{"id": place, "name": label} for place, label in enumerate(labels, start=1)]),
            ("annotations", [{"id": place, **told} for place, told in enumerate(annotations(), start=1)]),
        ]
    )


def _cvat(out: Outgoing) -> Content:
    """Boxes and tags of images, as CVAT for images has them."""

    def shape(name: str, row: dict[str, Any]) -> Iterator[str]:
        sure = f'<attribute name="confidence">{row["confidence"]:.4f}</attribute>'
        if out.kind == "boxes":
            ends = zip(("xtl", "ytl", "xbr", "ybr"), _pixels(out, name, row), strict=True)
            sides = " ".join(f'{side}="{at:.2f}"' for side, at in ends)
            yield f'    <box label={quoteattr(row["label"])} source="auto" occluded="0" {sides}>{sure}</box>\n'
        else:
            for label in _ticked([row]):
                yield f'    <tag label={quoteattr(label)} source="auto">{sure}</tag>\n'

    def lines() -> Iterator[str]:
        yield '<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n  <version>1.1</version>\n'
        for place, (name, rows) in enumerate(out.found.items()):
            wide, high = out.sizes.get(name, (0.0, 0.0))
            size = f' width="{wide:.0f}" height="{high:.0f}"' if wide else ""
            yield f'  <image id="{place}" name={quoteattr(name)}{size}>\n'
            for row in rows:
                yield from shape(name, row)
            yield "  </image>\n"
        yield "</annotations>\n"

    return as_text(lines())


def _pixels(out: Outgoing, image: str, row: dict[str, Any]) -> tuple[float, ...]:
    """The sides of a box, left, top, right and bottom, in pixels where the size of its image is known."""
    sides = tuple(row[side] for side in SIDES)
    if image not in out.sizes:
        return sides
    return tuple(side * end / 100.0 for side, end in zip(sides, out.sizes[image] * 2, strict=True))


def _ticked(rows: Rows) -> list[str]:
    return [label for label in rows[0]["labels"].split("|") if label] if rows else []


def _surest(rows: Rows) -> float | None:
    return min((row["confidence"] for row in rows), default=None)


TARGETS: dict[str, Callable[[Outgoing], Content]] = {
    "label-studio": _label_studio, "prodigy": _prodigy, "doccano": _doccano, "brat": _brat, "conll": _conll,
    "coco": _coco, "cvat": _cvat,
}  # fmt: skip
