"""How labels and annotators treat groups of items, or what groups of annotators say: by a column that was named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...errors import InputError
from ...study.fairness import biased_annotators, gaps, groups_of_people
from ..about import About

WHOSE = "a bias that all annotators share looks like a difference between the groups: only known labels would tell."


def section(about: About) -> dict[str, Any] | None:
    """Gaps between groups of items and biased annotators; or groups of annotators beside each other."""
    by, crowd = about.by, about.crowd
    if not by:
        return None
    result = replace(about.result, votes=crowd)
    if by in crowd.item_extra:
        told = gaps(result, by, gold=about.gold, level=about.level)
        people = biased_annotators(crowd, by, engine=about.engine)
        people = people.take(people["verdict"] == "biased")
        text = [f"Items in groups by {by}: each group beside the largest one."]
        text += [] if about.gold is not None else [f"These gaps are the model's belief: {WHOSE}"]
        text += [] if len(people) else ["No annotator is seen to treat the groups otherwise than the others do."]
        tables = {f"Gaps by {by}": told} | ({"Biased annotators": people} if len(people) else {})
        return {"text": text, "tables": tables}
    if by in crowd.annotator_extra:
        text = [f"Annotators in groups by {by}; beside: what the others say on the same items."]
        return {"text": text, "tables": {f"Votes by {by}": groups_of_people(result, by, level=about.level)}}
    there = ", ".join((*crowd.item_extra, *crowd.annotator_extra)) or "none"
    raise InputError(f"by={by!r}: neither items nor annotators have such a column; there are {there}")
