"""crowdwise spark: labels of votes in a Spark lake."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..errors import MissingExtra, OptionError
from . import inputs, speech
from . import options as o


@o.command(84)
def spark(
    votes: Annotated[str, typer.Argument(help="Where the votes lie: a table's name, or a path of Parquet files.")],
    out: Annotated[str, typer.Option("--out", "-o", help="Where labels go: a path for Parquet files.")],
    item: o.ItemColumn = None,
    annotator: o.AnnotatorColumn = None,
    label: o.LabelColumn = None,
    method: o.MethodName = "dawid-skene",
    set_: o.Settings = None,
    tasks: Annotated[
        int | None, typer.Option("--tasks", help="Blocks of votes; one a core unless told.", min=1)
    ] = None,
    folder: Annotated[
        str | None, typer.Option("--folder", help="Where packed votes lie, seen by all executors: faster.")
    ] = None,
    annotators_out: o.AnnotatorsOut = None,
    script: Annotated[
        bool,
        typer.Option(
            "--script",
            help="Print the path of the program that spark-submit takes, and end.",
            is_eager=True,
            callback=lambda asked: _print_script() if asked else None,
        ),
    ] = False,
    seed: o.Seed = 0,
    json: o.AsJson = False,
) -> None:
    """Fit a method to a Spark lake, under spark-submit or with the session that is there.

    Votes for classes; or ratings, spans and comparisons, by a method that takes them.

    Below some thousand million votes one machine is faster: crowdwise aggregate lake/ --memory 8GB.

    The method is fitted, and not settled: take crowdwise aggregate where annotators may work together.

    Example: spark-submit $(crowdwise spark --script) spark s3://lake/votes --out s3://lake/labels --method ibcc
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingExtra("crowdwise spark needs pyspark on Java 17: pip install 'crowdwise[spark]'") from error
    from ..io import write_table
    from ..methods import make
    from ..scale.spark import SparkFitted, fit
    from ..scale.spark_answers import is_chain

    model: Any = make(method, seed=seed, **inputs.settings(set_))
    if annotators_out and (model.takes.kind != "classes" or is_chain(model)):
        raise OptionError(f"--annotators-out is for classes of single items, and {model.name} takes {model.takes.kind}")
    session = SparkSession.builder.appName("crowdwise").getOrCreate()
    frame = session.read.parquet(votes) if "/" in votes or votes.endswith(".parquet") else session.table(votes)
    with speech.progress(method) as tell:
        found = fit(model, frame, item=item, annotator=annotator, label=label, tasks=tasks, folder=folder,
                    callback=speech.steps(tell))  # fmt: skip
        found.labels.write.parquet(out)
    if annotators_out and isinstance(found, SparkFitted):
        write_table(found.quality(), annotators_out)
    told = {"votes": found.n_votes, "annotators": len(found.annotators), "steps": len(found.trace),
            "converged": found.converged, "objective": found.trace[-1], "out": out}  # fmt: skip
    if json:
        speech.as_json(told)
    else:
        speech.say(f"labels by {model.name} from {told['votes']:,} votes of {told['annotators']:,} annotators: {out}")


def _print_script() -> None:
    """Where the program lies that spark-submit takes."""
    from importlib.resources import files

    print(files("crowdwise.scale") / "submit" / "crowdwise_on_spark.py")
    raise typer.Exit
