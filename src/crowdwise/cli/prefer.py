"""crowdwise prefer: preferences in, pairs with weights for training out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o
from . import speech

ON_PAPER = {".csv", ".tsv"}  # where a list of messages is text


@o.command(35)
def prefer(
    records: Annotated[
        list[str],
        typer.Argument(
            help="Records (JSON lines, JSON, CSV, Parquet) with prompt, chosen, rejected and annotator, or with two "
            "answers and a winner; or exports with pairwise answers or rankings; - is stdin.",
            show_default=False,
        ),
        o.READ,
    ],
    out: Annotated[
        str, typer.Option("--out", "-o", help="Pairs: .jsonl, .parquet, .csv, .tsv, .gz; - prints."), o.WRITTEN
    ] = "-",
    annotators_out: Annotated[
        str | None, typer.Option("--annotators-out", help="Also write how often each annotator flips."), o.WRITTEN
    ] = None,
    min_probability: Annotated[
        float, typer.Option("--min-probability", help="Leave out pairs that are less sure.", min=0.5, max=1.0)
    ] = 0.5,
    prompt: Annotated[str | None, typer.Option(help="Column of the prompts.", show_default="by name")] = None,
    chosen: Annotated[str | None, typer.Option(help="Column of the chosen answers.", show_default="by name")] = None,
    rejected: Annotated[str | None, typer.Option(help="Column of the others.", show_default="by name")] = None,
    annotator: o.AnnotatorColumn = None,
    input_format: o.InputFormat = None,
    question: o.Question = None,
    method: o.MethodName = "one-coin",
    level: Annotated[float, typer.Option(help="Level of the intervals.", min=0.5, max=0.999)] = 0.9,
    seed: o.Seed = 0,
    json: o.AsJson = False,
) -> None:
    """Find which answers annotators really prefer, and who flips: one row per pair, ready for training.

    Each pair comes once, the better way round, with the probability that chosen is better, and what a loss takes:
    weight (2 p - 1) and label_smoothing (1 - p). TRL's DPO trainer reads prompt, chosen and rejected as they are.

    Example: crowdwise prefer preferences.jsonl --out pairs.jsonl --annotators-out annotators.csv
    """
    from ..errors import how_many
    from ..io.preference_records import read_preferences
    from ..io.write import write_table
    from ..study.prefer import prefer as found_in

    named = {"prompt": prompt, "chosen": chosen, "rejected": rejected, "annotator": annotator}
    with speech.spoken_warnings(), speech.progress(method) as tell:
        preferences, notes = read_preferences(records, **named, form=input_format, question=question)
        for note in notes:
            speech.say(note)
        found = found_in(preferences, method, level=level, seed=seed, callback=speech.steps(tell))
    for note in found.notes:
        speech.say(note)
    pairs = found.pairs.take(found.pairs["probability"] >= min_probability)
    if len(pairs) < len(found.pairs):
        left = len(found.pairs) - len(pairs)
        speech.say(f"{how_many(left, 'pairs')} of {len(found.pairs):,} left out: less sure than {min_probability}")
    if out != "-" or not json:
        endings = set(Path(out).suffixes) & ON_PAPER
        write_table(found.as_text(pairs) if out == "-" or endings else pairs, out)
    if annotators_out:
        write_table(found.annotators, annotators_out)
    if json:
        summary = {"pairs": len(pairs), "votes": preferences.crowd.n_votes, "method": method, "notes": [*notes]}
        here = {"records": speech.records(pairs)} if out == "-" else {"out": out}
        speech.as_json({**summary, **here, "annotators": speech.records(found.annotators)})
    elif out != "-":
        speech.say(f"{how_many(len(pairs), 'pairs')} from {how_many(preferences.crowd.n_votes, 'preferences')}: {out}")
