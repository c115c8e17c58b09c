"""One judge, asked in several ways: each way is an annotator of its own."""

from __future__ import annotations

import numpy as np

from ...errors import InputError
from ...votes.codes import encode, names_array
from ...votes.crowd import Crowd


def by_order(crowd: Crowd, column: str = "order") -> Crowd:
    """The same votes, a judge being another annotator in each order (or prompt) in which it was asked.

    column: of the votes (`Crowd.extra`). The annotators get the columns "judge" and the one that was named.

    >>> said = Crowd.from_columns(["i", "i"], ["gpt", "gpt"], ["a", "b"], extra={"order": ["ab", "ba"]})
    >>> by_order(said).annotators.tolist(), by_order(said).annotator_extra["judge"].tolist()
    (['gpt/ab', 'gpt/ba'], ['gpt', 'gpt'])
    """
    if column not in crowd.extra:
        raise InputError(f"the votes have no column {column!r}; they have {', '.join(crowd.extra) or 'none beside'}")
    way = np.asarray(crowd.extra[column]).astype(str)
    judge = crowd.annotators.astype(str)[crowd.annotator]
    names, code = encode(np.char.add(np.char.add(judge, "/"), way))
    first = np.unique(np.asarray(code), return_index=True)[1]
    named = {"judge": names_array(judge[first].tolist()), column: names_array(way[first].tolist())}
    named |= {name: values[crowd.annotator[first]] for name, values in crowd.annotator_extra.items()}
    rest = {name: values for name, values in crowd.extra.items() if name != column}
    return crowd.derive(annotator=np.asarray(code), annotators=names_array(names), annotator_extra=named, extra=rest)
