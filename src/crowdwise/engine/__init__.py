"""Engines: a Crowd placed where its sums are computed. The only compiled code of the package lives here."""

from __future__ import annotations

from ..errors import InputError, OptionError
from ..votes.crowd import Crowd
from .cores import available_cores
from .numpy_engine import NumpyEngine, normalise
from .tuples import Tuples, meetings

__all__ = ["ENGINES", "NumpyEngine", "Tuples", "bind", "meetings", "normalise"]

ENGINES = ("numpy", "numba", "torch")
# Below this many votes, times the work that each is, NumPy is done before numba is imported.
SMALL = 200_000


def bind(crowd: Crowd, engine: str = "auto", load: int = 1) -> NumpyEngine:
    """The engine of that name over a crowd; `load`: how many times the work of Dawid-Skene.

    "auto" is NumPy for small crowds and numba for large ones; "numba:4" takes four threads; "torch:cuda" a GPU.

    >>> crowd = Crowd.from_matrix([[0, 1], [1, 1]])
    >>> bind(crowd).item_votes().tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    """
    name, _, detail = engine.partition(":")
    if name == "auto":
        name = "numpy" if crowd.n_votes * load < SMALL else "numba"
    if name == "numpy":
        return NumpyEngine(crowd)
    if name == "numba":
        from .numba_engine import NumbaEngine

        if detail and not (detail.isdecimal() and int(detail)):
            raise OptionError(f"engine {engine!r}: the number of threads must be a whole number of at least 1")
        return NumbaEngine(crowd, int(detail) if detail else available_cores())
    if name == "torch":
        try:
            from .torch_engine import TorchEngine
        except ImportError as error:
            raise InputError(f"engine {engine!r} needs PyTorch: pip install 'crowdwise[torch]'") from error
        return TorchEngine(crowd, detail or "cpu")
    raise OptionError(f"engine {engine!r} is unknown: choose auto, {', '.join(ENGINES)} (or numba:4, torch:cuda)")
