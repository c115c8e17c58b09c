"""Result: what a method found. An estimate for each item, parameters, trace; and predictions for new votes."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import InputError, OptionError, how_many
from ..files import pack, read_arrays, unpack, write_arrays
from ..methods import make
from ..votes.codes import Array, find, names_array, same_names
from ..votes.crowd import Crowd
from ..votes.frames import known_labels
from ..votes.table import Table
from ..votes.votes import Votes
from .estimates import Classes, Estimate
from .params import Names, Params, carry

if TYPE_CHECKING:
    from .method import Method

FORMAT = 2
FEW_NEW, MANY = 0.2, 50_000  # of all votes, and votes: with more new ones, or fewer in all, a fit begins anew


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result:
    """What a method found in votes.

    `estimate` has one row per item: `Classes` for votes that name classes, of which `labels`, `confidence` and
    `posterior` are short names; `Values` or `Scores` for other kinds. `params` holds the fitted parameters by name
    ("prior", "confusion", "accuracy" ...; axes in the order annotators, true, given), `statistics` the sums that they
    were estimated from, `trace` the objective after each step, `notes` what the method has to say about its choices,
    `keys` what each item is where it is more than a name. `votes` and `gold` are what it was found in, `settled` tells
    whether by `crowdwise.settle`, `primed` whether with an item prior: `update` goes on from there. `frame` is the
    library of the frame that votes came in.
    """

    method: Method[Any, Any]
    estimate: Estimate
    items: Array
    annotators: Array
    params: Params
    statistics: Params
    trace: tuple[float, ...] = ()
    converged: bool = True
    notes: tuple[str, ...] = ()
    keys: Table | None = None
    votes: Votes | None = None
    gold: Mapping[Any, Any] = field(default_factory=dict)
    settled: bool = False
    primed: bool = False
    frame: str = "pyarrow"

    # -- classes ------------------------------------------------------------------------------------------------------

    @property
    def _classes(self) -> Classes:
        if not isinstance(self.estimate, Classes):
            raise InputError(f"{self.method.name} finds {self.estimate.kind}, and no classes: see result.estimate")
        return self.estimate

    @property
    def posterior(self) -> Array:
        """The probability of each class, (items, classes)."""
        return self._classes.posterior

    @property
    def classes(self) -> Array:
        """The classes in their order."""
        return self._classes.classes

    @property
    def label_codes(self) -> Array:
        """The most probable class of each item, as a code; ties as the method decides them (first class first)."""
        return self._classes.chosen

    @property
    def labels(self) -> Array:
        """The most probable class of each item, in the order of `items`."""
        return self._classes.labels

    @property
    def confidence(self) -> Array:
        """The probability of each item's label."""
        return self._classes.confidence

    def label_of(self, item: Any) -> Any:
        """The label of one item, by name."""
        return self.labels[self._place(item)]

    def _place(self, item: Any) -> int:
        place = int(find(names_array([item]), self.items)[0]) if isinstance(item, Hashable) else -1
        if place < 0:
            raise InputError(f"item {item!r} is not in this result")
        return place

    def posterior_of(self, crowd: Crowd, default: Array) -> Array:
        """The posterior on a crowd's items and classes, by name; `default` where an item is not known here."""
        if same_names(crowd.items, self.items) and same_names(crowd.classes, self.classes):
            return self.posterior.copy()
        row, column = find(crowd.items, self.items), find(crowd.classes, self.classes)
        known = np.where(column >= 0, self.posterior[np.maximum(row, 0)][:, column], 0.0)
        total = known.sum(axis=1, keepdims=True)
        return np.where((row >= 0)[:, None] & (total > 0.0), known / np.where(total > 0.0, total, 1.0), default)

    def on(self, crowd: Any) -> tuple[Crowd, Array]:
        """A crowd, or a frame of votes, with this result's annotators and classes, and the posterior of its items.

        It is even where an item is unknown. Votes that weigh nothing are left out.
        """
        crowd = Crowd.of(crowd).counted().with_names(annotators=self.annotators).with_classes(self.classes)
        return crowd, np.asarray(self.posterior_of(crowd, np.full((1, crowd.n_classes), 1.0 / crowd.n_classes)), float)

    def labels_on(self, crowd: Crowd, posterior: Array) -> Array:
        """Class codes of a crowd's items: this result's labels; the most probable class where it has none."""
        row = find(crowd.items, self.items)
        code = find(self.classes, crowd.classes)[self.label_codes[np.maximum(row, 0)]]
        return np.where((row >= 0) & (code >= 0), code, posterior.argmax(axis=1))

    # -- every kind ---------------------------------------------------------------------------------------------------

    def update(
        self,
        more: Any,
        *,
        gold: Any = None,
        trusted: Iterable[Any] = (),
        item_prior: Any = None,
        engine: str = "auto",
        callback: Callable[[int, float], object] | None = None,
        **columns: Any,
    ) -> Result:
        """These votes and more, fitted together: new votes, items, annotators and classes.

        What a fit of all votes gives, to the method's tolerance. In large crowds, methods that climb begin where this
        result stands, which takes `auto` half of the time (`leads_to`). `gold` joins what was known before. An item
        prior has to be given again, for all items. A settled result is settled again. `columns`: as in `fit`.
        """
        if self.votes is None:
            raise InputError("this result does not hold its votes: fit all of them together")
        if self.primed and item_prior is None:
            raise InputError("this result has an item prior: give item_prior= for all items, old and new")
        votes = self.votes.joined(self.method.as_votes(more, **columns))
        known = {**self.gold, **known_labels(gold)}
        start = self if self.leads_to(votes, self.method) else None
        how: dict[str, Any] = {"gold": known or None, "start": start, "engine": engine, "callback": callback}
        how |= {} if item_prior is None else {"item_prior": item_prior}
        if not self.settled:
            return replace(self.method.fit(votes, **how), frame=self.frame)
        from ..study.settle import settle

        return replace(settle(votes, self.method, trusted=trusted, **how), frame=self.frame)

    def leads_to(self, votes: Any, method: Method[Any, Any]) -> bool:
        """Whether a method's fit of more votes can begin here, and end where one from the votes alone ends.

        Not if a class is new, of which nothing is known; nor if many votes are, or if there are few in all, which may
        lead up another hill: a fit of few votes takes no time.
        """
        if self.votes is None or len(votes) < MANY or len(votes) - len(self.votes) > FEW_NEW * len(votes):
            return False
        return method.continues(self) and len(getattr(votes, "classes", ())) == len(self.names.classes)

    def predict(
        self,
        votes: Any,
        *,
        gold: Any = None,
        item_prior: Any = None,
        engine: str = "auto",
        new_classes: Literal["error", "add", "ignore"] = "error",
        **columns: Any,
    ) -> Result:
        """What new votes of known annotators say, without a refit.

        An annotator who was not there gets the population's parameters. A class that was not there is an error, or is
        added (nobody is known to give it, and nothing is known of who does), or votes for it are left out, which
        `notes` tell. `columns`: as in `fit`.
        """
        votes, left = self.method.as_votes(votes, **columns), 0
        if new_classes != "error":
            before = len(votes)
            votes = self._with_new_classes(votes, new_classes)
            left = before - len(votes)
        if new_classes != "add":
            votes = self.method.votes_like(votes, self)
        params, known = self.params_on(votes), self.method.known(votes, gold, item_prior)
        ops = self.method.bind(self.method.reweigh_votes(votes, params), engine)
        return replace(
            self,
            estimate=self.method.as_estimate(self.method.infer(ops, params, known), votes),
            items=votes.items,
            annotators=votes.annotators,
            params={**params, **self.method.local(ops, params, known)},
            statistics={},
            trace=(),
            keys=votes.keys,
            votes=None,
            notes=(f"{how_many(left, 'votes')} left out: for classes that were not there",) if left else (),
        )

    def _with_new_classes(self, votes: Any, new_classes: str) -> Any:
        """Votes on this result's classes, which come first; those for other classes are kept or left out."""
        if new_classes not in ("add", "ignore"):
            raise OptionError(f"new_classes={new_classes!r}: choose error, add or ignore")
        if new_classes == "add":
            return votes.with_first("label", self.classes)
        strange = votes.classes[find(votes.classes, self.classes) < 0].tolist()
        return votes.relabel(dict.fromkeys(strange))

    def weighted(self, votes: Any) -> Any:
        """Votes as the method weighs them: shared among annotators who err together, where it does so."""
        return self.method.reweigh_votes(votes, self.params_on(votes))

    @property
    def names(self) -> Names:
        """The names behind the axes of `params`."""
        return Names(self.annotators, self.classes if isinstance(self.estimate, Classes) else np.empty(0, object))

    def params_on(self, votes: Any) -> Params:
        """Parameters on the annotators and classes of votes; those of a stranger are the population's."""
        new = Names(votes.annotators, getattr(votes, "classes", self.names.classes))
        return carry(self.params, self.names, new, fill="population", axes_of=self.method.axes_of)

    def to_table(self) -> Table:
        """One row per item: its name (and what it is, where that is more), and what was found of it.

        Answers that are put together of several items, such as spans of tokens, have one row each.
        """
        return self.estimate.rows(self.items, self.keys)

    def to_frame(self, backend: str | None = None) -> Any:
        """`to_table` as a "pyarrow", "pandas" or "polars" frame; of the library that votes came in unless told."""
        return self.to_table().to_frame(backend or self.frame)

    def to_json(self) -> str:
        """What was found, as JSON: the summary, the notes, and one row per item."""
        told = {**self.summary(), "notes": list(self.notes), "found": self.to_table().records()}
        return json.dumps(told, ensure_ascii=False, default=str)

    def __getitem__(self, item: Any) -> dict[str, Any]:
        """What was found of one item, by its name; for classes with the probability of each."""
        place = self._place(item)
        row = {name: column[place : place + 1].tolist()[0] for name, column in self.to_table().columns.items()}
        if isinstance(self.estimate, Classes):
            row["probabilities"] = dict(zip(self.classes.tolist(), self.posterior[place].tolist(), strict=True))
        return row

    def __len__(self) -> int:
        """Number of items."""
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        """The names of the items."""
        return iter(self.items.tolist())

    def __contains__(self, item: object) -> bool:
        """Whether there is an item of this name."""
        return isinstance(item, Hashable) and bool(find(names_array([item]), self.items)[0] >= 0)

    def plot(self) -> Any:
        """A figure (matplotlib): how sure the labels are, who confuses what, and skill against votes."""
        from .result_plot import plot

        return plot(self)

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return f"<p>{escape(repr(self))}</p><ul>{notes}</ul>{self.to_table()._repr_html_()}"

    def save(self, path: str | Path) -> None:
        """Write everything to one .npz file (arrays and JSON, no pickle); `crowdwise.load` reads it back.

        Its votes are in it too, so that it can be updated.
        """
        header = {
            "format": FORMAT,
            "method": self.method.name,
            "kind": self.estimate.kind,
            "options": self.method.options(),
            "trace": list(self.trace),
            "converged": self.converged,
            "notes": list(self.notes),
            "keys": None if self.keys is None else list(self.keys.columns),
            "votes": None if self.votes is None else {"keyed_by": list(self.votes.keyed_by)},
            "settled": self.settled,
            "primed": self.primed,
            "frame": self.frame,
        }
        arrays: dict[str, Array] = {}
        for group in ("params", "statistics"):
            arrays |= {f"{group}.{name}": value for name, value in getattr(self, group).items()}
        named = {f"estimate.{name}": value for name, value in self.estimate.pack().items()}
        named |= {} if self.keys is None else {f"keys.{name}": value for name, value in self.keys.columns.items()}
        named |= {} if self.votes is None else {f"votes.{name}": value for name, value in self.votes.packed().items()}
        named |= {"gold.items": names_array(list(self.gold)), "gold.labels": names_array(list(self.gold.values()))}
        for name, value in {"items": self.items, "annotators": self.annotators, **named}.items():
            arrays |= pack(name, value)
        write_arrays(path, header, arrays)

    def summary(self) -> Mapping[str, Any]:
        """Method, sizes and how the fit ended."""
        found = isinstance(self.estimate, Classes)
        return {
            "method": self.method.name,
            "items": len(self.items),
            "annotators": len(self.annotators),
            **({"classes": len(self.classes)} if found else {}),
            "steps": len(self.trace),
            "converged": self.converged,
            **({"mean confidence": float(self.confidence.mean())} if found else {}),
        }

    def __repr__(self) -> str:
        classes = f", {how_many(len(self.classes), 'classes')}" if isinstance(self.estimate, Classes) else ""
        return f"Result({self.method.name}: {how_many(len(self.items), 'items')}{classes})"


def load(path: str | Path) -> Result:
    """Read a result that `Result.save` wrote."""
    arrays, header = read_arrays(path, "a saved result")
    if "format" not in header or "method" not in header:
        raise InputError(f"{path} is not a saved result")
    if header["format"] != FORMAT:
        raise InputError(f"{path} has format {header['format']}; this version reads {FORMAT}")
    options = {name: tuple(value) if isinstance(value, list) else value for name, value in header["options"].items()}

    def group(name: str) -> dict[str, Array]:
        return {key.partition(".")[2]: value for key, value in arrays.items() if key.startswith(f"{name}.")}

    def unpacked(prefix: str) -> dict[str, Array]:
        names = {name.removesuffix("_text").removesuffix("_ends").removesuffix("_json") for name in group(prefix)}
        return {name: unpack(f"{prefix}.{name}", arrays) for name in names}

    method = make(header["method"], **options)
    votes, gold = header.get("votes"), unpacked("gold")
    keys = header["keys"]
    return Result(
        method=method,
        estimate=method.gives.unpack(unpacked("estimate")),
        items=unpack("items", arrays),
        annotators=unpack("annotators", arrays),
        params=group("params"),
        statistics=group("statistics"),
        trace=tuple(header["trace"]),
        converged=header["converged"],
        notes=tuple(header["notes"]),
        keys=None if keys is None else Table({name: unpack(f"keys.{name}", arrays) for name in keys}),
        votes=None if votes is None else method.takes.unpacked(unpacked("votes"), votes["keyed_by"]),
        gold=dict(zip(gold["items"].tolist(), gold["labels"].tolist(), strict=True)) if gold else {},
        settled=header.get("settled", False),
        primed=header.get("primed", False),
        frame=header.get("frame", "pyarrow"),
    )
