"""About: what the sections of a report are made from. Everything that several need is found once, when one asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import InputError
from ..fit.result import Result
from ..study.annotators import effective_number, review, verdicts, with_timing
from ..study.annotators.items import SURE
from ..study.compare import truth_codes
from ..study.identify import Identification, identify
from ..study.settle import unsettled
from ..study.uncertainty import check_level
from ..votes.codes import Array, find
from ..votes.crowd import Crowd
from ..votes.frames import labels_by_item
from ..votes.gold import gold_codes
from ..votes.table import Table

QUICK = ("majority-vote", "wawa", "one-coin", "dawid-skene", "mace", "zencrowd")  # seconds for a million votes


@dataclass(frozen=True, eq=False)
class About:
    """A crowd, what a method found in it, and how a report on both was asked for; options as in `report`."""

    crowd: Crowd
    result: Result
    gold: Any = None
    blind: Result | None = None
    truth: Any = None
    trusted: Iterable[Any] = ()
    time: str = ""
    seconds: str = ""
    by: str = ""
    methods: Iterable[str] = QUICK
    level: float = 0.9
    sure: float = SURE
    items: int = 50
    texts: Mapping[Any, str] = field(default_factory=dict)
    notes: Iterable[str] = ()
    made: Mapping[str, Any] = field(default_factory=dict)
    engine: str = "auto"
    tell: Callable[[str], object] = lambda name: None

    def __post_init__(self) -> None:
        check_level(self.level)
        if self.items < 0:
            raise InputError(f"items={self.items} must be at least 0")
        crowd = Crowd.of(self.crowd).with_names(annotators=self.result.annotators).with_classes(self.result.classes)
        if crowd.n_items != len(self.result.items) or (find(crowd.items, self.result.items) < 0).any():
            raise InputError("the result is of other items: make the report of the votes that were fitted")
        same = np.array_equal(crowd.items, self.result.items)
        object.__setattr__(self, "crowd", crowd if same else crowd.with_first("item", self.result.items))
        object.__setattr__(self, "truth", _not_told(self.truth, self.gold))

    @cached_property
    def judged(self) -> Table:
        """The annotators and their verdicts, worst first."""
        self.tell("annotators")
        found = verdicts(self.crowd, self.result, level=self.level, gold=self.gold, engine=self.engine)
        return with_timing(found, self.crowd, self.result, time=self.time, seconds=self.seconds)

    @cached_property
    def together(self) -> Table:
        """What the votes of an item are worth together, of everybody and of each group."""
        group = self.judged["group"][find(self.crowd.annotators, self.judged["annotator"])]
        return effective_number(self.crowd, self.result, group=group)

    @cached_property
    def reviewed(self) -> Table:
        """The items that are not gold, those to look at first."""
        self.tell("items")
        return review(self.crowd, self.result, trusted=self.trusted, sure=self.sure, gold=self.gold)

    @cached_property
    def identified(self) -> Identification:
        """Whether the crowd can be understood."""
        self.tell("identifiability")
        return identify(self.crowd, self.result, engine=self.engine)

    @cached_property
    def measured(self) -> tuple[Array, Array, str] | None:
        """A posterior, truth that it was not told, and where that comes from; None where there is none."""
        if self.truth is not None:
            return self.result.on(self.crowd)[1], truth_codes(self.crowd, self.truth), "truth"
        if self.gold is not None:
            blind = self.blind or unsettled(self.crowd, self.result.method, engine=self.engine)
            return blind.on(self.crowd)[1], gold_codes(self.crowd, self.gold), "gold"
        return None


def _not_told(truth: Any, gold: Any) -> dict[Any, Any] | None:
    """Truth of items that are not gold: the fit was told those. None where there is no such item."""
    if truth is None:
        return None
    told = set() if gold is None else set(labels_by_item(gold)[0].tolist())
    pairs = zip(*(names.tolist() for names in labels_by_item(truth)), strict=True)
    return {item: label for item, label in pairs if item not in told} or None
