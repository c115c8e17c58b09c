"""BSC-seq: annotators whose tag depends on the truth and on the tag that they gave before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...engine import NumpyEngine
from ...fit.method import Callback, Solution
from ...fit.options import NonNegative
from ...fit.params import Axes, Params
from ...votes.codes import Array, find
from ...votes.keyed import hashed
from ...votes.known import Known
from ...votes.sequences import Sequences
from ..classes.bayes.dirichlet import divergence, mean_log
from .tag_chain import NEVER
from .tag_em import TagEM


@dataclass(frozen=True, kw_only=True)
class BSCSeq(TagEM):
    r"""Bayesian sequence combination: the default for spans.

    True tags are a chain with moves T. Annotator j says l of a token whose tag is k, having said p of the token before
    (O at the beginning), with chance :math:`A_j[k, p, l]`: people who begin a span go on with it. Where the words are
    known, tag k stands with word w with chance :math:`R[k, w]`, which counts :math:`\rho` times (0 to 1), since words
    of a text are not drawn by themselves. Mean field, all rows being Dirichlet:

    .. math::
        E_t(k) = \sum_j E \log A_j[k, p_{jt}, y_{jt}] + \rho \, E \log R[k, w_t], \qquad
        q(z) \propto \exp\left(\sum_t E \log T_{z_{t-1} z_t} + E_t(z_t)\right)

    The trace is the evidence lower bound. O(votes x tags + tokens x tags^2) a step; annotators x tags^3 is kept. Spans
    are those that are expected to have the best F1, and their chance is the confidence.

    words: rho, how much a word counts; 0 leaves words out. word_pseudo: the prior's votes for each word. The others are
    those of every method for spans: diagonal, rest, chain_pseudo, decode, max_iter, tol, restarts, accelerate, seed.

    Reference: Simpson & Gurevych, EMNLP 2019, sections 3 and 4 ("seq"); words as in their BSC with text.

    >>> from crowdwise import BSCSeq, simulate
    >>> made = simulate.spans(n_documents=60, n_annotators=10, per_document=5, seed=0)
    >>> result = BSCSeq().fit(made.spans)
    >>> result.params["confusion_votes"].shape  # annotators, true, before, given
    (10, 5, 5, 5)
    """

    name: ClassVar[str] = "bsc-seq"
    params: ClassVar[Mapping[str, Axes]] = {
        **TagEM.params,
        "confusion_votes": Axes(("annotator", "true", "before", "given"), "positive"),
        "confusion": Axes(("annotator", "true", "before", "given"), "simplex"),
        "pseudo": Axes(("true", "before", "given"), "positive"),
        "counts": Axes(("annotator", "true", "before", "given"), "positive"),
        "word_votes": Axes(("true", "word"), "positive"),
        "word_counts": Axes(("true", "word"), "positive"),
        "word": Axes(("word",), "code"),
    }
    words: NonNegative = 0.5
    word_pseudo: float = 0.1

    def pseudo(self, votes: Sequences) -> Array:
        n, follows = votes.n_classes, votes.tags.follows
        rows = self.rest + self.diagonal * np.broadcast_to(np.eye(n)[:, None, :], (n, n, n))
        return np.where(follows[None, :-1], rows, NEVER)  # what nobody says after a tag, whatever is true

    def log_table(self, params: Params) -> Array:
        table = super().log_table(params)
        return table.reshape(*table.shape[:2], -1)  # (annotators, true, before and given)

    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        said: Array = _in_context(ops).item_scores(self.log_table(params))
        if not self.words or "word_votes" not in params:
            return said
        code = _words(ops).code if "word" not in params else find(_words(ops).hash, params["word"])[_words(ops).code]
        meant = mean_log(params["word_votes"])  # (true, words)
        return said + self.words * np.where((code >= 0)[:, None], meant.T[np.maximum(code, 0)], 0.0)

    def statistics(self, ops: NumpyEngine, posterior: Array) -> Params:
        n = ops.n_classes
        counts = _in_context(ops).confusion_counts(posterior)
        sums = {"counts": np.ascontiguousarray(counts).reshape(ops.n_annotators, n, n, n)}
        words = _words(ops)
        if self.words and words.hash.size:
            seen = [np.bincount(words.code, posterior[:, k], words.hash.size) for k in range(n)]
            sums["word_counts"] = self.words * np.array(seen)
        return sums

    def estimate(self, statistics: Params, params: Params) -> Params:
        found = super().estimate(statistics, params)
        if "word_counts" in statistics:
            found["word_votes"] = statistics["word_counts"] + self.word_pseudo
        return found

    def log_prior(self, params: Params) -> float:
        prior = super().log_prior(params)
        if "word_votes" in params:
            votes = params["word_votes"]
            prior -= divergence(votes, np.full(votes.shape[1:], self.word_pseudo))
        return prior

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Any]:
        solution = super().solve(ops, known, start, callback)
        if "word_votes" not in solution.params:
            return solution
        return solution._replace(params={**solution.params, "word": _words(ops).hash})


@dataclass(frozen=True, eq=False)
class _Words:
    """The words of the tokens, by code, and a number for each word that depends on its spelling only."""

    code: Array
    hash: Array


def _words(ops: NumpyEngine) -> _Words:
    """The words of the tokens; none, where they are not known."""
    if _Words not in ops.kept:
        token = ops.crowd.item_extra.get("token")
        own = np.zeros(ops.n_items, np.uint64) if token is None else hashed(token)
        number, code = np.unique(own, return_inverse=True)
        ops.kept[_Words] = _Words(code, number if token is not None else number[:0])
    words: _Words = ops.kept[_Words]
    return words


def _in_context(ops: NumpyEngine) -> NumpyEngine:
    """The same votes, whose labels are what was said together with what was said before."""
    if BSCSeq not in ops.kept:
        crowd, n = ops.crowd, ops.n_classes
        assert isinstance(crowd, Sequences)
        said = crowd.before * n + crowd.label
        ops.kept[BSCSeq] = ops.over(crowd.derive(label=said, classes=np.arange(n * n)))
    engine: NumpyEngine = ops.kept[BSCSeq]
    return engine
