"""Tables that are in memory already: data frames, and data sets of Hugging Face's library."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ..errors import InputError
from ..votes.frames import find_column, values_of
from .formats.hugging_face import with_class_names
from .table_rows import Rows


def rows_of(source: Any, item: str | None = None) -> Rows:
    """A pandas, polars or pyarrow frame, or a `datasets.Dataset`, whose classes get their names; item: its column."""
    import narwhals as nw

    if hasattr(source, "features") and hasattr(source, "with_format"):
        if not hasattr(source, "num_rows"):
            raise InputError("this data set is a stream: load it whole (streaming=False)")
        table = source.with_format("arrow")[:]  # what is selected of it, in its order
        table = with_class_names(table.replace_schema_metadata(source.features.arrow_schema.metadata))
        return Rows("the data set", table, [], lambda position: position, table.column_names)
    if hasattr(source, "column_names") and isinstance(source, dict):
        raise InputError(f"this holds several data sets: choose one of {', '.join(map(repr, source))}")
    try:
        frame = nw.from_native(source, eager_only=True)
    except TypeError as error:
        text = f"votes are read from a path, a data frame or a data set of Hugging Face, not {type(source).__name__}"
        raise InputError(text) from error
    except nw.exceptions.NarwhalsError as error:
        raise InputError(f"the frame cannot be read: {_first_line(error)}") from error
    if item is None and not any(find_column(role, frame.columns) for role in ("item", "annotator", "label")):
        # cleanlab's: one row per item, which the index names, and one column per annotator
        index = (
            source.index.tolist() if hasattr(source, "index") and hasattr(source, "columns") else [*range(len(frame))]
        )
        if index != [*range(len(frame))] or not _are_names(frame):
            frame = frame.with_columns(nw.new_series("item", index, backend=frame.implementation))
    try:
        table = pa.table({str(name): values_of(frame.get_column(name)) for name in frame.columns})
    except pa.ArrowException as error:
        raise InputError(
            f"the frame cannot be read: {_first_line(error)}; Crowd.from_frame reads some columns"
        ) from error
    return Rows("the frame", table, [], lambda position: position, table.column_names)


def _are_names(frame: Any) -> bool:
    """Whether the first column of a wide frame names its rows: no value comes twice, no other column has so many.

    With two columns, both are votes: one annotator alone is no crowd.
    """
    distinct = [frame.get_column(name).drop_nulls().n_unique() for name in frame.columns]
    return len(distinct) > 2 and distinct[0] == len(frame) > max(distinct[1:])


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
