"""The units that people contest most: their answers side by side, marks in the text, regions in the image."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...study.structured import likeness
from ...votes.boxes import Boxes
from ...votes.codes import Array
from ...votes.label_sets import LabelSets
from ...votes.sequences import Sequences
from ...votes.table import Table
from ...votes.written import Texts
from ..plain_report import AboutNumbers

MOST = 8  # units
FOUND = "found"


def section(about: AboutNumbers) -> dict[str, Any] | None:
    """Answers to the units on which they are least alike."""
    found = likeness(about.votes)
    n = len(found.units)
    count = np.bincount(found.unit, minlength=n)
    mean = np.divide(np.bincount(found.unit, found.alike, n), count, out=np.full(n, np.inf), where=count > 0)
    units = np.argsort(mean, kind="stable")[:MOST]
    units = units[np.isfinite(mean[units]) & (mean[units] < 1.0)]
    if not units.size:
        return {"text": ["Nobody contradicts anybody."]}
    told: dict[str, Any] = {"text": ["Units on which two answers are least alike, worst first."]}
    names = [f"{found.units[unit]} ({mean[unit]:.2f} alike)" for unit in units.tolist()]
    for kind, look in _LOOKS:
        if isinstance(about.votes, kind):
            return told | look(about, units, found.units[units], names)
    return None


def _texts(about: AboutNumbers, units: Array, items: Array, names: list[str]) -> dict[str, Any]:
    votes, table = about.votes, dict(zip(about.result.items.tolist(), about.result.estimate.text.tolist(), strict=True))  # type: ignore[attr-defined]
    tables = {}
    for unit, item, name in zip(units.tolist(), items.tolist(), names, strict=True):
        own = votes.item == unit
        who, said = votes.annotators[votes.annotator[own]].tolist(), votes.texts[votes.text[own]].tolist()
        tables[name] = Table(
            {"who": np.array([FOUND, *map(str, who)], object), "text": np.array([table[item], *said], object)}
        )
    return {"tables": tables}


def _label_sets(about: AboutNumbers, units: Array, items: Array, names: list[str]) -> dict[str, Any]:
    votes = about.votes
    found = dict(zip(*(about.result.to_table()[name].tolist() for name in ("item", "labels")), strict=True))
    tables = {}
    for unit, item, name in zip(units.tolist(), items.tolist(), names, strict=True):
        own = votes.owner[votes.item] == unit
        who = np.unique(votes.annotator[own])
        rows = []
        for one in who.tolist():
            ticked = own & (votes.annotator == one) & (votes.label == 1)
            rows.append("|".join(votes.options[np.sort(votes.option[votes.item[ticked]])].tolist()))
        people = [str(name) for name in votes.annotators[who].tolist()]
        tables[name] = Table(
            {"who": np.array([FOUND, *people], object), "labels": np.array([found[item], *rows], object)}
        )
    return {"tables": tables}


def _spans(about: AboutNumbers, units: Array, documents: Array, names: list[str]) -> dict[str, Any]:
    """The words of a document, and the marks of each reader in it."""
    votes, (order, begin) = about.votes, about.votes.order
    words = votes.item_extra.get("token", votes.item_extra["position"])
    tags = votes.tags
    marked = {}
    for unit, name in zip(units.tolist(), names, strict=True):
        tokens = order[begin[unit] : begin[unit + 1]]
        rank = {token: place for place, token in enumerate(tokens.tolist())}
        chosen = about.result.estimate.chosen[tokens]  # type: ignore[attr-defined]
        rows = [(FOUND, chosen)]
        own = np.flatnonzero(np.isin(votes.item, tokens))
        for one in np.unique(votes.annotator[own]).tolist():
            said = np.full(len(tokens), np.flatnonzero(tags.type < 0)[0] if (tags.type < 0).any() else 0)
            of = own[votes.annotator[own] == one]
            said[[rank[token] for token in votes.item[of].tolist()]] = votes.label[of]
            rows.append((str(votes.annotators[one]), said))
        marked[name] = [
            {"who": who, "pieces": [
                [str(word), "" if kind < 0 else str(tags.types[kind])]
                for word, kind in zip(words[tokens].tolist(), tags.type[said].tolist(), strict=True)
            ]}
            for who, said in rows
        ]  # fmt: skip
    return {"marked": marked}


def _boxes(about: AboutNumbers, units: Array, items: Array, names: list[str]) -> dict[str, Any]:
    votes, table = about.votes, about.result.to_table()
    regions = {}
    for unit, item, name in zip(units.tolist(), items.tolist(), names, strict=True):
        own = np.flatnonzero((votes.item == unit) & votes.drawn)
        drawn = [
            {"who": str(votes.annotators[votes.annotator[vote]]), "box": votes.sides[vote].tolist(),
             "label": str(votes.classes[votes.label[vote]])} for vote in own.tolist()
        ]  # fmt: skip
        kept = table.take(table["item"] == item)
        drawn += [{"who": FOUND, "box": list(box), "label": str(label)} for *box, label in zip(
            *(kept[side].tolist() for side in ("left", "top", "right", "bottom", "label")), strict=True)]  # fmt: skip
        regions[name] = drawn
    return {"regions": regions}


_LOOKS: tuple[tuple[type[Any], Any], ...] = (
    (Texts, _texts), (LabelSets, _label_sets), (Sequences, _spans), (Boxes, _boxes),
)  # fmt: skip
