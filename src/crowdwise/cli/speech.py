"""How commands speak: lines and progress on standard error, tables and JSON on standard output."""

from __future__ import annotations

import json
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from ..fit.result import Result
    from ..votes.table import Table

QUIET = False
"""Whether only errors are said (--quiet)."""


def set_loudness(quiet: bool, verbose: bool) -> None:
    """What --quiet and --verbose ask for: no remarks, or the steps of the work beside them."""
    global QUIET  # noqa: PLW0603
    QUIET = quiet
    logger = logging.getLogger("crowdwise")
    for handler in [*logger.handlers]:
        logger.removeHandler(handler)
    if verbose:
        logger.addHandler(handler := logging.StreamHandler())
        handler.setFormatter(logging.Formatter("%(relativeCreated)6d ms  %(message)s"))
    logger.setLevel(logging.INFO if verbose else logging.NOTSET)


def say(text: str) -> None:
    """A line for the person, on standard error, so that standard output stays clean."""
    if not QUIET:
        typer.echo(text, err=True)


def kept() -> str:
    """What was finished when work was interrupted."""
    from ..files import FINISHED

    checkpoint = next((path for path in FINISHED if "checkpoint" in path.parts), None)
    if checkpoint is not None:
        return f"{checkpoint.parent} is kept, and the same command goes on from there"
    files = ", ".join(map(str, FINISHED))
    return f"these files are whole: {files}" if files else "nothing was written"


def say_notes(result: Result, method: str) -> None:
    """What a method has to say about its choices, and whether it came to an end."""
    for note in result.notes:
        say(f"{method}: {note}")
    if not result.converged:
        after = f" after {len(result.trace)} steps" if result.trace else ""
        more = "; --set max_iter=... allows more" if hasattr(result.method, "max_iter") else ""
        say(f"{method} stopped{after} before it settled{more}")


@contextmanager
def spoken_warnings() -> Iterator[list[str]]:
    """Warnings about the data as one line each, said once; and the list of them."""
    from ..errors import DataWarning

    told: list[str] = []

    def speak(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in told:
            told.append(str(message))
            say(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        warnings.showwarning = speak
        yield told


@contextmanager
def progress(title: str) -> Iterator[Callable[[str], None] | None]:
    """A function that shows how far the work is, on a terminal; none in a pipe."""
    if QUIET or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=Console(stderr=True),
        transient=True,
    )  # fmt: skip
    with bar:
        task = bar.add_task(title)
        yield lambda text: bar.update(task, description=f"{title}: {text}")


@contextmanager
def bar(title: str) -> Iterator[Callable[[int, int, float, float], None] | None]:
    """A bar of epochs, on a terminal; none in a pipe."""
    if QUIET or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(title, total=None)

        def told(epoch: int, epochs: int, loss: float, score: float) -> None:
            held_out = "" if score != score else f", held out {score:.4f}"  # noqa: PLR0124
            shown.update(task, completed=epoch, total=epochs, description=f"{title}: loss {loss:.4f}{held_out}")

        yield told


def steps(tell: Callable[[str], None] | None) -> Callable[[int, float], None] | None:
    """What `fit` calls after each step, to tell of it."""
    if tell is None:
        return None
    return lambda step, objective: tell(f"step {step}, objective {objective:.6g}")


def show(table: Table, title: str | None = None, digits: int = 3) -> None:
    """A table for people, on standard output; `digits`: decimals that mean something."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as RichTable

    shown = RichTable(title=title, title_justify="left", header_style="bold")
    for name, column in table.columns.items():
        numeric = column.dtype.kind in "iuf"
        widest = max((len(_cell(value, digits)) for value in column.tolist()), default=1)
        shown.add_column(  # headers may wrap; numbers and short names never
            escape(name.replace("_", " ")),
            justify="right" if numeric else "left",
            min_width=widest if widest <= 20 else 10,
            overflow="fold",
        )
    for row in table.rows():
        shown.add_row(*(escape(_cell(cell, digits)) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(shown)


def _cell(value: Any, digits: int) -> str:
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def as_json(value: Any) -> None:
    """JSON on standard output; what is no JSON number (NaN) becomes null."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False, default=str))


def records(table: Table) -> list[dict[str, Any]]:
    """A table as a list of rows for JSON."""
    return table.records()
