"""The command line: read, call one function, write.

Exit codes: 0 done; 1 the data cannot be used (one line on standard error says why); 2 the command is wrong.
"""

from __future__ import annotations

import sys

import typer

from .aggregate import aggregate
from .agreement import agreement
from .annotators import annotators
from .compare import compare
from .convert import convert
from .datasets import datasets
from .demo import demo
from .explain import explain
from .identify import identify
from .methods import methods
from .predict import predict
from .report import report
from .review import review
from .simulate import simulate
from .train import train

app = typer.Typer(
    name="crowdwise",
    help="Learn from crowdsourced labels: the true labels, how good every annotator is, and how sure we are.",
    epilog="Example: crowdwise aggregate votes.csv --out labels.csv",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
COMMANDS = (
    aggregate, report, compare, explain, annotators, agreement, review, identify, train, predict, convert, simulate,
    datasets, methods, demo,
)  # fmt: skip
for command in COMMANDS:
    app.command(no_args_is_help=command not in (datasets, methods, demo, simulate))(command)


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
    except (ValueError, MemoryError) as error:
        from ..errors import InputError, TooLarge

        if not isinstance(error, InputError | TooLarge):
            raise
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)
