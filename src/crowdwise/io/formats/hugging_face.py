"""Hugging Face: classes as whole numbers with their names in a Parquet file's schema (ClassLabel), both ways."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..outgoing import Labels
from .format import Format

KEY = b"huggingface"


def label_columns(labels: Labels) -> Any:
    """One row per item: label (a ClassLabel), confidence, and the probabilities of all classes."""
    names = [str(name) for name in labels.classes.tolist()]
    code = {name: place for place, name in enumerate(labels.classes.tolist())}
    table = pa.table(
        {
            "item": pa.array(labels.items),
            "label": pa.array([None if label is None else code[label] for label in labels.labels], pa.int64()),
            "confidence": pa.array(labels.confidence),
            "probabilities": pa.array(list(labels.posterior), pa.list_(pa.float64())),
        }
    )
    kind = "int64" if pa.types.is_integer(table["item"].type) else "string"
    value = {"dtype": "float64", "_type": "Value"}
    features = {
        "item": {"dtype": kind, "_type": "Value"},
        "label": {"names": names, "_type": "ClassLabel"},
        "confidence": value,
        "probabilities": {"feature": value, "_type": "List"},
    }
    return table.replace_schema_metadata({KEY: json.dumps({"info": {"features": features}})})


def with_class_names(table: Any) -> Any:
    """The table with names in place of classes' numbers, where its schema tells them; -1 is none."""
    for name, names in _class_names(table.schema.metadata or {}).items():
        if name not in table.column_names:
            continue
        place = table.column_names.index(name)
        column = table.column(name).combine_chunks()
        column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
        column = (
            column.take(pa.array(range(len(column)))) if column.offset else column
        )  # a slice has no offsets of its own
        if pa.types.is_integer(column.type):
            named = _named(column, names)
        elif pa.types.is_list(column.type) and pa.types.is_integer(column.type.value_type):
            named = pa.ListArray.from_arrays(column.offsets, _named(column.values, names), mask=pc.is_null(column))
        else:
            continue
        table = table.set_column(place, name, named)
    return table


def _named(codes: Any, names: list[str]) -> Any:
    """Names of classes; a number that has none stays without one."""
    fit = pc.and_(pc.greater_equal(codes, 0), pc.less(codes, len(names)))
    return pa.array(names, pa.string()).take(pc.if_else(fit, codes, None))


def _class_names(metadata: dict[bytes, bytes]) -> dict[str, list[str]]:
    """Names of classes by column, of columns of classes or of lists of them."""
    try:
        features = json.loads(metadata[KEY])["info"]["features"]
        found = {name: _inner(feature) for name, feature in features.items()}
        return {name: [str(each) for each in inner["names"]] for name, inner in found.items() if "names" in inner}
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError):  # a schema of something else
        return {}


def _inner(feature: Any) -> dict[str, Any]:
    """What a list is a list of, in the three ways in which features were written."""
    if isinstance(feature, list):
        return _inner(feature[0])
    return _inner(feature["feature"]) if "feature" in feature else feature


HUGGING_FACE = Format("table", labels=lambda labels, question, found: label_columns(labels), endings=(".parquet",))
