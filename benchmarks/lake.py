"""Votes on disk: packing, an iteration over blocks, memory, labels written; an update; and Spark beside one machine."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benchmarks.measure import write
from crowdwise.methods import make
from crowdwise.scale import Blocks, Fitted, append, fit, pack, update

PER_ITEM, CLASSES = 5, 5
SIZES = [int(float(size)) for size in os.environ.get("CROWDWISE_LAKE", "1e7,1e8").split(",")]


def votes(n_votes: int, n_annotators: int, first: int = 0, seed: int = 0) -> Iterator[tuple]:
    """Simulated Dawid-Skene votes, a million at a time: integer names, items in the order in which they are asked."""
    rng = np.random.default_rng(seed)
    rows = 0.4 * np.eye(CLASSES) + 0.6 * rng.dirichlet(np.ones(CLASSES), (n_annotators, CLASSES))
    edges = np.cumsum(rows, axis=2)
    made, batch = 0, 1_000_000
    while made < n_votes:
        n = min(batch, n_votes - made)
        items = first + (made + np.arange(n)) // PER_ITEM
        true = (items * 2654435761 >> 7) % CLASSES
        who = rng.integers(n_annotators, size=n)
        label = (rng.random((n, 1)) > edges[who, true]).sum(axis=1)
        yield items, who, np.minimum(label, CLASSES - 1)
        made += n


def peak() -> float:
    """Largest memory of this process so far, GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def measured(n_votes: int, folder: Path) -> dict:
    n_annotators = 5_000 if n_votes <= 1e8 else 100_000
    began = time.perf_counter()
    blocks = pack(votes(n_votes, n_annotators), folder / "votes", n_votes=n_votes)
    packed = time.perf_counter() - began
    steps: list[float] = []
    began = time.perf_counter()
    done = fit(make("dawid-skene", max_iter=6), blocks, out=folder / "labels",
               callback=lambda step, _: steps.append(time.perf_counter()))  # fmt: skip
    total = time.perf_counter() - began
    each = float(np.median(np.diff(steps)))
    size = sum(file.stat().st_size for file in (folder / "votes").rglob("*") if file.is_file())
    return {
        "votes": n_votes, "annotators": n_annotators, "blocks": len(blocks.sizes), "packing, s": packed,
        "an iteration, s": each, "M votes/s": n_votes / each / 1e6, "six steps and labels, s": total,
        "bytes a vote": size / n_votes, "peak GB": peak(), "steps": len(done.trace),
    }  # fmt: skip


def updated(folder: Path) -> list[dict]:
    """1 % of new items: an update beside a fit of everything, and how many labels are the same."""
    import pyarrow.parquet as pq

    n, more, people = 5_000_000, 50_000, 5_000
    rows = []
    for name in ("dawid-skene", "ibcc"):
        where = folder / f"update-{name}"
        blocks = pack(votes(n, people), where, n_votes=n)
        first = fit(name, blocks)
        first.save(folder / f"{name}.npz")
        for sweeps, full in ((2, 0), (4, 0), (2, 2), (2, 4)):
            again = Blocks.open(where)
            began = time.perf_counter()
            whole, new = append(again, votes(more, people, first=10**9 + (sweeps + 10 * full) * 10**7, seed=sweeps))
            appended = time.perf_counter() - began
            began = time.perf_counter()
            done = update(Fitted.load(folder / f"{name}.npz", blocks), whole, new, sweeps=sweeps,
                          full=full, out=folder / f"new-{name}-{sweeps}-{full}")  # fmt: skip
            short = time.perf_counter() - began
            began = time.perf_counter()
            everything = fit(name, whole, out=folder / f"all-{name}-{sweeps}-{full}")
            long = time.perf_counter() - began
            same = sure = sure_same = total = 0
            for block, part in zip(range(len(whole.sizes)), whole.parts(), strict=True):
                a = np.asarray(done.method.infer(part.ops, done.params if block in new or full else first.params, None))
                b = np.asarray(everything.method.infer(part.ops, everything.params, None))
                alike = a.argmax(axis=1) == b.argmax(axis=1)
                clear = b.max(axis=1) > 0.6
                total, same = total + alike.size, same + int(alike.sum())
                sure, sure_same = sure + int(clear.sum()), sure_same + int((alike & clear).sum())
            files = list((folder / f"new-{name}-{sweeps}-{full}").iterdir())
            told = {"method": name, "sweeps of new items": sweeps, "of all": full, "append, s": appended}
            told |= {"update, s": short, "refit, s": long, "times as fast": long / short}
            told |= {"labels as refit": same / total, "of those above .6": sure_same / sure}
            rows.append({**told, "labels written": sum(pq.read_metadata(file).num_rows for file in files)})
            print(rows[-1], flush=True)
            shutil.rmtree(where)
            blocks = pack(votes(n, people), where, n_votes=n)
    return rows


def reported(folder: Path) -> list[dict]:
    """What tells of all votes, from files on disk, in bounded memory: each command as a user meets it."""
    n, rows = int(float(os.environ.get("CROWDWISE_LAKE_TOLD", "1e8"))), []
    lake = folder / "lake"
    lake.mkdir(parents=True)
    for at, (item, who, label) in enumerate(votes(n, 5_000)):
        parquet.write_table(pa.table({"item": item, "annotator": who, "label": label}), lake / f"{at:04d}.parquet")
    for words in (
        ["agreement"], ["annotators", "--out", "people.csv"], ["report", "--out", "report.html"],
        ["review", "--method", "dawid-skene", "--out", "queue.csv", "--accepted", "accepted.parquet"],
    ):  # fmt: skip
        began = time.perf_counter()
        child = subprocess.Popen(
            [sys.executable, "-m", "crowdwise", words[0], str(lake), *words[1:], "--memory", "2GB"], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        told = child.stderr.read().decode()
        _, status, used = os.wait4(child.pid, 0)
        sample = next((line for line in told.splitlines() if "a sample tells" in line), "all")
        rows.append({"command": words[0], "votes": n, "rc": os.waitstatus_to_exitcode(status),
                     "s": time.perf_counter() - began, "peak GB": used.ru_maxrss / 1e6, "told by": sample})  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    if "--told" in sys.argv:
        with tempfile.TemporaryDirectory(dir=os.environ.get("CROWDWISE_SCRATCH")) as folder:
            about = "As above, from Parquet files; --memory 2GB; auto; reading and packing are in the time."
            write("lake-told", "What tells of votes on disk, two cores", about, reported(Path(folder)))
        return
    rows = []
    with tempfile.TemporaryDirectory(dir=os.environ.get("CROWDWISE_SCRATCH")) as folder:
        small = Path(folder, "warm")
        fit("dawid-skene", pack(votes(100_000, 100), small / "votes", n_votes=100_000))
        for n_votes in SIZES if "--updates" not in sys.argv else ():
            where = Path(folder, str(n_votes))
            rows.append(measured(n_votes, where))
            print(rows[-1], flush=True)
            shutil.rmtree(where)
        about = (
            "Simulated Dawid-Skene votes, integer names, 5 classes, 5 votes on an item each; packing takes an iterator "
            "that makes the votes, whose time is in it; the page cache holds what it can. Peak memory is of the whole "
            "process."
        )
        if rows:
            write("lake", "Votes on disk, two cores", about, rows)
        if "--sizes" not in sys.argv:
            write("lake-updates", "An update of blocks by 1 % of new items", "5M votes, 5,000 annotators.",
                  updated(Path(folder)))  # fmt: skip


if __name__ == "__main__":
    main()
