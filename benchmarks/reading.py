"""5M votes with string ids: CSV and Parquet to codes, ours beside pandas and polars."""

from __future__ import annotations

import itertools
from hashlib import md5
from pathlib import Path

from benchmarks.data import CACHE, columns, text
from benchmarks.measure import measure, write

N_VOTES = 5_000_000


def file(ending: str, ids: str = "counted") -> Path:
    """The votes as a file with string ids and labels; ids are counted ("item-17"), or 32 letters of a hash."""
    import numpy as np
    import pyarrow as pa

    from crowdwise import Table
    from crowdwise.io import write_table

    path = CACHE / f"votes-{ids}.{ending}"
    if not path.exists():
        folder = columns(N_VOTES)
        item, annotator, label = (np.load(folder / f"{name}.npy") for name in ("item", "annotator", "label"))
        words = pa.array(["cat", "dog", "bird", "fish", "cow"]).take(pa.array(label)).to_numpy(zero_copy_only=False)
        items = text("item-", item).to_numpy()
        if ids == "hashed":
            known = np.array([md5(str(name).encode()).hexdigest() for name in range(int(item.max()) + 1)], object)
            items = known[item]
        table = {"item": items, "annotator": text("w", annotator).to_numpy(), "label": words}
        write_table(Table(table), path)
    return path


def crowdwise(ending: str, ids: str):
    from crowdwise.io import read_votes

    return lambda: {"votes": read_votes(file(ending, ids)).crowd.n_votes}


def pandas(ending: str, ids: str):
    import pandas as pd

    def work():
        frame = (pd.read_csv if ending == "csv" else pd.read_parquet)(file(ending, ids))
        codes = [pd.factorize(frame[name], sort=True)[0] for name in frame]
        return {"votes": len(codes[0])}

    return work


def polars(ending: str, ids: str):
    import polars as pl

    def work():
        frame = (pl.read_csv if ending == "csv" else pl.read_parquet)(file(ending, ids))
        return {"votes": len(frame.select(pl.all().rank("dense")))}

    return work


def main() -> None:
    rows = []
    for ending, ids in itertools.product(("csv", "parquet"), ("counted", "hashed")):
        file(ending, ids)
        for reader in ("crowdwise", "pandas", "polars"):
            got = measure(f"benchmarks.reading:{reader}", 3, ending=ending, ids=ids)
            rows.append(
                {"file": ending, "ids": ids, "reader": reader, "seconds": got["seconds"], "spread": got["spread"],
                 "cpu": got["cpu"], "peak MB": got["peak_mb"], "votes": got["votes"]}
            )  # fmt: skip
            print(rows[-1], flush=True)
    write(
        "reading",
        "Reading 5M votes with string ids",
        "From file to codes: crowdwise to a Crowd (checked, encoded, sorted by item); pandas read and factorised with "
        "sorted names; polars read and ranked densely. Item ids are counted (item-17) or hashed (32 letters). Median "
        "of three after a first call.",
        rows,
    )


if __name__ == "__main__":
    main()
