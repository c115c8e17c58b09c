"""Engines: a Crowd placed where its sums are computed. The only compiled code of the package lives here."""

from __future__ import annotations

from ..errors import InputError, OptionError
from ..votes.crowd import Crowd
from .cores import available_cores
from .numpy_engine import NumpyEngine, normalise
from .tuples import Tuples, meetings
from .warm import is_warm

__all__ = ["ENGINES", "GPU", "NumpyEngine", "Tuples", "bind", "meetings", "normalise", "suited"]

ENGINES = ("numpy", "numba", "torch")
GPU = "cuda"
# Below this many votes, times the work that each is, NumPy is done before numba is imported.
SMALL = 200_000
SMALL_AT_FIRST = 500_000  # as long as the kernels have to be compiled


def suited(crowd: Crowd, engine: str = "auto", load: int = 1) -> str:
    """The engine that is meant: "auto" is NumPy for small crowds and numba for large ones.

    Where numba's kernels have never been compiled, a crowd is small for longer: NumPy is done before the compiler is.

    >>> suited(Crowd.from_matrix([[0, 1], [1, 1]])), suited(Crowd.from_matrix([[0]]), "numba:2")
    ('numpy', 'numba:2')
    """
    if engine != "auto":
        return engine
    work = crowd.n_votes * load
    return "numpy" if work < SMALL or (work < SMALL_AT_FIRST and not is_warm()) else "numba"


def bind(crowd: Crowd, engine: str = "auto", load: int = 1) -> NumpyEngine:
    """The engine of that name over a crowd; `load`: how many times the work of Dawid-Skene.

    "auto" is as `suited` says; "numba:4" takes four threads; "cuda" takes a GPU, by kernels of our own, and
    "torch:cuda" one by PyTorch's.

    >>> crowd = Crowd.from_matrix([[0, 1], [1, 1]])
    >>> bind(crowd).item_votes().tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    """
    name, _, detail = suited(crowd, engine, load).partition(":")
    if name == "numpy":
        return NumpyEngine(crowd)
    if name == "numba":
        from .numba_engine import NumbaEngine

        if detail and not (detail.isdecimal() and int(detail)):
            raise OptionError(f"engine {engine!r}: the number of threads must be a whole number of at least 1")
        return NumbaEngine(crowd, int(detail) if detail else available_cores())
    if name == GPU:
        try:
            from .cuda_engine import CudaEngine
        except ImportError as error:
            raise InputError(f"engine {engine!r} needs PyTorch and Triton: pip install 'crowdwise[cuda]'") from error
        return CudaEngine(crowd)
    if name == "torch":
        try:
            from .torch_engine import TorchEngine
        except ImportError as error:
            raise InputError(f"engine {engine!r} needs PyTorch: pip install 'crowdwise[torch]'") from error
        return TorchEngine(crowd, detail or "cpu")
    raise OptionError(
        f"engine {engine!r} is unknown: choose auto, {', '.join(ENGINES)} or {GPU} (or numba:4, torch:cuda)"
    )
