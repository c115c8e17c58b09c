"""Result: what a method found. Posterior, labels, parameters, trace; and predictions for new votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .codes import Array, find
from .crowd import Crowd
from .engine import bind
from .gold import log_item_prior
from .params import Names, Params, carry
from .table import Table

if TYPE_CHECKING:
    from .base import Aggregator


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result:
    """What a method found in a crowd.

    `posterior[i, k]` is the probability that class k is true of item i. `params` holds the fitted parameters by name
    ("prior", "confusion", "accuracy" ...; axes in the order annotators, true, given), `statistics` the sums that they
    were estimated from, `trace` the objective after each step, `notes` what the method has to say about its choices.
    """

    method: Aggregator
    posterior: Array
    items: Array
    annotators: Array
    classes: Array
    params: Params
    statistics: Params
    trace: tuple[float, ...] = ()
    converged: bool = True
    notes: tuple[str, ...] = ()

    @cached_property
    def label_codes(self) -> Array:
        """The most probable class of each item, as a code; ties as the method decides them (first class first)."""
        return self.method.decide(self.posterior)

    @property
    def labels(self) -> Array:
        """The most probable class of each item, in the order of `items`."""
        return self.classes[self.label_codes]

    @property
    def confidence(self) -> Array:
        """The probability of each item's label."""
        return self.posterior[np.arange(len(self.items)), self.label_codes]

    def label_of(self, item: Any) -> Any:
        """The label of one item, by name."""
        return self.labels[self.items.tolist().index(item)]

    def predict(self, crowd: Any, *, gold: Any = None, item_prior: Any = None, engine: str = "auto") -> Result:
        """Labels of new items from votes of known annotators, without a refit.

        An annotator who was not there gets the population's parameters; a class that was not there is an error.
        """
        from .base import as_crowd

        crowd = as_crowd(crowd).with_classes(self.classes)
        params = self.params_on(crowd)
        log_item = log_item_prior(crowd, gold, item_prior)
        ops = bind(self.weighted(crowd, params), engine, self.method.load)
        posterior = self.method.infer(ops, params, log_item)
        params = {**params, **self.method.local(ops, params, log_item)}
        return replace(
            self, posterior=posterior, items=crowd.items, annotators=crowd.annotators, params=params, statistics={},
            trace=(),
        )  # fmt: skip

    def weighted(self, crowd: Crowd, params: Params | None = None) -> Crowd:
        """The crowd with its votes shared among annotators who err together, where the method weighs them so."""
        if self.method.weights != "groups":
            return crowd
        params = self.params_on(crowd) if params is None else params
        from .dependence import share_votes

        return share_votes(crowd, params["group"])

    @property
    def names(self) -> Names:
        """The names behind the axes of `params`."""
        return Names(self.annotators, self.classes)

    def to_table(self) -> Table:
        """A row an item: item, label, confidence."""
        return Table({"item": self.items, "label": self.labels, "confidence": self.confidence})

    def to_frame(self, backend: str = "pyarrow") -> Any:
        """`to_table` as a "pyarrow", "pandas" or "polars" frame."""
        return self.to_table().to_frame(backend)

    def save(self, path: str | Path) -> None:
        """Write everything to one .npz file (arrays and JSON, no pickle); `crowdwise.load` reads it back."""
        from .saving import save

        save(self, path)

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
        from .base import as_crowd

        crowd = as_crowd(crowd).counted().with_names(annotators=self.annotators).with_classes(self.classes)
        return crowd, np.asarray(self.posterior_of(crowd, np.full((1, crowd.n_classes), 1.0 / crowd.n_classes)), float)

    def labels_on(self, crowd: Crowd, posterior: Array) -> Array:
        """Class codes of a crowd's items: this result's labels; the most probable class where it has none."""
        row = find(crowd.items, self.items)
        code = find(self.classes, crowd.classes)[self.label_codes[np.maximum(row, 0)]]
        return np.where((row >= 0) & (code >= 0), code, posterior.argmax(axis=1))

    def params_on(self, crowd: Crowd) -> Params:
        """Parameters on a crowd's annotators and classes; those of a stranger are the population's."""
        return carry(self.params, self.names, Names(crowd.annotators, crowd.classes), fill="population")

    def summary(self) -> Mapping[str, Any]:
        """Method, sizes and how the fit ended."""
        return {
            "method": self.method.name,
            "items": len(self.items),
            "annotators": len(self.annotators),
            "classes": len(self.classes),
            "steps": len(self.trace),
            "converged": self.converged,
            "mean confidence": float(self.confidence.mean()),
        }

    def __repr__(self) -> str:
        return f"Result({self.method.name}: {len(self.items)} items, {len(self.classes)} classes)"
