"""Votes: who said what of which item. The base of every kind of answer; checked once, here, at the door."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from html import escape
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ..errors import InputError, OptionError, how_many
from .codes import Array, as_names_of, find, names_array, shown, smallest_int, stable_sort
from .columns import RowNumber, checked_numbers, checked_weight, joined_columns, longer, merged
from .frames import as_table, find_column, require_column, values_of
from .graph import Links, linked, nearest
from .keyed import hashed, keyed_uniform
from .table import SHOWN, Table

Repeats = Literal["all", "last", "error"]
EXTRA = {"items": "item_extra", "annotators": "annotator_extra"}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Votes(ABC):
    """Codes and the names behind them: frozen, sorted by item, in the smallest integer types that fit.

    Vote `v` is what annotator `annotators[annotator[v]]` said of `items[item[v]]`, and counts `weight[v]` times (once,
    where there are no weights). A kind of votes adds what was said: it says in `codes` which columns are codes, and of
    which names, and in `values` which are plain numbers; everything here follows from these two tables.

    Names stand in the order in which they were first seen, and may have no votes. Codes never move when votes are
    added. Votes on an item keep the order in which they came. `extra` holds further columns of the votes,
    `annotator_extra` of the annotators, `item_extra` of the items; `keyed_by` names those of the last that tell what an
    item is when it is more than a name (a document and a place in it, say). `dropped` is how many votes were left out
    at the door, by reason. `graph` links items that are near each other, if that is known (`with_graph`).
    """

    kind: ClassVar[str]
    codes: ClassVar[Mapping[str, str]] = {"item": "items", "annotator": "annotators"}
    values: ClassVar[tuple[str, ...]] = ()
    told_by: ClassVar[Mapping[str, str]] = {}
    """Columns that a table of these answers has, by the parameters of `from_columns`, and their roles."""
    also_by: ClassVar[Mapping[str, str]] = {}
    """Columns that it may have."""
    spelt: ClassVar[Mapping[str, str]] = {}
    """What `to_table` calls a column, by which a reader knows the kind, where it is not the field's own name."""

    item: Array
    annotator: Array
    items: Array
    annotators: Array
    weight: Array | None = None
    extra: Mapping[str, Array] = field(default_factory=dict)
    annotator_extra: Mapping[str, Array] = field(default_factory=dict)
    item_extra: Mapping[str, Array] = field(default_factory=dict)
    keyed_by: tuple[str, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    graph: Links | None = None

    # -- the door -------------------------------------------------------------------------------------------------

    def __post_init__(self) -> None:
        n = np.size(self.item)
        checked: dict[str, Any] = {axis: names_array(getattr(self, axis)) for axis in self.axes()}
        for column, axis in self.codes.items():
            code = np.asarray(getattr(self, column))
            if code.shape != (n,):
                raise InputError(f"{column}: {code.size} codes for {n} votes")
            if n and not 0 <= code.min() <= code.max() < len(checked[axis]):
                raise InputError(f"{column}: codes must lie in 0..{len(checked[axis]) - 1}")
        for column in self.values:
            checked[column] = checked_numbers(column, getattr(self, column), n)
        if self.weight is not None:
            checked["weight"] = checked_weight(self.weight, n)
        sizes = {"extra": (n, "votes")}
        sizes |= {extra: (len(checked[axis]), axis) for axis, extra in EXTRA.items()}
        for extra, (size, what) in sizes.items():
            for name, value in getattr(self, extra).items():
                if len(value) != size:
                    raise InputError(f"column {name!r}: {len(value)} values for {size} {what}")
            checked[extra] = {name: np.asarray(value) for name, value in getattr(self, extra).items()}
        checked["keyed_by"] = (self.keyed_by,) if isinstance(self.keyed_by, str) else tuple(self.keyed_by)
        for name in checked["keyed_by"]:
            if name not in self.item_extra:
                raise InputError(f"keyed_by: there is no column {name!r} of the items")
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        self._settle()

    def _settle(self) -> None:
        """Sort by item, narrow the codes, and freeze everything."""
        moved = stable_sort(np.asarray(self.item))
        order = None if moved is None else moved[1]

        def kept(values: Any, dtype: Any = None) -> Array:
            values = np.asarray(values) if order is None else np.asarray(values)[order]
            return _frozen(np.ascontiguousarray(values, dtype))

        for column, axis in self.codes.items():
            object.__setattr__(self, column, kept(getattr(self, column), smallest_int(len(getattr(self, axis)))))
        for column in (*self.values, *(() if self.weight is None else ("weight",))):
            object.__setattr__(self, column, kept(getattr(self, column), np.float64))
        object.__setattr__(self, "extra", {name: kept(column) for name, column in self.extra.items()})
        for axis in self.axes():
            object.__setattr__(self, axis, _frozen(getattr(self, axis)))
        for extra in EXTRA.values():
            object.__setattr__(self, extra, {name: _frozen(one) for name, one in getattr(self, extra).items()})

    def derive(self, **changes: Any) -> Self:
        """Votes made of these, which were checked already: nothing is checked again.

        Other names are given with columns of their own, or have none.
        """
        for axis, extra in EXTRA.items():
            if axis in changes:
                changes = {extra: {}, **({"keyed_by": ()} if axis == "items" else {}), **changes}
        if self.graph is not None and "items" in changes and "graph" not in changes:
            changes["graph"] = self.graph.moved(find(self.items, names_array(changes["items"])))
        made = object.__new__(type(self))
        for one in fields(self):
            object.__setattr__(made, one.name, changes.get(one.name, getattr(self, one.name)))
        made._settle()
        return made

    @classmethod
    def axes(cls) -> tuple[str, ...]:
        """The names behind the codes, each once: items, annotators, and those of the kind."""
        return tuple(dict.fromkeys(cls.codes.values()))

    @classmethod
    def of(cls, votes: Any) -> Self:
        """Votes of this kind as they are, or made from a frame; those of another kind are refused."""
        if isinstance(votes, cls):
            return votes
        if isinstance(votes, Votes):
            raise InputError(f"these are {votes.kind}, and {cls.kind} are needed: choose a method for {votes.kind}")
        return cls.from_frame(votes)

    @classmethod
    def from_frame(cls, frame: Any, **named: Any) -> Self:
        """Votes from the rows of a pandas, polars or pyarrow frame.

        Columns are found by their usual names unless they are named by role: `from_frame(frame, annotator="who")`.
        """
        table = as_table(frame)
        roles = {**cls.told_by, **cls.also_by}
        if strange := [name for name in named if name not in roles]:
            raise OptionError(f"{strange[0]}=...: {cls.kind} have the columns {', '.join(roles)}")
        found = {name: find_column(role, table.columns, named.get(name)) for name, role in roles.items()}
        for name, role in cls.told_by.items():
            found[name] = require_column(role, table.columns, found[name])
        columns = {name: values_of(table[column]) for name, column in found.items() if column is not None}
        return cls.from_named(columns)

    @classmethod
    def from_named(cls, columns: Mapping[str, Any], row_number: RowNumber = lambda row: row) -> Self:
        """Votes from columns by the parameters of `from_columns`; row_number: how a person counts the rows."""
        made: Self = cls.from_columns(**columns, row_number=row_number)  # type: ignore[attr-defined]
        return made

    # -- counts ---------------------------------------------------------------------------------------------------

    @property
    def n_votes(self) -> int:
        """Number of votes."""
        return self.item.size

    @property
    def n_items(self) -> int:
        """Number of items, those without votes included."""
        return len(self.items)

    @property
    def n_annotators(self) -> int:
        """Number of annotators, those without votes included."""
        return len(self.annotators)

    @cached_property
    def n_repeated(self) -> int:
        """How many votes repeat an annotator's earlier vote on the same item."""
        pair = np.sort(self._pair())
        return int((pair[1:] == pair[:-1]).sum())

    def _pair(self) -> Array:
        return self.item.astype(np.int64) * self.n_annotators + self.annotator

    def annotator_weight(self) -> Array:
        """How many votes each annotator gave, by weight."""
        return np.bincount(self.annotator, self.weight, self.n_annotators).astype(float)

    @cached_property
    def item_hash(self) -> Array:
        """A number for each item that depends on its name only: what random numbers of items are keyed by."""
        return hashed(self.items)

    @cached_property
    def annotator_hash(self) -> Array:
        """The same for each annotator."""
        return hashed(self.annotators)

    @property
    def vote_hash(self) -> Array:
        """A number for each vote that depends on the names of its item and its annotator only."""
        with np.errstate(over="ignore"):
            return np.asarray(self.item_hash[self.item] + np.uint64(3) * self.annotator_hash[self.annotator])

    @property
    def keys(self) -> Table | None:
        """What each item is, where it is more than a name: one row per item; None where it is a name."""
        return Table({name: self.item_extra[name] for name in self.keyed_by}) if self.keyed_by else None

    @property
    def chained_by(self) -> tuple[str, ...]:
        """Those of the keys that name a chain of items, such as a document; the others tell the place in it."""
        return self.keyed_by[:1]

    @property
    def sizes(self) -> str:
        """How much there is, as a person says it: "3 votes of 2 annotators on 1 item"."""
        of, on = how_many(self.n_annotators, "annotators"), how_many(self.n_items, "items")
        return f"{how_many(self.n_votes, 'votes')} of {of} on {on}"

    def summary(self) -> dict[str, Any]:
        """Sizes, what is odd about them, and what was left out."""
        per = {axis: np.zeros(len(getattr(self, axis)), np.int64) for axis in self.axes()}
        for column, axis in self.codes.items():
            per[axis] += np.bincount(getattr(self, column), minlength=per[axis].size)
        return {
            "votes": self.n_votes,
            **{axis: len(getattr(self, axis)) for axis in self.axes()},
            "votes per item": round(float(per["items"].mean()), 3) if self.n_items else 0.0,
            "votes per annotator": round(float(per["annotators"].mean()), 3) if self.n_annotators else 0.0,
            "repeated votes": self.n_repeated,
            **{f"{axis} without votes": int((count == 0).sum()) for axis, count in per.items()},
            **{f"dropped: {reason}": count for reason, count in self.dropped.items()},
        }

    # -- other votes made of these ----------------------------------------------------------------------------------

    @property
    def per_vote(self) -> dict[str, Array]:
        """The columns that say what a vote is: codes and values."""
        return {name: getattr(self, name) for name in (*self.codes, *self.values)}

    def take(self, keep: Array, reason: str | None = None) -> Self:
        """Some votes, by a mask or by their places, all names kept; what goes is counted under `reason`."""
        gone = self.n_votes - int(keep.sum()) if keep.dtype == bool else None
        if gone == 0:
            return self
        dropped = {reason: self.dropped.get(reason, 0) + gone} if reason and gone else {}
        return self.derive(
            **{name: column[keep] for name, column in self.per_vote.items()},
            weight=None if self.weight is None else self.weight[keep],
            extra={name: column[keep] for name, column in self.extra.items()},
            dropped={**self.dropped, **dropped},
        )

    def subset(self, *, items: Any = None, annotators: Any = None) -> Self:
        """The votes on some items and of some annotators, given by name; the other names and their votes are gone."""
        votes = self
        for column, chosen in (("item", items), ("annotator", annotators)):
            if chosen is not None:
                votes = votes._only(column, names_array(chosen))
        return votes

    def _only(self, column: str, chosen: Array) -> Self:
        axis = self.codes[column]
        names = getattr(self, axis)
        position = find(chosen, names)
        if (position < 0).any():
            raise InputError(f"{column} {shown(chosen[position < 0][0])} is not among these votes")
        keep = np.zeros(len(names), bool)
        keep[position] = True
        return self._kept(column, keep)

    def _kept(self, column: str, keep: Array) -> Self:
        """The votes on the names of a column that a mask keeps; the others are gone."""
        axis = self.codes[column]
        names = getattr(self, axis)
        same_axis = [name for name, behind in self.codes.items() if behind == axis]
        votes = self.take(np.logical_and.reduce([keep[getattr(self, name)] for name in same_axis]))
        rank = np.cumsum(keep) - 1
        extra = EXTRA[axis]
        return votes.derive(
            **{axis: names[keep], **{name: rank[getattr(votes, name)] for name in same_axis}},
            **{extra: {name: values[keep] for name, values in getattr(self, extra).items()}},
            keyed_by=self.keyed_by,
        )

    def sample(self, n_votes: int) -> Self:
        """About so many votes: all those on some items, which are drawn by their names; who is silent there is gone."""
        some = self._kept("item", keyed_uniform(n_votes, self.item_hash) * self.n_votes < n_votes)
        return some._kept("annotator", np.bincount(some.annotator, minlength=some.n_annotators) > 0)

    def codes_of(self, column: str, names: Iterable[Any], option: str) -> Array:
        """Codes of some names of a column; a name that is not there is an error that names the option."""
        there, wanted = getattr(self, self.codes[column]), names_array(list(names))
        try:
            codes = np.asarray(find(as_names_of(there, wanted), there), np.int64)
        except InputError:  # not even of the type of the names
            codes = np.full(wanted.size, -1)
        if (codes < 0).any():
            raise InputError(f"{option}: {shown(wanted[codes < 0][0])} is no {column} of these votes")
        return codes

    def with_weight(self, weight: Any) -> Self:
        """The same votes, each counting `weight[v]` times; None makes them all count once."""
        return self.derive(weight=None if weight is None else checked_weight(weight, self.n_votes))

    def with_graph(self, left: Any, right: Any, weight: Any = None) -> Self:
        """The same votes, whose items are linked with each other: by name, one row per link; strangers are left out.

        Methods with `structure="graph"` take linked items for alike, as far as held-out votes bear it out.
        """
        one, other = (np.asarray(find(names_array(end), self.items), np.int64) for end in (left, right))
        if one.shape != other.shape:
            raise InputError(f"the columns differ in length: left {one.size}, right {other.size}")
        known = (one >= 0) & (other >= 0)
        if not known.any():
            raise InputError("no link is between items of these votes")
        counts = None if weight is None else np.asarray(weight, float)[known]
        return self.derive(graph=linked(one[known], other[known], counts, self.items))

    def with_neighbours(self, features: Any, k: int = 10) -> Self:
        """The same votes, each item being linked with the k items nearest to it; features: one row per item."""
        if features.shape[0] != self.n_items:
            raise InputError(
                f"features have {features.shape[0]:,} rows, and there are {how_many(self.n_items, 'items')}"
            )
        return self.derive(graph=nearest(features, k))

    def with_extra(self, extra: Mapping[str, Array]) -> Self:
        """The same votes with other columns beside them."""
        return self.derive(extra=extra)

    def counted(self) -> Self:
        """Without votes that weigh nothing."""
        return self if self.weight is None or self.weight.all() else self.take(self.weight > 0.0)

    def with_names(self, **more: Iterable[Any]) -> Self:
        """The same votes among more `items`, `annotators` ...; new names come last, and their columns are empty."""
        changes: dict[str, Any] = {}
        for axis, names in more.items():
            if axis not in self.axes():
                raise InputError(f"{type(self).__name__} has no {axis}: it has {', '.join(self.axes())}")
            there, named = getattr(self, axis), names_array(names)
            if named.size and (new := named[find(named, there) < 0]).size:
                added = list(dict.fromkeys(as_names_of(there, new).tolist()))
                changes[axis] = names_array([*there.tolist(), *added])
                changes |= self._longer_extra(axis, len(added))
        return self.derive(**changes) if changes else self

    def with_first(self, column: str, names: Iterable[Any]) -> Self:
        """The same votes with these names of a column first, in this order, whether they have votes or not."""
        axis = self.codes[column]
        first = names_array(list(dict.fromkeys(as_names_of(getattr(self, axis), names_array(names)).tolist())))
        if not first.size:
            return self
        votes = self.with_names(**{axis: first})
        there = getattr(votes, axis)
        order = find(first, there)
        order = np.concatenate([order, np.setdiff1d(np.arange(len(there)), order)])
        rank = np.empty(len(there), np.int64)
        rank[order] = np.arange(len(there))
        changes: dict[str, Any] = {axis: there[order], "keyed_by": self.keyed_by}
        if extra := EXTRA.get(axis):
            changes[extra] = {name: values[order] for name, values in getattr(votes, extra).items()}
        codes = {name: rank[getattr(votes, name)] for name, behind in self.codes.items() if behind == axis}
        return votes.derive(**changes, **codes)

    def _longer_extra(self, axis: str, n: int) -> dict[str, Any]:
        extra = EXTRA.get(axis)
        if extra is None:
            return {}
        columns = {extra: {name: longer(column, n) for name, column in getattr(self, extra).items()}}
        return columns | ({"keyed_by": self.keyed_by} if axis == "items" else {})

    def extend(self, more: Any) -> Self:
        """These votes and more of the same kind, or a frame of them: what all of them give when they come at once.

        Codes stay as they are, and new names come last. A class that first appears late is therefore not in the
        natural order: declare the classes where ties matter.
        """
        more = type(self).of(more)
        wide = self.with_names(**{axis: getattr(more, axis) for axis in self.axes()})
        place = {axis: find(getattr(more, axis), getattr(wide, axis)) for axis in self.axes()}
        joined: dict[str, Any] = {
            column: np.concatenate([getattr(wide, column).astype(np.int64), place[axis][getattr(more, column)]])
            for column, axis in self.codes.items()
        }
        joined |= {name: np.concatenate([getattr(self, name), getattr(more, name)]) for name in self.values}
        if self.weight is not None or more.weight is not None:
            joined["weight"] = np.concatenate([votes._weight() for votes in (self, more)])
        joined["extra"] = joined_columns(self.extra, more.extra, self.n_votes, more.n_votes)
        for axis, extra in EXTRA.items():
            joined[extra] = merged(getattr(wide, extra), getattr(more, extra), place[axis], getattr(wide, axis))
        if self.n_votes and more.n_votes and self.keyed_by != more.keyed_by:
            raise InputError(f"items are keyed by {self.keyed_by} here and by {more.keyed_by} there")
        if more.graph is not None:
            own = more.graph.moved(place["items"])
            both = own if wide.graph is None else Links(*map(np.concatenate, zip(wide.graph, own, strict=True)))
            joined["graph"] = both
        counts = {reason: self.dropped.get(reason, 0) + more.dropped.get(reason, 0) for reason in more.dropped}
        return wide.derive(**joined, keyed_by=self.keyed_by or more.keyed_by, dropped={**self.dropped, **counts})

    def joined(self, more: Any) -> Self:
        """These votes and more of the same kind, as if they had come at once."""
        return self.extend(more)

    def __add__(self, more: Any) -> Self:
        """`joined`."""
        return self.joined(more)

    def __len__(self) -> int:
        """Number of votes."""
        return self.n_votes

    def same(self, other: Votes) -> bool:
        """Whether these are the same votes by the same names, in whatever order they came."""
        if self.n_votes != other.n_votes or type(self) is not type(other):
            return False

        def said(votes: Votes) -> Any:
            total = np.zeros(votes.n_votes, np.uint64)
            with np.errstate(over="ignore"):
                for factor, (column, axis) in enumerate(votes.codes.items(), start=1):
                    total += np.uint64(2 * factor + 1) * hashed(getattr(votes, axis))[getattr(votes, column)]
            return np.sort(total)

        return bool((said(self) == said(other)).all())

    def _weight(self) -> Array:
        return np.ones(self.n_votes) if self.weight is None else self.weight

    def once(self, repeats: Repeats = "last") -> Self:
        """The last vote of each annotator on each item; or all, or an error where there are several (`repeats`)."""
        if repeats not in ("all", "last", "error"):
            raise OptionError(f"repeats={repeats!r}: choose 'all', 'last' or 'error'")
        if repeats == "all" or not self.n_repeated:
            return self
        pair = self._pair()
        order = np.argsort(pair, kind="stable")
        followed = pair[order][:-1] == pair[order][1:]
        if repeats == "error":
            vote = order[:-1][followed][0]
            item, annotator = self.items[self.item[vote]], self.annotators[self.annotator[vote]]
            raise InputError(
                f"annotator {shown(annotator)} voted on item {shown(item)} more than once; repeats='last' keeps one"
            )
        keep = np.ones(self.n_votes, bool)
        keep[order[:-1][followed]] = False
        return self.take(keep, "repeated")

    def packed(self) -> dict[str, Array]:
        """Everything as arrays by name, for a file; `unpacked` is the way back."""
        columns = {**self.per_vote, **{axis: getattr(self, axis) for axis in self.axes()}}
        columns |= {} if self.weight is None else {"weight": self.weight}
        for extra in ("extra", *EXTRA.values()):
            columns |= {f"{extra}.{name}": values for name, values in getattr(self, extra).items()}
        return columns | ({} if self.graph is None else {f"graph.{k}": v for k, v in self.graph._asdict().items()})

    @classmethod
    def unpacked(cls, arrays: Mapping[str, Array], keyed_by: Iterable[str] = ()) -> Self:
        """Votes that `packed` made arrays of, checked again."""
        plain: dict[str, Any] = {name: values for name, values in arrays.items() if "." not in name}
        extras: dict[str, Any] = {extra: {} for extra in ("extra", *EXTRA.values(), "graph")}
        for name in sorted(arrays.keys() - plain.keys()):
            extra, _, own = name.partition(".")
            extras[extra][own] = arrays[name]
        links = extras.pop("graph")
        return cls(**plain, **extras, keyed_by=tuple(keyed_by), graph=Links(**links) if links else None)

    def to_table(self) -> Table:
        """One row per vote: names, values, weight where there are weights, and the extra columns."""
        weight = {} if self.weight is None else {"weight": self.weight}
        names = {column: getattr(self, axis)[getattr(self, column)] for column, axis in self.codes.items()}
        values = {name: getattr(self, name) for name in self.values}
        of_items = {name: column[self.item] for name, column in self.item_extra.items()}
        of_annotators = {name: column[self.annotator] for name, column in self.annotator_extra.items()}
        columns = {**names, **values, **weight, **self.extra, **of_annotators, **of_items}
        return Table({self.spelt.get(name, name): column for name, column in columns.items()})

    def to_frame(self, backend: str = "pyarrow") -> Any:
        """`to_table` as a "pyarrow", "pandas" or "polars" frame."""
        return self.to_table().to_frame(backend)

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self.take(np.arange(min(len(self), SHOWN))).to_table()._repr_html_()}"

    def __repr__(self) -> str:
        sizes = ", ".join(how_many(len(getattr(self, axis)), axis) for axis in self.axes())
        return f"{type(self).__name__}({how_many(self.n_votes, 'votes')}, {sizes})"


def _frozen(values: Array) -> Array:
    values = values.view()
    values.flags.writeable = False
    return values
