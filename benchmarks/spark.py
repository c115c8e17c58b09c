"""Spark with two local executors beside one machine: seconds and CPU seconds of an iteration of Dawid-Skene."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import write
from crowdwise.methods import make

STEPS, ANNOTATORS, CLASSES, PER_ITEM = 8, 5_000, 5, 5
TICK = os.sysconf("SC_CLK_TCK")


def votes(n_votes: int, folder: Path) -> None:
    """Simulated votes in Parquet files, in the order of their items."""
    rng = np.random.default_rng(0)
    right = 0.4 + 0.55 * rng.random(ANNOTATORS)
    for part, low in enumerate(range(0, n_votes, 5_000_000)):
        item = np.repeat(np.arange(low // PER_ITEM, (low + 5_000_000) // PER_ITEM, dtype=np.int32), PER_ITEM)
        truth = np.repeat(rng.integers(CLASSES, size=item.size // PER_ITEM), PER_ITEM)
        who = rng.integers(ANNOTATORS, size=item.size).astype(np.int32)
        wrong = (truth + rng.integers(1, CLASSES, size=item.size)) % CLASSES
        label = np.where(rng.random(item.size) < right[who], truth, wrong).astype(np.int32)
        pq.write_table(pa.table({"item": item, "annotator": who, "label": label}), folder / f"{part:03d}.parquet")


def spent(application: str) -> float:
    """CPU seconds of the executors of an application and of their Python workers."""
    parent, ticks, mine = {}, {}, set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                words = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            parent[entry.name], ticks[entry.name] = stat[1], sum(map(int, stat[11:15]))
            if "CoarseGrainedExecutorBackend" in words and application in words:
                mine.add(entry.name)

    def belongs(process: str) -> bool:
        while process in parent:
            if process in mine:
                return True
            process = parent[process]
        return False

    return sum(ticks[process] for process in parent if belongs(process)) / TICK


def session_of(folder: str):
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    source = str(Path(__file__).parents[1] / "src")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    builder = SparkSession.builder.master("local-cluster[2,1,4096]").appName("crowdwise bench")
    for name, value in {
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1", "spark.sql.shuffle.partitions": "2", "spark.local.dir": folder,
        "spark.executor.memory": "3g", "spark.sql.execution.arrow.maxRecordsPerBatch": "200000",
    }.items():  # fmt: skip
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def measured(n_votes: int, folder: Path) -> list[dict]:
    from crowdwise import Crowd
    from crowdwise.scale import spark

    lake, method = folder / "lake", make("dawid-skene", max_iter=STEPS, tol=-1.0)
    lake.mkdir()
    votes(n_votes, lake)
    rows, marks = [], []
    crowd = Crowd.from_frame(pq.read_table(lake))
    plain = method.fit(
        crowd, engine="numba:1", callback=lambda *_: marks.append((time.perf_counter(), time.process_time()))
    )
    each = np.diff(np.array(marks[1:]), axis=0).mean(axis=0).tolist()
    rows.append({"votes": n_votes, "where": "one machine, one thread", "an iteration, s": each[0], "CPU s": each[1],
                 "times the plain CPU": 1.0, "trace": 0.0})  # fmt: skip
    print(rows[-1], flush=True)
    trace, cpu = np.array(plain.trace), each[1]
    del crowd, plain
    session = session_of(str(folder))
    application = session.sparkContext.applicationId
    try:
        for title, blocks in (("two executors, blocks on shared files", str(folder / "blocks")),
                              ("two executors, blocks cached by Spark", None)):  # fmt: skip
            marks.clear()
            began = time.perf_counter()
            found = spark.fit(method, session.read.parquet(str(lake)), tasks=2, folder=blocks,
                              callback=lambda *_: marks.append((time.perf_counter(), spent(application))))  # fmt: skip
            each = np.diff(np.array(marks[1:]), axis=0).mean(axis=0).tolist()
            gap = float(np.abs(np.array(found.trace) / trace - 1.0).max())
            row = {"votes": n_votes, "where": title, "an iteration, s": each[0], "CPU s": each[1]}
            row |= {"times the plain CPU": each[1] / cpu, "trace": gap, "packing, s": marks[0][0] - began}
            rows.append(row)
            print(rows[-1], flush=True)
            if blocks is None:
                found.unpersist()
    finally:
        session.stop()
    return rows


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        n_votes = int(os.environ.get("CROWDWISE_VOTES", "50000000"))
        rows = measured(n_votes, Path(folder))
    note = (
        f"Simulated votes in Parquet, {ANNOTATORS:,} annotators, {CLASSES} classes, {PER_ITEM} votes on an item. "
        "Mean of the iterations after the second. CPU: executors and their Python workers. Trace: largest relative "
        "distance from that of one machine. Packing: everything before the first iteration is over."
    )
    write("spark", "Spark with two local executors", note, rows)


if __name__ == "__main__":
    main()
