"""Compiled kernels: whether this machine has them already, and how to have all of them made."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np

from ..votes.comparisons import Comparisons
from ..votes.crowd import Crowd
from ..votes.known import Known
from ..votes.ratings import Ratings
from ..votes.ties import TOLERANCE


@cache
def is_warm() -> bool:
    """Whether kernels were compiled on this machine before; a first pass waits some seconds for the compiler."""
    spec = find_spec(f"{__package__}.kernels")
    home = Path(spec.origin).parent / "__pycache__" if spec and spec.origin else Path()
    elsewhere = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(elsewhere)] if elsewhere else [home, Path.home() / ".cache" / "numba"]
    return any(next(place.rglob("kernels.from_table-*.nbc"), None) is not None for place in places if place.is_dir())


def warm(tell: Callable[[str], None] | None = None) -> None:
    """Have all kernels of the passes over votes compiled, for every number of classes and with weights or without.

    They stay in numba's cache: beside the package, or where NUMBA_CACHE_DIR says.
    """
    from . import special_kernels
    from .kernels import UNROLLED, first_near_top
    from .links import links
    from .numba_engine import NumbaEngine

    numbers = np.ones(special_kernels.BLOCK)
    for function in (special_kernels.digamma, special_kernels.log_gamma):
        function(0, 1, numbers, numbers.copy())
    for n_classes, weighted in product(range(1, UNROLLED + 2), (False, True)):
        if tell is not None:
            tell(f"{n_classes} classes{', weighted' if weighted else ''}")
        rng = np.random.default_rng(0)
        item, annotator = np.repeat(np.arange(40), 3), np.tile(np.arange(3), 40)
        crowd = Crowd(
            item=item, annotator=annotator, label=rng.integers(n_classes, size=120), items=np.arange(40),
            annotators=np.arange(3), classes=np.arange(n_classes), weight=np.full(120, 0.5) if weighted else None,
        )  # fmt: skip
        ops = NumbaEngine(crowd, 1)
        table, state = np.zeros((3, n_classes, n_classes)), np.zeros(n_classes)
        known = Known(np.array([0]), np.zeros((1, n_classes)))
        ops.sweep(table, state, known)
        posterior, _ = ops.posterior(table, state, known)
        ops.sweep_hits(table[:, 0], table[:, 0], state, known)
        ops.posterior_hits(table[:, 0], table[:, 0], state, known)
        for rows in (posterior, posterior.astype(float)):
            first_near_top(0, len(rows), rows, rows.dtype.type(TOLERANCE), np.empty(len(rows), np.int64))
            ops.confusion_counts(rows)
        ops.item_votes(np.ones(120))
        ops.annotator_votes(np.ones(120))
        ops.item_scores(table)
    _warm_numbers()
    from scipy.sparse import csr_array

    links(csr_array(np.ones((3, 4))), np.ones(3), np.ones(4), 1, 0.0)


def _warm_numbers() -> None:
    """Those of ratings and comparisons."""
    from . import comparison_sums
    from .rating_sums import CompiledRatingSums, RaterLines

    alone = np.ones(1)
    one, two, who = np.arange(3), np.array([1, 2, 0]), np.zeros(3, np.int64)
    rated = Ratings(item=one, annotator=who, value=np.arange(3.0), items=one, annotators=np.zeros(1))
    CompiledRatingSums(rated).sweep(RaterLines(alone, alone, alone, alone, alone, 0.0, 1.0), 3.0)
    said = Comparisons(
        item=one, other=two, annotator=who, label=who, items=one, annotators=np.zeros(1), classes=np.arange(3)
    )
    people, score = comparison_sums.People(*np.full((3, 1), 0.5)), np.zeros(3)
    for votes in (said, said.with_weight(np.ones(3))):
        answers = comparison_sums.Answers(votes)
        answers.compiled(score[answers.left], people)
    comparison_sums.compiled_pair_pass(comparison_sums.pairs_of(said), score)
    from .online_kernels import elo_pass, gaussian_pass

    elo_pass(said.item, said.other, said.won, np.empty(0), 0.2, score)
    gaussian_pass(said.item, said.other, said.won, np.empty(0), 1.0, 0.0, 0.0, score, np.ones(3))
