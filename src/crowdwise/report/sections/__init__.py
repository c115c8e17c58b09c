"""SECTIONS: what a report says, in its order. A section is a function of `About`; page, JSON and tests follow from it.

The page has a drawing of its own for each of ours. Any other section gives {"text": [...], "tables": {caption: Table}},
and is drawn plainly, under the title of its entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...registry import Entry, Registry


@dataclass(frozen=True)
class SectionEntry(Entry):
    """Where a section's function is; `title` of those that the report's own words do not name."""

    room: ClassVar[str] = "crowdwise.report.sections"
    title: str = ""


OWN = {
    "summary": SectionEntry(".numbers:section"),
    "labels": SectionEntry(".labels:section"),
    "annotators": SectionEntry(".people:section"),
    "skill": SectionEntry(".people:drawn_above"),
    "flagged": SectionEntry(".people:drawn_above"),
    "agreement": SectionEntry(".together:section"),
    "groups": SectionEntry(".worth:section"),
    "contested": SectionEntry(".contested:section"),
    "methods": SectionEntry(".other_methods:section"),
    "identifiability": SectionEntry(".identifiability:section"),
    "data": SectionEntry(".input_notes:section"),
    "made": SectionEntry(".how_made:section"),
}
SECTIONS = Registry("section", OWN, group="crowdwise.sections")
