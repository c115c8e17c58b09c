"""The same Dawid-Skene fit on every engine of a machine: threads, and a GPU where there is one."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.data import columns
from benchmarks.measure import write
from crowdwise import Crowd, DawidSkene
from crowdwise.engine import available_cores, bind

SIZES = (5_000_000, 50_000_000)
ITERATIONS = 20


def engines() -> list[str]:
    threads = [n for n in (1, 2, 4, 8, 16) if n <= available_cores()]
    found = ["numpy", *(f"numba:{n}" for n in threads), "torch"]
    import torch

    return [*found, "torch:cuda"] if torch.cuda.is_available() else found


def main() -> None:
    rows = []
    for n_votes in SIZES:
        folder = columns(n_votes, "by item")
        item, annotator, label = (np.load(folder / f"{name}.npy") for name in ("item", "annotator", "label"))
        crowd = Crowd.from_columns(item, annotator, label)
        truth = np.load(folder / "truth.npy")
        model = DawidSkene(max_iter=ITERATIONS, tol=-np.inf)
        reference = None
        for engine in engines():
            if n_votes > 10**7 and engine in ("numpy", "numba:1", "torch"):
                continue
            began = time.perf_counter()
            bind(crowd, engine)
            placed = time.perf_counter() - began
            model.fit(crowd, engine=engine)  # compiles, and fills the allocators' pools
            began = time.perf_counter()
            result = model.fit(crowd, engine=engine)
            seconds = time.perf_counter() - began
            reference = result if reference is None else reference
            gap = float(np.abs(result.posterior - reference.posterior).max())
            rows.append(
                {
                    "votes": n_votes,
                    "engine": engine,
                    "seconds": seconds,
                    "of which placing the votes": placed,
                    "accuracy": float((result.labels == truth).mean()),
                    "objective": result.trace[-1],
                    "largest difference of a probability": gap,
                }
            )
            print(rows[-1], flush=True)
    write(
        "engines",
        "Engines side by side",
        f"DawidSkene, {ITERATIONS} iterations on a Crowd that is there already, five votes an item, five classes, "
        "1,000 votes an annotator, second of two fits; differences are to the first engine of that size. "
        f"Machine: {_machine()}.",
        rows,
    )


def _machine() -> str:
    import torch

    card = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    return f"{available_cores()} cores, {card}"


if __name__ == "__main__":
    main()
