"""Spans of a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError, OptionError
from ...fit.result import Result
from ...methods.spans.span_vote import spans_said
from ...methods.spans.tagging import Tagging
from ...votes.codes import Array, encode
from ...votes.sequences import Sequences, Tokens
from ...votes.tags import OUTSIDE
from ...votes.votes import Votes
from .answer import Fitted, Found, Item, Row, by_gain, by_place, require_class

WORD = re.compile(r"\w+|[^\w\s]")
PLACES = ("begin", "end")


class Marked(Fitted):
    """Which parts of a text are what: spans with a label, that do not overlap. None of them is an answer too.

    Places are between letters, as Python counts them. What is believed is told of whole words.
    """

    kind: ClassVar[str] = "spans"
    columns: ClassVar[tuple[str, ...]] = ("document", "annotator", "begin", "end", "label")

    def __init__(self, settings: Any):
        super().__init__(settings)
        if OUTSIDE in self.classes:
            raise OptionError(f"--classes: {OUTSIDE} is what stands outside of all spans: call the label otherwise")

    def kept(self, said: Any, item: Item) -> str:
        spans = sorted(self._span(one, item.content.get("text", "")) for one in self._listed(said))
        for (begin, end, _), (begins, ends, _) in pairwise(spans):
            if begins < end:
                raise InputError(f"the spans {begin} to {end} and {begins} to {ends} overlap")
        return _as_text(spans)

    def _listed(self, said: Any) -> list[Any]:
        try:
            listed = json.loads(said) if isinstance(said, str) else said
        except ValueError:
            listed = None
        if not isinstance(listed, list):
            raise InputError(f"{said!r} is no list of spans")
        return listed

    def _span(self, one: Any, text: str) -> tuple[int, int, str]:
        if isinstance(one, dict):
            one = [one.get("begin", one.get("start")), one.get("end"), one.get("label")]
        if not isinstance(one, list | tuple) or len(one) != 3 or any(type(place) is not int for place in one[:2]):
            raise InputError(f"{one!r} is no span: begin, end and label are expected")
        begin, end, label = one
        if not 0 <= begin < end <= len(text):
            raise InputError(f"the span {begin} to {end} does not lie in a text of {len(text)} letters")
        words = [word for word in WORD.finditer(text, begin, end)]
        if not words:
            raise InputError(f"the span {begin} to {end} holds no word")
        return words[0].start(), words[-1].end(), require_class(label, self.classes)

    def shown(self, kept: str) -> str:
        return "; ".join(f"{begin}–{end} {label}" for begin, end, label in json.loads(kept)) or "nothing"

    def require_item(self, item: Item) -> None:
        if not item.content.get("text", "").strip():
            raise InputError(f"item {item.name!r} has no text to mark")

    def rows(self, item: Item, who: str, kept: str) -> Iterator[tuple[Any, ...]]:
        spans = json.loads(kept)
        for begin, end, label in spans:
            yield item.name, who, begin, end, label
        if not spans:  # seen, and nothing marked
            yield item.name, who, None, None, None

    def said_in(self, votes: Votes) -> Iterator[tuple[Item, str, Any]]:
        assert isinstance(votes, Sequences)
        if not votes.has_offsets:
            raise InputError("these are tags of tokens, and a project keeps places in a text: spans are needed")
        keys, order, said = votes.item_extra, votes.order.order, spans_said(votes)
        first, last = order[said.spans.first], order[said.spans.last]
        label = np.array(votes.tags.types, object)[said.spans.type]
        seen = zip(keys["document"][votes.item].tolist(), votes.annotator.tolist(), strict=True)
        told: dict[tuple[Any, int], list[Any]] = {pair: [] for pair in seen}
        marks = (keys["document"][first], said.annotator, keys["begin"][first], keys["end"][last], label)
        for document, who, begin, end, name in zip(*(own.tolist() for own in marks), strict=True):
            told[document, who].append([int(begin), int(end), str(name)])
        for (document, who), own in told.items():
            yield Item(str(document)), str(votes.annotators[who]), own

    def votes(self, rows: Sequence[tuple[Any, ...]], items: Sequence[Item]) -> Votes:
        document, annotator, begin, end, label = map(list, zip(*rows, strict=True))
        there = set(document)
        words = [
            (item.name, word.start(), word.end(), word[0])
            for item in items if item.name in there
            for word in WORD.finditer(item.content.get("text", ""))
        ]  # fmt: skip
        tokens = Tokens(*map(list, zip(*words, strict=True)))
        return Sequences.from_spans(document, annotator, begin, end, label, tokens=tokens)

    def found(self, result: Result, items: Sequence[Item], counts: Array) -> Found:
        estimate = result.estimate
        assert isinstance(estimate, Tagging) and isinstance(result.votes, Sequences)
        names, of = encode(result.votes.item_extra["document"])
        least = np.ones(len(names))
        np.minimum.at(least, of, estimate.posterior[np.arange(len(of)), estimate.chosen])
        place = by_place(items, names)
        sure = np.where(place >= 0, least[place], np.nan)
        told: dict[str, list[tuple[int, int, str]]] = {}
        for row in self.answers(result):
            told.setdefault(row["document"], []).append((row["begin"], row["end"], row["label"]))
        labels = np.array([_as_text(told.get(item.name, [])) for item in items], object)
        gain = (1.0 - np.nan_to_num(sure)) / (1.0 + counts)
        labels[place < 0] = None
        return Found(result, labels, sure, by_gain(gain))

    def answers(self, result: Result) -> Iterable[Row]:
        for row in result.to_table().records():
            places = {name: int(row[name]) for name in PLACES}
            sure = round(float(row["confidence"]), 6)
            yield {"document": str(row["document"]), **places, "label": str(row["label"]), "confidence": sure}

    def decided(self, item: Item, kept: str) -> Iterable[Row]:
        for begin, end, label in json.loads(kept):
            yield {"document": item.name, "begin": begin, "end": end, "label": label, "confidence": 1.0}

    def of_item(self, row: Row) -> str | None:
        return str(row["document"])


def _as_text(spans: list[tuple[int, int, str]]) -> str:
    return json.dumps(sorted(spans), ensure_ascii=False)
