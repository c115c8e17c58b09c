"""The command line: read, call one function, write.

Exit codes: 0 done; 1 the data cannot be used (one line on standard error says why); 2 the command is wrong.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pkgutil import iter_modules

import typer

from .options import COMMANDS

app = typer.Typer(
    name="crowdwise",
    help="Learn from crowdsourced labels: the true labels, how good every annotator is, and how sure we are.",
    epilog="Example: crowdwise aggregate votes.csv --out labels.csv",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for module in iter_modules(__path__):  # a file in this folder is a command, if it says so
    import_module(f"{__name__}.{module.name}")
for command in sorted(COMMANDS.values(), key=lambda one: one.place):
    app.command(no_args_is_help=not command.bare)(command.function)


@app.callback(invoke_without_command=True)
def about(version: bool = typer.Option(False, "--version", help="Show the version and exit.")) -> None:
    """Learn from crowdsourced labels: the true labels, how good every annotator is, and how sure we are."""
    if version:
        from .. import __version__

        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line; data that cannot be used is one line on standard error and exit code 1."""
    try:
        app()
    except (ValueError, MemoryError, ImportError) as error:
        from ..errors import InputError, MissingExtra, TooLarge

        if not isinstance(error, InputError | TooLarge | MissingExtra):
            raise
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)
