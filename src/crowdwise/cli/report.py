"""crowdwise report: everything on one page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import columns, inputs, speech, values_and_scores
from . import options as o
from .report_form import form_of, title_of

if TYPE_CHECKING:
    from ..votes.crowd import Crowd

NAMES = ("trusted", "annotators", "key")  # options that may tell annotators' names
FILES = ("out", "gold", "truth", "labels", "annotators_out", "save", "result")  # whose folders may tell whose they are


@o.command(20)
@o.settles_votes(input_format=o.InputFormatOnly)
@o.also_for(values_and_scores.report)
def report(
    context: typer.Context,
    votes: o.Votes = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="File to write to; - is standard output.", show_default="report.html"),
        o.WRITTEN,
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", help="html, md (a short text) or json.", show_default="by the file's ending"),
    ] = None,
    labels: Annotated[
        str | None, typer.Option("--labels", help="Also write the labels, as aggregate does."), o.WRITTEN
    ] = None,
    annotators_out: o.AnnotatorsOut = None,
    truth: o.Truth = None,
    anonymise: Annotated[bool, typer.Option("--anonymise", help="Numbers in place of annotators' names.")] = False,
    key: Annotated[
        str | None,
        typer.Option("--key", help="With --anonymise: write who is who to a file; keep that file private."),
        o.WRITTEN,
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", help="Column of when a vote was given: drift, and votes over time.")
    ] = None,
    seconds: Annotated[str | None, typer.Option("--seconds", help="Column of how long a vote took: speed.")] = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Column of the items, or of the annotators: a section by its groups.")
    ] = None,
    items: columns.ItemTable = None,
    people_table: columns.PeopleTable = None,
    memory: o.Memory = None,
    set_aside: o.SetAside = False,
    methods: Annotated[
        str | None,
        typer.Option(help="Methods to compare with, separated by commas, or none.", show_default="six quick ones"),
    ] = None,
    sure: Annotated[float, typer.Option(help="Confidence from which an item is settled.")] = 0.95,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.9,
    top: Annotated[int, typer.Option(help="How many contested items are shown.", min=0)] = 50,
    title: Annotated[str | None, typer.Option(help="Title of the report.", show_default="the file's name")] = None,
    json: Annotated[
        bool, typer.Option("--json", help="The same content as JSON, on standard output unless --out.")
    ] = False,
) -> None:
    """Write one page that says it all: labels, annotators, agreement, contested items, and how far to trust them.

    The page is one file that opens offline. --format md is a short text for a pull request, --json the same content for
    other tools; both go to standard output unless --out names a file.

    Example: crowdwise report votes.csv --out report.html --gold gold.csv
    """
    from ..io import write_table
    from ..methods import make
    from ..report import anonymised
    from ..report import report as about
    from ..report.about import QUICK
    from ..study.annotators import verdicts
    from ..study.settle import unsettled
    from ..votes.codes import find

    given = context.params
    form = form_of(out, form, json)
    out = out or ("report.html" if form == "html" else "-")
    _require(out, key, anonymise, sure, level, given)
    of_votes = by if by and items is None and people_table is None else None
    extra = tuple(name for name in (time, seconds, of_votes) if name)
    others = [] if methods == "none" else [one.strip() for one in methods.split(",")] if methods else QUICK
    for one in (given["method"], *others):
        make(one)
    names: Any = None
    believed = given["trusted"] or []

    def hide(crowd: Crowd, trusted: list[str]) -> tuple[Crowd, list[str]]:
        nonlocal names, believed
        chosen = crowd.annotators[crowd.codes_of("annotator", trusted, "trusted")]
        crowd, names = anonymised(crowd)
        believed = names["annotator"][find(chosen, names["name"])].tolist()
        return crowd, believed

    with speech.spoken_warnings() as warned, speech.progress("report") as tell:
        settled = inputs.settled(context, tell, extra, hide=hide if anonymise else None)
        crowd, known, result = settled.crowd, settled.gold, settled.result
        crowd = columns.with_tables(crowd, items, people_table, of_votes)
        true = inputs.known_labels(truth, crowd, given) if truth else None
        how: dict[str, Any] = {"trusted": believed, "engine": given["engine"], "callback": speech.steps(tell)}
        blind = unsettled(crowd, inputs.model(given), **how) if known else None
        found = about(
            crowd,
            result,
            gold=known,
            blind=blind,
            truth=true,
            trusted=believed,
            time=time or "",
            seconds=seconds or "",
            by=by or "",
            methods=others,
            level=level,
            sure=sure,
            items=top,
            title=title or title_of(given),
            texts=settled.reading.texts,
            notes=chain(settled.reading.notes, warned),  # warnings come while it is made
            made={"command": _command(context, anonymise), "anonymised": anonymise},
            engine=given["engine"],
            callback=tell,
        )
    inputs.say_settled(settled, given)
    if labels:
        write_table(result.to_table(), labels)
        speech.say(f"labels: {labels}")
    if annotators_out:
        people = found.content["annotators"]
        whole = people["known"] == len(people["table"])
        write_table(people["table"] if whole else verdicts(crowd, result, level=level, gold=known), annotators_out)
        speech.say(f"annotators: {annotators_out}")
    if out == "-":
        typer.echo(found.text(form))
    else:
        found.write(out, form)
    if key:
        write_table(names, key)
        speech.say(f"who is who: {key}")
    if out == "-":
        return
    speech.say(
        f"written to {out}, {Path(out).stat().st_size / 1e6:.1f} MB"
        + ("; open it in a browser" if form == "html" else "")
    )


def _require(out: str, key: str | None, anonymise: bool, sure: float, level: float, given: Mapping[str, Any]) -> None:
    """Options that would fail in the end fail at once."""
    from ..errors import InputError, OptionError

    if anonymise and given["result"]:
        raise OptionError("--anonymise and --result: what a result says may name annotators; give the votes instead")

    if key and not anonymise:
        raise OptionError("--key writes who is who: it goes with --anonymise")
    if key in ("-", out):
        raise OptionError(f"--key {key}: who is who goes to a file of its own")
    for option, share in (("--sure", sure), ("--level", level)):
        if not 0.0 < share < 1.0:
            raise OptionError(f"{option} {share:g} must lie between 0 and 1, such as 0.95")
    for target in (out, key):
        if target and target != "-" and not Path(target).resolve().parent.is_dir():
            raise InputError(f"{target} cannot be written: there is no folder {Path(target).parent}")


def _command(context: typer.Context, hide: bool) -> str:
    """The command as it was given; without what names annotators, where they have to be hidden."""
    words = ["crowdwise", str(context.info_name)]
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if source is None or source.name != "COMMANDLINE":
            continue
        value = context.params[str(parameter.name)]
        if parameter.param_type_name == "argument":
            words += [Path(str(one)).name if hide else str(one) for one in value]
        elif value is True:
            words.append(parameter.opts[0])
        else:
            values = value if isinstance(value, list | tuple) else [value]
            hidden = hide and parameter.name in NAMES
            shown = [Path(str(one)).name if hide and parameter.name in FILES else str(one) for one in values]
            words += [word for one in shown for word in (parameter.opts[0], "..." if hidden else one)]
    return shlex.join(words)
