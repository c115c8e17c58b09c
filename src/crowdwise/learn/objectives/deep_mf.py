"""DeepMF: mean-field inference of classes and annotators, and a network trained on it, in turn."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor

from ...fit.options import Natural, Share
from ..base.annotator_belief import AnnotatorBelief
from ..base.class_prior import ClassPrior
from ..base.clipping import clipped
from ..base.counted import counts
from ..base.evidence_bound import bound
from ..base.objective import Output
from ..training.vote_book import Votes, by_row
from .aggnet import AggNet


class DeepMF(AggNet):
    r"""Deep mean field: EM with a posterior over confusion matrices, under any prior on annotators.

    .. math::
        \log q_n(k) = \log \hat f_k(x_n) + \sum_m E_{q_m} \log A_m[k, l_{nm}] + const, \qquad
        \log q_m(A) = \log p(A) + \sum_n \sum_k q_n(k) \log A[k, l_{nm}] + const

    in turn, some rounds after each epoch; then the network learns from q by cross-entropy. What the network says is
    clipped before it is weighed with the votes, not where it learns. Use it as `aggnet` with few votes an annotator,
    and where intervals of confusion matrices matter.

    prior: "auto", Dirichlet rows about the crowd's mean confusion, with as many votes' worth as make the votes
    likeliest; "one-coin", "two-coin", "dirichlet" with right and wrong (2 and 1 for coins, 4 and 1 for rows, unless
    told); a name, a matrix, a mixture or samples, see the page on priors. clip: the most that the
    network may claim for a class in q; 1 is no clipping. rounds: of inference after an epoch. folds: networks, each
    without one part of the items, so that q is made with predictions by one that has not seen the item; 1: one network
    that sees all. warm_up: epochs on vote shares before the first inference. class_prior: as for every objective.

    Reference: Kim, Cho, Kim & Ok, Robust Deep Learning from Crowds with Belief Propagation, section 3.1, algorithm 1.
    """

    name: ClassVar[str] = "deep-mf"
    elbo: Tensor
    log_chance: Tensor

    def __init__(
        self,
        prior: Any = "auto",
        right: float | None = None,
        wrong: float | None = None,
        clip: Share = 0.9,
        rounds: int = 5,
        folds: int = 1,
        warm_up: Natural = 2,
        class_prior: ClassPrior = None,
    ):
        super().__init__(warm_up=warm_up, class_prior=class_prior)
        self.prior, self.right, self.wrong = prior, right, wrong
        self.clip, self.rounds, self.folds = clip, rounds, folds
        self.belief = AnnotatorBelief(prior, right, wrong)

    def allocate(self) -> None:
        super().allocate()
        m, k = self.sizes.annotators, self.sizes.classes
        self.belief.allocate(m, k)
        self.register_buffer("log_chance", torch.zeros(m, k, k))
        self.register_buffer("elbo", torch.full((), torch.nan, dtype=torch.float64))

    def count(self, target: Tensor) -> None:
        self.belief.counts.copy_(counts(target, self.book.everything(), self.sizes.annotators))
        self.belief.learn()
        self.log_chance.copy_(self.belief.mean_log())

    def e_step(self, log: Tensor, votes: Votes) -> None:
        super().e_step(log, votes)
        q, divergence = self.target.double(), self.belief.divergence()
        self.elbo.copy_(bound(q, log.double(), votes, self.log_chance.double(), divergence) / votes.weight.sum())

    def bound(self) -> float | None:
        return None if self.elbo.isnan() else float(self.elbo)

    def settle(self, log: Tensor, votes: Votes) -> None:
        super().settle(clipped(log, self.clip), votes)

    def log_votes(self, output: Output, votes: Votes) -> Tensor:
        said = self.log_chance[votes.annotator, :, votes.label]
        return by_row(said * votes.weight[:, None], votes, len(output.logits))

    def posterior(self, output: Output, votes: Votes) -> Tensor:
        return super().posterior(
            Output(clipped(torch.log_softmax(output.logits, 1), self.clip), output.features), votes
        )

    def confusion(self) -> Tensor:
        return self.moments()[0]

    def moments(self) -> tuple[Tensor, Tensor]:
        return self.belief.moments()
