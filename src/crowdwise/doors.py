"""Doors: modules that are known by short names, wherever in the house they live now.

`from crowdwise.annotators import verdicts` and `crowdwise.uncertainty.credible_sets` go on working. What stands behind
a door is loaded when it is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

DOORS = {
    "annotators": ("study.annotators",),
    "base": ("fit.method",),
    "checks": ("fit.checks",),
    "compare": ("study.compare",),
    "dependence": ("fit.dependence",),
    "explain": ("study.explain",),
    "fairness": ("study.fairness",),
    "graphs": ("simulate.assignment",),
    "held_out": ("study.held_out",),
    "judges": ("study.judges",),
    "metrics": ("study.metrics",),
    "moments": ("methods.classes.moments", "study.identify"),
    "peer": ("study.panels.peer_prediction",),
    "perspectives": ("study.panels.soft_shares",),
    "uncertainty": ("study.uncertainty",),
}


class Door(ModuleType):
    """A module whose names are those of other modules."""

    def __init__(self, name: str, behind: tuple[str, ...]):
        super().__init__(f"crowdwise.{name}", f"Stands for crowdwise.{' and crowdwise.'.join(behind)}.")
        self.__spec__ = ModuleSpec(f"crowdwise.{name}", None)
        self.__behind = [f"crowdwise.{module}" for module in behind]

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return self.__dir__()
        if not name.startswith("__"):
            for module in map(import_module, self.__behind):
                if hasattr(module, name):
                    return getattr(module, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __call__(self, *given: Any, **options: Any) -> Any:
        """A door of a function's name is that function: `crowdwise.compare(crowd)`."""
        function = self.__name__.rpartition(".")[2]
        return getattr(self, function)(*given, **options)

    def __dir__(self) -> list[str]:
        return sorted({name for module in map(import_module, self.__behind) for name in _own_names(module)})


def _own_names(module: ModuleType) -> list[str]:
    """What a module is for: its functions, classes and constants, and not what it imports from elsewhere."""
    told = {name: thing for name, thing in vars(module).items() if name[0] != "_"}
    return [
        name for name, thing in told.items()
        if name.isupper() or str(getattr(thing, "__module__", "")).startswith(module.__name__)
    ]  # fmt: skip


def _open(name: str, behind: tuple[str, ...]) -> None:
    """A door, and one for each file where a folder stands behind it."""
    sys.modules[f"crowdwise.{name}"] = Door(name, behind)
    for module in behind:
        for file in Path(__file__).parent.joinpath(*module.split(".")).glob("[a-z]*.py"):
            sys.modules[f"crowdwise.{name}.{file.stem}"] = Door(f"{name}.{file.stem}", (f"{module}.{file.stem}",))


for _name, _behind in DOORS.items():
    _open(_name, _behind)
