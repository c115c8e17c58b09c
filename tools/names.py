"""Writes, for type checkers, where each method and objective is: `make names` after a new entry in a registry."""

from pathlib import Path

import crowdwise
from crowdwise import io, learn
from crowdwise.learn.objectives import OBJECTIVES
from crowdwise.methods import METHODS

SOURCE = Path(__file__).parent.parent / "src" / "crowdwise"


def written(path, mark, package, classes):
    """The file with the lines between its marks made anew."""
    text = (SOURCE / path).read_text()
    before, begin, rest = text.partition(f"    # {mark}: written by `make names`\n")
    _, end, after = rest.partition("    # end\n")
    lines = sorted(f"    from {module.removeprefix(package)} import {name} as {name}\n" for module, name in classes)
    return before + begin + "".join(lines) + end + after


def pages():
    """Each file, as it should be."""
    methods = [(entry.module, entry.class_name) for entry in METHODS.own.values()]
    methods += [(f"crowdwise.study.{name}", name) for name in crowdwise.STUDIES]
    objectives = [(entry.module, entry.class_name) for entry in OBJECTIVES.own.values()]
    others = [(f"crowdwise.learn.{module}", name) for name, module in learn.OTHERS.items()]
    files = [(f"crowdwise.io.{module}", name) for name, module in io.OTHERS.items()]
    return {
        "io/__init__.py": written("io/__init__.py", "names", "crowdwise.io", files),
        "__init__.py": written("__init__.py", "methods", "crowdwise", methods),
        "learn/__init__.py": written("learn/__init__.py", "objectives", "crowdwise.learn", [*objectives, *others]),
    }


if __name__ == "__main__":
    for path, text in pages().items():
        (SOURCE / path).write_text(text)
