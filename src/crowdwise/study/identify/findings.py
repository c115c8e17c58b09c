"""What the numbers of an identification mean, in plain sentences."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...votes.codes import shown
from ...votes.table import Table

PURE = 0.9  # share of one class among what a label is given for: a class expert, nearly
SCATTERED = 1.05  # how far beyond the simplex the dual cone may reach
MISTAKEN = 0.2  # chance that an item of one class is taken for another
BEYOND_CHANCE = 4.0  # standard errors; pairs of votes on an item are not independent, so more than the usual two
NAMED = 0.05  # by how much more often, than by each other's, two classes must be called by their own name


def judge(
    numbers: dict[str, Any], annotators: Table, classes: Table, confusable: Table, enough: int
) -> tuple[str, tuple[str, ...]]:
    """The verdict, and why: what is missing, the gravest first, then what is there."""
    grave, lesser, good = [], [], []
    n, n_classes, able = numbers["annotators"], numbers["classes"], numbers["full_rank"]
    apart = int((annotators["component"] > 0).sum())
    if n_classes < 2:
        grave.append("only one class was ever named: there is nothing to tell apart")
    if not numbers["pairs_that_share"]:
        grave.append("no two annotators share an item: nobody can be checked against anybody")
    elif n - apart < 3:
        grave.append("no three annotators are connected by shared items: with two, who is right stays open")
    elif n_classes > 1 and abs(numbers["agreement_z"]) < BEYOND_CHANCE:
        grave.append(
            f"two votes on an item agree {numbers['agreement']:.1%} of the time and would by chance "
            f"{numbers['by_chance']:.1%} of the time: the annotators seem to guess"
        )
    elif n_classes > 1 and able < 3:
        grave.append(
            f"{able} annotators tell all {n_classes} classes apart as far as their votes show, and three are needed: "
            "classes, or annotators, can be exchanged without the votes noticing"
        )
    if apart and numbers["pairs_that_share"]:
        lesser.append(
            f"the crowd falls into {numbers['components']} parts that share no item: {apart} of {n} annotators are "
            "outside the largest, and what their labels mean there cannot be compared"
        )
    lesser += _about_classes(confusable)
    few = int((annotators["crossed"] < enough).sum())
    if few:
        lesser.append(f"{few} of {n} annotators have less than {enough} votes on items that two others voted on")
    if numbers["bridges"]:
        bridges = numbers["bridges"]
        pairs = "a pair of annotators is a bridge" if bridges == 1 else f"{bridges} pairs of annotators are bridges"
        lesser.append(f"{pairs}: without the items they share the crowd falls apart")
    if not grave:
        good.append(_about_experts(classes, numbers["scatter"]))
        strong, pairs = numbers["pairs_with_enough"], numbers["pairs_that_share"]
        dense = 2 * strong >= pairs or strong >= 3 * n
        then = "moment methods have what they need" if dense else "too few for moment methods, prefer EM"
        good.append(f"{strong:,} of {pairs:,} pairs that share items share at least {enough}: {then}")
    if grave:
        return "no", (*grave, *lesser)
    return ("partly" if lesser else "yes"), (*lesser, *good)


def _about_classes(confusable: Table) -> list[str]:
    said = []
    for first, second, mistaken, needed, named in confusable.rows():
        if named < NAMED:
            said.append(
                f"{shown(first)} and {shown(second)} are called by each other's name about as often as by their own: "
                "they may have been swapped; a few gold items would settle it"
            )
        elif mistaken > MISTAKEN:
            said.append(
                f"{shown(first)} and {shown(second)} can hardly be told apart ({mistaken:.0%} would be mistaken): it "
                f"takes about {needed:,.0f} votes an item, or annotators who know the difference"
            )
    if len(said) > 3:
        said = [*said[:3], f"and {len(said) - 3} more pairs of classes"]
    return said


def _about_experts(classes: Table, scattered: float) -> str:
    pure = classes["purity"]
    if np.isnan(pure).any():
        return "no annotator gave a label often enough to be looked at as an expert"
    if (pure >= PURE).all():
        return "every class has an annotator who hardly ever names it wrongly (nearly separable: pairs suffice)"
    without = ", ".join(shown(name) for name in classes["class"][pure < PURE][:5])
    holds = scattered <= SCATTERED
    rest = "labels are scattered well enough for pairs to do" if holds else "pairs alone may not do: triples are needed"
    return f"no expert for {without}; {rest}"
