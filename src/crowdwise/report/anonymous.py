"""Annotators without their names."""

from __future__ import annotations

import numpy as np

from ..votes.codes import Array
from ..votes.crowd import Crowd
from ..votes.keyed import keyed_uniform
from ..votes.table import Table


def anonymised(crowd: Crowd) -> tuple[Crowd, Table]:
    """The crowd with numbers in place of its annotators' names, and the key: annotator, name.

    Numbers follow from the votes, not from the names: who knows the names alone cannot tell who is who, and the same
    votes give the same numbers. Annotators whose votes are the same are numbered in the order of their names.

    >>> crowd = Crowd.from_triples([(1, "ann", "cat"), (1, "bob", "dog"), (2, "ann", "dog")])
    >>> hidden, key = anonymised(crowd)
    >>> hidden.annotators.tolist(), sorted(key["name"].tolist())
    (['annotator 1', 'annotator 2'], ['ann', 'bob'])
    """
    said = crowd.item.astype(np.int64) * crowd.n_classes + crowd.label
    order = np.argsort(np.bincount(crowd.annotator, keyed_uniform(0, said), crowd.n_annotators), kind="stable")
    names = _numbered(crowd.n_annotators)
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    columns = {name: column[order] for name, column in crowd.annotator_extra.items()}
    hidden = crowd.derive(annotator=rank[crowd.annotator], annotators=names, annotator_extra=columns)
    return hidden, Table({"annotator": names, "name": crowd.annotators[order]})


def _numbered(n: int) -> Array:
    """ "annotator 01", "annotator 02" ...: as many digits as the last one needs, so that they sort."""
    digits = np.char.zfill(np.arange(1, n + 1).astype(str), len(str(n)))
    return np.array([f"annotator {number}" for number in digits.tolist()], object)
