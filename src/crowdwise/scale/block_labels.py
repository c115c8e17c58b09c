"""Labels of votes on disk: a Parquet file for each block, in a folder that is whole or not there."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.choice import first_of_tied
from ..errors import OptionError
from ..fit.climber import Part
from ..votes.codes import Array
from .blocks import Parts


def new_folder(path: Path) -> Path:
    """A folder that labels may go to: one that is not there, or is empty."""
    if path.exists() and any(path.iterdir() if path.is_dir() else [path]):
        raise OptionError(f"{path} is there already: labels go to a new folder")
    path.resolve().parent.mkdir(parents=True, exist_ok=True)
    return path


def write_labels(posterior_of: Callable[[Part[Any]], Array], parts: Parts, target: Path, posterior: bool) -> None:
    """A Parquet file of item, label and confidence for each part, and the chance of each class if that is asked."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    blocks, classes = parts.blocks, parts.blocks.classes
    names = pa.array(classes.tolist())
    making = target.with_name(f".{target.name}.part")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir()
    try:
        for block, part in zip(parts.chosen, parts, strict=True):
            found = posterior_of(part)
            label = first_of_tied(found)
            items = pq.read_table(blocks.folder / blocks.sizes[block][0] / "items.parquet")["item"]
            columns = {
                "item": items, "label": pa.DictionaryArray.from_arrays(pa.array(label.astype(np.int32)), names),
                "confidence": pa.array(found[np.arange(len(label)), label].astype(np.float32)),
            }  # fmt: skip
            if posterior:
                columns |= {
                    f"p_{name}": pa.array(found[:, k].astype(np.float32)) for k, name in enumerate(classes.tolist())
                }
            pq.write_table(pa.table(columns), making / f"{blocks.sizes[block][0]}.parquet")
        making.rename(target)
    finally:
        shutil.rmtree(making, ignore_errors=True)
