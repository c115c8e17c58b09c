"""Spectral-EM: Dawid-Skene from a spectral start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..em.dawid_skene import DawidSkene


@dataclass(frozen=True, kw_only=True)
class SpectralEM(DawidSkene):
    r"""Dawid-Skene's EM, a few steps of it, from the confusion matrices that `Tensor` finds.

    The moments give a start near the truth, where votes may not, and EM makes it as precise as the votes allow: with
    enough votes one step suffices in theory; ten are usual. O(votes x classes) a step. Use it where the vote is a bad
    start and each third of the crowd, on average, tells the classes apart. A few experts drown in the mean of many who
    guess: `DawidSkene().fit(votes, start="cnmf-opt")` keeps them apart. Where votes are sparse, moments are noise.

    Parameters as for `DawidSkene`; the class shares are uniform in the published runs.

    Reference: Zhang, Chen, Zhou & Jordan, JMLR 17(102), 2016, algorithm 1.

    >>> from crowdwise import SpectralEM, simulate
    >>> people = simulate.one_coin(9, 3, 0.7) + simulate.class_biased(9, 3)
    >>> made = simulate.crowd(people, n_items=1000, per_item=9, seed=0)
    >>> bool((SpectralEM().fit(made.crowd).labels == made.truth).mean() > 0.93)
    True
    """

    name: ClassVar[str] = "spectral-em"
    structures: ClassVar[tuple[str, ...]] = ("independent", "graph")
    whole: ClassVar[str] = "it starts from moments of all votes"
    first: ClassVar[str] = "tensor"
    class_prior: str | tuple[float, ...] = "uniform"
    max_iter: int = 10
