"""CardArray: an array on the GPU that NumPy's functions work on, so that M-steps written for NumPy run there.

What is not known here is done by NumPy on the processor: slower, and right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ..votes.codes import Array


class CardArray(NDArrayOperatorsMixin):
    """A tensor of double precision with NumPy's manners: `np.log(x)`, `x + y`, `x.sum(axis=2, keepdims=True)`."""

    def __init__(self, tensor: Any):
        self.tensor = tensor

    @property
    def shape(self) -> tuple[int, ...]:
        """As NumPy's."""
        return tuple(self.tensor.shape)

    @property
    def ndim(self) -> int:
        """As NumPy's."""
        return int(self.tensor.ndim)

    @property
    def size(self) -> int:
        """As NumPy's."""
        return int(self.tensor.numel())

    @property
    def dtype(self) -> np.dtype[Any]:
        """As NumPy's."""
        kinds = {"torch.bool": bool, "torch.int64": np.int64, "torch.int32": np.int32}
        return np.dtype(kinds.get(str(self.tensor.dtype), np.float64))

    @property
    def T(self) -> CardArray:
        """As NumPy's."""
        return self.transpose()

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self))

    def __getitem__(self, place: Any) -> Any:
        parts = place if isinstance(place, tuple) else (place,)
        plain = all(part is None or part is Ellipsis or isinstance(part, int | slice) for part in parts)
        backwards = any(isinstance(part, slice) and (part.step or 1) < 0 for part in parts)
        return CardArray(self.tensor[place]) if plain and not backwards else np.asarray(self)[place]

    def __setitem__(self, place: Any, value: Any) -> None:
        host = np.asarray(self).copy()
        host[place] = on_host(value)
        self.tensor.copy_(self._like(host))

    def __getattr__(self, name: str) -> Any:
        """Any other method of arrays is NumPy's, but for those that write: they would write into a copy."""
        if name.startswith("_") or name in WRITE or not hasattr(np.ndarray, name):
            raise AttributeError(f"an array on the card has no {name}")
        return getattr(np.asarray(self), name)

    def __float__(self) -> float:
        return float(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        found: Array = self.tensor.cpu().numpy()
        return found if dtype is None else found.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        (target,) = options.pop("out", (None,))
        found = self._reckoned(ufunc.__name__, method, inputs, options)
        if found is None:
            host = [on_host(one) for one in inputs]
            if target is not None and not isinstance(target, CardArray):
                return getattr(ufunc, method)(*host, **options, out=target)
            found = getattr(ufunc, method)(*host, **options)
        if isinstance(target, CardArray):
            target.tensor.copy_(self._like(found))
        elif target is not None:
            target[...] = on_host(found)
        return found if target is None else target

    def _reckoned(self, name: str, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> CardArray | None:
        """What a function of NumPy's is on the card; None where that is not known."""
        if method == "__call__" and not options and name in ELEMENTWISE:
            return CardArray(getattr(self._torch(), ELEMENTWISE[name])(*(self._like(one) for one in inputs)))
        if method == "reduce" and name in REDUCED and inputs[0] is self:
            kept = {key: value for key, value in options.items() if value is not None}
            if kept.keys() <= {"axis", "keepdims"}:
                reduced: CardArray = getattr(self, REDUCED[name])(**kept)
                return reduced
        return None

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.einsum and not kwargs and isinstance(args[0], str):
            return CardArray(self._torch().einsum(args[0], *(self._like(one) for one in args[1:])))
        if func is np.tensordot and kwargs.get("axes") == 1:
            return CardArray(self._torch().tensordot(*(self._like(one) for one in args), dims=1))
        if func is np.clip and isinstance(args[0], CardArray) and len(args) == 3 and not kwargs:
            return CardArray(args[0].tensor.clamp(*args[1:]))
        if func is np.ascontiguousarray and len(args) == 1:
            return CardArray(args[0].tensor.contiguous())
        return func(*_on_host(args), **_on_host(kwargs))

    # -- methods of arrays --------------------------------------------------------------------------------------------

    def sum(self, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> CardArray:
        """As NumPy's."""
        return CardArray(self.tensor.sum() if axis is None else self.tensor.sum(dim=axis, keepdim=keepdims))

    def mean(self, axis: Any = None, keepdims: bool = False) -> CardArray:
        """As NumPy's."""
        return CardArray(self.tensor.mean() if axis is None else self.tensor.mean(dim=axis, keepdim=keepdims))

    def max(self, axis: Any = None, keepdims: bool = False) -> CardArray:
        """As NumPy's."""
        return CardArray(self.tensor.max() if axis is None else self.tensor.amax(dim=axis, keepdim=keepdims))

    def min(self, axis: Any = None, keepdims: bool = False) -> CardArray:
        """As NumPy's."""
        return CardArray(self.tensor.min() if axis is None else self.tensor.amin(dim=axis, keepdim=keepdims))

    def reshape(self, *shape: Any) -> CardArray:
        """As NumPy's."""
        return CardArray(self.tensor.reshape(*shape))

    def ravel(self) -> CardArray:
        """As NumPy's."""
        return CardArray(self.tensor.reshape(-1))

    def transpose(self, *axes: int) -> CardArray:
        """As NumPy's."""
        return CardArray(self.tensor.permute(*(axes or reversed(range(self.ndim)))))

    def copy(self) -> CardArray:
        """As NumPy's."""
        return CardArray(self.tensor.clone())

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """As NumPy's: other types than double precision are for the processor."""
        return self if np.dtype(dtype) == self.dtype and not copy else np.asarray(self).astype(dtype)

    def tolist(self) -> Any:
        """As NumPy's."""
        return self.tensor.tolist()

    def digamma(self) -> CardArray:
        """Digamma of each number."""
        return CardArray(self.tensor.digamma())

    def log_gamma(self) -> CardArray:
        """Log gamma of each number."""
        return CardArray(self.tensor.lgamma())

    @staticmethod
    def _torch() -> Any:
        import torch

        return torch

    def _like(self, one: Any) -> Any:
        if isinstance(one, CardArray):
            return one.tensor
        if isinstance(one, int | float):
            return self._torch().tensor(one, dtype=self._torch().float64)  # a number may be anywhere
        found = np.asarray(one)
        found = found if found.dtype == bool else found.astype(np.float64)
        return self._torch().from_numpy(np.ascontiguousarray(found)).to(self.tensor.device)


def on_host(value: Any) -> Any:
    """An array where NumPy has it."""
    return np.asarray(value) if isinstance(value, CardArray) else value


def _on_host(given: Any) -> Any:
    if isinstance(given, dict):
        return {name: _on_host(one) for name, one in given.items()}
    if isinstance(given, list | tuple):
        return type(given)(_on_host(one) for one in given)
    return on_host(given)


WRITE = ("fill", "sort", "put", "partition", "resize", "setfield", "setflags", "byteswap", "data")
REDUCED = {"add": "sum", "maximum": "max", "minimum": "min"}
ELEMENTWISE = {  # names of NumPy, and of PyTorch
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "power": "pow", "negative": "neg",
    "log": "log", "log1p": "log1p", "exp": "exp", "expm1": "expm1", "sqrt": "sqrt", "square": "square",
    "absolute": "abs", "maximum": "maximum", "minimum": "minimum", "greater": "gt", "greater_equal": "ge",
    "less": "lt", "less_equal": "le", "equal": "eq", "not_equal": "ne", "isfinite": "isfinite", "matmul": "matmul",
}  # fmt: skip
