"""crowdwise review: which labels to accept, and which items to look at first."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from . import disk, inputs, lake, queues, speech
from . import options as o


@o.command(70)
@o.settles_votes()
@o.unless(disk.is_lake, lake.review)
@o.also_for(queues.review)
def review(
    context: typer.Context,
    votes: o.Votes = None,
    top: Annotated[int, typer.Option(help="How many items the queue holds.", min=1)] = 50,
    sure: Annotated[float, typer.Option(help="Confidence from which a label is sure.")] = 0.95,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the queue to a file."), o.WRITTEN] = None,
    accepted: Annotated[
        str | None,
        typer.Option("--accepted", help="Write the items whose labels can be accepted to a file."),
        o.WRITTEN,
    ] = None,
    repeated: Annotated[
        str | None,
        typer.Option("--repeated", help="Write items that one annotator voted on twice to a file."),
        o.WRITTEN,
    ] = None,
    memory: Annotated[
        str | None, typer.Option("--memory", help="Votes go by the disk, with so much memory, such as 2GB.")
    ] = None,
    set_aside: o.SetAside = False,
    json: o.AsJson = False,
) -> None:
    """List the items to look at: those a trusted annotator contests, then by what one more vote would gain.

    Items are easy (unanimous and sure: accepted), open (sure), uncertain or contested. Gold items are left out. Of
    answers that name no classes, the least sure come first.

    Example: crowdwise review votes.csv --top 50 --out queue.csv --accepted done.csv
    """
    import numpy as np

    from ..io import write_table
    from ..study.annotators import repeated as repeated_votes
    from ..study.annotators import review as reviewed

    given = context.params
    with speech.spoken_warnings(), speech.progress(given["method"]) as tell:
        settled = inputs.settled(context, tell)
        crowd = settled.crowd
        found = reviewed(crowd, settled.result, trusted=given["trusted"] or (), sure=sure, gold=settled.gold)
    inputs.say_settled(settled, given)
    state = found["state"].astype(str)
    queue = np.flatnonzero(state != "easy")[:top]
    rows = _with_whom_to_ask(found.take(queue), crowd)
    if out:
        write_table(rows, out)
    easy = found.take(state == "easy")
    if accepted:
        write_table(easy, accepted)
    twice = repeated_votes(crowd)
    if repeated:
        write_table(twice, repeated)
    counts = {name: int((state == name).sum()) for name in ("easy", "open", "uncertain", "contested")}
    if json:
        summary = {"states": counts, "repeated": len(twice), "queue": speech.records(rows)}
        speech.as_json({**crowd.summary(), **summary})
        return
    if out != "-":
        speech.show(rows, f"Items to look at: {len(rows)} of {len(found)} (gain in bits)")
    speech.say(", ".join(f"{count:,} {name}" for name, count in counts.items()) + ".")
    if len(twice):
        speech.say(
            f"{len(twice):,} times an annotator voted on an item more than once, {int(twice['contradict'].sum()):,} "
            "of them with different labels."
        )


def _with_whom_to_ask(rows: Any, crowd: Any) -> Any:
    """The queue, and whose vote on each item would tell most."""
    import numpy as np

    from ..collect import Online, whom_to_ask
    from ..votes.table import Table

    if not len(rows):
        return rows
    once = crowd.once("last")
    live = Online(once.classes.tolist(), once.items.tolist())
    live.update(once)
    who = [None if name is None else str(name) for name in whom_to_ask(live, rows["item"].tolist())]
    return Table({**rows.columns, "ask": np.array(who, object)})
