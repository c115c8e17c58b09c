"""SpanMethod: what methods for spans have in common that are no EM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...engine import NumpyEngine, bind
from ...fit.answer_method import AnswerMethod
from ...votes.sequences import Sequences
from .tagging import Tagging


@dataclass(frozen=True, kw_only=True)
class SpanMethod(AnswerMethod[NumpyEngine, Tagging]):
    """Tags of tokens in, tags and spans out."""

    takes: ClassVar[type[Sequences]] = Sequences
    gives: ClassVar[type[Tagging]] = Tagging

    def bind(self, votes: Sequences, engine: str) -> NumpyEngine:
        return bind(votes, engine)


def tokens_of(ops: NumpyEngine) -> Sequences:
    """The votes behind an engine."""
    assert isinstance(ops.crowd, Sequences)
    return ops.crowd
