"""crowdwise demo: the main job on built-in data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from . import options as o
from . import speech


@o.command(150, bare=True)
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")] = Path("crowdwise-demo"),
    seed: o.Seed = 0,
) -> None:
    """Label scikit-learn's 1,797 handwritten digits with a simulated crowd, and see which methods get them right.

    Example: crowdwise demo --out crowdwise-demo
    """
    from .. import simulate as s
    from ..errors import InputError
    from ..io import write_table
    from ..report import report
    from ..study.annotators import verdicts
    from ..study.compare import compare
    from ..study.metrics import skill_correlation
    from ..votes.table import Table

    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise InputError("the demo's digits come with scikit-learn: pip install 'crowdwise[demo]'") from error

    digits = load_digits().target
    people = (
        s.one_coin(14, 10, accuracy=0.62)
        + s.class_biased(8, 10, accuracy=0.7, bias=0.3)
        + s.spammers(10, 10)
        + s.one_class(4, 10)
        + s.adversaries(4, 10)
    )
    made = s.crowd(people, truth=digits, per_item=8, graph="power-law", seed=seed)
    crowd, truth = made.crowd, dict(zip(made.crowd.items.tolist(), made.truth.tolist(), strict=True))
    typer.echo(
        f"{crowd.n_items:,} handwritten digits, {crowd.sizes}: "
        "14 fair, 8 who favour a digit, 10 who guess, 4 who always say the same, 4 who lie.\n"
    )
    with speech.progress("demo") as tell:
        table, results = compare(crowd, truth=truth, seed=seed, forecasts=False, callback=tell)
    speech.show(table, "Methods (accuracy against the true digits; the methods never see these)")
    best = results["auto"]
    for note in best.notes:
        typer.echo(f"auto: {note}")
    people_table = verdicts(crowd, best)
    out.mkdir(parents=True, exist_ok=True)
    write_table(crowd.to_table(), out / "votes.csv")
    write_table(Table({"item": crowd.items, "label": made.truth}), out / "truth.csv")
    write_table(best.to_table(), out / "labels.csv")
    write_table(people_table, out / "annotators.csv")
    write_table(table, out / "methods.csv")
    about = report(crowd, best, truth=truth, title="1,797 handwritten digits")
    about.write(out / "report.html")
    kinds = made.kind[people_table["annotator"].astype(int)]
    shown = {name: people_table[name] for name in ("annotator", "votes", "accuracy", "information", "verdict")}
    speech.show(
        Table({**shown, "in truth": kinds}).take(people_table["verdict"] != "fine"),
        "Annotators to talk to (verdicts by the votes alone)",
    )
    true_accuracy = made.confusion.diagonal(axis1=1, axis2=2).mean(axis=1)[people_table["annotator"].astype(int)]
    typer.echo(
        f"Rank correlation of estimated and true annotator accuracy: "
        f"{skill_correlation(people_table['accuracy'], true_accuracy):.2f}\n"
    )
    typer.echo(f"Written to {out}/: report.html, labels.csv, annotators.csv, methods.csv, votes.csv, truth.csv")
    typer.echo(f"Open {(out / 'report.html').resolve().as_uri()} in a browser: it says all of this, and why.")
    typer.echo(f"Next: {sys.argv[0]} explain {out}/votes.csv 7    (why is item 7 what it is?)")
