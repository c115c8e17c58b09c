"""Imports point one way, and `import crowdwise` is light."""

import ast
import subprocess
import sys
from pathlib import Path

import crowdwise

SOURCE = Path(crowdwise.__file__).parent
# Nothing imports, at the top of a module, what stands after it here.
ORDER = [
    "errors", "codes", "k_means", "ties", "table", "frames", "crowd", "soft", "keyed", "engine", "gold", "params",
    "result", "base", "climb", "em", "forms", "dependence", "methods", "saving", "aggregate", "moments", "metrics",
    "held_out", "uncertainty", "graphs", "simulate", "annotators", "learn", "explain", "compare", "report", "checks",
    "io", "datasets", "cli",
]  # fmt: skip


def top_imports(path):
    package = path.relative_to(SOURCE).parts[:-1]
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            here = package[: len(package) - node.level + 1]
            names = [node.module] if node.module else [alias.name for alias in node.names]
            yield from ((*here, *name.split("."))[0] for name in names)


def test_imports_point_up():
    for path in SOURCE.rglob("*.py"):
        own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        for name in top_imports(path):
            assert ORDER.index(name) <= ORDER.index(own), f"{path.name} imports {name}"


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
