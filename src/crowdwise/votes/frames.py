"""Data frames of any make, read through narwhals; and the column names by which votes are known."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import InputError
from .codes import Array, as_arrow, names_array

ALIASES = {
    "item": ("item", "item_id", "item_name", "task", "task_id", "unit", "unit_id", "_unit_id", "question",
             "question_id", "example", "example_id", "object", "object_id", "instance", "instance_id", "document",
             "document_id", "doc_id", "sentence", "sentence_id", "uid", "id", "hitid", "hit_id", "image", "image_id",
             "image_name", "filename", "file_name", "file", "url"),
    "annotator": ("annotator", "annotator_id", "annotator_name", "worker", "worker_id", "worker_name", "_worker_id",
                  "workerid", "rater", "rater_id", "rater_name", "labeler", "labeller", "labeler_id", "labeller_id",
                  "labeler_name", "labeller_name", "judge", "judge_id", "user", "user_id", "user_name", "username",
                  "performer", "turker", "coder", "expert", "reviewer", "contributor", "email", "model"),
    "label": ("label", "final_label", "answer", "final_answer", "response", "judgment", "judgement", "rating", "vote",
              "annotation", "class", "class_name", "category", "label_name", "choice", "tag", "value", "score"),
    "text": ("text", "transcription", "transcript", "translation", "written", "answer", "output", "result"),
    "value": ("value", "rating", "score", "label", "answer", "response"),
    "left": ("left", "item_a", "left_item", "item_left", "model_a", "response_a", "answer_a", "a"),
    "right": ("right", "item_b", "right_item", "item_right", "model_b", "response_b", "answer_b", "b"),
    "winner": ("winner", "preferred", "better", "choice", "label", "answer", "result", "judgment"),
    "prompt": ("prompt", "instruction", "question", "query", "input", "context"),
    "chosen": ("chosen", "preferred", "accepted"),
    "rejected": ("rejected", "not_preferred", "dispreferred"),
    "document": ("document", "document_id", "doc", "doc_id", "text_id", "sentence", "sentence_id", "item", "item_id",
                 "task", "id"),
    "begin": ("begin", "start", "start_offset", "begin_offset", "start_char"),
    "end": ("end", "stop", "end_offset", "end_char"),
    "position": ("position", "pos", "token_index", "token_id", "index"),
    "tag": ("tag", "bio", "ner", "label"),
    "token": ("token", "word"),
    "labels": ("labels", "tags", "categories", "classes"),
    "offered": ("offered", "on_offer", "options"),
    "same": ("same", "is_same", "same_entity", "match", "is_match", "duplicate", "answer", "label"),
    "group": ("group", "pile", "cluster", "group_id", "cluster_id"),
    "left_side": ("left", "xmin", "x_min", "x1", "x0"),
    "top_side": ("top", "ymin", "y_min", "y1", "y0"),
    "right_side": ("right", "xmax", "x_max", "x2"),
    "bottom_side": ("bottom", "ymax", "y_max", "y2"),
    "height": ("height", "image_height", "h"),
    "width": ("width", "image_width", "w"),
    "runs": ("runs", "rle", "mask"),
    "weight": ("weight",),
    "probability": ("probability", "logprob", "log_probability"),
    "kind": ("kind", "annotator_kind", "annotator_type"),
    "gold": ("gold", "truth", "true_label", "ground_truth", "golden", "gold_label"),
}  # fmt: skip


NAMED = ("item", "annotator", "label", "weight", "probability")  # roles that have an option of their own
SAID = ("value", "winner", "labels", "same", "group", "text", "runs", "tag")  # what was said: --label names it


def plain_name(column: object) -> str:
    """A column's name as people mean it: no case, one underscore for blanks, dots and hyphens.

    >>> plain_name(" Item ID"), plain_name("Final-Label")
    ('item_id', 'final_label')
    """
    return re.sub(r"[\s.\-]+", "_", str(column).strip().lower())


def find_column(role: str, columns: Iterable[str], named: str | None = None) -> str | None:
    """The column of a role: the one named, else the first alias that is there (case does not matter), else None.

    >>> find_column("item", ["Task ID", "worker", "label"])
    'Task ID'
    """
    columns = list(columns)
    if named is not None:
        if named not in columns:
            raise InputError(f"there is no column {named!r}; the columns are {', '.join(map(str, columns))}")
        return named
    plain = {plain_name(column): column for column in reversed(columns)}
    return next((plain[alias] for alias in ALIASES[role] if alias in plain), None)


def require_column(role: str, columns: Iterable[str], named: str | None = None) -> str:
    """As `find_column`, where not finding one is an error that lists what there is."""
    columns = list(columns)
    found = find_column(role, columns, named)
    if found is None:
        there = ", ".join(map(str, columns))
        how = f"name it with --{role} ({role}=...)" if role in NAMED else f"call it {role}"
        if role in SAID:
            how = f"name it with --label, or call it {role}"
        raise InputError(f"no column looks like the {role}: {how}; the columns are {there}")
    return found


def require_different(taken: Mapping[str, str]) -> None:
    """One column cannot be two things."""
    for role, name in taken.items():
        other = next((one for one, its in taken.items() if its == name and one != role), None)
        if other is not None:
            raise InputError(f"column {name!r} is taken as the {role} and as the {other}: name another with --{other}")


def library_of(frame: Any) -> str | None:
    """The library that a frame is of: "pandas", "polars" or "pyarrow"; None for what is no frame of these.

    >>> library_of(np.zeros(3)) is None
    True
    """
    library = type(frame).__module__.partition(".")[0]
    return library if library in ("pandas", "polars", "pyarrow") else None


def collected(frame: Any) -> Any:
    """A lazy frame of polars as what it stands for; everything else as it is."""
    return frame.collect() if type(frame).__name__ == "LazyFrame" and library_of(frame) == "polars" else frame


def as_table(frame: Any) -> Any:
    """A frame of any make, as narwhals sees it."""
    import narwhals as nw

    try:
        table = nw.from_native(collected(frame), eager_only=True)
        table.columns  # noqa: B018  (names that come twice are found here)
    except TypeError as error:
        raise InputError(f"votes come as a Crowd or as a pandas, polars or pyarrow frame, not {type(frame)}") from error
    except nw.exceptions.NarwhalsError as error:
        raise InputError(f"the frame cannot be read: {' '.join(str(error).split())}") from error
    return table


def vote_columns(
    frame: Any,
    item: str | None,
    annotator: str | None,
    label: str | None,
    weight: str | None,
    probability: str | None,
    extra: Collection[str],
    annotator_extra: Collection[str],
    options: dict[str, Any],
) -> dict[str, Any]:
    """What `Crowd.from_columns` takes, out of a frame."""
    import narwhals as nw

    table = as_table(frame)
    names = table.columns
    taken = {
        role: require_column(role, names, name)
        for role, name in (("item", item), ("annotator", annotator), ("label", label))
    }
    require_different(taken)
    label_column = table[taken["label"]]
    if isinstance(label_column.dtype, nw.Enum):
        options = {"classes": list(label_column.dtype.categories), **options}
    weight, sure = find_column("weight", names, weight), find_column("probability", names, probability)
    soft = {} if sure is None else {"probability": _chances(table[sure].to_numpy(), sure)}
    return {
        "item": values_of(table[taken["item"]]),
        "annotator": values_of(table[taken["annotator"]]),
        "label": values_of(label_column),
        "weight": None if weight is None else table[weight].to_numpy(),
        "extra": soft | {name: table[require_column("extra", names, name)].to_numpy() for name in extra},
        "annotator_extra": {name: table[require_column("extra", names, name)].to_numpy() for name in annotator_extra},
        **options,
    }


def _chances(values: Array, name: str) -> Array:
    """Probabilities, NaN where there is none; logs of them, if the name says so."""
    try:
        numbers = np.array([np.nan if value is None else value for value in values.tolist()], float)
    except (TypeError, ValueError) as error:
        raise InputError(f"column {name!r} holds values that are no numbers") from error
    return np.exp(numbers) if is_log(name) else numbers


def is_log(name: str) -> bool:
    """Whether a column of this name holds logarithms.

    >>> is_log("logprob"), is_log("probability")
    (True, False)
    """
    return name.strip().lower().startswith("log")


def values_of(series: Any) -> Any:
    """Whole numbers as NumPy, without a copy where there is none to make; everything else as arrow."""
    import pyarrow as pa

    if series.dtype.is_integer() and not series.is_null().any():
        return np.asarray(series.to_numpy())
    try:
        return series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # as pandas' objects may be; said with what they are
        try:
            return as_arrow(series.to_list())
        except InputError as error:
            raise InputError(f"column {series.name!r} {error}") from error


def known_labels(known: Any) -> dict[Any, Any]:
    """Known labels by item, whatever they come as; none for None."""
    if known is None:
        return {}
    items, labels = labels_by_item(known)
    return dict(zip(items.tolist(), labels.tolist(), strict=True))


def labels_by_item(known: Any) -> tuple[Array, Array]:
    """Items and their labels from a mapping, a pandas Series by item, or a frame with an item and a label column."""
    import narwhals as nw

    if hasattr(known, "index") and not callable(known.index) and not hasattr(known, "columns"):
        return _known_only(list(known.index), list(known))
    if isinstance(known, Mapping):
        return _known_only(list(known), list(known.values()))
    try:
        table = nw.from_native(known, eager_only=True)
    except TypeError as error:
        raise InputError(f"gold comes as {{item: label}} or as a frame, not {type(known)}") from error
    item = require_column("item", table.columns)
    label = find_column("label", table.columns) or require_column("gold", table.columns)
    return _known_only(table[item].to_list(), table[label].to_list())


def _known_only(items: list[Any], labels: list[Any]) -> tuple[Array, Array]:
    """Without the items whose label is missing (None, NaN or an empty text): they are not known."""
    import pyarrow.compute as pc

    column = as_arrow(labels)
    known = ~np.asarray(pc.is_null(column)) & np.array([label != "" for label in labels], bool)
    kept = [item for item, keep in zip(items, known, strict=True) if keep]
    return names_array(kept), names_array([label for label, keep in zip(labels, known, strict=True) if keep])
