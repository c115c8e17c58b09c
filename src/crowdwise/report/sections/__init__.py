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
    """Where a section's function is; `title`, where the report's own words have none; and the kinds it is for."""

    room: ClassVar[str] = "crowdwise.report.sections"
    title: str = ""
    kinds: tuple[str, ...] = ("classes",)


STRUCTURED = ("spans", "label-sets", "similarities", "groupings", "texts", "boxes", "masks")
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
    "found": SectionEntry(".answers_found:section", "What was found", STRUCTURED),
    "writers": SectionEntry(".who_answered:section", "Annotators", STRUCTURED),
    "shared": SectionEntry(".alike:section", "Agreement", STRUCTURED),
    "beside": SectionEntry(".side_by_side:section", "Answers side by side", STRUCTURED),
    "values": SectionEntry(".values:section", "Values", ("ratings",)),
    "raters": SectionEntry(".who_answered:section", "Annotators", ("ratings",)),
    "reliability": SectionEntry(".alike:section", "Agreement", ("ratings",)),
    "ranks": SectionEntry(".ranks:section", "Ranks", ("comparisons",)),
    "comparers": SectionEntry(".who_answered:section", "Annotators", ("comparisons",)),
    "alike": SectionEntry(".alike:section", "Agreement", ("comparisons",)),
    "next": SectionEntry(".next_questions:section", "What to ask next", ("ratings", "comparisons")),
    "fit": SectionEntry(".fit:section", "How this was made", ("ratings", "comparisons", *STRUCTURED)),
}
SECTIONS = Registry("section", OWN, group="crowdwise.sections")


def of_kind(kind: str) -> list[str]:
    """Names of the sections of reports on a kind of answers, in their order."""
    return [name for name, entry in SECTIONS.items() if kind in entry.kinds]
