"""crowdwise review: which labels to accept, and which items to look at first."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o


@o.command(70)
@o.reads_votes()
def review(
    context: typer.Context,
    votes: o.Votes,
    top: Annotated[int, typer.Option(help="How many items the queue holds.", min=1)] = 50,
    method: o.MethodName = "auto",
    set_: o.Settings = None,
    sure: Annotated[float, typer.Option(help="Confidence from which a label is sure.")] = 0.95,
    trusted: o.Trusted = None,
    gold: o.Gold = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the queue to a file.")] = None,
    accepted: Annotated[
        str | None, typer.Option("--accepted", help="Write the items whose labels can be accepted to a file.")
    ] = None,
    repeated: Annotated[
        str | None, typer.Option("--repeated", help="Write items that one annotator voted on twice to a file.")
    ] = None,
    engine: o.Engine = "auto",
    seed: o.Seed = 0,
    json: o.AsJson = False,
) -> None:
    """List the items to look at: those a trusted annotator contests, then by what one more vote would gain.

    Items are easy (unanimous and sure: accepted), open (sure), uncertain or contested. Gold items are left out.

    Example: crowdwise review votes.csv --top 50 --out queue.csv --accepted done.csv
    """
    import numpy as np

    from ..io import write_table
    from ..methods import make
    from ..study.annotators import repeated as repeated_votes
    from ..study.annotators import review as reviewed
    from ..study.settle import settle

    with o.spoken_warnings(), o.progress(method) as tell:
        crowd, known = o.with_known(
            o.read(context.params, set_=set_),
            gold,
        )
        model = make(method, seed=seed, **o.settings(set_))
        result = settle(crowd, model, gold=known, trusted=trusted or (), engine=engine, callback=o.steps(tell))
        found = reviewed(crowd, result, trusted=trusted or (), sure=sure, gold=known)
    o.say_notes(result, method)
    state = found["state"].astype(str)
    queue = np.flatnonzero(state != "easy")[:top]
    rows = found.take(queue)
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
        summary = {"states": counts, "repeated": len(twice), "queue": o.records(rows)}
        o.as_json({**crowd.summary(), **summary})
        return
    if out != "-":
        o.show(rows, f"Items to look at: {len(rows)} of {len(found)} (gain in bits)")
    o.say(", ".join(f"{count:,} {name}" for name, count in counts.items()) + ".")
    if len(twice):
        o.say(
            f"{len(twice):,} times an annotator voted on an item more than once, {int(twice['contradict'].sum()):,} "
            "of them with different labels."
        )
