"""Texts where they are compared: their words as codes, the different readings of each item, and compiled passes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..votes.codes import Array
from ..votes.keyed import hashed
from ..votes.written import Texts
from .cores import available_cores

WORD = re.compile(r"[\w']+")
SPACES = re.compile(r"\s")
SMALL = 2_000  # votes, below which threads are not worth their start


def words_of(text: str, letters: bool = False) -> tuple[list[str], list[str]]:
    """The words that are compared (no case, no punctuation but apostrophes), and the pieces of text behind them.

    >>> words_of("Well-known, isn't it?")
    (['well', 'known', "isn't", 'it'], ['Well-', 'known, ', "isn't ", 'it? '])
    """
    if letters:
        kept = [letter for letter in text if not letter.isspace()]
        return [letter.lower() for letter in kept], kept
    found = list(WORD.finditer(text))
    starts = [0, *(one.start() for one in found[1:]), len(text)]
    pieces = [text[low:high] for low, high in pairwise(starts)] if found else []
    pieces = [*pieces[:-1], pieces[-1].rstrip() + " "] if pieces else []
    return [one[0].lower() for one in found], pieces


class Readings:
    """The different texts of each item, each with the votes for it; their order does not depend on the file's."""

    def __init__(self, votes: Texts):
        self.votes = votes
        self.letters = _unspaced(votes.texts)
        split = [words_of(text, self.letters) for text in votes.texts.tolist()]
        self.pieces = [pieces for _, pieces in split]
        code: dict[str, int] = {}
        self.begin = np.concatenate([[0], np.cumsum([len(words) for words, _ in split])]).astype(np.int64)
        self.words = np.array([code.setdefault(word, len(code)) for words, _ in split for word in words], np.int64)
        text_rank = np.argsort(np.argsort(hashed(votes.texts), kind="stable"))
        key = votes.item.astype(np.int64) * len(votes.texts) + text_rank[votes.text]
        _, first, self.reading = np.unique(key, return_index=True, return_inverse=True)
        self.item, self.text = votes.item[first].astype(np.int64), votes.text[first].astype(np.int64)
        self.first = np.searchsorted(self.item, np.arange(votes.n_items + 1))
        n = np.diff(self.first)
        self.at = np.concatenate([[0], np.cumsum(n * n)])

    @cached_property
    def length(self) -> Array:
        """How many words each reading has."""
        return np.diff(self.begin)[self.text]

    @cached_property
    def apart(self) -> Array:
        """How far readings of an item are apart, squares one after the other (`at`)."""
        from .text_kernels import distances

        out = np.empty(self.at[-1])
        self._each(lambda low, high: distances(low, high, self.first, self.text, self.begin, self.words, self.at, out))
        return out

    @cached_property
    def squares(self) -> tuple[Array, Array]:
        """The rows and the columns of these squares, as readings."""
        n = np.diff(self.first)[self.item]
        row = np.repeat(np.arange(self.item.size), n)
        begin = np.cumsum(n) - n
        return row, np.arange(row.size) - np.repeat(begin - self.first[self.item], n)

    def weighed(self, annotator_weight: Array) -> Array:
        """The weight of each reading: that of its votes, times that of who gave them."""
        worth = annotator_weight[self.votes.annotator]
        worth = worth if self.votes.weight is None else worth * self.votes.weight
        return np.bincount(self.reading, worth, self.item.size)

    def far(self, weight: Array) -> Array:
        """The weighted sum of each reading's distances to those of its item."""
        row, column = self.squares
        return np.bincount(row, self.apart * weight[column], self.item.size)

    def best_first(self, cost: Array) -> Array:
        """The readings, those of an item together, the cheapest first."""
        return np.lexsort((np.round(cost, 9), self.item))

    def aligned(self, weight: Array, order: Array, handicap: float) -> tuple[list[str], list[bytes], Array]:
        """For each item the text that the aligned readings vote for, its words, and how sure it is."""
        from .text_kernels import rover

        at = np.concatenate([[0], np.cumsum(np.bincount(self.item, self.length, self.votes.n_items))]).astype(np.int64)
        reading, place = np.empty(at[-1], np.int64), np.empty(at[-1], np.int64)
        n, sure = np.zeros(self.votes.n_items, np.int64), np.zeros(self.votes.n_items)

        def align(low: int, high: int) -> None:
            own = (self.first, order, self.text, self.begin, self.words, weight)
            rover(low, high, *own, handicap, at, reading, place, n, sure)

        self._each(align)
        kept = np.repeat(at[:-1] - (np.cumsum(n) - n), n) + np.arange(int(n.sum()))
        text, place = self.text[reading[kept]], place[kept]
        pieces = [self.pieces[t][p] for t, p in zip(text.tolist(), place.tolist(), strict=True)]
        words = self.words[self.begin[text] + place]
        ends = np.concatenate([[0], np.cumsum(n)]).tolist()
        texts = ["".join(pieces[low:high]).strip() for low, high in pairwise(ends)]
        return texts, [words[low:high].tobytes() for low, high in pairwise(ends)], sure

    def edits_to(self, words: list[bytes]) -> tuple[Array, Array]:
        """How many words of each reading differ from what was found for its item, and how many words that has."""
        from .text_kernels import edits

        found = [np.frombuffer(one, np.int64) for one in words]
        own = (self.words[self.begin[t] : self.begin[t + 1]] for t in self.text.tolist())
        row = np.empty(max(map(len, found), default=0) + 1, np.int64)
        pairs = zip(own, self.item.tolist(), strict=True)
        size = np.array([one.size for one in found], float)
        return np.array([edits(a, found[i], row) for a, i in pairs], float), size[self.item]

    def as_found(self, words: list[bytes]) -> Array:
        """Which readings are, word for word, what was found for their item."""
        own = (self.words[self.begin[t] : self.begin[t + 1]].tobytes() for t in self.text.tolist())
        return np.array([a == words[i] for a, i in zip(own, self.item.tolist(), strict=True)], bool)

    def _each(self, work: Callable[[int, int], Any]) -> None:
        from .numba_engine import even_ranges, pool_of

        threads = available_cores() if self.votes.n_votes >= SMALL else 1
        jobs = [pool_of(threads).submit(work, low, high) for low, high in even_ranges(self.at, threads)]
        for job in jobs:
            job.result()


def _unspaced(texts: Array) -> bool:
    """Whether these are texts of a language without blanks: long ones have none."""
    long = [text for text in texts.tolist() if len(text) > 12]
    return len(long) > 0 and sum(SPACES.search(text) is None for text in long) > 0.8 * len(long)
