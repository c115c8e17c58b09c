"""Options: what they may be follows from how they are declared. One checker for methods, objectives and models.

A plain number is positive and finite; `Natural` and `NonNegative` may be 0, `AnyNumber` may be anything, `Share` is
above 0 and at most 1, `Literal` lists words. `| None` may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache
from inspect import Parameter, signature
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from ..errors import OptionError


@dataclass(frozen=True)
class Bounds:
    """Where a number must lie, and how that is said."""

    words: str
    low: float = -np.inf
    high: float = np.inf
    low_too: bool = True
    high_too: bool = True

    def hold(self, value: float) -> bool:
        """Whether a number lies there."""
        above = value >= self.low if self.low_too else value > self.low
        return bool(above and (value <= self.high if self.high_too else value < self.high))


POSITIVE = Bounds("must be positive", low=0.0, low_too=False)
COUNT = Bounds("must be a whole number of at least 1", low=1.0)
Natural = Annotated[int, Bounds("must be at least 0", low=0.0)]
NonNegative = Annotated[float, Bounds("must be at least 0", low=0.0)]
AnyNumber = Annotated[float, Bounds("must be a number")]
Share = Annotated[float, Bounds("must lie above 0 and be no larger than 1", low=0.0, high=1.0, low_too=False)]
BelowOne = Annotated[float, Bounds("must be positive and below 1", low=0.0, high=1.0, low_too=False, high_too=False)]
Fraction = Annotated[float, Bounds("must be at least 0 and below 1", low=0.0, high=1.0, high_too=False)]
AtMostHalf = Annotated[float, Bounds("must lie between 0 and 0.5", low=0.0, high=0.5)]

KINDS: dict[Any, tuple[Any, str]] = {
    bool: (bool | np.bool_, "True or False"),
    int: (int | np.integer, "a whole number"),
    float: (int | float | np.integer | np.floating, "a number"),
    str: (str, "a word"),
}


def known_options(what: Any) -> dict[str, Parameter]:
    """The options of a class, in their order."""
    return {name: one for name, one in signature(what).parameters.items() if one.kind is not Parameter.VAR_KEYWORD}


def require_known(name: str, what: Any, options: Mapping[str, Any]) -> None:
    """An option that is not among those of a class is an error that lists those it has."""
    known = known_options(what)
    for option in options:
        if option not in known:
            raise OptionError(f"{name} has no option {option!r}: it has {', '.join(known)}")


def checked_options(what: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a class's options, NumPy's numbers as Python's; one that cannot be is an error that names it."""
    declared = _declared(what)
    return {name: checked(name, value, declared.get(name, Any)) for name, value in values.items()}


@cache
def _declared(what: Any) -> dict[str, Any]:
    """How each option is declared."""
    return get_type_hints(what if is_dataclass(what) else what.__init__, include_extras=True)


def checked(name: str, value: Any, declared: Any) -> Any:
    """A value as it is declared, or an error that says what it must be."""
    choices = get_args(declared) if get_origin(declared) in (Union, UnionType) else (declared,)
    if NoneType in choices:
        if value is None:
            return None
        choices = tuple(choice for choice in choices if choice is not NoneType)
    if len(choices) > 1:  # of several forms: whoever takes it looks
        return value
    kind = choices[0]
    bounds = COUNT if kind is int else POSITIVE
    if get_origin(kind) is Annotated:
        kind, bounds = get_args(kind)[:2]
    if get_origin(kind) is Literal:
        if not isinstance(value, str) or value not in get_args(kind):
            raise OptionError(f"{name}={value!r}: choose {_listed(get_args(kind))}")
        return value
    if kind not in KINDS:
        return value
    types, words = KINDS[kind]
    if not isinstance(value, types) or isinstance(value, bool | np.bool_) != (kind is bool):
        raise OptionError(f"{name}={value!r} must be {words}")
    plain = value.item() if isinstance(value, np.generic) else value
    if kind in (int, float):
        if plain != plain or plain == np.inf:  # noqa: PLR0124
            raise OptionError(f"{name}={value!r} must be {words}")
        if not bounds.hold(plain):
            raise OptionError(f"{name}={plain} {bounds.words}")
    return plain


def _listed(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
