"""Crowdlab: a classifier and the annotators as members of a weighted vote."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from ..base.class_prior import ClassPrior
from ..base.objective import Output, PredictAll
from ..training.vote_book import Votes, by_row
from .two_stage import TwoStage


class Crowdlab(TwoStage):
    r"""A classifier trained on the majority's labels, then an ensemble of it and the annotators.

    .. math::
        q_n(k) \propto w_M f_k(x_n) + \sum_m w_m \, p(k \mid l_{nm}), \qquad
        p(k \mid l) = P \; \text{if} \; k = l, \; \text{else} \; \tfrac{1 - P}{K - 1}

    with P the mean share of an item's votes that agree with its consensus; :math:`w_m = 1 - (1 - s_m) / (1 - a)`, where
    :math:`s_m` is how often m agrees with others on the same item and a the consensus' agreement with the most common
    label; :math:`w_M` likewise from the classifier's agreement, times the root of the votes an item. Agreement is taken
    on items with two votes or more (where there are none, with the classifier), predictions from networks that have not
    seen the item. A yardstick: no confusion of classes, no joint learning. `confusion` is counted against q.

    method, hard, class_prior: of the labels it is trained on, as for `TwoStage`.

    Reference: Goh, Tkachenko & Mueller, 2022 (arXiv 2210.06812), section 3.
    """

    name: ClassVar[str] = "crowdlab"
    folds: int = 5
    agreement: Tensor
    model_weight: Tensor
    annotator_weight: Tensor

    def __init__(self, method: str = "majority-vote", hard: bool = True, class_prior: ClassPrior = None):
        super().__init__(method, hard, class_prior)

    def allocate(self) -> None:
        super().allocate()
        self.register_buffer("agreement", torch.tensor(0.5))
        self.register_buffer("model_weight", torch.ones(()))
        self.register_buffer("annotator_weight", torch.ones(self.sizes.annotators))

    @torch.no_grad()
    def refresh(self, predict_all: PredictAll) -> None:
        said, votes = predict_all(), self.book.everything()
        of_item = torch.zeros_like(said).index_put((votes.item, votes.label), votes.weight, accumulate=True)
        total = of_item.sum(dim=1)
        # The consensus is the majority's; the classifier breaks ties.
        consensus = (of_item + 1e-3 * said).argmax(dim=1)
        several = (torch.bincount(votes.item, minlength=len(said)) > 1).to(said.dtype)
        n_several = several.sum().clamp_min(1.0)
        agreed = of_item.gather(1, consensus[:, None])[:, 0] / total.clamp_min(1e-12)
        if several.any():
            agreement = (several * agreed).sum() / n_several
        else:  # nobody to agree with but the classifier
            agreement = votes.mean((said.argmax(dim=1)[votes.item] == votes.label).to(said.dtype))
        self.agreement.copy_(agreement.clamp_min(1.0 / self.sizes.classes))
        common = torch.bincount(consensus[total > 0], minlength=self.sizes.classes).argmax()
        chance = 1.0 - ((several * (consensus == common)).sum() / n_several).clamp_max(0.999)
        model = (several * (said.argmax(dim=1) == consensus)).sum() / n_several
        usual = torch.sqrt(total.sum() / (total > 0).sum().clamp_min(1))
        self.model_weight.copy_((1.0 - (1.0 - model) / chance).clamp_min(1e-3) * usual)
        others = (total[votes.item] - votes.weight).clamp_min(0.0)
        same = of_item[votes.item, votes.label] - votes.weight
        zero = torch.zeros(self.sizes.annotators, device=said.device)
        met, alike = (zero.index_add(0, votes.annotator, votes.weight * value) for value in (others, same))
        share = torch.where(met > 0, alike / met.clamp_min(1e-12), alike.sum() / met.sum().clamp_min(1e-12))
        self.annotator_weight.copy_((1.0 - (1.0 - share) / chance).clamp_min(1e-3))
        self.count(self.posterior(Output(torch.log(said.clamp_min(1e-12)), said), votes))

    def posterior(self, output: Output, votes: Votes) -> Tensor:
        n_classes = self.sizes.classes
        wrong = (1.0 - self.agreement) / max(n_classes - 1, 1)
        says = wrong + (self.agreement - wrong) * torch.nn.functional.one_hot(votes.label, n_classes)
        weight = (self.annotator_weight[votes.annotator] * votes.weight)[:, None]
        joint = self.model_weight * self.predict(output) + by_row(weight * says, votes, len(output.logits))
        return joint / joint.sum(dim=1, keepdim=True)
