"""Sequences: who tagged which tokens of which documents, or marked which spans of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..errors import InputError, how_many
from .chained import Order, chain_order
from .codes import Array, find, names_array, shown
from .columns import RowNumber, encoded, is_blank, plain_numbers
from .crowd import Pieces
from .tags import OUTSIDE, Tags, as_bio


class Tokens(NamedTuple):
    """The tokens of documents: where each begins and ends in its text, and the words, where they are known."""

    document: Any
    begin: Any
    end: Any
    token: Any = None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sequences(Pieces):
    """Tags of tokens: annotator `annotators[annotator[v]]` gave the tag `classes[label[v]]` to a token.

    Items are tokens; their keys are the document (and the layer, where spans overlap) and the position in it. Columns
    of the items: begin and end in the text where spans were marked, token where the words are known. Who saw a document
    and marked nothing has said O of all its tokens; who did not see it has no votes there. As a `Crowd`, every method
    for classes takes it token by token; methods for spans know what follows what.

    >>> who, begin, end = ["ann", "bob", "cy"], [0, 4, None], [7, 7, None]
    >>> made = Sequences.from_spans(["d", "d", "d"], who, begin, end, ["PER", "LOC", None])
    >>> made, made.classes.tolist()
    (Sequences(6 votes, 2 items, 3 annotators, 5 classes), ['O', 'B-LOC', 'I-LOC', 'B-PER', 'I-PER'])
    """

    kind: ClassVar[str] = "spans"
    spelt: ClassVar[Mapping[str, str]] = {"begin": "token_begin", "end": "token_end"}
    told_by: ClassVar[Mapping[str, str]] = {"document": "document", "annotator": "annotator"}
    also_by: ClassVar[Mapping[str, str]] = {
        "begin": "begin", "end": "end", "label": "label", "position": "position", "tag": "tag", "token": "token",
    }  # fmt: skip

    @cached_property
    def tags(self) -> Tags:
        """What the classes mean."""
        return Tags(self.classes)

    @property
    def has_offsets(self) -> bool:
        """Whether places in the text are known: the votes came as spans."""
        return "begin" in self.item_extra

    @property
    def chained_by(self) -> tuple[str, ...]:
        return self.keyed_by[:-1]

    @cached_property
    def order(self) -> Order:
        """The tokens, document after document."""
        return chain_order(self)

    @cached_property
    def before(self) -> Array:
        """For each vote the tag that the same annotator gave to the token before: O where there is none."""
        order, begins = self.order, self.order.first
        rank = np.empty(self.n_items, np.int64)
        rank[order.order] = np.arange(self.n_items)
        place, who = rank[self.item], self.annotator.astype(np.int64)
        by_annotator = np.lexsort((place, who))
        place, who, label = place[by_annotator], who[by_annotator], self.label[by_annotator]
        key = who * (self.n_items + 1) + place
        last = np.searchsorted(key, key - 1, side="right") - 1  # the last vote at the place before, if there is one
        there = (last >= 0) & ~begins[place]
        there &= key[np.maximum(last, 0)] == key - 1
        outside = int(np.flatnonzero(self.tags.type < 0)[0]) if (self.tags.type < 0).any() else 0
        out = np.empty(self.n_votes, np.int64)
        out[by_annotator] = np.where(there, label[np.maximum(last, 0)], outside)
        return out

    # -- doors --------------------------------------------------------------------------------------------------------

    def extend(self, more: Any) -> Self:
        more = type(self).of(more)
        if ("begin" in self.item_extra) != ("begin" in more.item_extra):
            raise InputError("spans have places in a text, and tags of tokens have none: they cannot be taken together")
        return super().extend(more)

    @classmethod
    def from_tags(
        cls, document: Any, position: Any, annotator: Any, tag: Any, *, token: Any = None, weight: Any = None
    ) -> Self:
        """Tags of tokens from four columns: BIO (BIOES and BILOU are read as BIO), or plain tags.

        token: the words, one for each vote too. An annotator tags a token once.
        """
        names, code = encoded({"document": document, "annotator": annotator}, _AXES)
        place = plain_numbers("position", position, whole=True)
        if place.size != code["document"].size:
            raise InputError(f"the columns differ in length: document {code['document'].size}, position {place.size}")
        chain = code["document"].astype(np.int64)
        low, span = int(place.min(initial=0)), int(place.max(initial=0) - place.min(initial=0)) + 1
        key, first, item = np.unique(chain * span + (place - low), return_index=True, return_inverse=True)
        again = np.sort(item * len(names["annotators"]) + code["annotator"])
        if (repeated := again[1:] == again[:-1]).any():
            one, who = divmod(int(again[1:][repeated][0]), len(names["annotators"]))
            where = f"position {int(key[one] % span + low)} of document {shown(names['documents'][key[one] // span])}"
            raise InputError(f"annotator {shown(names['annotators'][who])} tagged {where} twice")
        said = as_bio(tag.tolist() if isinstance(tag, np.ndarray) else list(tag))
        tags = Tags.of(said)
        columns = {"document": names["documents"][key // span], "position": key % span + low}
        if token is not None:
            columns["token"] = np.asarray(token, object)[first]
        return cls(
            item=item,
            annotator=code["annotator"],
            label=find(names_array(said), tags.names),
            items=_token_names(columns["document"], columns["position"]),
            annotators=names["annotators"],
            classes=tags.names,
            weight=weight,
            item_extra=columns,
            keyed_by=("document", "position"),
        )

    @classmethod
    def from_named(
        cls, columns: Mapping[str, Any], row_number: RowNumber = lambda row: row, tokens: Tokens | None = None
    ) -> Self:
        """Spans, where there are begin and end; tags of tokens, where there is a position."""
        given = dict(columns)
        if {"begin", "end", "label"} <= given.keys():
            kept = {name: given[name] for name in ("document", "annotator", "begin", "end", "label")}
            return cls.from_spans(**kept, tokens=tokens, row_number=row_number)
        tag = given.get("tag", given.get("label"))
        if "position" not in given or tag is None:
            both = (
                "spans have the columns document, annotator, begin, end and label, tags document, position, annotator"
            )
            raise InputError(f"{both} and label")
        if tokens is not None:
            raise InputError("tags are of tokens already: a table of tokens is for spans")
        return cls.from_tags(given["document"], given["position"], given["annotator"], tag, token=given.get("token"))

    @classmethod
    def from_spans(
        cls,
        document: Any,
        annotator: Any,
        begin: Any,
        end: Any,
        label: Any,
        *,
        tokens: Tokens | None = None,
        row_number: RowNumber = lambda row: row,
    ) -> Self:
        """Spans of text from five columns; begin and end are places between letters: the end is the first letter after.

        Who saw a document and marked nothing has a row with begin and end empty. tokens: the tokens of the documents,
        to which spans are stretched where they begin or end within one; without them, pieces of text between the ends
        of anybody's spans are the tokens. An annotator's spans of one label may not overlap; where those of different
        labels do, each label is a layer of its own.
        """
        names, code = encoded({"document": document, "annotator": annotator}, _AXES)
        marked = _marked(begin, end, label, names, code, row_number)
        layered = _overlap(marked, names, row_number)
        types = sorted(set(marked.label.tolist()))
        type_ = np.searchsorted(np.array(types, object), marked.label) if types else np.empty(0, np.int64)
        tags = Tags.of_types(types)
        pieces = _pieces(marked, names["documents"], tokens, row_number)

        # Chains: documents, or a layer of each label that somebody marked there.
        n_types = max(len(types), 1)
        layer = marked.document * n_types + (type_ if layered else 0)
        chains = np.unique(layer if layered else code["document"].astype(np.int64) * n_types)
        chain_document = chains // n_types
        n_pieces = pieces.begin_of[chain_document + 1] - pieces.begin_of[chain_document]
        first_item = np.concatenate([[0], np.cumsum(n_pieces)])
        piece = _ranges(pieces.begin_of[chain_document], n_pieces)

        # Everybody who saw a document votes on every token of every chain in it: O, but where they marked.
        readers = np.unique(code["document"].astype(np.int64) * len(names["annotators"]) + code["annotator"])
        reader_document, reader = np.divmod(readers, len(names["annotators"]))
        low = np.searchsorted(chain_document, reader_document)
        count = np.searchsorted(chain_document, reader_document, side="right") - low
        seen_chain, seen_by = _ranges(low, count), np.repeat(np.arange(readers.size), count)
        n_votes = n_pieces[seen_chain]
        first_vote = np.concatenate([[0], np.cumsum(n_votes)])
        item = _ranges(first_item[seen_chain], n_votes)
        said = np.zeros(item.size, np.int64)
        own_reader = np.searchsorted(readers, marked.document * len(names["annotators"]) + marked.annotator)
        own_chain = np.searchsorted(chains, layer)
        seen = np.searchsorted(seen_by * (len(chains) + 1) + seen_chain, own_reader * (len(chains) + 1) + own_chain)
        at = first_vote[seen] + pieces.first - pieces.begin_of[marked.document]
        length = pieces.last - pieces.first + 1
        inner = _ranges(at, length)
        said[inner] = np.repeat(2 + 2 * type_, length)
        said[at] = 1 + 2 * type_
        columns: dict[str, Array] = {"document": names["documents"][np.repeat(chain_document, n_pieces)]}
        if layered:
            columns["layer"] = np.array(types, object)[np.repeat(chains % n_types, n_pieces)]
        columns["position"] = piece - np.repeat(pieces.begin_of[chain_document], n_pieces)
        columns |= {"begin": pieces.begin[piece], "end": pieces.end[piece]}
        if pieces.token is not None:
            columns["token"] = pieces.token[piece]
        keyed_by = ("document", "layer", "position") if layered else ("document", "position")
        return cls(
            item=item,
            annotator=np.repeat(reader[seen_by], n_votes),
            label=said,
            items=_token_names(*(columns[name] for name in keyed_by)),
            annotators=names["annotators"],
            classes=tags.names,
            item_extra=columns,
            keyed_by=keyed_by,
            dropped={name: n for name, n in (("spans stretched to whole tokens", pieces.stretched),) if n},
        )


_AXES = {"document": "documents", "annotator": "annotators"}


class _Marked(NamedTuple):
    """Spans with codes of documents and annotators, and the row that each stands in."""

    document: Array
    annotator: Array
    begin: Array
    end: Array
    label: Array
    row: Array


class _Pieces(NamedTuple):
    """Tokens of all documents in their order; where each document's begin; the first and last of each span."""

    begin_of: Array
    begin: Array
    end: Array
    token: Array | None
    first: Array
    last: Array
    stretched: int


def _marked(
    begin: Any, end: Any, label: Any, names: Mapping[str, Any], code: Mapping[str, Array], row_number: RowNumber
) -> _Marked:
    """The rows that mark a span, checked; a row without begin and end says that somebody saw the document."""
    ends = {"begin": np.asarray(begin, object), "end": np.asarray(end, object)}
    labels = np.asarray(label, object)
    for name, column in (*ends.items(), ("label", labels)):
        if column.shape != code["document"].shape:
            raise InputError(f"the columns differ in length: document {code['document'].size}, {name} {column.size}")
    empty = {name: is_blank(column) for name, column in ends.items()}
    half = empty["begin"] != empty["end"]
    if half.any():
        row = int(half.argmax())
        raise InputError(f"row {row_number(row)}: a span has a begin and an end, and one of them is empty")
    named = empty["begin"] & ~is_blank(labels)
    if named.any():
        row = row_number(int(named.argmax()))
        raise InputError(f"row {row}: there is a label, and no begin and end: a row without a span has no label either")
    some = np.flatnonzero(~empty["begin"])
    numbers = {
        name: plain_numbers(name, column[some], lambda row: row_number(int(some[row])), whole=True)
        for name, column in ends.items()
    }
    wrong = (numbers["begin"] < 0) | (numbers["end"] <= numbers["begin"])
    if wrong.any():
        at = int(wrong.argmax())
        both = f"begin {numbers['begin'][at]} and end {numbers['end'][at]}"
        raise InputError(f"row {row_number(int(some[at]))}: a span ends after it begins, and not before 0: {both}")
    if (unnamed := is_blank(labels[some])).any():
        raise InputError(f"row {row_number(int(some[unnamed.argmax()]))}, column 'label': the cell is empty")
    texts = np.array([str(name) for name in labels[some].tolist()], object)
    if (texts == OUTSIDE).any():
        row = row_number(int(some[(texts == OUTSIDE).argmax()]))
        raise InputError(f"row {row}: O is the tag of what is not marked, and no label of a span")
    document, annotator = (code[name][some].astype(np.int64) for name in ("document", "annotator"))
    marked = _Marked(document, annotator, numbers["begin"], numbers["end"], texts, some)
    order = np.lexsort((marked.end, marked.begin, marked.annotator, marked.document))
    marked = _Marked(*(column[order] for column in marked))
    same = np.logical_and.reduce([column[1:] == column[:-1] for column in marked[:-1]])
    keep = np.concatenate([[True], ~same]) if len(order) else np.zeros(0, bool)
    return _Marked(*(column[keep] for column in marked))


def _overlap(marked: _Marked, names: Mapping[str, Any], row_number: RowNumber) -> bool:
    """Whether spans of different labels overlap; an annotator's overlapping spans of one label are an error."""
    _, label = np.unique(marked.label.astype(str), return_inverse=True)
    for by_label in (True, False):
        kind = label if by_label else np.zeros_like(label)
        order = np.lexsort((marked.begin, kind, marked.annotator, marked.document))
        own = [column[order] for column in (marked.document, marked.annotator, kind)]
        together = np.logical_and.reduce([column[1:] == column[:-1] for column in own])
        reach, begin = marked.end[order], marked.begin[order]
        group = np.concatenate([[0], np.cumsum(~together)]) if order.size else np.zeros(0, np.int64)
        far = int(marked.end.max(initial=0)) + 1
        furthest = np.maximum.accumulate(reach + group * far) - group * far  # the end of all before, in a group
        over = together & (begin[1:] < furthest[:-1])
        if over.any() and by_label:
            row = int(marked.row[order[int(over.argmax()) + 1]])
            place = order[int(over.argmax()) + 1]
            who, where = names["annotators"][marked.annotator[place]], names["documents"][marked.document[place]]
            raise InputError(
                f"row {row_number(row)}: annotator {shown(who)} marked overlapping spans of label "
                f"{marked.label[place]!r} in document {shown(where)}: join them, or give them different labels"
            )
        if over.any():
            return True
    return False


def _pieces(marked: _Marked, documents: Array, tokens: Tokens | None, row_number: RowNumber) -> _Pieces:
    """The tokens of all documents, given or made of the ends of the spans."""
    words = None
    if tokens is None:
        every = np.arange(len(documents))
        silent = np.setdiff1d(every, marked.document)  # who read them and marked nothing has said so of one piece
        document = np.concatenate([marked.document, marked.document, every, silent])
        nothing = np.zeros(every.size, np.int64), np.ones(silent.size, np.int64)
        edge = np.concatenate([marked.begin, marked.end, *nothing])
        edges = np.unique(np.stack([document, edge]), axis=1)
        inner = edges[0][1:] == edges[0][:-1]
        where, begin, end = edges[0][:-1][inner], edges[1][:-1][inner], edges[1][1:][inner]
    else:
        where, begin, end, words = _checked_tokens(tokens, documents)
    far = int(max(end.max(initial=0), marked.end.max(initial=0))) + 2
    begin_of = np.searchsorted(where, np.arange(len(documents) + 1))
    first = np.searchsorted(where * far + end, marked.document * far + marked.begin, side="right")
    last = np.searchsorted(where * far + begin, marked.document * far + marked.end, side="left") - 1
    if tokens is not None and marked.end.size:
        until = np.zeros(len(documents), np.int64)
        np.maximum.at(until, where, end)
        beyond = marked.end > until[marked.document]
        if beyond.any():
            at = int(beyond.argmax())
            text = f"document {shown(documents[marked.document[at]])} ends at {until[marked.document[at]]}"
            raise InputError(f"row {row_number(int(marked.row[at]))}: {text}, and the span at {marked.end[at]}")
    outside = (last < first) | (first < begin_of[marked.document]) | (last >= begin_of[marked.document + 1])
    if outside.any():
        at = int(outside.argmax())
        text = f"document {shown(documents[marked.document[at]])} has no token between {marked.begin[at]}"
        raise InputError(f"row {row_number(int(marked.row[at]))}: {text} and {marked.end[at]}")
    stretched = int(((begin[first] != marked.begin) | (end[last] != marked.end)).sum()) if first.size else 0
    return _Pieces(begin_of, begin, end, words, first, last, stretched)


def _checked_tokens(tokens: Tokens, documents: Array) -> tuple[Array, Array, Array, Array | None]:
    """Tokens of the documents that somebody saw, in their order; they do not overlap."""
    where = find(names_array(tokens.document), documents)
    begin, end = (
        plain_numbers(name, column, whole=True) for name, column in (("begin", tokens.begin), ("end", tokens.end))
    )
    if (wrong := end <= begin).any():
        row = int(wrong.argmax())
        raise InputError(f"tokens, row {row}: a token ends after it begins: begin {begin[row]} and end {end[row]}")
    order = np.lexsort((begin, where))
    order = order[where[order] >= 0]
    where, begin, end = where[order], begin[order], end[order]
    over = (where[1:] == where[:-1]) & (begin[1:] < end[:-1])
    if over.any():
        at = int(over.argmax()) + 1
        raise InputError(
            f"tokens of document {shown(documents[where[at]])} overlap: one begins at {begin[at]}, within another"
        )
    missing = np.setdiff1d(np.arange(len(documents)), where)
    if missing.size:
        more = f" (and of {how_many(missing.size - 1, 'documents')} more)" if missing.size > 1 else ""
        raise InputError(f"there are no tokens of document {shown(documents[missing[0]])}{more}")
    words = None if tokens.token is None else np.array([str(word) for word in np.asarray(tokens.token, object)], object)
    return where, begin, end, None if words is None else words[order]


def _token_names(*columns: Array) -> Array:
    """Names of tokens: document, layer and position."""
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return names_array([":".join(map(str, row)) for row in rows]) if columns[0].size else names_array([])


def _ranges(low: Array, count: Array) -> Array:
    """low[0], low[0] + 1 ..., count[0] of them, then those of the next.

    >>> _ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    begin = np.cumsum(count) - count
    return np.repeat(low - begin, count) + np.arange(int(count.sum()))
