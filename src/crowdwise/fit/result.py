"""Result: what a method found. An estimate for each item, parameters, trace; and predictions for new votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, how_many
from ..files import pack, read_arrays, unpack, write_arrays
from ..methods import make
from ..votes.codes import Array, find, names_array
from ..votes.crowd import Crowd
from ..votes.table import Table
from .estimates import ESTIMATES, Classes, Estimate
from .params import Names, Params, carry

if TYPE_CHECKING:
    from .method import Method

FORMAT = 2


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result:
    """What a method found in votes.

    `estimate` has one row per item: `Classes` for votes that name classes, of which `labels`, `confidence` and
    `posterior` are short names; `Values` or `Scores` for other kinds. `params` holds the fitted parameters by name
    ("prior", "confusion", "accuracy" ...; axes in the order annotators, true, given), `statistics` the sums that they
    were estimated from, `trace` the objective after each step, `notes` what the method has to say about its choices,
    `keys` what each item is where it is more than a name.
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
        place = int(find(names_array([item]), self.items)[0])
        if place < 0:
            raise InputError(f"item {item!r} is not in this result")
        return self.labels[place]

    def posterior_of(self, crowd: Crowd, default: Array) -> Array:
        """The posterior on a crowd's items and classes, by name; `default` where an item is not known here."""
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

    def predict(self, votes: Any, *, gold: Any = None, item_prior: Any = None, engine: str = "auto") -> Result:
        """What new votes of known annotators say, without a refit.

        An annotator who was not there gets the population's parameters; a class that was not there is an error.
        """
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
        )

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
        """One row per item: its name (and what it is, where that is more), and what was found of it."""
        keys = {} if self.keys is None else self.keys.columns
        return Table({"item": self.items, **keys, **self.estimate.columns()})

    def to_frame(self, backend: str = "pyarrow") -> Any:
        """`to_table` as a "pyarrow", "pandas" or "polars" frame."""
        return self.to_table().to_frame(backend)

    def save(self, path: str | Path) -> None:
        """Write everything to one .npz file (arrays and JSON, no pickle); `crowdwise.load` reads it back."""
        header = {
            "format": FORMAT,
            "method": self.method.name,
            "kind": self.estimate.kind,
            "options": self.method.options(),
            "trace": list(self.trace),
            "converged": self.converged,
            "notes": list(self.notes),
            "keys": None if self.keys is None else list(self.keys.columns),
        }
        arrays: dict[str, Array] = {}
        for group in ("params", "statistics"):
            arrays |= {f"{group}.{name}": value for name, value in getattr(self, group).items()}
        named = {f"estimate.{name}": value for name, value in self.estimate.pack().items()}
        named |= {} if self.keys is None else {f"keys.{name}": value for name, value in self.keys.columns.items()}
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

    found = {name.removesuffix("_text").removesuffix("_ends").removesuffix("_json") for name in group("estimate")}
    keys = header["keys"]
    return Result(
        method=make(header["method"], **options),
        estimate=ESTIMATES[header["kind"]].unpack({name: unpack(f"estimate.{name}", arrays) for name in found}),
        items=unpack("items", arrays),
        annotators=unpack("annotators", arrays),
        params=group("params"),
        statistics=group("statistics"),
        trace=tuple(header["trace"]),
        converged=header["converged"],
        notes=tuple(header["notes"]),
        keys=None if keys is None else Table({name: unpack(f"keys.{name}", arrays) for name in keys}),
    )
