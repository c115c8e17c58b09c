"""Spark: the trace of one machine, labels of every item, and an executor that is lost with its blocks."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from crowdwise import Comparisons, InputError, Sequences, simulate
from crowdwise.io import write_table
from crowdwise.methods import make
from crowdwise.scale import spark
from terminal import run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # sockets of the gateway
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.xdist_group("spark"),  # one session, and its executors, for all
]
sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install 'crowdwise[spark]'")


@pytest.fixture(scope="module")
def session():
    if shutil.which("java") is None:
        pytest.skip("there is no Java runtime: make java installs Debian's")
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    source = str(Path(__file__).parents[2] / "src")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    builder = sql.SparkSession.builder.master("local-cluster[2,1,1024]").appName("crowdwise tests")
    for name, value in {
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1", "spark.sql.shuffle.partitions": "2",
    }.items():  # fmt: skip
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()


def by_annotator(crowd):
    """The votes on each item in the order of the annotators, as Spark packs them."""
    return crowd.take(np.lexsort((crowd.annotator, crowd.item)))


def votes_of(session, crowd):
    table = crowd.to_table()
    rows = zip(*(table[name].tolist() for name in ("item", "annotator", "label")), strict=True)
    return session.createDataFrame(list(rows), "task long, worker long, answer long")


def executors(application):
    """Processes that run tasks of an application."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            if any("CoarseGrainedExecutorBackend" in word for word in words) and application in words:
                found.append(int(entry.name))
    return found


def test_a_cluster_gives_what_one_machine_gives(session, tmp_path):
    made = simulate.crowd(simulate.dirichlet(30, 3, seed=1), n_items=900, per_item=5, seed=0)
    frame = votes_of(session, made.crowd)
    for name, folder in (("dawid-skene", None), ("one-coin", str(tmp_path / "blocks"))):
        method = make(name, max_iter=6)
        expected = method.fit(by_annotator(made.crowd), engine="numba:1")
        found = spark.fit(method, frame, tasks=2, folder=folder, posterior=True)
        assert np.array(found.trace) == pytest.approx(np.array(expected.trace), rel=1e-9)
        rows = {row["item"]: row for row in found.labels.collect()}
        assert len(rows) == 900
        right = [
            rows[item]["label"] == label for item, label in zip(expected.items.tolist(), expected.labels, strict=True)
        ]
        assert np.mean(right) > 0.998
        posterior = np.array([[rows[item][f"p_{k}"] for k in range(3)] for item in expected.items.tolist()])
        assert np.abs(posterior - expected.posterior).max() < 1e-4
        assert found.quality()["votes"].sum() == made.crowd.n_votes


def test_bad_frames_are_one_sentence(session):
    frame = session.createDataFrame([(1, "a", "x"), (2, None, "y")], "item long, annotator string, label string")
    with pytest.raises(InputError, match="column 'annotator' is empty in some rows"):
        spark.fit("dawid-skene", frame)
    with pytest.raises(InputError, match="no column looks like the label"):
        spark.fit("dawid-skene", frame.select("item", "annotator"))
    with pytest.raises(InputError, match="there are no votes"):
        spark.fit("dawid-skene", frame.limit(0))
    with pytest.raises(InputError, match="auto does not run on Spark"):
        spark.fit(make("auto"), frame)
    with pytest.raises(InputError, match="no column looks like the left"):
        spark.fit("bradley-terry", frame)
    with pytest.raises(InputError, match="spans need the columns begin, end and label, or position and tag"):
        spark.fit("hmm-crowd", frame.withColumnRenamed("item", "document"))
    overlap = [("d", "a", 0, 5, "PER"), ("d", "a", 3, 8, "LOC"), ("d", "b", None, None, None)]
    spans = session.createDataFrame(overlap, "document string, annotator string, begin long, end long, label string")
    with pytest.raises(InputError, match="spans of annotator 'a' overlap in document 'd'"):
        spark.fit("hmm-crowd", spans)
    with pytest.raises(InputError, match="rover does not run on Spark: it takes texts"):
        spark.fit("rover", frame)


def test_other_answers_are_fitted_as_on_one_machine(session):
    """Ratings by item, chains by document, comparisons by their counts: the same trace, the same answers."""
    rated = simulate.ratings(n_items=120, n_annotators=10, per_item=4, seed=0).ratings
    tagged = simulate.spans(n_documents=20, n_annotators=6, per_document=3, seed=0).spans
    duels = simulate.comparisons(n_items=8, n_annotators=6, per_annotator=30, seed=0).comparisons
    for method, votes, columns, schema in (
        (make("gaussian-em", max_iter=3), rated, "item annotator value", "item long, worker long, rating double"),
        (make("hmm-crowd", max_iter=3), tagged, "document position annotator label",
         "doc long, position long, worker long, tag string"),
        (make("bradley-terry"), duels, "left right annotator winner",
         "left long, right long, annotator long, winner string"),
    ):  # fmt: skip
        table = votes.to_table()
        rows = list(zip(*(table[name].tolist() for name in columns.split()), strict=True))
        found, expected = spark.fit(method, session.createDataFrame(rows, schema), tasks=2), method.fit(votes)
        assert np.array(found.trace) == pytest.approx(np.array(expected.trace), rel=1e-9)
        own = {row[0]: row for row in found.labels.collect()}
        if votes is tagged:
            told = {(row["document"], row["position"]): row["label"] for row in found.labels.collect()}
            keys = zip(votes.item_extra["document"].tolist(), votes.item_extra["position"].tolist(), strict=True)
            assert [told[key] for key in keys] == expected.labels.tolist()
        else:
            values = [own[item][1] for item in expected.items.tolist()]
            assert values == pytest.approx(expected.estimate.mean.tolist(), rel=1e-6)
        assert found.n_votes == votes.n_votes
    marked = [("d1", "a", 0, 3, "PER"), ("d1", "b", 0, 3, "PER"), ("d2", "a", 2, 4, "LOC"),
              ("d2", "b", None, None, None)]  # fmt: skip
    schema = "document string, annotator string, begin long, end long, label string"
    method = make("hmm-crowd", max_iter=3)
    found = spark.fit(method, session.createDataFrame(marked, schema), tasks=2)
    expected = method.fit(Sequences.from_spans(*map(list, zip(*marked, strict=True))))
    assert np.array(found.trace) == pytest.approx(np.array(expected.trace), rel=1e-9)
    heavy = [("a", "b", "x", "left", 5.0), ("b", "c", "x", "left", 1.0), ("a", "c", "y", "right", 1.0)]
    schema = "left string, right string, annotator string, winner string, weight double"
    found = spark.fit(make("bradley-terry"), session.createDataFrame(heavy, schema))
    left, right, who, winner, weight = map(list, zip(*heavy, strict=True))
    expected = make("bradley-terry").fit(Comparisons.from_columns(left, right, who, winner, weight=weight))
    own = {row["item"]: row["score"] for row in found.labels.collect()}
    assert [own[item] for item in expected.items.tolist()] == pytest.approx(expected.estimate.mean.tolist(), rel=1e-6)


def test_a_lost_executor_loses_no_votes(session):
    made = simulate.crowd(simulate.one_coin(20, 2, 0.8), n_items=400, per_item=5, seed=0)
    method = make("dawid-skene", max_iter=4)
    lost = []

    def killed(step, objective):
        if step == 2:
            there = executors(session.sparkContext.applicationId)
            assert len(there) >= 2
            os.kill(there[0], signal.SIGKILL)
            lost.append(there[0])

    found = spark.fit(method, votes_of(session, made.crowd), tasks=2, callback=killed)
    assert lost and lost[0] not in executors(session.sparkContext.applicationId)
    expected = method.fit(by_annotator(made.crowd), engine="numba:1")
    assert np.array(found.trace) == pytest.approx(np.array(expected.trace), rel=1e-9)


def test_the_command_runs_under_spark_submit(session, tmp_path):
    """As a user types it: spark-submit takes a program by its ending."""
    crowd = simulate.crowd(simulate.one_coin(8, 2, 0.8), n_items=60, per_item=4, seed=0).crowd
    write_table(crowd.to_table(), tmp_path / "votes.parquet")
    script = run("spark", "--script").stdout.strip()
    submit = shutil.which("spark-submit", path=str(Path(sys.executable).parent))
    words = [submit, "--master", "local[1]", "--conf", "spark.ui.enabled=false", script, "spark"]
    done = subprocess.run(
        [*words, tmp_path / "votes.parquet", "--out", tmp_path / "labels", "--tasks", "1", "--set", "max_iter=2"],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert pq.read_table(tmp_path / "labels").num_rows == 60 and "labels by dawid-skene" in done.stdout + done.stderr
