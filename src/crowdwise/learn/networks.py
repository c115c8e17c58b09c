"""Networks: a few built in; any module that maps rows to logits will do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from ..errors import InputError
from .objective import Output


class Head(nn.Module):
    """Features, then a linear layer of logits."""

    def __init__(self, features: nn.Module, width: int, n_classes: int):
        super().__init__()
        self.features, self.logits = features, nn.Linear(width, n_classes)

    def forward(self, x: Tensor) -> Output:
        features = self.features(x)
        return Output(self.logits(features), features)


def linear(n_features: int, n_classes: int) -> nn.Module:
    """Logistic regression."""
    return Head(nn.Identity(), n_features, n_classes)


def mlp(n_features: int, n_classes: int, hidden: int = 128, dropout: float = 0.5) -> nn.Module:
    """One hidden layer."""
    return Head(nn.Sequential(nn.Linear(n_features, hidden), nn.ReLU(), nn.Dropout(dropout)), hidden, n_classes)


NETWORKS: dict[str, Callable[[int, int], nn.Module]] = {"linear": linear, "mlp": mlp}


def build(network: Any, n_features: int, n_classes: int) -> nn.Module:
    """A network by name, from a factory of (n_features, n_classes), or as it is."""
    if isinstance(network, nn.Module):
        return network
    if isinstance(network, str):
        if network not in NETWORKS:
            raise InputError(f"network={network!r}: choose {', '.join(NETWORKS)}, a factory, or a torch module")
        return NETWORKS[network](n_features, n_classes)
    made = network(n_features, n_classes)
    if not isinstance(made, nn.Module):
        raise InputError(f"network: the factory gave {type(made).__name__}, not a torch module")
    return made


def run(network: nn.Module, x: Tensor) -> Output:
    """What a network says, be it an Output or plain logits."""
    said = network(x)
    return said if isinstance(said, Output) else Output(said, said)


@torch.no_grad()
def run_all(network: nn.Module, x: Tensor, batch: int = 4096) -> Output:
    """The same for many rows, without gradients and in evaluation mode."""
    was = network.training
    network.eval()
    parts = [run(network, x[low : low + batch]) for low in range(0, len(x), batch)]
    network.train(was)
    return Output(torch.cat([part.logits for part in parts]), torch.cat([part.features for part in parts]))
