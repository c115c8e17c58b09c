"""Spans of text as votes: an item is a place that somebody marked, and who read the document and did not votes O."""

from __future__ import annotations

from typing import Any

from ..answers import Answers

OUTSIDE = "O"


class Spans:
    """Marks by document and annotator, which become votes when all are known."""

    def __init__(self, question: str, answers: Answers):
        self.question, self.answers = question, answers
        self.marks: dict[Any, dict[str, dict[tuple[int, int], str]]] = {}

    def mark(self, document: Any, annotator: str, marked: list[tuple[Any, Any, Any]]) -> None:
        """What an annotator marked in a document that they have read: start, end and label each."""
        own = self.marks.setdefault(document, {}).setdefault(annotator, {})
        for start, end, label in marked:
            if not isinstance(start, int) or not isinstance(end, int) or not isinstance(label, str):
                self.answers.fail("spans", f"a span has a start, an end and a label, not {start!r}, {end!r}, {label!r}")
            if (start, end) in own and own[start, end] != label:
                self.answers.refuse(f"{self.question} with several labels", "several labels at once")
                continue
            own[start, end] = label

    def tell(self) -> None:
        """A vote of each reader of a document on each place that anybody marked in it."""
        for document, readers in self.marks.items():
            for annotator, own in readers.items():
                for mark_at, mark in own.items():
                    self.answers.beside(self.question, "spans", document, annotator, *mark_at, mark)
                if not own:
                    self.answers.beside(self.question, "spans", document, annotator, None, None, None)
            places = sorted({place for own in readers.values() for place in own})
            for annotator, own in readers.items():
                for start, end in places:
                    label = own.get((start, end), OUTSIDE)
                    name, place = f"{document}:{start}-{end}", (str(document), start, end)
                    self.answers.vote(self.question, name, annotator, label, place=place)
