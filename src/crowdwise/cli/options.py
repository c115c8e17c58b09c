"""Arguments and options that several commands share, and how commands speak."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..io.formats import FORMATS

if TYPE_CHECKING:
    from ..fit.result import Result
    from ..io import Reading
    from ..votes.crowd import Crowd
    from ..votes.table import Table

Votes = Annotated[
    str, typer.Argument(help="A table (CSV, TSV, JSON, Parquet, also .gz) or an annotation tool's export; - is stdin.")
]
ItemColumn = Annotated[str | None, typer.Option("--item", help="Column of the items.", show_default="by name")]
AnnotatorColumn = Annotated[str | None, typer.Option("--annotator", help="Column of the annotators.")]
LabelColumn = Annotated[str | None, typer.Option("--label", help="Column of the labels.")]
WideColumns = Annotated[
    str | None, typer.Option("--annotators", help="Wide table: the columns of votes, separated by commas.")
]
WeightColumn = Annotated[str | None, typer.Option("--weight", help="Column of how much a vote counts.")]
ProbabilityColumn = Annotated[
    str | None,
    typer.Option(
        "--probability",
        help="Column of how sure a vote is (its log, if the name begins with log): soft votes.",
        show_default="by name",
    ),
]
Hard = Annotated[bool, typer.Option("--hard", help="Ignore probabilities: every vote counts fully.")]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="What separates columns.", show_default="detected")]
READ = ", ".join(name for name, entry in FORMATS.own.items() if entry.reads)
VOTES_TO = ", ".join(name for name, entry in FORMATS.own.items() if entry.votes)
LABELS_TO = ", ".join(name for name, entry in FORMATS.own.items() if entry.labels)
InputFormat = Annotated[
    str | None, typer.Option("--format", "--input-format", help=f"{READ}.", show_default="detected from the content")
]
# Of a command whose --format is what it writes.
InputFormatOnly = Annotated[
    str | None, typer.Option("--input-format", help=f"{READ}.", show_default="detected from the content")
]
Question = Annotated[str | None, typer.Option("--question", help="Which question of an export that holds several.")]
NoVote = Annotated[
    list[str] | None, typer.Option("--no-vote", help='A label that is no vote, such as "don\'t know"; repeatable.')
]
Repeats = Annotated[
    str, typer.Option("--repeats", help="Repeated votes of an annotator on an item: all, last or error.")
]
MethodName = Annotated[str, typer.Option("--method", "-m", help="A method's name; crowdwise methods lists them.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="A hyper-parameter of the method, such as max_iter=3; repeatable.")
]
Trusted = Annotated[list[str] | None, typer.Option("--trusted", help="An annotator to trust; repeatable.")]
Gold = Annotated[str | None, typer.Option("--gold", help="File of known labels: item, label.")]
Engine = Annotated[str, typer.Option("--engine", help="auto, numpy, numba, numba:THREADS, torch or torch:cuda.")]
Seed = Annotated[int, typer.Option("--seed", help="Random seed: the same seed gives the same answer.", min=0)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]


# How votes are read: the options of every command that reads them, and their defaults.
READING: dict[str, tuple[Any, Any]] = {
    "item": (ItemColumn, None),
    "annotator": (AnnotatorColumn, None),
    "label": (LabelColumn, None),
    "annotators": (WideColumns, None),
    "delimiter": (Delimiter, None),
    "input_format": (InputFormat, None),
    "question": (Question, None),
    "no_vote": (NoVote, None),
    "repeats": (Repeats, "all"),
    "weight": (WeightColumn, None),
    "probability": (ProbabilityColumn, None),
    "hard": (Hard, False),
}


class Command(NamedTuple):
    """A command, its place in the list of commands, and whether it does something when nothing is said."""

    function: Callable[..., None]
    place: int
    bare: bool


COMMANDS: dict[str, Command] = {}


def command(place: int, *, bare: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a function a command of its own name; `bare`: it works without arguments."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        COMMANDS[function.__name__] = Command(function, place, bare)
        return function

    return register


def reads_votes(*, without: Collection[str] = (), **other: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command the options of `READING`, for `read`; without some, or with another declaration of one.

    They come last but for engine, seed and json, and reach the command by its context.
    """
    shared = {
        name: Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=other.get(name, annotation))
        for name, (annotation, default) in READING.items()
        if name not in without
    }

    def extend(function: Callable[..., None]) -> Callable[..., None]:
        declared = signature(function, eval_str=True).parameters
        own = {name: one.replace(kind=Parameter.KEYWORD_ONLY) for name, one in declared.items()}
        last: dict[str, Parameter] = {name: own.pop(name) for name in ("engine", "seed", "json") if name in own}
        whole: dict[str, Parameter] = {**own, **shared, **last}

        @wraps(function)
        def extended(**given: Any) -> None:
            function(**{name: given[name] for name in given if name not in shared})

        extended.__signature__ = Signature(list(whole.values()))  # type: ignore[attr-defined]
        extended.__annotations__ = {name: one.annotation for name, one in whole.items()}
        return extended

    return extend


def say(text: str) -> None:
    """A line for the person, on standard error, so that standard output stays clean."""
    typer.echo(text, err=True)


def columns_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Which columns of a table are what, as a command was told; a tab may be spelt."""
    wide, delimiter = given["annotators"], given["delimiter"]
    return {
        **{name: given[name] for name in ("item", "annotator", "label", "weight", "probability")},
        "annotators": [name.strip() for name in wide.split(",")] if wide else (),
        "delimiter": "\t" if delimiter == "\\t" else delimiter,
    }


def read(given: Mapping[str, Any], extra: tuple[str, ...] = (), set_: list[str] | None = None) -> Reading:
    """Read votes as a command was told to, with further columns, and say what was recognised, changed or left out.

    `given` are the command's parameters: all that read votes have the same options for it. A method's setting `by`
    names a column of the annotators.
    """
    from ..io import read_votes

    votes = given["votes"]
    reading = read_votes(
        votes,
        format=given["input_format"],
        question=given["question"],
        **columns_of(given),
        no_vote=given["no_vote"] or (),
        repeats=given["repeats"],
        soft=not given["hard"] if "hard" in given else None,
        extra=extra,
        annotator_extra=[str(settings(set_)["by"])] if "by" in settings(set_) else (),
    )
    for note in reading.notes:
        say(f"{votes}: {note}")
    if reading.voters:
        shown = ", ".join(reading.voters[:8]) + (" ..." if len(reading.voters) > 8 else "")
        say(f"{votes}: the columns of votes are {shown}")
    return reading


def with_known(reading: Reading, gold_file: str | None) -> tuple[Any, dict[Any, Any] | None]:
    """The crowd and its gold: from the file, or from beside the votes; its classes join those of the votes."""
    from ..io import read_labels
    from ..votes.codes import find, names_array

    gold = dict(reading.gold) if gold_file is None else read_labels(gold_file)
    if gold_file is not None and reading.gold:
        say(f"gold comes from {gold_file}; the gold column beside the votes is left out")
    if gold_file is not None:
        require_kin(reading.crowd, gold, gold_file)
    place = find(names_array(list(gold)), reading.crowd.items)
    classes = [label for label, code in zip(gold.values(), place, strict=True) if code >= 0]
    return reading.crowd.with_names(classes=classes), gold or None


def require_kin(crowd: Crowd, known: dict[Any, Any], file: str) -> None:
    """Known labels that share no item with the votes are of something else; so are several that share no label."""
    from ..errors import InputError
    from ..votes.codes import find, names_array, shown

    for what, theirs, ours, few in (
        ("item", list(known), crowd.items, 1), ("label", list(known.values()), crowd.classes, 2),
    ):  # fmt: skip
        names = names_array(list(dict.fromkeys(theirs)))
        if names.size >= few and ours.size and (find(names, ours) < 0).all():
            text = (
                f"no {what} of it is among the votes', such as {shown(names[0])}; theirs are such as {shown(ours[0])}"
            )
            raise InputError(f"{file}: {text}")


def say_notes(result: Result, method: str) -> None:
    """What a method has to say about its choices, and whether it came to an end."""
    for note in result.notes:
        say(f"{method}: {note}")
    if not result.converged:
        after = f" after {len(result.trace)} steps" if result.trace else ""
        more = "; --set max_iter=... allows more" if hasattr(result.method, "max_iter") else ""
        say(f"{method} stopped{after} before it settled{more}")


def settings(given: list[str] | None) -> dict[str, Any]:
    """`["max_iter=3", "class_prior=uniform"]` as options of a method: numbers as numbers, lists as tuples."""
    from ..errors import InputError

    options: dict[str, Any] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--set {text}: write name=value, such as max_iter=3")
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = value
        name = name.strip().replace("-", "_")
        if name == "seed":
            raise InputError("--set seed=...: the seed is an option of its own, --seed")
        options[name] = tuple(parsed) if isinstance(parsed, list) else parsed
    return options


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
    if not sys.stderr.isatty():
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
    if not sys.stderr.isatty():
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


def shares(text: str | None) -> Any:
    """`uniform`, "0.2,0.8" as numbers, or "cat=0.2,dog=0.8" by name."""
    from ..errors import InputError

    if text is None or text == "uniform":
        return text
    try:
        if "=" in text:
            return {name: float(share) for name, _, share in (part.rpartition("=") for part in text.split(","))}
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise InputError(
            f"--class-prior {text}: write uniform, or the classes' shares, such as 0.2,0.8 or cat=0.2,dog=0.8"
        ) from error


def steps(tell: Callable[[str], None] | None) -> Callable[[int, float], None] | None:
    """What `fit` calls after each step, to tell of it."""
    if tell is None:
        return None
    return lambda step, objective: tell(f"step {step}, objective {objective:.6g}")


def show(table: Table, title: str | None = None) -> None:
    """A table for people, on standard output."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as RichTable

    shown = RichTable(title=title, title_justify="left", header_style="bold")
    for name, column in table.columns.items():
        numeric = column.dtype.kind in "iuf"
        widest = max((len(_cell(value)) for value in column.tolist()), default=1)
        shown.add_column(  # headers may wrap; numbers and short names never
            escape(name.replace("_", " ")),
            justify="right" if numeric else "left",
            min_width=widest if widest <= 20 else 10,
            overflow="fold",
        )
    for row in table.rows():
        shown.add_row(*(escape(_cell(cell)) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(shown)


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def as_json(value: Any) -> None:
    """JSON on standard output; what is no JSON number (NaN) becomes null."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False, default=str))


def records(table: Table) -> list[dict[str, Any]]:
    """A table as a list of rows for JSON."""
    rows = (dict(zip(table.columns, row, strict=True)) for row in table.rows())
    return [{name: None if cell != cell else cell for name, cell in row.items()} for row in rows]  # noqa: PLR0124
