"""Keeping: a fit of votes on disk as a file, when it is done and after each of its steps."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..files import read_arrays, write_arrays
from ..fit.climb import Climb, Sweep
from ..fit.params import Params
from ..methods import make

KEPT = "a fit that was kept"


class Kept(NamedTuple):
    """What a file holds of a fit: a finished one, or one climb on its way.

    of: which votes and gold it was fitted to. path: the steps since the last leap. beside: what was
    found beside the fit.
    """

    method: Any
    params: Params
    sums: Params
    trace: Sequence[float]
    converged: bool
    of: str
    gold: Mapping[Any, Any] | None = None
    path: Sequence[Params] = ()
    beside: Params = {}  # noqa: RUF012 - never written to

    def save(self, file: Path) -> None:
        """Write it, whole or not at all."""
        header = {
            "method": self.method.name, "options": self.method.options(), "trace": list(self.trace),
            "converged": self.converged, "of": self.of, "gold": list((self.gold or {}).items()),
        }  # fmt: skip
        groups = {"params": self.params, "sums": self.sums, "beside": self.beside}
        groups |= {f"path{place}": params for place, params in enumerate(self.path)}
        arrays = {f"{group}.{name}": np.asarray(one) for group, own in groups.items() for name, one in own.items()}
        file.parent.mkdir(parents=True, exist_ok=True)
        write_arrays(file, header, arrays, compress=False)  # compressing takes thirty times as long

    @classmethod
    def load(cls, file: Path) -> Kept:
        """Read what `save` wrote."""
        arrays, told = read_arrays(file, KEPT)
        options = {name: tuple(value) if isinstance(value, list) else value for name, value in told["options"].items()}
        method: Any = make(told["method"], **options)

        def group(name: str) -> Params:
            return {key.partition(".")[2]: value for key, value in arrays.items() if key.startswith(f"{name}.")}

        path = [found for place in range(3) if (found := group(f"path{place}"))]
        return cls(
            method, group("params"), group("sums"), tuple(told["trace"]), bool(told["converged"]), told.get("of", ""),
            dict(map(tuple, told.get("gold", ()))) or None, path, group("beside"),
        )  # fmt: skip


def digest(params: Params) -> str:
    """Parameters in a word."""
    told = hashlib.sha256()
    for name, value in sorted(params.items()):
        told.update(name.encode() + np.ascontiguousarray(value).tobytes())
    return told.hexdigest()


def climb_of(
    method: Any, sweep: Sweep, first: Callable[[], Params], begin: Params, file: Path | None, of: str
) -> Climb:
    """A climb from its first sums; with a file it goes on from what is kept there, and is kept after each step."""
    before = Kept.load(file) if file is not None and file.is_file() else None
    if before is not None and (before.method != method or before.of != of):
        raise InputError(
            f"{file} keeps a fit of {before.method.name} to other votes, or with other options: name another folder"
        )
    climb = Climb(method, sweep, {}, first() if before is None else before.sums, begin)
    if before is not None:
        climb.params, climb.path = before.params, list(before.path)
        climb.trace, climb.converged = list(before.trace), before.converged
    if file is not None:

        def keep(now: Climb) -> None:
            Kept(method, now.params, now.sums, now.trace, now.converged, of, path=now.path).save(file)

        climb.after_step = keep
    return climb
