"""Seconds an epoch: the networks of the experiments, on the GPU and on the CPU of a machine."""

from __future__ import annotations

import os
import time

import numpy as np

from benchmarks.flippers import network
from benchmarks.measure import write
from benchmarks.networks import Utilisation

ITEMS, BATCH, EPOCHS = 30_000, 256, 3


def main() -> None:
    import torch

    from crowdwise import simulate
    from crowdwise.learn import CrowdClassifier

    rng = np.random.default_rng(0)
    truth = rng.integers(10, size=ITEMS)
    x = rng.integers(0, 256, size=(ITEMS, 28, 28), dtype=np.uint8)
    votes = simulate.crowd(simulate.one_coin(5, 10, 0.5), truth=truth, graph="dense", seed=0).crowd
    devices = ["cuda", "cpu"] if torch.cuda.is_available() else ["cpu"]
    rows = []
    for name, kind in (("Tanno et al.'s CNN", network), ("cnn", "cnn"), ("resnet", "resnet")):
        for device in devices:
            for objective in ("trace", "max-mig") if device == "cuda" else ("trace",):
                epochs = EPOCHS if device == "cuda" else 1
                marks: list[float] = []
                model = CrowdClassifier(kind, objective, epochs=epochs + 1, batch=BATCH, device=device)
                with Utilisation() as gpu:
                    model.fit(x, votes, callback=lambda *_: marks.append(time.perf_counter()))  # noqa: B023
                seconds = (marks[-1] - marks[0]) / epochs  # without the first, which warms up
                busy = gpu.percent if device == "cuda" else None
                machine = torch.cuda.get_device_name() if device == "cuda" else f"{os.cpu_count()} cores"
                rows.append({"network": name, "objective": objective, "on": machine, "seconds an epoch": seconds,
                             "GPU busy %": busy})  # fmt: skip
                print(rows[-1], flush=True)
    write(
        f"epochs-{'gpu' if len(devices) > 1 else 'cpu'}",
        "Seconds an epoch" + (": GPU and CPU of one machine" if len(devices) > 1 else ": CPU"),
        f"{ITEMS:,} images of 28 x 28, five votes each, ten classes, batches of {BATCH}, one fit at a time; the mean "
        f"of {EPOCHS} epochs (CPU: one) after a first that warms up. GPU busy: mean over the whole fit.",
        rows,
    )


if __name__ == "__main__":
    main()
