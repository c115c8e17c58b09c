"""Checkpoint: a training run on disk, to go on from."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..codes import Array
from ..crowd import Crowd
from ..errors import InputError
from .arrays import load_state, read, state_arrays, write
from .loop import Loop


def fingerprint(params: dict[str, Any], crowd: Crowd, n_rows: int) -> str:
    """One word for options and votes: a run goes on only with the same."""
    sha = hashlib.sha256(json.dumps([params, n_rows, crowd.classes.tolist()], sort_keys=True, default=str).encode())
    for column in (crowd.item, crowd.annotator, crowd.label, crowd.weight):
        sha.update(b"" if column is None else np.ascontiguousarray(column).tobytes())
    return sha.hexdigest()


class Checkpoint:
    """A training run on disk, written after every epoch; it goes on from there when it is started again."""

    def __init__(self, folder: str | Path, name: str, mark: str):
        self.path, self.mark = Path(folder) / f"{name}.npz", mark

    def keep(self, loop: Loop) -> None:
        """Write the run as it is."""
        arrays = state_arrays(loop.learner, "learner")
        for number, moments in loop.optimiser.state_dict()["state"].items():
            arrays |= {f"optimiser.{number}.{name}": _array(value) for name, value in moments.items()}
        history = {"loss": loop.history.loss, "score": loop.history.score}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write(self.path, {"mark": self.mark, "history": history}, arrays)

    def resume(self, loop: Loop) -> None:
        """Put a run back to where it was, if it was ever kept."""
        if not self.path.exists():
            return
        header, arrays = read(self.path, "a checkpoint")
        if header["mark"] != self.mark:
            raise InputError(f"{self.path} is of other options or votes: remove it, or choose another folder")
        load_state(loop.learner, arrays, "learner", self.path)
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in arrays.items():
            if name.startswith("optimiser."):
                _, number, key = name.split(".")
                state.setdefault(int(number), {})[key] = torch.as_tensor(np.array(value))
        groups = loop.optimiser.state_dict()["param_groups"]
        loop.optimiser.load_state_dict({"state": state, "param_groups": groups})
        loop.history.loss, loop.history.score = header["history"]["loss"], header["history"]["score"]


def forget(folder: str | Path) -> None:
    """Remove checkpoints, and their folder where nothing else is in it."""
    for file in Path(folder).glob("*.npz"):
        file.unlink()
    with suppress(OSError):
        Path(folder).rmdir()


def _array(value: Any) -> Array:
    return value.detach().cpu().numpy() if isinstance(value, Tensor) else np.asarray(value)
