"""Sums over the processes of one training run; a run of one process is the case without friends."""

from __future__ import annotations

import os
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from ...errors import InputError


def world() -> int:
    """How many processes train together."""
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def rank() -> int:
    """Which of them this is."""
    return dist.get_rank() if world() > 1 else 0


def check_processes(accelerator: Any) -> None:
    """Processes that were started together must train together."""
    started = max(world(), int(os.environ.get("WORLD_SIZE", "1")))
    together = 1 if accelerator is None else int(accelerator.num_processes)
    if started != together:
        raise InputError(
            f"{started} processes were started and {together} would train together: give fit an accelerator, "
            "Accelerator(cpu=True) where there is no GPU"
        )


def mean(loss: Tensor, weight: Tensor) -> Tensor:
    """The mean of a loss by weight over all processes, as this one's share of it.

    The shares are scaled so that their mean over processes is the whole, for gradients are averaged.

    >>> mean(torch.tensor([1.0, 3.0]), torch.tensor([1.0, 3.0])).item()
    2.5
    """
    return world() * (weight * loss).sum() / total(weight.sum()).clamp_min(1e-12)


def total(values: Tensor) -> Tensor:
    """The sum over all processes, without gradients."""
    if world() > 1:
        values = values.detach().clone()
        dist.all_reduce(values)
    return values


def everybodys(number: float) -> float:
    """The first process's number, so that all decide alike."""
    if world() == 1:
        return number
    value = torch.tensor([number], dtype=torch.float64, device=_device())
    dist.broadcast(value, 0)
    return float(value)


def _device() -> str:
    return "cuda" if dist.get_backend() == "nccl" else "cpu"


def gathered(rows: Tensor) -> Tensor:
    """The rows of all processes, with gradients to each: for losses that look at a batch as a whole."""
    if world() == 1:
        return rows
    sizes = [int(size) for size in _each(torch.tensor([len(rows)], device=rows.device))]
    padded = torch.cat([rows, rows.new_zeros(max(sizes) - len(rows), *rows.shape[1:])])
    parts = torch.split(_Gather.apply(padded), max(sizes))  # type: ignore[no-untyped-call]
    return torch.cat([part[:size] for part, size in zip(parts, sizes, strict=True)])


class _Gather(torch.autograd.Function):
    """Everybody's rows forwards; backwards, the sum of what everybody makes of mine."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor) -> Tensor:
        return torch.cat(_each(rows.contiguous()))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        total = grads[0].contiguous()
        dist.all_reduce(total)
        return total.chunk(world())[rank()]


def _each(value: Tensor) -> list[Tensor]:
    out = [torch.zeros_like(value) for _ in range(world())]
    dist.all_gather(out, value)
    return out
