"""crowdwise report: everything on one page."""

from __future__ import annotations

import shlex
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options as o

NAMES = ("trusted", "annotators", "key")  # options that may tell annotators' names
FILES = ("out", "gold", "truth")  # whose folders may tell whose they are


@o.command(20)
@o.reads_votes(input_format=o.InputFormatOnly)
def report(
    context: typer.Context,
    votes: o.Votes,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="File to write to; - is standard output.", show_default="report.html"),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", help="html, md (a short text) or json.", show_default="by the file's ending"),
    ] = None,
    method: o.MethodName = "auto",
    set_: o.Settings = None,
    gold: o.Gold = None,
    truth: Annotated[
        str | None, typer.Option(help="File of true labels (item, label), used to measure, never to fit.")
    ] = None,
    trusted: o.Trusted = None,
    anonymise: Annotated[bool, typer.Option("--anonymise", help="Numbers in place of annotators' names.")] = False,
    key: Annotated[
        str | None, typer.Option("--key", help="With --anonymise: write who is who to a file; keep that file private.")
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", help="Column of when a vote was given: drift, and votes over time.")
    ] = None,
    seconds: Annotated[str | None, typer.Option("--seconds", help="Column of how long a vote took: speed.")] = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Methods to compare with, separated by commas, or none.", show_default="six quick ones"),
    ] = None,
    sure: Annotated[float, typer.Option(help="Confidence from which an item is settled.")] = 0.95,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.9,
    top: Annotated[int, typer.Option(help="How many contested items are shown.", min=0)] = 50,
    title: Annotated[str | None, typer.Option(help="Title of the report.", show_default="the file's name")] = None,
    engine: o.Engine = "auto",
    seed: o.Seed = 0,
    json: Annotated[
        bool, typer.Option("--json", help="The same content as JSON, on standard output unless --out.")
    ] = False,
) -> None:
    """Write one page that says it all: labels, annotators, agreement, contested items, and how far to trust them.

    The page is one file that opens offline. --format md is a short text for a pull request, --json the same content for
    other tools; both go to standard output unless --out names a file.

    Example: crowdwise report votes.csv --out report.html --gold gold.csv
    """
    from ..io import read_labels, write_table
    from ..methods import make
    from ..report import anonymised
    from ..report import report as about
    from ..report.about import QUICK
    from ..study.settle import settle, unsettled
    from ..votes.codes import find

    form = _form(out, form, json)
    out = out or ("report.html" if form == "html" else "-")
    _require(out, key, anonymise, sure, level)
    extra = tuple(name for name in (time, seconds) if name)
    others = [] if methods == "none" else [one.strip() for one in methods.split(",")] if methods else QUICK
    model = make(method, seed=seed, **o.settings(set_))
    for one in others:
        make(one)
    with o.spoken_warnings() as warned, o.progress("report") as tell:
        reading = o.read(context.params, extra, set_)
        crowd, known = o.with_known(reading, gold)
        believed = trusted or []
        if anonymise:
            chosen = crowd.annotators[crowd.codes_of("annotator", believed, "trusted")]
            crowd, names = anonymised(crowd)
            believed = names["annotator"][find(chosen, names["name"])].tolist()
        true = read_labels(truth) if truth else None
        if true:
            o.require_kin(crowd, true, str(truth))
        how: dict[str, Any] = {"trusted": believed, "engine": engine, "callback": o.steps(tell)}
        result = settle(crowd, model, gold=known, **how)
        blind = unsettled(crowd, model, **how) if known else None
        found = about(
            crowd,
            result,
            gold=known,
            blind=blind,
            truth=true,
            trusted=believed,
            time=time or "",
            seconds=seconds or "",
            methods=others,
            level=level,
            sure=sure,
            items=top,
            title=title or ("standard input" if votes == "-" else Path(votes).name),
            notes=chain(reading.notes, warned),  # warnings come while it is made
            made={"command": _command(context, anonymise), "anonymised": anonymise},
            engine=engine,
            callback=tell,
        )
    o.say_notes(result, method)
    if out == "-":
        typer.echo(found.text(form))
    else:
        found.write(out, form)
    if key:
        write_table(names, key)
        o.say(f"who is who: {key}")
    if out == "-":
        return
    o.say(
        f"written to {out}, {Path(out).stat().st_size / 1e6:.1f} MB"
        + ("; open it in a browser" if form == "html" else "")
    )


def _require(out: str, key: str | None, anonymise: bool, sure: float, level: float) -> None:
    """Options that would fail in the end fail at once."""
    from ..errors import InputError

    if key and not anonymise:
        raise InputError("--key writes who is who: it goes with --anonymise")
    if key in ("-", out):
        raise InputError(f"--key {key}: who is who goes to a file of its own")
    for option, share in (("--sure", sure), ("--level", level)):
        if not 0.0 < share < 1.0:
            raise InputError(f"{option} {share:g} must lie between 0 and 1, such as 0.95")
    for target in (out, key):
        if target and target != "-" and not Path(target).resolve().parent.is_dir():
            raise InputError(f"{target} cannot be written: there is no folder {Path(target).parent}")


def _form(out: str | None, form: str | None, json: bool) -> str:
    """What to write: told, or by the ending of the file."""
    from ..errors import InputError
    from ..report.content import FORMS

    if json and form not in (None, "json"):
        raise InputError(f"--json and --format {form}: choose one")
    ending = Path(out).suffix.lstrip(".") if out and out != "-" else "html"
    chosen = "json" if json else form or ending
    if chosen not in FORMS:
        raise InputError(
            f"--format {chosen}: choose html, md or json" if form else f"{out}: a report is .html, .md or .json"
        )
    return chosen


def _command(context: typer.Context, hide: bool) -> str:
    """The command as it was given; without what names annotators, where they have to be hidden."""
    words = ["crowdwise", str(context.info_name)]
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if source is None or source.name != "COMMANDLINE":
            continue
        value = context.params[str(parameter.name)]
        if parameter.param_type_name == "argument":
            words.append(Path(str(value)).name if hide else str(value))
        elif value is True:
            words.append(parameter.opts[0])
        else:
            values = value if isinstance(value, list | tuple) else [value]
            hidden = hide and parameter.name in NAMES
            shown = [Path(str(one)).name if hide and parameter.name in FILES else str(one) for one in values]
            words += [word for one in shown for word in (parameter.opts[0], "..." if hidden else one)]
    return shlex.join(words)
