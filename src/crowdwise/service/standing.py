"""Standing: the votes that count, the last one of each person on each item, unless it was taken back."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..collect.pair_table import PairTable, pair_key
from ..votes.codes import Array
from .store import Said


class PackedTexts(Sequence[str]):
    """Many short texts in one piece: a third of the memory that they take one by one.

    >>> list(PackedTexts(["one", "", "zwölf"]))
    ['one', '', 'zwölf']
    """

    def __init__(self, texts: Iterable[str]):
        pieces = [text.encode() for text in texts]
        self.text = b"".join(pieces)
        self.end = np.cumsum([0, *map(len, pieces)])

    def __len__(self) -> int:
        return len(self.end) - 1

    def __getitem__(self, place: Any) -> Any:
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self.text[self.end[place] : self.end[place + 1]].decode()


@dataclass(frozen=True)
class Standing:
    """One entry for each pair of item and person: the vote's id and its label, none where it was taken back."""

    item: Array
    person: Array
    ids: list[str]
    labels: list[str | None]

    @classmethod
    def of(cls, votes: Iterable[Said]) -> Standing:
        """What is left of all votes, in the order in which they came."""
        place: dict[int, int] = {}
        ids: list[str] = []
        labels: list[str | None] = []
        for vote in votes:
            at = place.setdefault(pair_key(vote.item, vote.person), len(ids))
            if at == len(ids):
                ids.append("")
                labels.append(None)
            ids[at], labels[at] = vote.id, None if vote.label is None else sys.intern(vote.label)
        keys = np.fromiter(place, np.int64, len(place))
        kept = np.flatnonzero([label is not None for label in labels])
        item, person = np.divmod(keys[kept], 1 << 32)
        return cls(item, person, [ids[at] for at in kept.tolist()], [labels[at] for at in kept.tolist()])

    def by_id(self) -> PairTable[str]:
        """The id of the vote of each item and person."""
        return PairTable(self.item, self.person, PackedTexts(self.ids))

    def by_label(self) -> PairTable[str | None]:
        """Its label."""
        return PairTable(self.item, self.person, self.labels)
