"""Spans of text drawn from a known truth: what a document holds, and who marks it how well."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..votes.codes import Array
from ..votes.sequences import Sequences, Tokens
from ..votes.table import Table


class MarkedSpans(NamedTuple):
    """Spans as people marked them, the true ones (document, begin, end, label), and how well each annotator sees."""

    spans: Sequences
    truth: Table
    skill: Array


def spans(
    *,
    n_documents: int,
    n_annotators: int,
    per_document: int = 5,
    n_tokens: int = 30,
    types: tuple[str, ...] = ("LOC", "PER"),
    density: float = 0.1,
    skill: tuple[float, float] = (0.5, 0.95),
    spammers: int = 0,
    words: int = 300,
    seed: int = 0,
) -> MarkedSpans:
    """Documents of `n_tokens` tokens, in which spans of one to four tokens begin with chance `density`.

    An annotator finds a span with the chance of their skill; then its ends are off by a token in a third of their
    errors, and its type is wrong in another third. What is no span they mark seldom. The last annotators, `spammers`,
    mark spans without looking. words: how many there are; most belong to one kind of token, so that they tell of the
    tags.

    >>> made = spans(n_documents=20, n_annotators=6, per_document=3)
    >>> made.spans.n_votes, len(made.truth) > 20
    (1800, True)
    """
    if per_document > n_annotators or spammers >= n_annotators:
        raise InputError(
            f"n_annotators={n_annotators} are too few for so many spammers, or for {per_document} a document"
        )
    rng = np.random.default_rng(seed)
    sees = rng.uniform(*skill, n_annotators)
    true, tokens = [], []
    rows: list[tuple[Any, ...]] = []
    for document in range(n_documents):
        found = _drawn(rng, n_tokens, len(types), density)
        true += [(document, first, last, kind) for first, last, kind in found]
        kind_of = np.zeros(n_tokens, int)
        for first, last, kind in found:
            kind_of[first : last + 1] = 1 + kind
        own = rng.integers(words, size=n_tokens)
        told = rng.random(n_tokens) < 0.8
        own = np.where(told, own - own % (len(types) + 1) + kind_of, own)
        tokens += [(document, 2 * place, 2 * place + 1, f"w{word}") for place, word in enumerate(own.tolist())]
        for who in rng.permutation(n_annotators)[:per_document].tolist():
            blind = who >= n_annotators - spammers
            said = (
                _drawn(rng, n_tokens, len(types), density) if blind else _seen(rng, found, sees[who], n_tokens, types)
            )
            rows += [(document, who, 2 * first, 2 * last + 1, types[kind]) for first, last, kind in said]
            rows += [] if said else [(document, who, None, None, None)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    made = Sequences.from_spans(*columns, tokens=Tokens(*(list(column) for column in zip(*tokens, strict=True))))
    where, begins, ends, kinds = (np.array([one[column] for one in true], np.int64) for column in range(4))
    truth = {"document": where, "begin": 2 * begins, "end": 2 * ends + 1, "label": np.array(types, object)[kinds]}
    return MarkedSpans(made, Table(truth), sees)


def _drawn(rng: np.random.Generator, n_tokens: int, n_types: int, density: float) -> list[tuple[int, int, int]]:
    """Spans that do not touch: first and last token, and type."""
    found, place = [], 0
    while place < n_tokens:
        if rng.random() < density:
            last = min(place + int(rng.integers(1, 5)), n_tokens) - 1
            found.append((place, last, int(rng.integers(n_types))))
            place = last + 1
        place += 1
    return found


def _seen(
    rng: np.random.Generator, found: list[tuple[int, int, int]], skill: float, n_tokens: int, types: tuple[str, ...]
) -> list[tuple[int, int, int]]:
    """What an annotator marks of the spans that there are, and what they add."""
    said, free = [], 0
    for first, last, kind in found:
        wrong = int(rng.integers(3)) if rng.random() > skill else None
        other = min(last + 1, n_tokens - 1) if last == first else last - 1
        if wrong == 0 or first < free:
            continue
        said.append((first, other if wrong == 1 else last, int(rng.integers(len(types))) if wrong == 2 else kind))
        free = said[-1][1] + 2
    marked = {place for first, last, _ in said for place in range(first - 1, last + 2)}
    for place in range(n_tokens):
        if place not in marked and rng.random() < 0.05 * (1.0 - skill):
            said.append((place, place, int(rng.integers(len(types)))))
            marked |= {place, place + 1}
    return said
