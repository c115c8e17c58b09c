"""Votes drawn from a known truth: the annotators, the assignment graphs and the attacks of the papers.

A population is an `Annotators`; populations are joined with `+` and drawn with `crowd`:

>>> made = crowd(one_coin(8, 3, accuracy=0.8) + spammers(2, 3) + adversaries(1, 3), n_items=100, per_item=5, seed=0)
>>> made.crowd
Crowd(500 votes, 100 items, 11 annotators, 3 classes)
"""

from .draw import Simulation, crowd, with_attack, with_copies
from .drawn_regions import DrawnBoxes, PaintedMasks, boxes, masks
from .marked_spans import MarkedSpans, spans
from .opinions import Opinions, hidden_opinions
from .populations import (
    Annotators,
    adversaries,
    beta,
    class_biased,
    class_experts,
    colluders,
    copying_juniors,
    correlated_group,
    dirichlet,
    hammer_spammer,
    one_class,
    one_coin,
    ordinal,
    pairwise_flippers,
    parse,
    spammers,
    specialists,
    two_coin,
)
from .rated_and_compared import ComparedItems, RatedItems, comparisons, ratings
from .ticked_sets import PairedItems, TickedSets, label_sets, similarities
from .written_texts import WrittenTexts, texts

__all__ = [
    "Annotators", "ComparedItems", "DrawnBoxes", "MarkedSpans", "Opinions", "PaintedMasks", "PairedItems",
    "RatedItems", "Simulation", "TickedSets", "WrittenTexts", "adversaries", "beta", "boxes", "class_biased",
    "class_experts", "colluders", "comparisons", "copying_juniors", "correlated_group", "crowd", "dirichlet",
    "hammer_spammer", "hidden_opinions", "label_sets", "masks", "one_class", "one_coin", "ordinal",
    "pairwise_flippers", "parse", "ratings", "similarities", "spammers", "spans", "specialists", "texts",
    "two_coin", "with_attack", "with_copies",
]  # fmt: skip
