"""The manual page, docs/crowdwise.1, from the commands' own help. A test compares."""

import inspect
import re
from pathlib import Path

import crowdwise.cli  # noqa: F401  (fills the table of commands)
from crowdwise import __version__
from crowdwise.cli.options import COMMANDS

TARGET = Path(__file__).parent.parent / "docs" / "crowdwise.1"


def page() -> str:
    """The whole page, in roff."""
    lines = [
        f'.TH CROWDWISE 1 "" "crowdwise {__version__}" "User Commands"', ".SH NAME",
        "crowdwise \\- learn from crowdsourced answers", ".SH SYNOPSIS", ".B crowdwise", ".I COMMAND", "[OPTIONS]",
        ".SH DESCRIPTION", "Finds the truth in noisy answers, says how good every annotator is, and how sure it is.",
        "Every command has \\-\\-help with all its options.", ".SH COMMANDS",
    ]  # fmt: skip
    for name, command in sorted(COMMANDS.items(), key=lambda one: one[1].place):
        first, *rest = inspect.getdoc(command.function).split("\n\n")
        example = next(part for part in rest if part.startswith("Example: ")).removeprefix("Example: ")
        lines += [
            ".TP",
            f".B {name}",
            escaped(" ".join(first.split())),
            ".br",
            f"Example: {escaped(' '.join(example.split()))}",
        ]
    lines += [".SH EXIT STATUS", "0 done; 1 the data cannot be used; 2 the command is wrong; 130 interrupted.",
              ".SH FILES", "$CROWDWISE_DATA: data sets; $CROWDWISE_CACHE: downloads."]  # fmt: skip
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text as roff takes it."""
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\\\").replace("-", "\\-"))


if __name__ == "__main__":
    TARGET.write_text(page())
