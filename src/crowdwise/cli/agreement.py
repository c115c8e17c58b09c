"""crowdwise agreement: how much annotators agree beyond chance."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from . import inputs, speech, values_and_scores
from . import options as o


@o.command(60)
@o.reads_votes(without=("hard",))
@o.also_for(values_and_scores.agreement)
def agreement(
    context: typer.Context,
    votes: o.Votes = None,
    metric: Annotated[
        str,
        typer.Option(
            help="How far apart classes are, for Krippendorff's alpha: nominal, ordinal, interval, ratio. For spans: "
            "aligned, which need not be the same."
        ),
    ] = "nominal",
    classes: Annotated[
        str | None, typer.Option(help='All classes in their order, such as "low,medium,high": what ordinal goes by.')
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    draws: Annotated[int, typer.Option(min=0, help="Draws of items that intervals are from; 0 for none.")] = 200,
    by: Annotated[
        str | None, typer.Option(help="A further column of the votes: agreement in each of its slices.")
    ] = None,
    pairs: Annotated[
        str | None, typer.Option(help="Write every pair of annotators to a file, least agreement first."), o.WRITTEN
    ] = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the coefficients to a file."), o.WRITTEN] = None,
    memory: o.Memory = None,
    set_aside: o.SetAside = False,
    engine: o.Engine = "auto",
    seed: o.Seed = 0,
    json: o.AsJson = False,
) -> None:
    """Say how much annotators agree beyond chance: percent, Fleiss, Gwet, Krippendorff, Cohen, with intervals.

    Items with a single vote say nothing and are left out; how many items and votes were counted is told. Cohen's kappa,
    a mean over pairs, has no interval. Of ratings: Krippendorff's alpha and intraclass correlations; of comparisons:
    how often two answers to the same pair are the same.

    Example: crowdwise agreement votes.csv --metric ordinal --pairs pairs.csv
    """
    from ..io import write_table
    from ..study.annotators import agreement as coefficients
    from ..study.annotators import agreement_by, pairwise_agreement

    options: dict[str, Any] = {"metric": metric, "level": level, "draws": draws, "seed": seed, "engine": engine}
    with speech.spoken_warnings(), speech.progress("agreement"):
        extra = (by,) if by else ()
        crowd = inputs.read({**context.params, "hard": True}, extra).crowd  # what was said counts, not how surely
        if classes:
            crowd = crowd.with_classes([name.strip() for name in classes.split(",")])
        elif metric == "ordinal":
            speech.say(
                f"classes are taken in this order: {', '.join(map(str, crowd.classes))}; --classes states another"
            )
        found = agreement_by(crowd, by, **options) if by else coefficients(crowd, **options)
    if not found["items"].any():
        speech.say("no item has votes of two annotators: how much they agree is not known")
    if pairs:
        write_table(pairwise_agreement(crowd, engine=engine), pairs)
    if out:
        write_table(found, out)
    if json:
        speech.as_json({**crowd.summary(), "agreement": speech.records(found)})
        return
    speech.show(found, "Agreement")
