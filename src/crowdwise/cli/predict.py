"""crowdwise predict: labels of new items by a trained classifier."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import how_many
from . import inputs, speech
from . import options as o


@o.command(100)
@o.reads_votes()
def predict(
    context: typer.Context,
    model: Annotated[Path, typer.Argument(help="What crowdwise train wrote: the folder, or its model.npz."), o.READ],
    features: Annotated[
        str, typer.Argument(help="Features, as for train: .npz, or a table with an item column."), o.READ
    ],
    out: o.LabelsOut = "-",
    votes: Annotated[
        list[str] | None,
        typer.Option(help="Votes on these items; strangers count as the mean annotator of training; repeatable."),
        o.READ,
    ] = None,
    text: Annotated[str | None, typer.Option(help="The column of the features that holds texts.")] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add a column for the probability of each class.")
    ] = False,
) -> None:
    """Label items by their features, with a model that crowdwise train made; with --votes, by both together.

    Example: crowdwise predict model/ new.npz --out labels.csv
    """
    import numpy as np

    from ..io import read_features, write_table
    from ..learn import CrowdClassifier
    from ..votes.table import Table

    trained = CrowdClassifier.load(model / "model.npz" if model.is_dir() else model)
    known = read_features(features, text)
    names = np.arange(len(known.X) if text else known.X.shape[0]) if known.item is None else known.item
    with speech.progress("predict"):
        if not votes:
            proba = trained.predict_proba(known.X)
        else:
            crowd = inputs.read(context.params).crowd
            proba = trained.infer(known.X, crowd, known.item).posterior
    code = proba.argmax(axis=1)
    columns = {"item": names, "label": trained.classes_[code], "confidence": proba[np.arange(len(code)), code]}
    if probabilities:
        columns |= {f"p_{name}": proba[:, k] for k, name in enumerate(trained.classes_.tolist())}
    write_table(Table(columns), out)
    if out != "-":
        speech.say(f"{how_many(len(names), 'labels')}: {out}")
