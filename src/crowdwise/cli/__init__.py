"""The command line: read, call one function, write.

Exit codes: 0 done; 1 the data cannot be used, or nothing can be written (one line on standard error says why); 2 the
command is wrong: an unknown method, option, engine or format, or files that are both read and written; 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from pkgutil import iter_modules

import typer

from .options import COMMANDS

app = typer.Typer(
    name="crowdwise",
    help="Learn from crowdsourced labels: the true labels, how good every annotator is, and how sure we are.",
    epilog="Example: crowdwise aggregate votes.csv --out labels.csv",
    no_args_is_help=True,
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
    """Run the command line; whatever goes wrong is one line on standard error and a true exit code."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a letter shows its number, and nothing breaks
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as error:  # said here once: Python would try again when it ends, and complain
        typer.echo(f"error: standard output cannot be written: {error.strerror or error}", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    except (ValueError, MemoryError, ImportError) as error:
        from ..errors import InputError, MissingExtra, OptionError, TooLarge

        if not isinstance(error, InputError | TooLarge | MissingExtra):
            raise
        typer.echo(f"error: {error}", err=True)
        sys.exit(2 if isinstance(error, OptionError) else 1)
