"""Adapted: networks of other libraries, as they are: torchvision, timm, transformers."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ..base.objective import Output


class Adapted(nn.Module):
    """A module that maps rows to logits, or to something that has `logits`; nothing of its library is imported.

    The features under the logits are what goes into its last linear layer; where there is none, the logits themselves.
    Rows of token numbers, (rows, 2, length), are given as `input_ids` and `attention_mask`, which is what the models of
    transformers take.
    """

    def __init__(self, module: nn.Module):
        super().__init__()
        self.module = module
        self._seen: list[Tensor] = []
        layers = [layer for layer in module.modules() if isinstance(layer, nn.Linear)]
        if layers:
            layers[-1].register_forward_pre_hook(self._keep)

    def _keep(self, layer: nn.Module, given: tuple[Any, ...]) -> None:
        self._seen = [given[0]]

    def forward(self, x: Tensor) -> Output:
        tokens = not x.is_floating_point()
        said = self.module(input_ids=x[:, 0], attention_mask=x[:, 1]) if tokens else self.module(x)
        if isinstance(said, Output):
            return said
        logits = getattr(said, "logits", said)
        seen, self._seen = self._seen, []
        features = seen[0] if seen and len(seen[0]) == len(logits) else logits
        return Output(logits, torch.flatten(features, 1))
