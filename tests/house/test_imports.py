"""Imports point one way, those inside functions too, and `import crowdwise` is light."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

import crowdwise
from crowdwise.doors import DOORS

SOURCE = Path(crowdwise.__file__).parent
# Nothing imports what stands after it here.
ORDER = [
    "errors", "files", "registry", "votes", "io", "simulate", "engine", "fit", "methods", "study", "collect", "scale",
    "compat", "learn", "datasets",
    "report", "service", "cli",
]  # fmt: skip
# But for this: what is fitted is named in the table of methods, which loads nothing until it is asked.
LAZY = {"methods", "learn.objectives"}
# And for this: a result that was settled is settled again when it is updated.
UPWARDS = {("fit.result", "study.settle")}


def module_of(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in SOURCE.rglob("*.py")}


def imports(module):
    """Every module of ours that a module imports when it runs, at its top or in a function."""
    path = MODULES[module]
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    tree = ast.parse(path.read_text())
    skipped = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.level or id(node) in skipped:
            continue
        base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
        for alias in node.names:
            deeper = ".".join([*base, alias.name])
            yield deeper if deeper in MODULES else ".".join(base)


GRAPH = {module: {name for name in imports(module) if name != module} for module in MODULES if module}


def test_rooms_import_what_stands_before_them():
    for module, names in GRAPH.items():
        own = module.split(".")[0]
        if own in ("doors", "__main__"):
            continue
        for name in names - LAZY - {""} - {above for below, above in UPWARDS if below == module}:
            assert ORDER.index(name.split(".")[0]) <= ORDER.index(own), f"{module} imports {name}"


def test_no_module_imports_itself_by_way_of_others():
    inside = {
        module: {name for name in names if name not in LAZY and (module, name) not in UPWARDS}
        for module, names in GRAPH.items()
    }
    list(TopologicalSorter(inside).static_order())  # raises where there is a circle


def test_every_room_has_its_place():
    rooms = {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in MODULES.values()}
    assert rooms == {*ORDER, "__init__", "__main__", "doors"}


def test_the_architecture_page_draws_the_same_order():
    page = Path(__file__).parents[2].joinpath("docs", "architecture.md").read_text()
    drawn = re.findall(r"^    (\w+)(?:/|\.py) ", page, re.M)
    assert drawn == ORDER


@pytest.mark.parametrize("door", DOORS)
def test_old_doors_open(door):
    module = import_module(f"crowdwise.{door}")
    assert getattr(crowdwise, door) is module
    assert dir(module) and all(hasattr(module, name) for name in dir(module))
    with pytest.raises(AttributeError, match=f"crowdwise.{door}"):
        module.no_such_name  # noqa: B018


def test_old_paths_of_files_and_stars():
    code = (
        "from crowdwise.annotators.quality import quality; from crowdwise.moments.tensor import Tensor\n"
        "from crowdwise.annotators import *; from crowdwise.io import *\n"
        "import crowdwise; assert verdicts and read_votes and quality and Tensor is crowdwise.Tensor"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_base_names_are_unique_or_obvious():
    """A file of a command is named after the command; every other name says enough to be alone."""
    seen = {}
    for module, path in MODULES.items():
        if path.name in ("__init__.py", "__main__.py") or module.startswith(("cli.", "compat.")):  # theirs are theirs
            continue
        seen.setdefault(path.name, []).append(module)
    twice = {name: modules for name, modules in seen.items() if len(modules) > 1}
    assert not twice


def test_import_is_light():
    heavy = ["torch", "numba", "pandas", "sklearn", "scipy", "pyarrow"]
    code = f"import sys, crowdwise; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_help_is_light():
    code = (
        "import sys; from crowdwise.cli import app; from typer.testing import CliRunner\n"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
        "print([m for m in 'torch numba pandas sklearn scipy pyarrow'.split() if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
