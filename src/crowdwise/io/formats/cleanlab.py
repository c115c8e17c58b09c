"""cleanlab: arrays of codes and probabilities in an .npz, as its functions take them."""

from __future__ import annotations

import numpy as np

from ...errors import TooLarge
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ..file_content import as_arrays
from ..outgoing import Labels
from .format import Format

MOST_CELLS = 250_000_000  # of a matrix: 2 GB


def votes_arrays(crowd: Crowd) -> dict[str, Array]:
    """`labels_multiannotator`, items by annotators, codes of classes or NaN; and the names behind."""
    matrix = np.full(_size(crowd), np.nan)
    matrix[crowd.item, crowd.annotator] = crowd.label
    names = {"items": crowd.items, "annotators": crowd.annotators, "classes": crowd.classes}
    return {"labels_multiannotator": matrix, **{name: _plain(column) for name, column in names.items()}}


def label_arrays(labels: Labels) -> dict[str, Array]:
    """`labels`, codes of classes, -1 where there is none; `pred_probs`; and the names behind."""
    code = {name: place for place, name in enumerate(labels.classes.tolist())}
    codes = np.array([-1 if label is None else code[label] for label in labels.labels], np.int64)
    names = {"items": _plain(labels.items), "classes": _plain(labels.classes)}
    return {"labels": codes, "pred_probs": labels.posterior, **names}


def _size(crowd: Crowd) -> tuple[int, int]:
    if crowd.n_items * crowd.n_annotators > MOST_CELLS:
        raise TooLarge(
            f"a matrix of {crowd.n_items:,} items by {crowd.n_annotators:,} annotators is too large: write a table"
        )
    return crowd.n_items, crowd.n_annotators


def _plain(names: Array) -> Array:
    """Names without Python objects, so that they can be loaded without pickle."""
    return names.astype(str) if names.dtype.kind == "O" else names


CLEANLAB = Format(
    "table",
    votes=lambda crowd, question: as_arrays(votes_arrays(crowd)),
    labels=lambda labels, question, found: as_arrays(label_arrays(labels)),
    once=True,
    endings=(".npz",),
)
