"""Texts drawn from a known truth: writers who mishear, leave out and put in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..votes.codes import Array
from ..votes.written import Texts


class WrittenTexts(NamedTuple):
    """Texts as people wrote them, the true ones, and each writer's rate of errors."""

    texts: Texts
    truth: Array
    error_rate: Array


def texts(
    *,
    n_items: int,
    n_annotators: int,
    per_item: int = 5,
    n_words: int = 12,
    vocabulary: int = 400,
    errors: tuple[float, float] = (0.03, 0.3),
    spammers: int = 0,
    seed: int = 0,
) -> WrittenTexts:
    """Sentences of about `n_words` words, each word wrong at the writer's own rate: another word, none, or one more.

    Of the errors of a word, half are the same for everybody who makes one there. The last annotators, `spammers`, write
    anything.

    >>> texts(n_items=30, n_annotators=8, per_item=4).texts.n_votes
    120
    """
    if per_item > n_annotators or spammers >= n_annotators:
        raise InputError(f"n_annotators={n_annotators} are too few for so many spammers, or for {per_item} an item")
    rng = np.random.default_rng(seed)
    rate = rng.uniform(*errors, n_annotators)
    truth, rows = [], []
    for item in range(n_items):
        words = rng.integers(vocabulary, size=max(1, int(rng.poisson(n_words)))).tolist()
        alike = rng.integers(vocabulary, size=len(words)).tolist()  # how a word is misheard
        truth.append(_sentence(words))
        for who in rng.permutation(n_annotators)[:per_item].tolist():
            said: list[int] = []
            for word, other in zip(words, alike, strict=True):
                wrong = int(rng.integers(4)) if rng.random() < rate[who] else -1
                said += {-1: [word], 0: [], 1: [word, int(rng.integers(vocabulary))]}.get(wrong, [other])
            if who >= n_annotators - spammers:
                said = rng.integers(vocabulary, size=len(words)).tolist()
            rows.append((item, who, _sentence(said)))
    return WrittenTexts(Texts.from_columns(*map(list, zip(*rows, strict=True))), np.array(truth, object), rate)


def _sentence(words: list[int]) -> str:
    return " ".join(f"w{word}" for word in words)
