"""GaussianProcess: a classifier for small data that is unsure where it has seen little; a network like any other."""

from __future__ import annotations

from math import prod, sqrt

import torch
from gpytorch.distributions import MultivariateNormal
from gpytorch.kernels import RBFKernel, ScaleKernel
from gpytorch.means import ConstantMean
from gpytorch.models import ApproximateGP
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy
from torch import Tensor

from ..base.objective import Output
from .prepared import Prepared

INDUCING = 100
DRAWS = 128


class GaussianProcess(Prepared):
    """A latent function a class, Gaussian processes with one kernel each, through inducing points.

    Sparse and variational: in training the logits are a draw of the functions, so that cross-entropy is the expected
    one, and `penalty` is the divergence of the inducing values from their prior, a row. Afterwards probabilities are
    means over draws that stay the same.

    Reference: Rodrigues, Pereira & Ribeiro, ICML 2014, for several classes and any prior on annotators; the sparse
    approximation is Hensman, Matthews & Ghahramani, AISTATS 2015.
    """

    pace = 20.0
    draws: Tensor
    n_rows: Tensor
    apart: Tensor
    """The usual distance between two rows: the unit of length, whatever the features' scale."""

    def __init__(self, shape: tuple[int, ...], n_classes: int):
        super().__init__()
        self.process = _Processes(prod(shape), n_classes)
        generator = torch.Generator().manual_seed(0)
        half = torch.randn(DRAWS // 2, 1, n_classes, generator=generator)
        self.register_buffer("draws", torch.cat([half, -half]))
        self.register_buffer("n_rows", torch.ones(()))
        self.register_buffer("apart", torch.ones(()))

    @torch.no_grad()
    def begin(self, x: Tensor, n_rows: int) -> None:
        """Inducing points are among the rows; where these are too few, beside them. n_rows: how many will be seen."""
        flat = x.flatten(1).float()
        at = torch.randint(len(flat), (INDUCING,)) if len(flat) < INDUCING else torch.randperm(len(flat))[:INDUCING]
        points = flat[at.to(flat.device)]
        self.apart.copy_(torch.pdist(points).median().clamp_min(1e-6))
        points = points / self.apart + 1e-2 / sqrt(points.shape[1]) * torch.randn_like(points)
        self.process.variational_strategy.inducing_points.copy_(points)
        self.n_rows.fill_(float(n_rows))

    def forward(self, x: Tensor) -> Output:
        with torch.autocast(x.device.type, enabled=False):  # matrices that are barely positive keep their digits
            said = self.process(x.flatten(1).float() / self.apart)
        mean, spread = said.mean.T, said.variance.clamp_min(1e-9).sqrt().T  # (rows, classes)
        if self.training:
            logits = mean + spread * torch.randn_like(mean)
        else:
            each = torch.log_softmax(mean + spread * self.draws, dim=2)
            logits = torch.logsumexp(each, dim=0) - torch.log(torch.tensor(float(DRAWS)))
        return Output(logits, mean)

    def penalty(self) -> Tensor:
        """What is added to the loss of a batch."""
        divergence: Tensor = self.process.variational_strategy.kl_divergence().sum()
        return divergence / self.n_rows


class _Processes(ApproximateGP):  # type: ignore[misc]
    def __init__(self, width: int, n_classes: int):
        batch = torch.Size([n_classes])
        points = torch.randn(INDUCING, width)
        values = CholeskyVariationalDistribution(INDUCING, batch_shape=batch)
        super().__init__(VariationalStrategy(self, points, values, learn_inducing_locations=True))
        self.mean = ConstantMean(batch_shape=batch)
        self.kernel = ScaleKernel(RBFKernel(batch_shape=batch), batch_shape=batch)
        self.kernel.base_kernel.lengthscale = 1.0 / sqrt(2.0)
        self.kernel.outputscale = 4.0

    def forward(self, x: Tensor) -> MultivariateNormal:
        return MultivariateNormal(self.mean(x), self.kernel(x))
