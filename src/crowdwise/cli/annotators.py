"""crowdwise annotators: who is good, who is not, and of whom too little is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from ..errors import how_many
from . import inputs, speech, values_and_scores
from . import options as o

if TYPE_CHECKING:
    from ..votes.crowd import Crowd
    from ..votes.table import Table

MOST_ROWS = 20  # of the table, on a terminal
DRIFT = 3.0  # standard errors beyond which a change is told


@o.command(50)
@o.settles_votes()
@o.also_for(values_and_scores.annotators)
def annotators(
    context: typer.Context,
    votes: o.Votes = None,
    least: Annotated[
        float, typer.Option(help="Share of what classes are worth, in bits, below which a vote is as good as none.")
    ] = 0.05,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.9,
    false_discoveries: Annotated[
        float, typer.Option(help="Share of the spammers named that may be named wrongly, on average.")
    ] = 0.05,
    time: Annotated[
        str | None, typer.Option("--time", help="Column of when a vote was given: drift and speed.")
    ] = None,
    seconds: Annotated[str | None, typer.Option("--seconds", help="Column of how long a vote took: speed.")] = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the annotators to a file."), o.WRITTEN] = None,
    pruned: Annotated[
        str | None,
        typer.Option(
            "--prune", help="Write the file of votes, all its columns, without spammers, adversaries, colluders."
        ),
        o.WRITTEN,
    ] = None,
    by_class: Annotated[
        str | None,
        typer.Option("--by-class", help="Write one row per annotator and class to a file: accuracy and bias."),
        o.WRITTEN,
    ] = None,
    attacked: Annotated[
        str | None,
        typer.Option("--attacked", help="Write the items on which colluders and adversaries agree on a wrong label."),
        o.WRITTEN,
    ] = None,
    memory: o.Memory = None,
    set_aside: o.SetAside = False,
    json: o.AsJson = False,
) -> None:
    """Show how good each annotator is, how much their votes tell, and a verdict.

    Verdicts are colluder, adversary, spammer, undecided (too few votes to know) and fine; worst first. Of raters:
    copier, constant, reversed, spammer, undecided, biased, fine; of people who compare: reversed, one-sided, spammer,
    undecided, fine.

    Example: crowdwise annotators votes.csv --out annotators.csv --prune cleaned.csv
    """
    from ..io import write_table
    from ..study.annotators import attacked_items, effective_number, prune, quality_by_class, verdicts, with_timing
    from ..votes.codes import find

    given = context.params
    extra = tuple(name for name in (time, seconds) if name)
    with speech.spoken_warnings(), speech.progress(given["method"]) as tell:
        settled = inputs.settled(context, tell, extra)
        crowd, known, result, engine = settled.crowd, settled.gold, settled.result, given["engine"]
        if tell:
            tell("verdicts")
        rules = {"least": least, "level": level, "false_discoveries": false_discoveries}
        found = verdicts(crowd, result, **rules, gold=known, engine=engine)
        found = with_timing(found, crowd, result, time=time or "", seconds=seconds or "")
    inputs.say_settled(settled, given)
    if out:
        write_table(found, out)
    if by_class:
        write_table(quality_by_class(crowd, result, level=level), by_class)
    if attacked:
        plotters = found["annotator"][np.isin(found["verdict"].astype(str), ("colluder", "adversary"))]
        write_table(attacked_items(crowd, result, plotters.tolist()), attacked)
    if pruned:
        left = prune(crowd, found)
        gone = find(found["annotator"], left.annotators) < 0
        told = inputs.columns_of(given)
        read_again = {name: told[name] for name in ("annotator", "annotators", "delimiter", "encoding")}
        files = [] if settled.reading.export or given["normalise"] else list(votes or ())
        whole = files[0] if len(files) == 1 and Path(files[0]).is_file() else "-"
        if whole == "-":
            speech.say(f"{pruned} has the votes as they were read, without further columns of the files")
        _write_pruned(whole, pruned, left, found["annotator"][gone].tolist(), read_again)
        whole = how_many(crowd.n_votes, "votes")
        speech.say(f"{pruned}: {left.n_votes:,} of {whole}, {how_many(left.n_annotators, 'annotators')}")
    together = effective_number(crowd, result, group=found["group"][find(crowd.annotators, found["annotator"])])
    if json:
        speech.as_json({**crowd.summary(), "annotators": speech.records(found), "groups": speech.records(together)})
        return
    if out != "-":
        speech.show(_for_people(found), f"Annotators, worst first: {min(MOST_ROWS, len(found))} of {len(found)}")
    _say_what_stands_out(found)
    worth = together["effective_votes"][0]
    speech.say(f"An item's {together['votes_per_item'][0]:.1f} votes are worth {worth:.1f} independent ones.")


def _write_pruned(votes: str, target: str, left: Crowd, gone: list[Any], read_again: dict[str, Any]) -> None:
    """The file of votes without some annotators, all its columns; of exports and standard input ("-") what was read."""
    from ..io import without_annotators, write_table

    write_table(left.to_table() if votes == "-" else without_annotators(votes, gone, **read_again), target)


def _for_people(found: Table) -> Table:
    """The columns that a terminal has room for, the interval as one."""
    from ..votes.table import Table

    rows = found.take(slice(0, MOST_ROWS))
    ends = zip(rows["accuracy_low"].tolist(), rows["accuracy_high"].tolist(), strict=True)
    shown = {
        "annotator": rows["annotator"],
        **({"kind": rows["kind"]} if "kind" in rows.columns else {}),
        "votes": rows["votes"],
        "accuracy": rows["accuracy"].round(3),
        "interval": np.array([f"{low:.2f} - {high:.2f}" for low, high in ends], object),
        "bits": rows["information"].round(3),
        "verdict": rows["verdict"],
    }
    more = {"gold_accuracy": "on gold", "drift": "drift", "seconds": "seconds", "hasty": "hasty"}
    shown |= {name: rows[column].round(3) for column, name in more.items() if column in rows.columns}
    if (rows["group"] >= 0).any():
        shown["group"] = rows["group"]
    return Table({**shown, "reason": rows["reason"]})


def _say_what_stands_out(found: Table) -> None:
    """How many of each verdict, and a line for each of those who got better or worse, surest first."""
    from ..study.annotators.verdict import RANK

    counts = {name: int((found["verdict"] == name).sum()) for name in RANK}
    speech.say(", ".join(f"{count:,} {name}" for name, count in counts.items() if count) + ".")
    if "drift_z" not in found.columns:
        return
    order = np.argsort(-np.abs(np.nan_to_num(found["drift_z"])), kind="stable")[:5]
    for row in order[np.abs(np.nan_to_num(found["drift_z"][order])) > DRIFT]:
        early, late = found["early"][row], found["late"][row]
        speech.say(
            f"{found['annotator'][row]}: accuracy {early:.2f} in the first half of the votes, {late:.2f} in the second."
        )
