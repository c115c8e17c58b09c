"""Tables that are in memory already: data frames, and data sets of Hugging Face's library."""

from __future__ import annotations

from typing import Any

from ..errors import InputError
from .formats.hugging_face import with_class_names
from .tables import Rows


def rows_of(source: Any) -> Rows:
    """A pandas, polars or pyarrow frame, or a `datasets.Dataset`, whose classes get their names."""
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
        table = nw.from_native(source, eager_only=True).to_arrow()
    except TypeError as error:
        text = f"votes are read from a path, a data frame or a data set of Hugging Face, not {type(source).__name__}"
        raise InputError(text) from error
    return Rows("the frame", table, [], lambda position: position, table.column_names)
