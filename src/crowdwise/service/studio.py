"""Label Studio's words for each kind of answer: what its annotations say, and how predictions are told to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..io.formats.label_studio_regions import SPANS, result_of
from .asked.answer import Row

TAGS = {  # of its labelling interface, for each kind
    "classes": "Choices", "label-sets": "Choices|Taxonomy", "ratings": "Rating|Number|Slider",
    "comparisons": "Pairwise", "spans": "Labels|HyperTextLabels|ParagraphLabels",
}  # fmt: skip
NAMED = {"from_name": re.compile(r"\bname=[\"']([^\"']+)"), "to_name": re.compile(r"\btoName=[\"']([^\"']+)")}
USUAL = {"from_name": "label", "to_name": "text"}


def names_in(config: Any, kind: str) -> dict[str, str]:
    """What a project calls its answers and what they are of, by its labelling interface; and the tag."""
    tag = re.search(rf"<({TAGS[kind]})\b[^>]*>", config) if isinstance(config, str) else None
    found = {name: pattern.search(tag[0]) for name, pattern in NAMED.items()} if tag else {}
    type_ = tag[1].lower() if tag else TAGS[kind].partition("|")[0].lower()
    return {**USUAL, **{name: one[1] for name, one in found.items() if one is not None}, "type": type_}


def told(kind: str, rows: Iterable[Row], named: Mapping[str, str], text: str = "") -> list[dict[str, Any]]:
    """An answer as the results of a prediction; of comparisons there is none, since what is found is of their sides.

    text: that of the item, in whose letters places are counted; browsers count some letters twice.
    """
    if kind == "spans":
        rows = [{**row, **{end: _units(text[: row[end]]) for end in ("begin", "end")}} for row in rows]
    if kind in ("label-sets", "spans"):
        return [result_of(kind, row, named["from_name"], named["to_name"], named["type"]) for row in rows]
    if kind == "ratings":
        name = "number" if named["type"] == "slider" else named["type"]
        return [{**named, "type": name, "value": {name: row["value"]}} for row in rows]
    return [{**named, "value": {"choices": [row["label"]]}} for row in rows]


def _units(text: str) -> int:
    """The length of a text as browsers count it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _letters(text: str, units: Any) -> Any:
    """A place as browsers count it, in letters."""
    if type(units) is not int or not 0 <= units <= _units(text):
        return units
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "replace"))


def heard(kind: str, annotation: Mapping[str, Any], text: str = "") -> Any:
    """What an annotation says; None where it says nothing of this kind."""
    results = annotation.get("result")
    listed = [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []
    values = [(one.get("type"), one["value"]) for one in listed if isinstance(one.get("value"), dict)]
    if kind == "spans":
        return [_span(type_, value, text) for type_, value in values if type_ in SPANS]
    ticked = [value["choices"] for _, value in values if isinstance(value.get("choices"), list)]
    if kind == "label-sets":
        paths = [path for _, value in values if isinstance(value.get("taxonomy"), list) for path in value["taxonomy"]]
        named = [label for own in ticked for label in own]
        return [*named, *("/".join(map(str, path)) for path in paths if isinstance(path, list))]
    if kind == "classes":
        return next((own[0] for own in ticked if len(own) == 1), None)
    names = ("selected",) if kind == "comparisons" else ("rating", "number")
    return next((value[name] for _, value in values for name in names if name in value), None)


def _span(type_: str, value: Mapping[str, Any], text: str) -> dict[str, Any]:
    labels = value.get(type_, value.get("labels"))
    label = labels[0] if isinstance(labels, list) and labels else None
    begin, end = (_letters(text, value.get(name)) for name in ("start", "end"))
    return {"begin": begin, "end": end, "label": label}
