"""Tagging: what is found of tokens that follow each other, and the spans that it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine.chains import best_paths, next_chances
from ...fit.estimates import Classes
from ...votes.codes import Array, encode
from ...votes.sequences import Sequences
from ...votes.table import Table
from ...votes.tags import Spans, Tags

LEAST = 0.02  # chance of a span that is looked at
IMPOSSIBLE = -1e6  # log chance of a tag that cannot follow


@dataclass(frozen=True, eq=False)
class Tagging(Classes):
    """A distribution over tags for each token, the tag that is chosen, and the spans that the chosen tags stand for.

    span_first, span_last: the first and the last token of each, by place in the documents.

    span_begin, span_end: places in the text where they are known, positions of tokens otherwise.
    """

    kind: ClassVar[str] = "spans"
    span_document: Array
    span_begin: Array
    span_end: Array
    span_label: Array
    span_confidence: Array
    span_first: Array
    span_last: Array
    offsets: Array

    def spans(self) -> Table:
        """One row per span: document, begin, end, label and confidence."""
        names = ("document", "begin", "end", "label", "confidence")
        return Table({name: getattr(self, f"span_{name}") for name in names})

    def rows(self, items: Array, keys: Table | None) -> Table:
        """Spans, where places in the text are known; otherwise the tag of each token."""
        if self.offsets.all():
            return self.spans()
        known = {"item": items} if keys is None else dict(keys.columns)
        return Table({**known, "label": self.labels, "confidence": self.confidence})


def tagging(votes: Sequences, posterior: Array, tag: Array, spans: Spans, chance: Array) -> Tagging:
    """The estimate: a posterior over the tags of tokens, the chosen ones, and their spans."""
    order, inner = votes.order.order, votes.item_extra
    first, last = order[spans.first], order[spans.last]
    begin, end = (inner["begin"], inner["end"]) if votes.has_offsets else (inner["position"], inner["position"] + 1)
    types = np.array(votes.tags.types, object)
    by_place = np.lexsort((first, begin[first]))
    by_document = by_place[np.argsort(_as_seen(inner["document"])[first][by_place], kind="stable")]
    return Tagging(
        posterior=posterior,
        classes=votes.classes,
        chosen=tag,
        span_document=inner["document"][first][by_document],
        span_begin=begin[first][by_document],
        span_end=end[last][by_document],
        span_label=types[spans.type][by_document],
        span_confidence=chance[by_document],
        span_first=spans.first[by_document],
        span_last=spans.last[by_document],
        offsets=np.array([votes.has_offsets]),
    )


def _as_seen(names: Array) -> Array:
    """Codes in the order in which names are first seen."""
    return np.asarray(encode(names)[1], np.int64)


def log_follows(tags: Tags) -> tuple[Array, Array]:
    """Logs that forbid what cannot be, at the beginning of a chain and after each tag, and say nothing else."""
    log = np.where(tags.follows, 0.0, IMPOSSIBLE)
    return log[-1], log[:-1]


def decoded(votes: Sequences, posterior: Array, start: Array, move: Array, evidence: Array, expected: bool) -> Tagging:
    """The best tags of chains: by the spans that are expected to score best, or the most likely path.

    start, move: log chances; evidence: what is said of each token, in logs.
    """
    tags, order = votes.tags, votes.order
    if not (expected and tags.paired):
        tag = best_paths(*order, start, move, evidence)
        spans = tags.spans(tag[order.order], order)
        return tagging(votes, posterior, tag, spans, _span_chances(votes, posterior, move, evidence, spans))
    found, chance = candidates(votes, posterior, move, evidence)
    chosen = best_expected(found, chance, len(order.order))
    spans = Spans(*(column[chosen] for column in found))
    return tagging(votes, posterior, tags_of(votes, spans), spans, chance[chosen])


def tags_of(votes: Sequences, spans: Spans) -> Array:
    """The tag of each token, from spans that do not overlap."""
    outside = int(np.flatnonzero(votes.tags.type < 0)[0])
    tag = np.full(votes.n_items, outside)
    if not spans.first.size:
        return tag
    order, length = votes.order.order, spans.last - spans.first + 1
    first_of = np.array([np.flatnonzero(votes.tags.type == kind) for kind in range(len(votes.tags.types))])
    inner = np.repeat(spans.first - (np.cumsum(length) - length), length) + np.arange(int(length.sum()))
    tag[order[inner]] = first_of[np.repeat(spans.type, length), -1]
    tag[order[spans.first]] = first_of[spans.type, 0]
    return tag


def candidates(votes: Sequences, posterior: Array, move: Array, evidence: Array) -> tuple[Spans, Array]:
    """All spans whose chance is worth a look: B- there, I- up to there, and no I- after.

    Along a chain a span's chance is that of its first tag, times those of going on, times that of not going on.
    """
    tags, order = votes.tags, votes.order
    parts, chances = [], []
    for kind in range(len(tags.types)):
        opening, inside = np.flatnonzero(tags.type == kind)
        goes_on = next_chances(*order, move, evidence, int(inside))[order.order]  # by place
        place = np.flatnonzero(posterior[order.order, opening] > LEAST)
        chance, tag, first = posterior[order.order[place], opening].astype(float), opening, place
        while place.size:
            ends = chance * (1.0 - goes_on[place, tag])
            some = ends > LEAST
            parts.append((first[some], place[some], np.full(int(some.sum()), kind)))
            chances.append(ends[some])
            chance = chance * goes_on[place, tag]
            going = chance > LEAST
            place, chance, first, tag = place[going] + 1, chance[going], first[going], inside
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)] if parts else [np.empty(0, np.int64)] * 3
    return Spans(*columns), np.concatenate(chances) if chances else np.empty(0)


def best_expected(found: Spans, chance: Array, n_places: int) -> Array:
    """Which spans to take for the best expected F1: the likeliest, as many as raise 2 sum(p) / (taken + all p).

    >>> found = Spans(np.array([0, 1, 4]), np.array([1, 2, 4]), np.zeros(3, int))
    >>> best_expected(found, np.array([0.9, 0.1, 0.5]), 5).tolist()
    [0, 2]
    """
    order = np.lexsort((found.last, found.first, -chance))
    taken = np.arange(1, chance.size + 1)
    score = 2.0 * np.cumsum(chance[order]) / (taken + chance.sum())
    kept = order[: int(score.argmax()) + 1] if chance.size else order
    return apart(found, kept, n_places)


def apart(found: Spans, order: Array, n_places: int) -> Array:
    """Those of some spans, best first, that overlap none before them: rounds in which each span that beats all its
    neighbours is taken."""
    rank = np.full(n_places + 1, order.size)
    alive, taken = order, np.zeros(found.first.size, bool)
    place_of = np.empty(found.first.size, np.int64)
    place_of[order] = np.arange(order.size)
    while alive.size:
        rank[:] = order.size
        length = found.last[alive] - found.first[alive] + 1
        covered = np.repeat(found.first[alive] - (np.cumsum(length) - length), length) + np.arange(int(length.sum()))
        owner = np.repeat(alive, length)
        np.minimum.at(rank, covered, place_of[owner])
        begin = np.cumsum(length) - length
        wins = np.minimum.reduceat(rank[covered], begin) == place_of[alive]
        beaten = np.maximum.reduceat((rank[covered] != place_of[owner]).astype(int), begin) > 0
        best = wins & ~beaten
        taken[alive[best]] = True
        gone = np.zeros(n_places + 1, bool)
        gone[covered[np.repeat(best, length)]] = True
        alive = alive[~np.logical_or.reduceat(gone[covered], begin)]
    return np.asarray(order[taken[order]])


def _span_chances(votes: Sequences, posterior: Array, move: Array, evidence: Array, spans: Spans) -> Array:
    """The chance of spans that were chosen otherwise; of plain tags, the least chance of a token of theirs."""
    order = votes.order.order
    if not votes.tags.paired:
        return least_chance(posterior[order].max(axis=1), spans)
    found, chance = candidates(votes, posterior, move, evidence)
    n, kinds = len(order) + 1, len(votes.tags.types)

    def key(some: Spans) -> Array:
        return (some.first * n + some.last) * kinds + some.type

    there, wanted = key(found), key(spans)
    by_key = np.argsort(there)
    at = np.minimum(np.searchsorted(there[by_key], wanted), max(there.size - 1, 0))
    known = there[by_key][at] == wanted if there.size else np.zeros(wanted.size, bool)
    return np.where(known, chance[by_key][at] if there.size else 0.0, LEAST)


def least_chance(chance: Array, spans: Spans) -> Array:
    """The smallest number of each span, numbers by place."""
    if not spans.first.size:
        return np.empty(0)
    both = np.stack([spans.first, spans.last + 1], axis=1).ravel()
    return np.asarray(np.minimum.reduceat(np.append(chance, np.inf), both)[::2])
