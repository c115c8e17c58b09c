"""Options of objectives that must lie somewhere."""

from __future__ import annotations

from ...errors import InputError


def checked_share(name: str, value: float) -> float:
    """A number above 0 and no larger than 1, or an error."""
    if not isinstance(value, int | float) or not 0.0 < value <= 1.0:
        raise InputError(f"{name}={value!r} must lie above 0 and be no larger than 1")
    return value


def checked_count(name: str, value: int) -> int:
    """A whole number of at least 1, or an error."""
    if not isinstance(value, int) or value < 1:
        raise InputError(f"{name}={value!r} must be a whole number of at least 1")
    return value
