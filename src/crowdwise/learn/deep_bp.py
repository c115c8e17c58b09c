"""DeepBP: belief propagation between items and annotators, and a network trained on it, in turn."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from ..aggregate.belief_propagation import BeliefPropagation
from ..codes import Array
from ..crowd import Crowd
from ..engine import bind
from .annotator_belief import AnnotatorBelief, checked_share
from .class_prior import ClassPrior
from .clipping import clipped
from .counted import counts
from .objective import Output, PredictAll
from .soft_labels import SoftLabels
from .votes import Votes


class DeepBP(SoftLabels):
    r"""Deep belief propagation: the network is each item's own factor, annotators' matrices are summed out.

    .. math::
        m_{n \to m}(k) \propto \hat f_k(x_n) \prod_{u \ne m} m_{u \to n}(k), \qquad
        m_{m \to n}(k) \propto E_{p(A)} \left[A[k, l_{nm}] \prod_{i \ne n} \sum_c A[c, l_{im}] m_{i \to m}(c)\right]

    until beliefs :math:`q_n \propto \hat f(x_n) \prod_m m_{m \to n}` settle, after each epoch; then the network learns
    from q by cross-entropy. Use it where annotators have few votes each: it does not take for certain what it has half
    guessed, as `deep-mf` does, and one spammer with very many votes misleads it less. `infer` runs the propagation
    anew on the votes that it is given: give it all that there are.

    prior: as in `deep-mf`. One coin is exact, as are two coins with two classes; other priors are summed over `samples`
    draws, which are few for annotators with very many votes. clip, folds, warm_up: as in `deep-mf`. rounds: of messages
    at most. class_prior: as for every objective.

    Reference: Kim, Cho, Kim & Ok, Robust Deep Learning from Crowds with Belief Propagation, section 3.2, algorithm 2.
    """

    name: ClassVar[str] = "deep-bp"
    epochs: Tensor
    mean: Tensor
    variance: Tensor
    log_weight: Tensor

    def __init__(
        self,
        prior: Any = "auto",
        right: float | None = None,
        wrong: float | None = None,
        clip: float = 0.9,
        rounds: int = 20,
        samples: int = 400,
        folds: int = 1,
        warm_up: int = 2,
        class_prior: ClassPrior = None,
    ):
        super().__init__(class_prior)
        self.prior, self.right, self.wrong = prior, right, wrong
        self.clip, self.rounds, self.samples = checked_share("clip", clip), rounds, samples
        self.folds, self.warm_up = folds, warm_up
        self.belief = AnnotatorBelief(prior, right, wrong)

    def allocate(self) -> None:
        super().allocate()
        m, k = self.sizes.annotators, self.sizes.classes
        self.belief.allocate(m, k)
        self.register_buffer("epochs", torch.zeros((), dtype=torch.long))
        self.register_buffer("mean", torch.full((m, k, k), 1.0 / k))
        self.register_buffer("variance", torch.zeros(m, k, k))
        self.register_buffer("log_weight", torch.zeros(k))

    @torch.no_grad()
    def refresh(self, predict_all: PredictAll) -> None:
        self.epochs += 1
        if self.epochs < self.warm_up:
            return
        log, votes = torch.log(predict_all().clamp_min(1e-12)), self.book.everything()
        q = self._propagated(log, votes, keep=True)
        self.log_weight.copy_(self.class_weight(torch.log(q.clamp_min(1e-12))[self.voted]))
        self.target.copy_(torch.softmax(torch.log(q.clamp_min(1e-12)) + self.log_weight, dim=1))
        self.belief.counts.copy_(counts(self.target, votes, self.sizes.annotators))
        self.belief.learn()

    def posterior(self, output: Output, votes: Votes) -> Tensor:
        q = self._propagated(torch.log_softmax(output.logits, dim=1), votes)
        return torch.softmax(torch.log(q.clamp_min(1e-12)) + self.log_weight, dim=1)

    def confusion(self) -> Tensor:
        return self.mean

    def moments(self) -> tuple[Tensor, Tensor]:
        return self.mean, self.variance

    def _propagated(self, log: Tensor, votes: Votes, keep: bool = False) -> Tensor:
        """Beliefs of all rows; with `keep`, what is believed of annotators stays."""
        law = self.belief.law
        method = BeliefPropagation(
            prior=law.prior, right=law.right, wrong=law.wrong, samples=self.samples, max_iter=self.rounds, tol=1e-4
        )
        crowd = self._crowd(votes, len(log))
        said = clipped(log, self.clip).cpu().numpy().astype(float)
        near = self.belief.counts.cpu().numpy().astype(float) if bool(self.belief.counts.any()) else None
        settled = method.settle(bind(crowd, load=method.load), said, counts=near)
        if keep:
            for kept, found in zip((self.mean, self.variance), settled.moments(crowd.n_annotators), strict=True):
                kept.copy_(torch.as_tensor(found))
        return torch.as_tensor(settled.belief, dtype=log.dtype, device=log.device)

    def _crowd(self, votes: Votes, n_rows: int) -> Crowd:
        def array(column: Tensor) -> Array:
            return np.asarray(column.cpu().numpy())

        weight = array(votes.weight)
        return Crowd(
            item=array(votes.row),
            annotator=array(votes.annotator),
            label=array(votes.label),
            items=np.arange(n_rows),
            annotators=np.arange(self.sizes.annotators),
            classes=np.arange(self.sizes.classes),
            weight=None if (weight == 1.0).all() else weight,
        )
