"""Estimator: what every model that is trained has of scikit-learn's manners."""

from __future__ import annotations

from inspect import signature
from typing import Any, Self

from ...fit.options import require_known


class Estimator:
    """Hyper-parameters are what the constructor takes, and stay as they were given."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Hyper-parameters by name."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Change hyper-parameters by name."""
        for name, value in params.items():
            require_known(type(self).__name__, type(self), {name: value})
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = signature(type(self)).parameters
        own = {name: value for name, value in self.get_params().items() if value is not given[name].default}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in own.items())})"
