"""Span vote: the spans that most readers of a document mark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...engine import NumpyEngine
from ...fit.em import vote_shares
from ...fit.method import Callback, Solution
from ...votes.chained import Order
from ...votes.codes import Array
from ...votes.sequences import Sequences
from ...votes.tags import Spans
from .span_method import SpanMethod, tokens_of
from .tagging import Tagging, apart, tagging, tags_of


@dataclass(frozen=True, kw_only=True)
class SpanVote(SpanMethod):
    """The spans, exactly as marked, that at least a share of the readers of their first token marked.

    Of spans that overlap, the one with more votes. The share is the confidence. O(votes). A baseline, and a careful
    one: what it finds, most readers marked.

    least: the share of readers that a span needs.

    Reference: as counted in Rodrigues, Pereira & Ribeiro, Machine Learning 95, 2014.

    >>> from crowdwise import SpanVote, simulate
    >>> made = simulate.spans(n_documents=40, n_annotators=10, per_document=5, seed=0)
    >>> bool(SpanVote().fit(made.spans).estimate.span_confidence.min() >= 0.5)
    True
    """

    name: ClassVar[str] = "span-vote"
    least: float = 0.5

    def find(self, ops: NumpyEngine, callback: Callback | None) -> Solution[Tagging]:
        votes = tokens_of(ops)
        said = spans_said(votes)
        n, kinds = votes.n_items + 1, max(len(votes.tags.types), 1)
        key = (said.spans.first * n + said.spans.last) * kinds + said.spans.type
        there, own = np.unique(key, return_inverse=True)
        support = np.bincount(own, said.weight, there.size)
        both, kind = np.divmod(there, kinds)
        first, last = np.divmod(both, n)
        readers = np.bincount(votes.item, votes.weight, votes.n_items)[votes.order.order]
        share = support / np.maximum(readers[first], 1e-300)
        found = Spans(first, last, kind)
        kept = np.flatnonzero(share >= self.least)
        chosen = apart(found, kept[np.lexsort((first[kept], -share[kept]))], len(votes.order.order))
        spans = Spans(*(column[chosen] for column in found))
        estimate = tagging(votes, vote_shares(ops), tags_of(votes, spans), spans, np.minimum(share[chosen], 1.0))
        return Solution(estimate, {}, {})


class Said(NamedTuple):
    """Spans by places of the tokens, and who marked each, and how much their votes count there."""

    spans: Spans
    annotator: Array
    weight: Array


def spans_said(votes: Sequences) -> Said:
    """The spans that each annotator marked, read from their tags."""
    rank = np.empty(votes.n_items, np.int64)
    rank[votes.order.order] = np.arange(votes.n_items)
    place, who = rank[votes.item], votes.annotator.astype(np.int64)
    own = np.lexsort((place, who))
    own = (
        own[np.append(np.diff(who[own] * votes.n_items + place[own]) != 0, True)] if own.size else own
    )  # the last vote
    place, who, begins = place[own], who[own], votes.order.first
    cut = np.concatenate([[True], (np.diff(who) != 0) | (np.diff(place) != 1)]) | begins[place] if own.size else []
    order = Order(np.arange(own.size), np.append(np.flatnonzero(cut), own.size))
    spans = votes.tags.spans(votes.label[own], order)
    weight = np.ones(own.size) if votes.weight is None else votes.weight[own]
    return Said(Spans(place[spans.first], place[spans.last], spans.type), who[spans.first], weight[spans.first])
