"""BayesDGC: stochastic variational inference of classes, annotators and class shares, the network learned with it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from ...fit.options import Share
from ...votes.crowd import Crowd
from ..base.annotator_belief import AnnotatorBelief
from ..base.class_prior import ClassPrior
from ..base.counted import counts
from ..base.evidence_bound import bound
from ..base.first_guess import first_shares
from ..base.objective import Objective, Output, PredictAll
from ..training.parallel import total
from ..training.vote_book import VoteBook, Votes, by_row

FORGETTING = 0.7  # steps fall as (batches an epoch + number)^-0.7: their sum has no bound, that of their squares has


class BayesDGC(Objective):
    r"""Bayesian deep generative crowdsourcing: natural-gradient variational inference, batch by batch.

    .. math::
        \log q_n(k) = E \log \pi_k + \log f_k(x_n) - \log \bar f_k + \sum_m E \log A_m[k, l_{nm}] + const

    For a batch q is in closed form; the counts behind the posteriors of every A_m and of the class shares
    :math:`\pi` go a step :math:`\rho` towards those of the batch times items / batch, which is a step along the natural
    gradient; the network learns from q by cross-entropy, as the bound has it with q and its mean held. In q the network
    is heard as it was after the last epoch, without dropout. Its mean :math:`\bar f` is divided out so that the
    prevalence of a class is not counted twice, in it and in :math:`\pi`; the paper's equation 14 has no such division,
    and `divide=False` is the paper's.
    Without a network (one that says nothing) it is BayesGC: variational Dawid-Skene. Use it on data too large for
    inference over all items at once.

    prior, right, wrong: on annotators, as in `deep-mf`; the paper's is "better-than-chance". class_votes: the prior's
    votes for each class. divide: see above. step: rho; None lets it fall with the number of steps. folds: as in
    `deep-mf`. class_prior: as for every objective; it takes the place of :math:`\pi`.

    Reference: Li, Huang & Chen, Crowdsourcing Aggregation with Deep Bayesian Learning, Sci China Inf Sci 64, 2021,
    algorithm 1.
    """

    name: ClassVar[str] = "bayes-dgc"
    class_counts: Tensor
    said: Tensor
    """What the network says of all items, in logs; with folds, one that has not seen the item."""
    shares: Tensor
    """The network's mean, in logs."""
    steps: Tensor
    elbo: Tensor

    def __init__(
        self,
        prior: Any = "auto",
        right: float | None = None,
        wrong: float | None = None,
        class_votes: float = 1.1,
        divide: bool = True,
        step: Share | None = None,
        folds: int = 1,
        class_prior: ClassPrior = None,
    ):
        super().__init__(class_prior)
        self.prior, self.right, self.wrong, self.class_votes = prior, right, wrong, class_votes
        self.divide, self.step, self.folds = divide, step, folds
        self.belief = AnnotatorBelief(prior, right, wrong)

    def allocate(self) -> None:
        k = self.sizes.classes
        self.belief.allocate(self.sizes.annotators, k)
        self.register_buffer("class_counts", torch.zeros(k))
        self.register_buffer("shares", torch.full((k,), -float(np.log(k))))
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))
        self.register_buffer("elbo", torch.full((), torch.nan, dtype=torch.float64))
        self.register_buffer("said", torch.full((self.sizes.items, k), -float(np.log(k))))

    def begin(self, crowd: Crowd) -> None:
        self.book = VoteBook(crowd)
        first = torch.as_tensor(first_shares(crowd), dtype=torch.float32)
        self.belief.counts.copy_(counts(first, self.book.everything(), self.sizes.annotators))
        self.class_counts.copy_(first[self.voted].sum(dim=0))

    def loss(self, output: Output, votes: Votes) -> Tensor:
        item = torch.zeros(len(output.logits), dtype=torch.long, device=output.logits.device)
        with torch.no_grad():
            q = self._q(self.said[item.index_copy(0, votes.row, votes.item)], votes)
            if self.training:
                self._step(q, votes)
        return votes.mean_of_rows(-(q * torch.log_softmax(output.logits, dim=1)).sum(dim=1))

    def balance(self, output: Output) -> Tensor:
        """What is stated is said of q."""
        return output.logits.new_zeros(())

    @torch.no_grad()
    def refresh(self, predict_all: PredictAll) -> None:
        self.belief.learn()
        f = predict_all()
        log, votes = torch.log(f.clamp_min(1e-12)), self.book.everything()
        if self.divide:
            self.shares.copy_(torch.log(f[self.voted].mean(dim=0).clamp_min(1e-12)))
        self.said.copy_(log)
        log_item = (log - self.shares + self._log_classes()).double()
        divergence = self.belief.divergence() + self._class_divergence()
        whole = bound(self._q(log, votes).double(), log_item, votes, self.belief.mean_log().double(), divergence)
        self.elbo.copy_(whole / votes.weight.sum())

    def bound(self) -> float | None:
        return None if self.elbo.isnan() else float(self.elbo)

    def posterior(self, output: Output, votes: Votes) -> Tensor:
        return self._q(torch.log_softmax(output.logits, dim=1), votes)

    def log_votes(self, output: Output, votes: Votes) -> Tensor:
        some, place = torch.unique(votes.annotator, return_inverse=True)
        said = self.belief.mean_log(some)[place, :, votes.label]
        return by_row(said * votes.weight[:, None], votes, len(output.logits))

    def confusion(self) -> Tensor:
        return self.moments()[0]

    def moments(self) -> tuple[Tensor, Tensor]:
        return self.belief.moments()

    def _q(self, log_f: Tensor, votes: Votes) -> Tensor:
        joint = log_f - self.shares + self._log_classes() + self.log_votes(Output(log_f, log_f), votes)
        return torch.softmax(joint, dim=1)

    def _log_classes(self) -> Tensor:
        """E log pi, or what is stated."""
        if self.stated is not None:
            return self.stated
        votes = self.class_counts + self.class_votes
        return torch.digamma(votes) - torch.digamma(votes.sum())

    def _class_divergence(self) -> float:
        if self.stated is not None:
            return 0.0
        prior = torch.full_like(self.class_counts, self.class_votes).double()
        each = (torch.distributions.Dirichlet(votes) for votes in (prior + self.class_counts, prior))
        return float(torch.distributions.kl_divergence(*each))

    def _step(self, q: Tensor, votes: Votes) -> None:
        """Counts of the batch, as if it were all items, and a step towards them."""
        voted = torch.zeros(len(q), device=q.device).index_fill(0, votes.row, 1.0)
        by_annotator = counts(q, votes._replace(item=votes.row), self.sizes.annotators)
        by_class, n_rows = (voted[:, None] * q).sum(dim=0), voted.sum()
        by_annotator, by_class, n_rows = total(by_annotator), total(by_class), total(n_rows)
        scale = len(self.voted) / n_rows.clamp_min(1.0)
        some = n_rows > 0  # a batch of one fold has none for the network that may not see it
        rho = some * ((scale + self.steps) ** -FORGETTING if self.step is None else self.step)
        self.belief.counts += rho * (scale * by_annotator - self.belief.counts)
        self.class_counts += rho * (scale * by_class - self.class_counts)
        self.steps += some
