"""crowdwise simulate: votes of a made-up crowd, and the truth behind them."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o
from . import speech

KINDS = (
    "one-coin, beta, dirichlet, ordinal, hammer-spammer, spammer, extreme-spammer, pairwise-flipper, class-expert, "
    "specialist, class-biased, one-class, adversary, junior, colluder, group"
)


@o.command(120, bare=True)
def simulate(
    people: Annotated[
        str, typer.Option(help=f"How many of which, separated by commas. Kinds: {KINDS}.")
    ] = "one-coin=20,class-biased=5,spammer=5,adversary=2",
    items: Annotated[int, typer.Option(min=1)] = 1000,
    classes: Annotated[int, typer.Option(min=2)] = 4,
    per_item: Annotated[int, typer.Option(help="Votes per item.", min=1)] = 5,
    graph: Annotated[str, typer.Option(help="Who labels what: random, regular, power-law or dense.")] = "random",
    difficulty: Annotated[float, typer.Option(help="Chance that an annotator guesses.", min=0.0, max=1.0)] = 0.0,
    out: Annotated[str, typer.Option("--out", "-o", help="Votes; - prints."), o.WRITTEN] = "-",
    truth: Annotated[str | None, typer.Option(help="Also write the true labels."), o.WRITTEN] = None,
    annotators: Annotated[
        str | None, typer.Option(help="Also write who is who: annotator, kind, accuracy."), o.WRITTEN
    ] = None,
    seed: o.Seed = 0,
) -> None:
    """Simulate the votes of a crowd that you describe.

    Example: crowdwise simulate --people one-coin=20,spammer=5 --items 500 --out votes.csv --truth truth.csv
    """
    import numpy as np

    from .. import simulate as s
    from ..io import write_table
    from ..votes.table import Table

    who = s.parse(people, classes, seed)
    with speech.progress("simulate"):
        made = s.crowd(who, n_items=items, per_item=per_item, graph=graph, difficulty=difficulty, seed=seed)
    crowd = made.crowd
    write_table(crowd.to_table(), out)
    if truth:
        write_table(Table({"item": crowd.items, "label": made.truth}), truth)
    if annotators:
        accuracy = np.einsum("jkk->j", made.confusion) / classes
        write_table(Table({"annotator": crowd.annotators, "kind": made.kind, "accuracy": accuracy}), annotators)
    if out != "-":
        speech.say(f"{crowd.sizes}: {out}")
