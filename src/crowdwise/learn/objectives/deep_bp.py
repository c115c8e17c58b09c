"""DeepBP: belief propagation between items and annotators, and a network trained on it, in turn."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from ...engine import NumpyEngine, bind
from ...fit.options import Natural, Share
from ...methods.classes.bayes.belief_propagation import BeliefPropagation, Settled
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.known import Known
from ..base.annotator_belief import AnnotatorBelief
from ..base.class_prior import ClassPrior
from ..base.clipping import clipped
from ..base.counted import counts
from ..base.objective import Output
from ..training.vote_book import Votes
from .aggnet import AggNet


class DeepBP(AggNet):
    r"""Deep belief propagation: the network is each item's own factor, annotators' matrices are summed out.

    .. math::
        m_{n \to m}(k) \propto \hat f_k(x_n) \prod_{u \ne m} m_{u \to n}(k), \qquad
        m_{m \to n}(k) \propto E_{p(A)} \left[A[k, l_{nm}] \prod_{i \ne n} \sum_c A[c, l_{im}] m_{i \to m}(c)\right]

    until beliefs :math:`q_n \propto \hat f(x_n) \prod_m m_{m \to n}` settle, after each epoch; then the network learns
    from q by cross-entropy. Use it where annotators have few votes each: it does not take for certain what it has half
    guessed, as `deep-mf` does, and one spammer with very many votes misleads it less. `infer` runs the propagation
    anew on the votes that it is given: give it all that there are.

    prior: as in `deep-mf`. One coin is exact, as are rows of two classes up to 120 votes an annotator; other rows are
    summed out by expectation propagation. Other priors are summed over `samples` draws, and what is believed of
    annotators is then taken from counts under the beliefs. clip, folds, warm_up: as in `deep-mf`. rounds: of messages
    at most. class_prior: as for every objective.

    Reference: Kim, Cho, Kim & Ok, Robust Deep Learning from Crowds with Belief Propagation, section 3.2, algorithm 2.
    """

    name: ClassVar[str] = "deep-bp"
    variance: Tensor

    def __init__(
        self,
        prior: Any = "auto",
        right: float | None = None,
        wrong: float | None = None,
        clip: Share = 0.9,
        rounds: int = 20,
        samples: int = 400,
        folds: int = 1,
        warm_up: Natural = 2,
        class_prior: ClassPrior = None,
    ):
        super().__init__(warm_up=warm_up, class_prior=class_prior)
        self.prior, self.right, self.wrong = prior, right, wrong
        self.clip, self.rounds, self.samples, self.folds = clip, rounds, samples, folds
        self.belief = AnnotatorBelief(prior, right, wrong)

    def allocate(self) -> None:
        super().allocate()
        m, k = self.sizes.annotators, self.sizes.classes
        self.belief.allocate(m, k)
        self.register_buffer("variance", torch.zeros(m, k, k))

    def count(self, target: Tensor) -> None:
        self.belief.counts.copy_(counts(target, self.book.everything(), self.sizes.annotators))
        self._believe(*self.belief.moments())

    def e_step(self, log: Tensor, votes: Votes) -> None:
        settled, ops = self._propagated(log, votes)
        self.notes = self._method().notes(settled)
        belief = self._log_belief(settled, log)
        self.log_weight.copy_(self.class_weight(belief[self.voted]))
        self.target.copy_(torch.softmax(belief + self.log_weight, dim=1))
        self.count(self.target)
        self.belief.learn()
        if not self._method().draws:  # draws that fit an annotator of many votes are few, and seem surer than they are
            self._believe(*map(torch.as_tensor, settled.moments(ops)))

    def posterior(self, output: Output, votes: Votes) -> Tensor:
        log = torch.log_softmax(output.logits, dim=1)
        return torch.softmax(self._log_belief(self._propagated(log, votes)[0], log) + self.log_weight, dim=1)

    def moments(self) -> tuple[Tensor, Tensor]:
        return self.matrices, self.variance

    def _propagated(self, log: Tensor, votes: Votes) -> tuple[Settled, NumpyEngine]:
        """Where messages end between these rows and their annotators, the network as each row's own factor."""
        method, crowd = self._method(), self._crowd(votes, len(log))
        said = clipped(log, self.clip).cpu().numpy().astype(float)
        ops = bind(crowd, load=method.load)
        return method.settle(ops, Known.of_all(said), counts=self.belief.counts.cpu().numpy().astype(float)), ops

    def _method(self) -> BeliefPropagation:
        law = self.belief.law
        return BeliefPropagation(
            prior=law.prior, right=law.right, wrong=law.wrong, samples=self.samples, max_iter=self.rounds, tol=1e-4
        )

    def _believe(self, mean: Tensor, variance: Tensor) -> None:
        self.matrices.copy_(mean)
        self.variance.copy_(variance)

    @staticmethod
    def _log_belief(settled: Settled, like: Tensor) -> Tensor:
        belief = torch.as_tensor(settled.belief, dtype=like.dtype, device=like.device)
        return torch.log(belief.clamp_min(1e-12))

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
