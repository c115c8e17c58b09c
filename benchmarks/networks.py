"""What the experiments with networks share: data with features, jobs side by side, means with their spread."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import numpy as np

IMAGES = Path(__file__).parents[1] / "docs" / "images"


def features(name: str) -> tuple[dict, object, dict]:
    """A set with features: its arrays, its votes, and {item: label} of the training items."""
    import pyarrow.csv

    from crowdwise import Crowd

    folder = Path(os.environ["CROWDWISE_DATA"], name)
    arrays = dict(np.load(folder / "features.npz"))
    votes = Crowd.from_frame(pyarrow.csv.read_csv(folder / "labels.csv"))
    truth = pyarrow.csv.read_csv(folder / "truth.csv")
    if "classes" in arrays:  # labels of the test set are places in this list
        for part in ("train", "test"):
            arrays[f"y_{part}"] = arrays["classes"].astype(object)[arrays[f"y_{part}"]]
    known = dict(zip(truth["item"].to_pylist(), truth["label"].to_pylist(), strict=True))
    return arrays, votes, known


def images(name: str) -> dict:
    """MNIST or Fashion-MNIST: X_train, y_train, X_test, y_test."""
    return dict(np.load(Path(os.environ["CROWDWISE_DATA"], name, "images.npz")))


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def side_by_side(name: str, work: Callable[[tuple], dict], jobs: Iterable[tuple]) -> tuple[list[dict], str]:
    """The rows that jobs give, in their order, and the machine they ran on; each done by one thread of its own process.

    What is done is kept in a file of the folder CROWDWISE_RAW, if that is set: long experiments go on from there, and a
    table can be written elsewhere than on the machine that ran them.
    """
    jobs = list(jobs)
    raw = Path(os.environ["CROWDWISE_RAW"], f"{name}.jsonl") if "CROWDWISE_RAW" in os.environ else None
    lines = [json.loads(line) for line in raw.read_text().splitlines()] if raw is not None and raw.exists() else []
    done = {line["job"]: line for line in lines}
    left = [job for job in jobs if repr(job) not in done]
    if left:
        with Utilisation() as gpu, ProcessPoolExecutor(processes(), get_context("spawn"), _one_thread) as pool:
            waiting = {pool.submit(work, job): job for job in left}
            for ready in as_completed(waiting):
                job = waiting[ready]
                done[repr(job)] = {"job": repr(job), "row": ready.result(), "machine": machine(gpu)}
                print(f"{len(done)}: {job} {done[repr(job)]['row']}", flush=True)
                if raw is not None:
                    with raw.open("a") as file:
                        file.write(json.dumps(done[repr(job)]) + "\n")
    return [done[repr(job)]["row"] for job in jobs], done[repr(jobs[-1])]["machine"]


def machine(gpu: Utilisation) -> str:
    """What the figures were made on, and how busy its GPU was."""
    import torch

    if gpu.percent is None or not torch.cuda.is_available():
        return f"{processes()} fits at a time on {os.cpu_count()} cores, torch {torch.__version__}"
    card = torch.cuda.get_device_name()
    return f"{processes()} fits at a time on one {card}, {gpu.percent:.0f} % busy, torch {torch.__version__}"


def processes() -> int:
    """As many as there are cores; CROWDWISE_PROCESSES says otherwise."""
    return int(os.environ.get("CROWDWISE_PROCESSES", os.cpu_count() or 1))


def spread(values: Iterable[float], digits: int = 3) -> str:
    """Mean and standard deviation, for a table."""
    values = list(values)
    return f"{np.mean(values):.{digits}f} ± {np.std(values):.{digits}f}"


class Utilisation:
    """How busy the GPU is while a block runs: `percent`, the mean of samples; None where there is none."""

    def __enter__(self) -> Utilisation:
        self.samples: list[float] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        self._began = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._began
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        query = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
        while not self._over.wait(0.5):
            try:
                said = subprocess.run(query, capture_output=True, text=True, check=True).stdout
            except (OSError, subprocess.CalledProcessError):
                return
            self.samples.append(float(said.split()[0]))

    @property
    def percent(self) -> float | None:
        return float(np.mean(self.samples)) if self.samples else None
