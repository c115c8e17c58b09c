"""Votes to measure on: simulated ones, kept as plain columns on disk, and the real sets."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

from crowdwise import simulate

# Items and annotators of each size; five votes an item, five classes.
SIZES = {10_000: (2_000, 50), 500_000: (100_000, 1_000), 5_000_000: (1_000_000, 5_000)}
PER_ITEM, CLASSES, SEED = 5, 5, 0
CACHE = Path(tempfile.gettempdir()) / "crowdwise-bench"
SETS = [
    "bluebird",
    "dog",
    "face",
    "labelme",
    "music",
    "product",
    "rte",
    "temp",
    "trec",
    "weather_cf",
    "web",
    "zencrowd_us",
]
# Those of the goal: the mean accuracy of Auto is measured on these.
TEN = [name for name in SETS if name not in ("labelme", "temp")]


def columns(n_votes: int, order: str = "shuffled", n_annotators: int | None = None) -> Path:
    """A folder with item.npy, annotator.npy, label.npy (int64) and truth.npy; drawn once, in chunks."""
    folder = CACHE / f"{n_votes}-{n_annotators or 'usual'}-{order}"
    if (folder / "done").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    n_items, usual = SIZES.get(n_votes, (n_votes // PER_ITEM, n_votes // 1000))
    n_annotators = n_annotators or usual
    people = simulate.dirichlet(n_annotators, CLASSES, 4.0, 1.0, seed=1)
    kinds = {"item": np.int64, "annotator": np.int64, "label": np.int64}
    if order == "by item":  # the large ones: as small as the numbers are
        kinds = {"item": np.int32, "annotator": np.int32, "label": np.int8}
    out = {
        name: np.lib.format.open_memmap(folder / f"{name}.npy", "w+", kind, (n_votes,)) for name, kind in kinds.items()
    }
    truth = np.lib.format.open_memmap(folder / "truth.npy", "w+", np.int8, (n_items,))
    step = 1_000_000
    for chunk, first in enumerate(range(0, n_items, step)):
        made = simulate.crowd(people, n_items=min(step, n_items - first), per_item=PER_ITEM, seed=SEED + chunk)
        at = slice(first * PER_ITEM, first * PER_ITEM + made.crowd.n_votes)
        out["item"][at] = made.crowd.item.astype(np.int64) + first
        out["annotator"][at] = made.crowd.annotator
        out["label"][at] = made.crowd.label
        truth[first : first + made.crowd.n_items] = made.truth
    if order == "shuffled":
        shuffle = np.random.default_rng(SEED).permutation(n_votes)
        for column in out.values():
            column[:] = np.asarray(column)[shuffle]
    (folder / "done").touch()
    return folder


def frame(n_votes: int, order: str, ids: str, names: tuple[str, str, str]):
    """The votes as a pandas frame with the column names that a library wants; ids are integers or strings."""
    import pandas as pd

    folder = columns(n_votes, order)
    item, annotator, label = (np.load(folder / f"{name}.npy") for name in ("item", "annotator", "label"))
    if ids == "strings":
        item, annotator = text("item-", item), text("w", annotator)
    return pd.DataFrame(dict(zip(names, (item, annotator, label), strict=True)), copy=False)


def text(prefix: str, numbers: np.ndarray):
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    joined = pc.binary_join_element_wise(pa.scalar(prefix), pa.array(numbers).cast(pa.string()), "")
    return pd.Series(joined.to_numpy(zero_copy_only=False))


def real(name: str):
    """A real set: votes and truth as pandas frames."""
    import pandas as pd

    folder = Path(os.environ["CROWDWISE_DATA"], name)
    return pd.read_csv(folder / "labels.csv"), pd.read_csv(folder / "truth.csv")
