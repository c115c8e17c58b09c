"""Checkpoint: a training run on disk, to go on from."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...errors import InputError
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.frames import labels_by_item
from ..base.objective import Objective
from .loop import History, Loop
from .rows import Rows
from .state_files import load_state, read, state_arrays, write

LOOKED_AT = 256  # rows at most, to know features again


def fingerprint(params: dict[str, Any], rows: Rows, names: Array, crowd: Crowd, clean: Any) -> str:
    """One word for options, features, votes and known labels: a run goes on only with the same."""
    known = None if clean is None else [names.tolist() for names in labels_by_item(clean)]
    described = {name: _described(value) for name, value in params.items()}
    lists = [described, rows.shape, names.tolist(), crowd.items.tolist(), crowd.annotators.tolist()]
    sha = hashlib.sha256(json.dumps([*lists, crowd.classes.tolist(), known], sort_keys=True, default=str).encode())
    some = torch.as_tensor(np.unique(np.linspace(0, len(rows) - 1, LOOKED_AT).astype(np.int64)))
    for column in (rows.marks(some), crowd.item, crowd.annotator, crowd.label, crowd.weight):
        sha.update(b"" if column is None else np.ascontiguousarray(column).tobytes())
    return sha.hexdigest()


def _described(value: Any) -> Any:
    """An option in words that are the same in another process."""
    if isinstance(value, nn.Module):
        kept = {name: tensor.flatten().tolist() for name, tensor in value.state_dict().items()}
        options = _described(value.options()) if isinstance(value, Objective) else {}
        return [type(value).__module__, type(value).__qualname__, kept, options]
    if callable(value):
        return [getattr(value, "__module__", ""), getattr(value, "__qualname__", type(value).__qualname__)]
    if isinstance(value, dict):
        return {name: _described(part) for name, part in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value


class Checkpoint:
    """A training run on disk, written after every epoch; it goes on from there when it is started again."""

    def __init__(self, folder: str | Path, name: str, mark: str):
        self.path, self.mark = Path(folder) / f"{name}.npz", mark

    def keep(self, loop: Loop) -> None:
        """Write the run as it is."""
        arrays = state_arrays(loop.learner, "learner")
        for number, moments in loop.optimiser.state_dict()["state"].items():
            arrays |= {f"optimiser.{number}.{name}": _array(value) for name, value in moments.items()}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.path.parent} cannot be made: {error.strerror}") from error
        write(self.path, "a checkpoint", {"mark": self.mark, "history": asdict(loop.history)}, arrays)

    def resume(self, loop: Loop) -> None:
        """Put a run back to where it was, if it was ever kept."""
        if not self.path.exists():
            return
        header, arrays = read(self.path, "a checkpoint")
        if header["mark"] != self.mark:
            raise InputError(
                f"{self.path} is of other options, features or votes: remove it (--restart), or choose another folder"
            )
        load_state(loop.learner, arrays, "learner", self.path)
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in arrays.items():
            if name.startswith("optimiser."):
                _, number, key = name.split(".")
                state.setdefault(int(number), {})[key] = torch.as_tensor(np.array(value))
        groups = loop.optimiser.state_dict()["param_groups"]
        loop.optimiser.load_state_dict({"state": state, "param_groups": groups})
        loop.history = History(**header["history"])


def forget(folder: str | Path) -> None:
    """Remove checkpoints, and their folder where nothing else is in it."""
    for file in Path(folder).glob("*.npz"):
        file.unlink(missing_ok=True)
    with suppress(OSError):
        Path(folder).rmdir()


def _array(value: Any) -> Array:
    return value.detach().cpu().numpy() if isinstance(value, Tensor) else np.asarray(value)
