"""crowdwise stop: whether the labels are good enough, as far as audited items tell."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..errors import InputError, how_many
from . import inputs, speech
from . import options as o


def _require_untold(audit: Any, gold: Any) -> None:
    """An audited item whose label was told to the fit measures nothing: it is right."""
    told = {str(item) for item in gold} & {str(item) for item in audit}
    if told:
        raise InputError(
            f"{how_many(len(told), 'audited items')} are gold too, such as {min(told)!r}: what the fit was told "
            "does not measure it; leave them out of --audit, or of --gold"
        )


def _forecast(crowd: Any, audit: Any) -> Any:
    """What half as many votes more, and as many more, would bring."""
    from ..collect import Online

    live = Online(crowd.classes.tolist(), crowd.items.tolist(), method="live")
    live.update(crowd.once("last"))
    return live.forecast((1.5, 2.0), audit)


@o.command(46)
@o.settles_votes()
def stop(
    context: typer.Context,
    votes: o.Votes = None,
    audit: Annotated[
        str | None,
        typer.Option(
            "--audit", help="Table of audited items: item, label. They were drawn at random, and told to no fit."
        ),
        o.READ,
    ] = None,
    error: Annotated[float, typer.Option("--error", help="The share of wrong labels that is allowed.")] = 0.05,
    delta: Annotated[float, typer.Option("--delta", help="The chance to be wrong about that.")] = 0.1,
    looks: Annotated[int, typer.Option("--looks", help="How often one looks, at most, in all.", min=1)] = 10,
    json: o.AsJson = False,
) -> None:
    """Say whether to stop asking: what audited items promise, and no promise without them.

    An audited item was drawn at random from all items and answered by somebody you trust. Its answer may not be among
    the votes or the gold.

    Example: crowdwise stop votes.csv --audit audit.csv --error 0.05
    """
    from ..collect.stopping import promise

    given = context.params
    with speech.spoken_warnings(), speech.progress(given["method"]) as tell:
        found = inputs.settled(context, tell)
        known = None if audit is None else inputs.known_labels(audit, found.crowd, given)
        _require_untold(known or {}, found.gold or {})
        told = promise(found.result, error, known, delta, looks)
        ahead = _forecast(found.crowd, known) if known and not told.stop else None
    if json:
        more = {} if ahead is None else {"forecast": speech.records(ahead)}
        speech.as_json({**found.crowd.summary(), **told._asdict(), **more})
    else:
        for row in [] if ahead is None else ahead.records():
            speech.say(
                f"with {row['votes']:,} votes in place of {found.crowd.n_votes:,}, an accuracy of {row['low']:.3f} to "
                f"{row['high']:.3f} is to be expected"
            )
        typer.echo(f"{'stop' if told.stop else 'go on'}: {told.why}")
