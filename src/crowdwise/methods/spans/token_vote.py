"""Token vote: the tag that most annotators give to each token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...engine import NumpyEngine
from ...fit.em import vote_shares
from ...fit.method import Callback, Solution
from ...votes.ties import first_of_tied
from .span_method import SpanMethod, tokens_of
from .tagging import Tagging, least_chance, tagging


@dataclass(frozen=True, kw_only=True)
class TokenVote(SpanMethod):
    """The tag that most annotators give to each token, whatever stands beside it; ties go to the first, O.

    A span is as sure as its least sure token. O(votes). A baseline: it cuts spans where annotators disagree on their
    ends.

    Reference: as counted in Rodrigues, Pereira & Ribeiro, Machine Learning 95, 2014.

    >>> from crowdwise import TokenVote, simulate
    >>> made = simulate.spans(n_documents=40, n_annotators=10, per_document=5, seed=0)
    >>> TokenVote().fit(made.spans).estimate.spans()["label"].tolist()[:2]
    ['PER', 'PER']
    """

    name: ClassVar[str] = "token-vote"

    def find(self, ops: NumpyEngine, callback: Callback | None) -> Solution[Tagging]:
        votes = tokens_of(ops)
        shares = vote_shares(ops)
        tag = first_of_tied(shares)
        spans = votes.tags.spans(tag[votes.order.order], votes.order)
        chance = least_chance(shares.max(axis=1)[votes.order.order], spans)
        return Solution(tagging(votes, shares, tag, spans, chance), {}, {})
