"""Arguments and options that several commands share, each written once, and what makes a function a command."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, NamedTuple

import typer

from ..errors import OptionError, OtherKind
from ..io.formats import FORMATS
from .kinds import KINDS, kind_of
from .paths import READ, WRITTEN, require_apart
from .speech import kept, say, set_loudness

Votes = Annotated[
    list[str] | None,
    typer.Argument(
        help="Tables (CSV, TSV, JSON, Parquet, Excel, also .gz) or annotation tools' exports; - is stdin.",
        show_default=False,
    ),
    READ,
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
TokensTable = Annotated[
    str | None,
    typer.Option("--tokens", help="Spans: a table of the tokens of documents: document, begin, end, token."),
    READ,
]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="What separates columns.", show_default="detected")]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="How text is encoded, such as cp1252.", show_default="UTF-8, UTF-16")
]
Kind = Annotated[
    str,
    typer.Option("--kind", help=f"What answers are: auto, {', '.join(KINDS)}."),
]
FORMATS_READ = ", ".join(name for name, entry in FORMATS.own.items() if entry.reads)
VOTES_TO = ", ".join(name for name, entry in FORMATS.own.items() if entry.votes)
LABELS_TO = ", ".join(name for name, entry in FORMATS.own.items() if entry.labels)
InputFormat = Annotated[
    str | None,
    typer.Option("--format", "--input-format", help=f"{FORMATS_READ}.", show_default="detected from the content"),
]
# Of a command whose --format is what it writes.
InputFormatOnly = Annotated[
    str | None, typer.Option("--input-format", help=f"{FORMATS_READ}.", show_default="detected from the content")
]
Question = Annotated[str | None, typer.Option("--question", help="Which question of an export that holds several.")]
NoVote = Annotated[
    list[str] | None, typer.Option("--no-vote", help='A label that is no vote, such as "don\'t know"; repeatable.')
]
Normalise = Annotated[
    bool, typer.Option("--normalise", help='Labels that differ in case or blanks only, or as "1" and "1.0", are one.')
]
Repeats = Annotated[
    str, typer.Option("--repeats", help="Repeated votes of an annotator on an item: all, last or error.")
]
MethodName = Annotated[str, typer.Option("--method", "-m", help="A method's name; crowdwise methods lists them.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="A hyper-parameter of the method, such as max_iter=3; repeatable.")
]
Trusted = Annotated[list[str] | None, typer.Option("--trusted", help="An annotator to trust; repeatable.")]
Gold = Annotated[str | None, typer.Option("--gold", help="File of known labels: item, label."), READ]
Truth = Annotated[
    str | None, typer.Option("--truth", help="File of true labels (item, label), used to measure, never to fit."), READ
]
Save = Annotated[
    str | None,
    typer.Option("--save", help="Keep the whole result and its votes (.npz), for --result and --start."),
    WRITTEN,
]
Saved = Annotated[
    str | None,
    typer.Option("--result", help="Take a result that --save kept in place of a fit; no file of votes is needed then."),
    READ,
]
LabelsOut = Annotated[
    str, typer.Option("--out", "-o", help="Labels: .csv, .tsv, .jsonl, .parquet, .gz; - prints."), WRITTEN
]
AnnotatorsOut = Annotated[
    str | None, typer.Option("--annotators-out", help="Also write a table of the annotators, worst first."), WRITTEN
]
Engine = Annotated[str, typer.Option("--engine", help="auto, numpy, numba, numba:THREADS, cuda, torch or torch:cuda.")]
Seed = Annotated[int, typer.Option("--seed", help="Random seed: the same seed gives the same answer.", min=0)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say what is being done, with times.")]
Memory = Annotated[
    str | None,
    typer.Option("--memory", help="Votes are on disk: a sample of items that takes so much memory, such as 2GB."),
]
SetAside = Annotated[
    bool, typer.Option("--set-aside", help="Votes on disk: bad rows and files are counted, and left aside.")
]


# How votes are read: the options of every command that reads them, and their defaults.
READING: dict[str, tuple[Any, Any]] = {
    "item": (ItemColumn, None),
    "annotator": (AnnotatorColumn, None),
    "label": (LabelColumn, None),
    "annotators": (WideColumns, None),
    "delimiter": (Delimiter, None),
    "encoding": (Encoding, None),
    "kind": (Kind, "auto"),
    "input_format": (InputFormat, None),
    "question": (Question, None),
    "no_vote": (NoVote, None),
    "normalise": (Normalise, False),
    "repeats": (Repeats, "all"),
    "weight": (WeightColumn, None),
    "probability": (ProbabilityColumn, None),
    "hard": (Hard, False),
    "tokens": (TokensTable, None),
}
# How votes are settled: the options of every command that does.
SETTLING: dict[str, tuple[Any, Any]] = {
    "method": (MethodName, "auto"),
    "set_": (Settings, None),
    "gold": (Gold, None),
    "trusted": (Trusted, None),
    "save": (Save, None),
    "result": (Saved, None),
    "engine": (Engine, "auto"),
    "seed": (Seed, 0),
}
LAST = ("engine", "seed", "json", "quiet", "verbose")  # in the help of every command


class Command(NamedTuple):
    """A command, its place in the list of commands, and whether it does something when nothing is said."""

    function: Callable[..., None]
    place: int
    bare: bool


COMMANDS: dict[str, Command] = {}
Decorator = Callable[[Callable[..., None]], Callable[..., None]]


def command(place: int, *, bare: bool = False) -> Decorator:
    """Makes a function a command of its own name; `bare`: it works without arguments.

    Every command can be quiet or verbose, and none writes over what it reads.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        declared = _parameters(function)

        def careful(quiet: bool, verbose: bool, **given: Any) -> None:
            require_apart(declared, given)
            if quiet and verbose:
                raise OptionError("--quiet and --verbose: choose one")
            set_loudness(quiet, verbose)
            try:
                function(**given)
            except KeyboardInterrupt:
                say(f"stopped: {kept()}")
                raise typer.Exit(130) from None

        loud = {name: _option(name, kind, False) for name, kind in (("quiet", Quiet), ("verbose", Verbose))}
        COMMANDS[function.__name__] = Command(_declared(function, careful, {**declared, **loud}), place, bare)
        return function

    return register


def reads_votes(*, without: Collection[str] = (), **other: Any) -> Decorator:
    """Gives a command the options of `READING`, for `inputs.read`; without some, or with another declaration of one.

    They reach it by its context.
    """
    return _sharing({name: _option(name, *READING[name], other.get(name)) for name in READING if name not in without})


def settles_votes(method: str = "auto", **other: Any) -> Decorator:
    """Gives a command the options of `SETTLING` and `READING`, for `inputs.settled`; `method` is the default one."""
    shared = {name: _option(name, kind, default, other.get(name)) for name, (kind, default) in SETTLING.items()}
    shared["method"] = shared["method"].replace(default=method)
    reading = reads_votes(**other)
    return lambda function: reading(_sharing(shared)(function))


def also_for(other: Callable[[dict[str, Any], str], None]) -> Decorator:
    """Gives a command another function for answers that are no classes, of its parameters and their kind."""

    def extend(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def told_apart(context: typer.Context, **given: Any) -> None:
            told, found = context.params["kind"], kind_of(context.params)
            context.params |= {"kind": found, "asked": told}
            if found == "classes":
                try:
                    function(context, **given)
                    return
                except OtherKind as answers:
                    if told != "auto":
                        raise
                    found = answers.kind
                    say(f"{answers}".partition(" (--kind")[0])
            other(context.params, found)

        return told_apart

    return extend


def unless(other: Callable[[dict[str, Any]], bool], instead: Callable[[dict[str, Any]], None]) -> Decorator:
    """Gives a command another function for input of which something is true."""

    def extend(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def told_apart(context: typer.Context, **given: Any) -> None:
            if other(context.params):
                instead(context.params)
            else:
                function(context, **given)

        return told_apart

    return extend


def _sharing(shared: Mapping[str, Parameter]) -> Decorator:
    def extend(function: Callable[..., None]) -> Callable[..., None]:
        declared = _parameters(function)

        def extended(**given: Any) -> None:
            function(**{name: given[name] for name in given if name in declared})

        return _declared(function, extended, {**declared, **shared})

    return extend


def _option(name: str, kind: Any, default: Any, other: Any = None) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=other or kind)


def _parameters(function: Callable[..., None]) -> dict[str, Parameter]:
    declared = signature(function, eval_str=True).parameters
    return {name: one.replace(kind=Parameter.KEYWORD_ONLY) for name, one in declared.items()}


def _declared(like: Callable[..., None], made: Callable[..., None], parameters: dict[str, Parameter]) -> Any:
    """A function that says of itself what another does, with these parameters."""
    ordered = sorted(parameters.values(), key=lambda one: LAST.index(one.name) if one.name in LAST else -1)
    made = wraps(like)(made)
    made.__signature__ = Signature(ordered)  # type: ignore[attr-defined]
    made.__annotations__ = {one.name: one.annotation for one in ordered}
    return made
