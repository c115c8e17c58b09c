"""Networks: a few built in; any module that maps rows to logits will do."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from math import prod
from typing import Any

import torch
from torch import Tensor, nn

from ...errors import InputError, OptionError
from ..base.objective import Output
from .adapted import Adapted
from .prepared import Prepared
from .words import Words

Shape = tuple[int, ...]


class Head(nn.Module):
    """Features, then a linear layer of logits."""

    def __init__(self, features: nn.Module, width: int, n_classes: int):
        super().__init__()
        self.features, self.logits = features, nn.Linear(width, n_classes)

    def forward(self, x: Tensor) -> Output:
        features = self.features(x)
        return Output(self.logits(features), features)


def linear(shape: Shape, n_classes: int) -> nn.Module:
    """Logistic regression."""
    return Head(nn.Flatten(), prod(shape), n_classes)


def mlp(shape: Shape, n_classes: int, hidden: int = 128, dropout: float = 0.5) -> nn.Module:
    """One hidden layer."""
    layers = nn.Sequential(nn.Flatten(), nn.Linear(prod(shape), hidden), nn.ReLU(), nn.Dropout(dropout))
    return Head(layers, hidden, n_classes)


def cnn(shape: Shape, n_classes: int, hidden: int = 128, dropout: float = 0.5) -> nn.Module:
    """Four convolutions of 3 x 3, each halved by pooling, and a hidden layer.

    As in Rodrigues & Pereira (AAAI 2018) and Cao et al. (ICLR 2019) for cats and dogs.
    """
    channels, height, width = _image(shape)
    layers: list[nn.Module] = [Channels()]
    for filters in (32, 32, 64, 64):
        layers += [nn.Conv2d(channels, filters, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2, ceil_mode=True)]
        channels, height, width = filters, (height + 1) // 2, (width + 1) // 2
    flat = channels * height * width
    layers += [nn.Flatten(), nn.Linear(flat, hidden), nn.ReLU(), nn.Dropout(dropout)]
    return Head(nn.Sequential(*layers), hidden, n_classes)


def resnet(shape: Shape, n_classes: int, depth: int = 2, widths: tuple[int, ...] = (16, 32, 64)) -> nn.Module:
    """A small residual network for small images: three stages of `depth` blocks (He et al., CVPR 2016, section 4.2)."""
    channels = widths[0]
    layers: list[nn.Module] = [
        Channels(),
        nn.Conv2d(_image(shape)[0], channels, 3, padding=1, bias=False),
        nn.BatchNorm2d(channels),
        nn.ReLU(),
    ]
    for stage, width in enumerate(widths):
        for block in range(depth):
            layers.append(Residual(channels, width, stride=2 if stage and not block else 1))
            channels = width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return Head(nn.Sequential(*layers), channels, n_classes)


def gp(shape: Shape, n_classes: int) -> nn.Module:
    """Gaussian processes, for small data."""
    try:
        from .gaussian_process import GaussianProcess
    except ImportError as error:
        raise InputError("network='gp' needs GPyTorch: pip install 'crowdwise[gp]'") from error
    return GaussianProcess(shape, n_classes)


class Residual(nn.Module):
    """Two convolutions beside a short cut."""

    def __init__(self, channels: int, width: int, stride: int):
        super().__init__()
        self.inner = nn.Sequential(
            nn.Conv2d(channels, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width),
        )  # fmt: skip
        same = stride == 1 and channels == width
        self.short = nn.Identity() if same else nn.Conv2d(channels, width, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.inner(x) + self.short(x))


class Channels(nn.Module):
    """Images without channels get one."""

    def forward(self, x: Tensor) -> Tensor:
        return x[:, None] if x.ndim == 3 else x


def _image(shape: Shape) -> tuple[int, int, int]:
    if len(shape) not in (2, 3):
        raise InputError(f"rows of shape {shape} are no images: (height, width) or (channels, height, width) is needed")
    return (1, *shape) if len(shape) == 2 else shape  # type: ignore[return-value]


def text(shape: Shape, n_classes: int) -> nn.Module:
    """A small transformer over words."""
    return Head(Words(), Words.width, n_classes)


NETWORKS: dict[str, Callable[[Shape, int], nn.Module]] = {
    "linear": linear, "mlp": mlp, "cnn": cnn, "resnet": resnet, "gp": gp, "text": text,
}  # fmt: skip


def build(network: Any, shape: Shape, n_classes: int) -> nn.Module:
    """A network by name, from a factory of (shape of a row, number of classes), or a copy of one that is there."""
    if isinstance(network, nn.Module):
        return adapted(deepcopy(network))
    if isinstance(network, str):
        if network not in NETWORKS:
            raise OptionError(f"network={network!r}: choose {', '.join(NETWORKS)}, a factory, or a torch module")
        return NETWORKS[network](shape, n_classes)
    made = network(shape, n_classes)
    if not isinstance(made, nn.Module):
        raise InputError(f"network: the factory gave {type(made).__name__}, not a torch module")
    return adapted(made)


def adapted(network: nn.Module) -> nn.Module:
    """A network of anybody's that says what objectives want to hear: its logits, and the features under them."""
    return network if isinstance(network, Head | Prepared | Adapted) else Adapted(network)


def run(network: nn.Module, x: Tensor) -> Output:
    """What a network says, be it an Output or plain logits."""
    said = network(x)
    return said if isinstance(said, Output) else Output(said, said)
