"""crowdwise judges: what a panel of judges is worth beside few human labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import columns, inputs, speech
from . import options as o

if TYPE_CHECKING:
    from ..fit.result import Result
    from ..votes.crowd import Crowd
    from ..votes.table import Table


@o.command(66)
@o.reads_votes()
def judges(
    context: typer.Context,
    votes: o.Votes = None,
    human: Annotated[
        str | None, typer.Option("--human", help="Table of human labels: item, label; drawn at random."), o.READ
    ] = None,
    family: Annotated[
        str | None, typer.Option("--family", help="Column of the judges that names the family of each.")
    ] = None,
    order: Annotated[
        str | None, typer.Option("--order", help="Column that says in which order outputs were shown: position bias.")
    ] = None,
    lengths: Annotated[
        str | None, typer.Option("--lengths", help="Two columns of the items, the outputs' lengths: length bias.")
    ] = None,
    writers: Annotated[
        str | None, typer.Option("--writers", help="Two columns of the items, who wrote the outputs: self-preference.")
    ] = None,
    items: columns.ItemTable = None,
    people: columns.PeopleTable = None,
    by: Annotated[str | None, typer.Option("--by", help="Column of the items: means in each slice.")] = None,
    positive: Annotated[
        str | None, typer.Option("--positive", help="The class whose share is told.", show_default="the last one")
    ] = None,
    cost_human: Annotated[float, typer.Option(help="What a person's look at an item costs.")] = 1.0,
    cost_error: Annotated[float, typer.Option(help="What a wrong label costs.")] = 10.0,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the labels."), o.WRITTEN] = None,
    ask: Annotated[str | None, typer.Option("--ask", help="Write the items for a person to see."), o.WRITTEN] = None,
    engine: o.Engine = "auto",
    seed: o.Seed = 0,
    json: o.AsJson = False,
) -> None:
    """Say what a panel of judges is worth: families, biases, means with honest intervals, and what to ask people.

    Judges are annotators: a table or JSON lines with item, judge and label, probabilities or logprobs. Human labels
    find what the judges are worth together (gold-logistic); without them the default decides, and nothing is promised.

    Example: crowdwise judges judged.jsonl --human human.csv --family family --out labels.csv --ask ask.csv
    """
    from ..io import write_table
    from ..study import judges as j

    given = context.params
    given["extra"] = [order] if order and not _has_column(people, order) else []
    given["annotator_extra"] = [family] if family and people is None else []
    with speech.spoken_warnings(), speech.progress("judges"):
        crowd = columns.with_tables(inputs.read(given).crowd, items, people)
        if order and order not in crowd.annotator_extra:
            crowd = j.by_order(crowd, order)
        known = inputs.known_labels(human, crowd, given) if human else None
        crowd = crowd.with_names(classes=list(dict.fromkeys(known.values()))) if known else crowd
        told = _about_judges(crowd, known, given)
        result = _fitted(crowd, "gold-logistic" if known else "auto", given, known)
        if known:
            told["means"] = j.means(result, known, positive=positive, by=by)
            told["accuracy"] = j.means(result, known, by=by, right=True)
            asked = j.route(result, known, cost_human=cost_human, cost_error=cost_error)
            if ask:
                write_table(asked.take(asked["ask"]), ask)
            speech.say(f"{int(asked['ask'].sum()):,} of {len(asked):,} items are worth a person's look at these costs")
        else:
            speech.say(
                f"without human labels nothing is known of these judges: {j.labels_to_validate(0.05)} labels of items "
                "drawn at random tell an accuracy to within 5 points"
            )
    if out:
        write_table(result.to_table(), out)
    if json:
        speech.as_json({**crowd.summary(), **{name: speech.records(table) for name, table in told.items()}})
    elif out != "-" and ask != "-":
        for name, table in told.items():
            speech.show(table, TITLES[name])


def _about_judges(crowd: Crowd, known: Any, given: Mapping[str, Any]) -> dict[str, Table]:
    """What the panel is worth, and what moves it."""
    from ..errors import OptionError
    from ..study import judges as j

    family = given["family"]
    told = {"worth": j.worth(crowd, human=known, family=family)}
    if known and family:
        told["families"] = j.families(crowd, known, family)
    if given["order"]:
        told["first shown"] = j.position_bias(crowd, given["order"], by=family)
    if given["lengths"]:
        told["longer"] = j.length_bias(crowd, _pair("--lengths", given["lengths"]), by=family, human=known)
    if given["writers"]:
        if not family:
            raise OptionError("--writers: who is of whose family is needed too (--family)")
        told["own family"] = j.self_preference(crowd, _pair("--writers", given["writers"]), family)
    return told


def _has_column(file: str | None, name: str) -> bool:
    """Whether a table has a column of that name."""
    from ..io.table_rows import read_rows

    return file is not None and name in read_rows(file).names


def _fitted(crowd: Crowd, method: str, given: Mapping[str, Any], known: Any = None) -> Result:
    """What the panel says, with the votes that have all columns."""
    from dataclasses import replace

    from ..methods import make
    from ..study.settle import unsettled

    if known:
        return replace(make(method, by=given["family"] or "").fit(crowd, gold=known), votes=crowd)
    return replace(unsettled(crowd, make(method, seed=given["seed"]), engine=given["engine"]), votes=crowd)


TITLES = {
    "worth": "What the panel is worth, in independent judges",
    "families": "Families: accuracy on human labels, and errors in common",
    "first shown": "How often the first shown is chosen",
    "longer": "How often the longer is chosen",
    "own family": "Self-preference",
    "means": "Share of the class, by few human labels and all judged items",
    "accuracy": "Accuracy of the panel's labels",
}


def _pair(option: str, text: str) -> tuple[str, str]:
    from ..errors import OptionError

    names = [name.strip() for name in text.split(",")]
    if len(names) != 2:
        raise OptionError(f"{option} {text}: two columns are needed, separated by a comma")
    return names[0], names[1]
