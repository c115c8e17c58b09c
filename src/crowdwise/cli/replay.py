"""crowdwise replay: how plans would have gone on votes that exist."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import OptionError
from . import inputs, speech
from . import options as o


@o.command(47)
@o.reads_votes()
def replay(
    context: typer.Context,
    votes: o.Votes = None,
    truth: o.Truth = None,
    policies: Annotated[
        str, typer.Option("--policies", help="Plans, separated by commas: as --choose of next.")
    ] = "cover,overlap,entropy-skill",
    seeds: Annotated[int, typer.Option("--seeds", help="How often each is tried.", min=1)] = 5,
    batches: Annotated[int, typer.Option("--batches", help="Looks at all votes so far.", min=2)] = 50,
    out: Annotated[
        str, typer.Option("--out", "-o", help="Table of policy, seed, votes, accuracy ...; - prints."), o.WRITTEN
    ] = "-",
    json: o.AsJson = False,
) -> None:
    """Ask again for votes that exist, in the order of a plan: accuracy by votes, and the share of votes that reached.

    The share is of votes to come within .01 of the accuracy of all votes. The truth measures, and never chooses.

    Example: crowdwise replay votes.csv --truth truth.csv --out curve.csv
    """
    from ..collect import replay as replayed
    from ..io import write_table

    if truth is None:
        raise OptionError("name the true labels with --truth: they measure how far a plan has come")
    with speech.spoken_warnings(), speech.progress("replay") as tell:
        crowd = inputs.read(context.params).crowd
        known = inputs.known_labels(truth, crowd, context.params)
        names = [name.strip() for name in policies.split(",") if name.strip()]
        made = replayed(
            crowd, known, names, seeds=seeds, batches=batches,
            callback=lambda policy, seed: tell(f"{policy}, seed {seed}") if tell is not None else None,
        )  # fmt: skip
    if json:
        speech.as_json({"reach": speech.records(made.reach), "curve": speech.records(made.curve)})
        return
    write_table(made.curve, out)
    for row in made.reach.records():
        speech.say(
            f"{row['policy']}: {row['reach']:.2f} of the votes reached {row['all votes']:.3f} - .01; at half of them "
            f"{row['at half']:.3f}, area {row['area']:.3f}"
        )
