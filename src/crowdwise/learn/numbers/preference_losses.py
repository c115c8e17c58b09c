r"""Losses of preference learning, as plain functions of margins.

A margin z is how much better the chosen answer is than the rejected one, to the model: the difference of two rewards
or, in direct preference optimisation, :math:`\beta` times the difference of log-ratios (`dpo_margin`). `weight` counts
each pair; `crowdwise prefer` writes weights and label smoothing that these functions take as they are.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from ...errors import InputError

Each = Tensor | float


def dpo_margin(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float = 0.1
) -> Tensor:
    """Beta times the difference of log-ratios: log-probabilities of the answers by the policy and by the reference."""
    return beta * ((chosen - reference_chosen) - (rejected - reference_rejected))


def dpo(margin: Tensor, weight: Each = 1.0) -> Tensor:
    """The loss of direct preference optimisation, and of a reward model: -log sigma(z) (Rafailov et al. 2023).

    >>> round(float(dpo(torch.zeros(3))), 4)
    0.6931
    """
    return (-logsigmoid(margin) * weight).mean()


def cdpo(margin: Tensor, smoothing: Each, weight: Each = 1.0) -> Tensor:
    """Conservative: labels are wrong with chance e, (1 - e) L(z) + e L(-z) (Mitchell 2023); TRL's label smoothing."""
    return (-((1.0 - smoothing) * logsigmoid(margin) + smoothing * logsigmoid(-margin)) * weight).mean()


def robust_dpo(margin: Tensor, flip: Each, weight: Each = 1.0) -> Tensor:
    """Unbiased under flips: [(1 - e) L(z) - e L(-z)] / (1 - 2 e) (Chowdhury et al. 2024); unbounded below.

    >>> robust_dpo(torch.zeros(2), 0.5)
    Traceback (most recent call last):
    crowdwise.errors.InputError: flip: a rate of 0.5 or more tells nothing, or the opposite: turn those pairs round
    """
    if bool((torch.as_tensor(flip) >= 0.5).any()):
        raise InputError("flip: a rate of 0.5 or more tells nothing, or the opposite: turn those pairs round")
    both = -(1.0 - flip) * logsigmoid(margin) + flip * logsigmoid(-margin)
    return (both / (1.0 - 2.0 * flip) * weight).mean()


def ipo(log_ratio: Tensor, beta: float = 0.1, weight: Each = 1.0) -> Tensor:
    """(h - 1 / (2 beta))^2, h the difference of log-ratios without beta (Azar et al. 2024)."""
    return ((log_ratio - 0.5 / beta) ** 2 * weight).mean()


def right_chance(margin: Tensor, flip: Each) -> Tensor:
    """The chance that a pair is chosen the right way round, by the model and by how often its annotator flips.

    >>> [round(float(q), 2) for q in right_chance(torch.tensor([0.0, 3.0]), 0.3)]
    [0.7, 0.98]
    """
    seen = torch.sigmoid(margin)
    return (1.0 - flip) * seen / ((1.0 - flip) * seen + flip * (1.0 - seen)).clamp_min(1e-12)


def crowd_dpo(margin: Tensor, flip: Each, weight: Each = 1.0) -> Tensor:
    """A step of EM: q L(z) + (1 - q) L(-z), q = `right_chance`, held fixed; flip: of each pair's annotator."""
    with torch.no_grad():
        q = right_chance(margin, flip)
    return cdpo(margin, 1.0 - q, weight)


def flip_rates(margin: Tensor, flip: Tensor, annotator: Tensor, wrong: float = 1.0, right: float = 5.0) -> Tensor:
    """How often each annotator flips: (wrong + sum of 1 - q) / (wrong + right + n), a Beta prior's mean with counts.

    flip: rates before, one per annotator. The other step of EM.

    >>> rates = flip_rates(torch.tensor([4.0, -4.0]), torch.tensor([0.2, 0.2]), torch.tensor([0, 1]))
    >>> bool(rates[1] > rates[0])
    True
    """
    off = 1.0 - right_chance(margin, flip[annotator])
    n = torch.zeros_like(flip).index_add_(0, annotator, torch.ones_like(off))
    return (wrong + torch.zeros_like(flip).index_add_(0, annotator, off)) / (wrong + right + n)


def mixture_shares(margins: Tensor, annotator: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """Whose reward model each annotator follows, (annotators, models), and how common each is: a step of EM.

    margins: (models, pairs). Annotators are given by codes; weights: how common models were before, (models,).
    """
    n = int(annotator.max()) + 1
    log = torch.zeros(n, len(weights), device=margins.device, dtype=margins.dtype)
    log.index_add_(0, annotator, logsigmoid(margins).T)
    shares = torch.softmax(log + weights.clamp_min(1e-12).log(), dim=1)
    return shares, shares.mean(dim=0)


def mixture(margins: Tensor, annotator: Tensor, shares: Tensor, weight: Each = 1.0) -> Tensor:
    """The loss of several reward models, each annotator's pairs shared among them (Chakraborty et al. 2024)."""
    return (-(shares[annotator].T * logsigmoid(margins)).sum(dim=0) * weight).mean()


def worst(rewards: Tensor) -> Tensor:
    """The reward of the group that likes an answer least, (models, answers) -> (answers,): max-min's."""
    return rewards.min(dim=0).values
