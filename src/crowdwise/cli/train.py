"""crowdwise train: a classifier straight from votes and features."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import how_many
from . import inputs, speech
from . import options as o
from .paths import require_no_input

if TYPE_CHECKING:
    from ..fit.result import Result
    from ..learn import CrowdClassifier

FILES = ("model.npz", "labels.csv", "annotators.csv", "confusion.csv", "history.csv", "history.svg")
MOST_ENTRIES = 5_000_000  # of confusion matrices, written to a file


@o.command(90)
@o.reads_votes()
def train(
    context: typer.Context,
    features: Annotated[
        str,
        typer.Option(
            help="The items' features: .npz with X, one row per item, and item, its name; or a table (CSV, TSV, JSON "
            "lines, Parquet) with an item column and numbers in the others."
        ),
        o.READ,
    ],
    votes: Annotated[
        list[str], typer.Option(help="The votes: CSV, TSV, JSON lines or Parquet, also .gz; repeatable."), o.READ
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")],
    objective: Annotated[
        str, typer.Option(help="How networks learn from votes; crowdwise methods --objectives lists the ways.")
    ] = "auto",
    text: Annotated[
        str | None, typer.Option(help="The column of the features that holds texts; the network is then a transformer.")
    ] = None,
    network: Annotated[
        str | None, typer.Option(help="linear, mlp, cnn, resnet, gp or text.", show_default="mlp; text with --text")
    ] = None,
    class_prior: Annotated[
        str | None, typer.Option(help='What is known of the classes\' shares: uniform, "0.2,0.8" or "cat=0.2,dog=0.8".')
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the items.")] = 20,
    batch: Annotated[int, typer.Option(min=1, help="Items per step.")] = 64,
    rate: Annotated[float, typer.Option(help="Learning rate of the network.")] = 1e-3,
    annotator_rate: Annotated[float, typer.Option(help="Learning rate of the annotators' parameters.")] = 1e-2,
    hold_out: Annotated[
        float, typer.Option(min=0.0, max=0.9, help="Share of the items whose votes choose the number of epochs.")
    ] = 0.0,
    patience: Annotated[
        int | None, typer.Option(min=0, help="Epochs without progress on what is held out, then stop.")
    ] = None,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Temper predictions by votes that were held out, or those of folds.")
    ] = False,
    clean: Annotated[
        str | None,
        typer.Option(help="File of known labels (item, label) to choose by, in place of held-out votes."),
        o.READ,
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the objective, such as strength=0.1; repeatable.")
    ] = None,
    restart: Annotated[
        bool,
        typer.Option("--restart", help="Begin anew, whatever is in the folder: a killed run, or a model."),
    ] = False,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    precision: Annotated[str, typer.Option(help="no, bf16 or fp16: of the network's arithmetic.")] = "no",
    seed: o.Seed = 0,
    json: o.AsJson = False,
) -> None:
    """Train a classifier from votes and features together, and find the items' labels and the annotators' quality.

    Writes model.npz (for crowdwise predict), labels.csv, annotators.csv, confusion.csv (with intervals, by bayes-dgc,
    deep-mf and deep-bp), history.csv and history.svg. A run that was killed goes on where it stopped when the same
    command is given again. Under torchrun or accelerate launch all processes train together.

    Example: crowdwise train --features features.npz --votes votes.csv --objective max-mig --out model/
    """
    from ..errors import OptionError
    from ..io import read_features, read_labels
    from ..learn import OBJECTIVES, CrowdClassifier
    from ..learn.training.checkpoint import forget
    from ..learn.training.parallel import rank

    if precision not in ("no", "bf16", "fp16"):
        raise OptionError(f"--precision {precision}: choose no, bf16 or fp16")
    if out.exists() and not out.is_dir():
        raise OptionError(f"--out {out} is a file: name a folder")
    if patience is not None and not (hold_out or clean):
        raise OptionError("--patience needs something held out: --hold-out or --clean")
    if (out / "model.npz").exists() and not (restart or (out / "checkpoint").is_dir()):
        raise OptionError(f"--out {out} holds a model: name another folder, or replace it with --restart")
    for file in FILES:
        require_no_input("--out", str(out / file), [features, *votes, *([clean] if clean else [])])
    network = network or ("mlp" if text is None else "text")
    OBJECTIVES[objective]
    known = read_features(features, text)
    accelerator = None
    if int(os.environ.get("WORLD_SIZE", "1")) > 1 or precision != "no":
        import torch
        from accelerate import Accelerator

        accelerator = Accelerator(mixed_precision=precision, cpu=device == "cpu" or not torch.cuda.is_available())
    with speech.spoken_warnings(), speech.bar(objective) as told:
        crowd = inputs.read(context.params).crowd
        model = CrowdClassifier(
            network, objective, inputs.settings(set_), inputs.shares(class_prior), epochs=epochs, batch=batch,
            rate=rate, annotator_rate=annotator_rate, hold_out=hold_out, patience=patience, calibrate=calibrate,
            seed=seed, device=device,
        )  # fmt: skip
        if restart:
            forget(out / "checkpoint")
        elif (out / "checkpoint").is_dir():
            speech.say(f"going on from {out / 'checkpoint'}; --restart begins anew")
        model.fit(
            known.X, crowd, known.item, clean=read_labels(clean) if clean else None, accelerator=accelerator,
            checkpoint=out / "checkpoint", callback=told,
        )  # fmt: skip
        if rank() > 0:
            return
        result = model.infer(known.X, crowd, known.item)
    _write(model, result, out)
    forget(out / "checkpoint")
    if json:
        summary = {
            **crowd.summary(),
            "objective": objective,
            "notes": model.notes_,
            "epochs": len(model.final_.loss),
            "seed": seed,
        }
        summary |= {"power": model.power_} if calibrate else {}
        speech.as_json({**summary, "loss": model.final_.loss[-1], "out": str(out)})
        return
    chosen = ", a number chosen by what was held out" if hold_out or clean else ""
    for note in model.notes_:
        speech.say(note)
    learned = f"{how_many(len(model.final_.loss), 'epochs')} from {crowd.sizes}"
    tempered = f", predictions tempered by the power {model.power_:g}" if calibrate else ""
    speech.say(f"{objective} learned {learned}{chosen}{tempered}")
    speech.say(f"model, labels, annotators, confusion and history: {out}")


def _write(model: CrowdClassifier, result: Result, out: Path) -> None:
    """Everything that was learned, each to a file of its own."""
    from ..io import write_table
    from ..learn.training.curve_plot import draw

    model.save(out / "model.npz")
    write_table(result.to_table(), out / "labels.csv")
    write_table(model.annotators(), out / "annotators.csv")
    if model.confusion().size <= MOST_ENTRIES:
        write_table(model.confusion_table(), out / "confusion.csv")
    else:
        speech.say(
            f"confusion.csv would have {model.confusion().size:,} rows and is left out: model.confusion() has them"
        )
    write_table(model.history(), out / "history.csv")
    draw(model.history(), out / "history.svg")
