"""AnnotatorBelief: a prior on confusion matrices, and what expected counts of votes make of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from ...errors import InputError
from ...methods.classes.bayes.annotator_prior import KINDS, NAMED
from ...methods.classes.bayes.dirichlet import diagonal_prior
from ...methods.classes.bayes.mean_field import MeanField
from ...votes.codes import Array

# The two numbers of a prior unless told: for the right label, and for each other one.
OF_ROWS, OF_COINS = (4.0, 1.0), (2.0, 1.0)


class AnnotatorBelief(nn.Module):
    """What is believed of annotators in the mean-field sense: q(A) ∝ p(A) exp(sum of counts x log A).

    prior: "auto" learns it (empirical Bayes): rows are Dirichlet about the crowd's mean confusion, with as many votes'
    worth as make the votes likeliest, a step with each `learn`; otherwise as for `crowdwise.MeanField`. right, wrong:
    the prior's numbers, or where it starts and stays near: 4 and 1 for "auto" and "dirichlet", 2 and 1 for coins.
    """

    counts: Tensor
    pseudo: Tensor

    def __init__(self, prior: Any = "auto", right: float | None = None, wrong: float | None = None):
        super().__init__()
        self.is_learned = isinstance(prior, str) and prior == "auto"
        self.has_rows = isinstance(prior, str) and prior in ("auto", "dirichlet")
        known = ("auto", *KINDS, *NAMED)
        if isinstance(prior, str) and prior not in known:
            raise InputError(f"prior={prior!r}: choose {', '.join(known)}, a matrix of votes, a mixture, or samples")
        has_numbers = isinstance(prior, str) and prior in ("auto", *KINDS)
        if not has_numbers and (right is not None or wrong is not None):
            raise InputError("right and wrong go with auto, one-coin, two-coin and dirichlet; this prior has its own")
        usual = OF_ROWS if self.has_rows else OF_COINS
        self.first = MeanField(
            prior="dirichlet" if self.is_learned else prior,
            right=usual[0] if right is None else right,
            wrong=usual[1] if wrong is None else wrong,
        )

    def allocate(self, n_annotators: int, n_classes: int) -> None:
        """Make room for counts of votes, and for a prior that is learned."""
        self.register_buffer("counts", torch.zeros(n_annotators, n_classes, n_classes))
        self.start = diagonal_prior(n_classes, self.first.right, self.first.wrong)
        self.register_buffer("pseudo", torch.tensor(self.start, dtype=torch.float64))

    @property
    def law(self) -> MeanField:
        """The prior as it is now."""
        return replace(self.first, prior=self.pseudo.cpu().numpy()) if self.is_learned else self.first

    def learn(self) -> None:
        """A step of empirical Bayes, where the prior is learned."""
        if self.is_learned:
            learned = self.law.pooled(self._array(self.counts), self.start).row_votes(len(self.start))
            self.pseudo.copy_(torch.as_tensor(learned))

    def mean_log(self, annotators: Tensor | None = None) -> Tensor:
        """E log A of all annotators, or some, (annotators, true, given)."""
        counts = self.counts if annotators is None else self.counts[annotators]
        if self.has_rows:  # in closed form, where the counts are
            votes = counts.double() + self.pseudo
            return (torch.digamma(votes) - torch.digamma(votes.sum(dim=2, keepdim=True))).float()
        return self._tensor(self.law.log_table({"counts": self._array(counts)}))

    def moments(self) -> tuple[Tensor, Tensor]:
        """Mean and variance of the matrices."""
        mean, variance = self.law.moments(self._array(self.counts))
        return self._tensor(mean), self._tensor(variance)

    def divergence(self) -> float:
        """Of what is believed from the prior, summed over annotators."""
        return -self.law.log_prior({"counts": self._array(self.counts)})

    def _array(self, counts: Tensor) -> Array:
        return counts.detach().cpu().numpy().astype(float)

    def _tensor(self, values: Array) -> Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=self.counts.device)
