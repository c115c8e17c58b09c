"""Exports of several files: doccano's (a file per person), brat's (a folder per person), CVAT's (a file per job)."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ...errors import InputError
from ...votes.masks import runs_of
from ..answers import Answers
from ..archive import Files
from ..file_content import as_zip
from ..outgoing import Said, items_of
from ..records import records
from .coco import polygons
from .format import Format
from .spans import Spans

SPAN = re.compile(r"^(T\S*)\t(\S+) (\d+) (\d+)(?:;(\d+) (\d+))*(?:\t|$)")


def read_doccano(files: Files, answers: Answers) -> None:
    """One .jsonl a person, named after them: `label` is a list of classes, or of spans."""
    spans = Spans("spans", answers)
    empty = []
    for path, read in files:
        if path.suffix != ".jsonl":
            continue
        for where, record in answers.walk(records(io.BytesIO(read()), f"{answers.name}, {path}")):
            if "label" not in record and "labels" not in record:
                answers.fail(f"label of {path}", "it is missing: is this a file of doccano?")
            item, given = record.get("id", where), record.get("label", record.get("labels"))
            given = answers.listed(given, f"label of {path}")
            answers.show(item, record.get("text", record.get("data")))
            if given and isinstance(given[0], list):
                if not all(isinstance(span, list) and len(span) == 3 for span in given):
                    answers.fail(f"label of {path}", "spans are [start, end, label]")
                spans.mark(answers.named(item, "id"), path.stem, [(span[0], span[1], span[2]) for span in given])
            elif not given:
                empty.append((answers.named(item, "id"), path.stem))
            elif len(given) > 1:
                answers.other("label", "label-sets", item, path.stem, given)
            else:
                answers.vote("label", item, path.stem, given[0])
    for item, who in empty:  # of spans, who read a document and marked nothing has said so
        spans.mark(item, who, []) if spans.marks else answers.skip("empty")
    spans.tell()


def write_doccano(found: Iterable[tuple[Any, list[Said]]]) -> Iterator[tuple[str, str]]:
    """Names of files, a person each, and what is in them."""
    files: dict[str, list[str]] = {}
    for item, said in found:
        for vote in said:
            line = {"id": item, "text": str(item), "label": [vote.label]}
            files.setdefault(str(vote.annotator), []).append(json.dumps(line, ensure_ascii=False, default=str))
    for name, lines in files.items():
        if name.startswith(".") or set(name) & set("/\\\0:"):
            raise InputError(f"annotator {name!r}: doccano names files after annotators, and this is no name of a file")
        yield f"{name}.jsonl", "".join(line + "\n" for line in lines)


def read_brat(files: Files, answers: Answers) -> None:
    """A folder an annotator, a .ann file a document; only text-bound annotations (T) are votes."""
    spans = Spans("spans", answers)
    for path, read in files:
        if path.suffix != ".ann":
            continue
        if len(path.parts) < 2:
            raise InputError(f"{answers.name}, {path}: brat's documents lie in one folder for each annotator")
        marked = []
        for number, line in enumerate(_text(read(), f"{answers.name}, {path}").splitlines(), start=1):
            if not line.startswith("T"):
                continue
            found = SPAN.match(line)
            if not found:
                raise InputError(f"{answers.name}, {path}, row {number}: {line[:60]!r} is no text-bound annotation")
            ends = [int(end) for end in re.findall(r"\d+", line.split("\t")[1].partition(" ")[2])]
            marked.append((min(ends), max(ends), found[2]))
        spans.mark("/".join((*path.parts[1:-1], path.stem)), path.parts[0], marked)
    spans.tell()


def read_cvat(files: Files, answers: Answers) -> None:
    """Tags of images; CVAT does not tell who gave them: an annotator is a file, by its name."""
    for path, read in files:
        if path.suffix != ".xml":
            continue
        where = f"{answers.name}, {path}" if str(path) != answers.name else answers.name
        tree = _xml(read(), where)
        for _ in tree.iter("track"):
            answers.refuse("track", "tracks")
        for image in tree.iter("image"):
            tags = {str(tag.get("label")) for tag in image.iter("tag")}
            shapes = [shape.tag for shape in image if shape.tag not in ("tag",)]
            for shape in image:
                _shape(shape, image, path.stem, answers)
            answers.saw(image.get("name"), path.stem)
            if len(tags) > 1:
                answers.other("tag", "label-sets", image.get("name"), path.stem, sorted(tags))
            elif tags:
                if image.get("name") is None:
                    raise InputError(f"{where}: an image has no name")
                answers.vote("tag", image.get("name"), path.stem, tags.pop())
            elif not shapes:
                answers.skip("empty")


def _shape(shape: ElementTree.Element, image: ElementTree.Element, who: str, answers: Answers) -> None:
    """A box, a polygon or a mask of an image."""
    name, label = image.get("name"), str(shape.get("label") or "object")
    if shape.tag == "box":
        sides = [float(shape.get(side) or "nan") for side in ("xtl", "ytl", "xbr", "ybr")]
        answers.other("box", "boxes", name, who, *(answers.amount(side, "box") for side in sides), label)
    elif shape.tag == "polygon":
        size = (int(image.get("height") or 0), int(image.get("width") or 0))
        points = [tuple(map(float, point.split(","))) for point in (shape.get("points") or "").split(";") if point]
        answers.other("polygon", "masks", name, who, *size, runs_of(polygons([np.array(points)], size)), label)
    elif shape.tag != "tag":
        answers.refuse(shape.tag, "shapes")


def _text(raw: bytes, where: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8 text; save the file as UTF-8") from error


def _xml(raw: bytes, where: str) -> ElementTree.Element:
    """The tree of a file that declares nothing: a document type can make a small file a large one."""
    text = _text(raw, where)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError(f"{where}: the XML declares a document type, which no export of CVAT does")
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{where}: the XML is broken ({error})") from error


DOCCANO = Format(
    "folder",
    looks=lambda endings: ".jsonl" in endings,
    read=read_doccano,
    votes=lambda crowd, question: as_zip(write_doccano(items_of(crowd))),
    endings=(".zip", ".jsonl"),
)
BRAT = Format("folder", looks=lambda endings: ".ann" in endings, read=read_brat, endings=(".zip",))
CVAT = Format("folder", looks=lambda endings: ".xml" in endings, read=read_cvat, endings=(".xml",))
