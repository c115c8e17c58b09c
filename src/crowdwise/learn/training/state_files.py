"""Modules on disk: arrays and JSON in one .npz file, never pickle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from ...errors import InputError
from ...files import read_arrays, write_arrays
from ...votes.codes import Array

FORMAT = 1


def write(path: Path, what: str, header: dict[str, Any], arrays: dict[str, Array]) -> None:
    """A file of arrays with a JSON header, which says what it is: whole, or not there."""
    write_arrays(path, {"kind": what, "format": FORMAT, **header}, arrays, compress=False)


def read(path: Path, what: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays that `write` wrote."""
    arrays, header = read_arrays(path, what)
    if header.get("kind") != what:
        raise InputError(f"{path} is not {what}")
    if header["format"] != FORMAT:
        raise InputError(f"{path} has format {header.get('format')}; this version reads {FORMAT}")
    return header, arrays


def state_arrays(module: nn.Module, prefix: str) -> dict[str, Array]:
    """A module's state by name."""
    return {f"{prefix}.{name}": value.detach().cpu().numpy() for name, value in module.state_dict().items()}


def load_state(module: nn.Module, arrays: dict[str, Array], prefix: str, path: Path) -> None:
    """Put a state back."""
    state = {
        name.removeprefix(f"{prefix}."): torch.as_tensor(np.array(value))
        for name, value in arrays.items()
        if name.startswith(f"{prefix}.")
    }
    try:
        module.load_state_dict(state)
    except RuntimeError as error:
        raise InputError(f"{path}: the {prefix} is of another make than the one it is loaded into") from error
