"""LabelPropagation: labels that neighbours share, before the network learns from them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import torch
from scipy.sparse import csr_array, diags_array
from torch import Tensor

from ...fit.options import BelowOne
from ..base.class_prior import ClassPrior
from .two_stage import TwoStage

AT_ONCE = 1024  # rows whose neighbours are looked for
ROUNDS = 30


class LabelPropagation(TwoStage):
    r"""`TwoStage` whose targets travel over a graph of the features before anything is learned from them.

    .. math:: F \leftarrow \alpha \, D^{-1/2} W D^{-1/2} F + (1 - \alpha) \, Y

    from Y, the posterior of an aggregation method; W links each item to its nearest neighbours, by a Gaussian of their
    distance. An item with few or contested votes takes its label from items that look like it. The graph costs the
    square of the items.

    method: of aggregation. neighbours: of each item. spread: alpha. class_prior: as for every objective.

    Reference: Zhou, Bousquet, Lal, Weston & Schoelkopf, NIPS 2003, section 2, on what votes say of the items.
    """

    name: ClassVar[str] = "label-propagation"
    wants_rows: ClassVar[bool] = True

    def __init__(
        self,
        method: str = "dawid-skene",
        neighbours: int = 10,
        spread: BelowOne = 0.8,
        class_prior: ClassPrior = None,
    ):
        super().__init__(method, False, class_prior)
        self.neighbours, self.spread = neighbours, spread

    def see(self, x: Tensor, item: Tensor) -> None:
        there = item.to(self.target.device)
        known = self.target[there].cpu()
        travelled = propagated(known, x.reshape(len(x), -1).float().cpu(), self.neighbours, self.spread)
        self.target[there] = self.balanced_like(travelled).to(self.target)
        self.count(self.target)

    def balanced_like(self, target: Tensor) -> Tensor:
        """Targets of some items, weighted by class where something is stated."""
        joint = torch.log(target.clamp_min(1e-12))
        return torch.softmax(joint + self.class_weight(joint), dim=1)


def propagated(labels: Tensor, x: Tensor, neighbours: int, spread: float) -> Tensor:
    """Distributions of the classes after they have travelled between rows that are alike, (rows, classes).

    >>> x = torch.tensor([[0.0], [0.1], [5.0], [5.1]])
    >>> labels = torch.tensor([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.0, 1.0]])
    >>> propagated(labels, x, 1, 0.8).argmax(dim=1).tolist()
    [0, 0, 1, 1]
    """
    n, k = len(x), min(neighbours, len(x) - 1)
    if k < 1:
        return labels
    found = [torch.topk(torch.cdist(some, x), k + 1, largest=False) for some in torch.split(x, AT_ONCE)]
    distance = torch.cat([each.values for each in found])[:, 1:]  # the nearest of all is the row itself
    other = torch.cat([each.indices for each in found])[:, 1:]
    near = torch.exp(-((distance / distance.mean().clamp_min(1e-12)) ** 2))
    row, begin = other.reshape(-1).numpy(), np.arange(0, n * k + 1, k)
    links = csr_array((near.reshape(-1).numpy(), row, begin), shape=(n, n))
    graph = 0.5 * (links + links.T)
    root = diags_array(1.0 / np.sqrt(np.maximum(graph.sum(axis=1), 1e-12)))
    graph, first = root @ graph @ root, labels.numpy()
    out = first
    for _ in range(ROUNDS):
        out = spread * (graph @ out) + (1.0 - spread) * first
    return torch.as_tensor(out / np.maximum(out.sum(axis=1, keepdims=True), 1e-12))
