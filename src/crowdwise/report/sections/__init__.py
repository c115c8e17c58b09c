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
    """Where a section's function is; what is in it, in a `line`; `title`, where the report's own words have none; and
    the kinds it is for."""

    room: ClassVar[str] = "crowdwise.report.sections"
    line: str = ""
    title: str = ""
    kinds: tuple[str, ...] = ("classes",)


STRUCTURED = ("spans", "label-sets", "similarities", "groupings", "texts", "boxes", "masks")
OWN = {
    "summary": SectionEntry(
        ".numbers:section", "items settled, items that need votes, whom to talk to and why, how far to trust the labels"
    ),
    "labels": SectionEntry(
        ".labels:section",
        "classes by items and by votes; the labels' confidences; with gold or truth, whether these are true",
    ),
    "annotators": SectionEntry(
        ".people:section",
        "a table to sort, search and page; a name opens the confusion matrix, bias, votes over time, accuracy on gold",
    ),
    "skill": SectionEntry(".people:drawn_above", "accuracy against number of votes, by verdict"),
    "flagged": SectionEntry(".people:drawn_above", "colluders, adversaries, spammers, each with the reason"),
    "agreement": SectionEntry(
        ".together:section",
        "percent, Fleiss, Gwet, Krippendorff, Cohen, with intervals; who agrees with whom, two by two",
    ),
    "groups": SectionEntry(
        ".worth:section", "who errs with whom, and how many independent annotators the crowd is worth"
    ),
    "attribute": SectionEntry(
        ".by_attribute:section",
        "with `--by`: gaps between groups of items and who is biased, or what groups of annotators say",
        "By attribute",
    ),
    "contested": SectionEntry(
        ".contested:section",
        "where one more vote would tell most: what every vote says for the label, and against the runner-up",
    ),
    "ask": SectionEntry(
        ".next_questions:of_classes",
        "whom to ask what next, and what is still needed for a promise",
        "What to ask next",
    ),
    "methods": SectionEntry(
        ".other_methods:section", "what six quick methods, or those of `--methods`, say of the same votes"
    ),
    "identifiability": SectionEntry(
        ".identifiability:section", "what `identify` finds: whether this crowd can be understood"
    ),
    "data": SectionEntry(".input_notes:section", "what was read, left out, repeated"),
    "made": SectionEntry(".how_made:section", "version, command, settings, seed"),
    "found": SectionEntry(
        ".answers_found:section",
        "what was put together of the answers, and how sure it is",
        "What was found",
        STRUCTURED,
    ),
    "writers": SectionEntry(
        ".who_answered:section",
        "who answered, how often with the others, and who should be talked to",
        "Annotators",
        STRUCTURED,
    ),
    "shared": SectionEntry(
        ".alike:section",
        "how much two answers to the same item are alike, beside answers to different ones",
        "Agreement",
        STRUCTURED,
    ),
    "beside": SectionEntry(
        ".side_by_side:section",
        "the answers to the least sure items, side by side: marked texts, regions of an image",
        "Answers side by side",
        STRUCTURED,
    ),
    "values": SectionEntry(".values:section", "the least sure values, with intervals", "Values", ("ratings",)),
    "raters": SectionEntry(
        ".who_answered:section", "bias, gain and noise of everybody who rates, and verdicts", "Annotators", ("ratings",)
    ),
    "reliability": SectionEntry(
        ".alike:section", "Krippendorff's alpha and intraclass correlations, with intervals", "Agreement", ("ratings",)
    ),
    "ranks": SectionEntry(
        ".ranks:section", "scores, ranks and their intervals; what never won or never lost", "Ranks", ("comparisons",)
    ),
    "comparers": SectionEntry(
        ".who_answered:section",
        "how often everybody is right, where they are sure, and verdicts",
        "Annotators",
        ("comparisons",),
    ),
    "alike": SectionEntry(
        ".alike:section", "how often two answers to the same pair are the same", "Agreement", ("comparisons",)
    ),
    "next": SectionEntry(
        ".next_questions:section", "the questions that would tell most", "What to ask next", ("ratings", "comparisons")
    ),
    "fit": SectionEntry(
        ".fit:section", "version, method, settings, seed", "How this was made", ("ratings", "comparisons", *STRUCTURED)
    ),
}
SECTIONS = Registry("section", OWN, group="crowdwise.sections")


def of_kind(kind: str) -> list[str]:
    """Names of the sections of reports on a kind of answers, in their order."""
    return [name for name, entry in SECTIONS.items() if kind in entry.kinds]
