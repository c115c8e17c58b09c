"""Spectral-EM: Dawid-Skene from a spectral start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..aggregate.dawid_skene import DawidSkene


@dataclass(frozen=True, kw_only=True)
class SpectralEM(DawidSkene):
    r"""Dawid-Skene's EM, a few steps of it, from the confusion matrices that `Tensor` finds.

    The moments give a start near the truth, where votes may not, and EM makes it as precise as the votes allow: with
    enough votes one step suffices in theory; ten are usual. O(votes x classes) a step. Use it where the vote is a bad
    start, because most annotators are bad and a few are experts, and annotators share many items; where votes are
    sparse, moments are noise and `DawidSkene` is better.

    Parameters as for `DawidSkene`; the class shares are uniform in the published runs.

    Reference: Zhang, Chen, Zhou & Jordan, JMLR 17(102), 2016, algorithm 1.

    >>> from crowdwise import SpectralEM, simulate
    >>> people = simulate.one_coin(4, 3, 0.9) + simulate.spammers(20, 3)
    >>> made = simulate.crowd(people, n_items=1000, graph="dense", seed=0)
    >>> bool((SpectralEM().fit(made.crowd).labels == made.truth).mean() > 0.97)
    True
    """

    name: ClassVar[str] = "spectral-em"
    first: ClassVar[str] = "tensor"
    class_prior: str | tuple[float, ...] = "uniform"
    max_iter: int = 10
