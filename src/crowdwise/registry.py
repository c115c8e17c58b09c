"""Registry: one table of things that are loaded when they are used, open to other packages by entry points."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, ClassVar, Generic, TypeVar

from .errors import DataWarning, InputError, OptionError


@dataclass(frozen=True)
class Entry:
    """A row of a registry: where the thing is ("package.module:Name"; ".module:Name" is below `room`)."""

    room: ClassVar[str] = "crowdwise"
    where: str

    @property
    def class_name(self) -> str:
        """Name of the class."""
        return self.where.partition(":")[2]

    @property
    def module(self) -> str:
        """The module of the class, in full."""
        module = self.where.partition(":")[0]
        return f"{self.room}{module}" if module.startswith(".") else module

    def load(self) -> Any:
        """The thing itself."""
        return getattr(import_module(self.module), self.class_name)


E = TypeVar("E", bound=Entry)


class UnknownName(OptionError, KeyError):
    """A name that a registry does not have."""

    def __str__(self) -> str:
        return str(self.args[0])


class Registry(Mapping[str, E], Generic[E]):
    """Own entries by name, and those of others, which are looked up on a miss or a listing only.

    what: what the entries are, for messages. group: the entry-point group of other packages. An entry point has a name
    and gives an `Entry`, not the thing itself: a listing loads nothing. Own names are never replaced.

    >>> table = Registry("colour", {"red": Entry("colorsys:rgb_to_hsv")}, group="crowdwise.colours")
    >>> list(table), "blue" in table, table["red"].class_name
    (['red'], False, 'rgb_to_hsv')
    >>> table["redd"]
    Traceback (most recent call last):
    crowdwise.registry.UnknownName: colour 'redd' is unknown: did you mean 'red'?
    """

    def __init__(self, what: str, own: Mapping[str, E], group: str):
        self.what, self.own, self.group = what, dict(own), group

    @cached_property
    def foreign(self) -> dict[str, EntryPoint]:
        """Entry points of other packages by name, not loaded."""
        return {point.name: point for point in entry_points(group=self.group) if point.name not in self.own}

    def __getitem__(self, name: str) -> E:
        if name in self.own:
            return self.own[name]
        if name in self.foreign:
            return self._loaded(self.foreign[name])
        names = [*self.own, *self.foreign]
        near = get_close_matches(str(name), names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose {', '.join(names)}"
        raise UnknownName(f"{self.what} {name!r} is unknown: {hint}")

    def _loaded(self, point: EntryPoint) -> E:
        try:
            entry: E = point.load()
        except Exception as error:  # somebody else's code: whatever it does, our other names go on working
            raise InputError(f"{self.what} {point.name!r} of {point.value} cannot be loaded: {error}") from error
        if not isinstance(entry, Entry):
            raise InputError(f"{self.what} {point.name!r} of {point.value} is no entry of a registry")
        return entry

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        for name in self.foreign:
            try:
                self[name]
            except InputError as error:  # a broken package costs its own names, and no others
                warnings.warn(f"{error}; it is left out", DataWarning, stacklevel=2)
                continue
            yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self.foreign

    def load(self, name: str) -> Any:
        """The thing of a name itself."""
        return self[name].load()

    def named(self, class_name: str) -> E | None:
        """The own entry of a class; None where there is none."""
        return next((entry for entry in self.own.values() if entry.class_name == class_name), None)
