"""Online EM with forgetting: sums that follow annotators who change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..errors import InputError
from ..votes.codes import Array, shown

POWER = 0.6  # the tutorial's schedule: a vote counts t^-0.6


class StreamEM:
    r"""Expectation maximisation vote by vote (Traganitis, Pagès-Zamora & Giannakis 2020).

    When item i gets a vote l of annotator j, its posterior is made anew, and

    .. math::
        S_j \leftarrow (1 - \gamma_t) S_j + \gamma_t \, q_i \otimes 1_l, \qquad \gamma_t = (t + 1)^{-0.6}

    t counts votes; the prior came before the first, and is not forgotten at once. What came early is forgotten, so that
    it follows drift; where nobody changes, plain sums (`rate=None`) are better, and a refit of all votes (`Online`)
    better still. The answer depends on the order of votes: that is its nature.

    rate: gamma of the number of votes so far. prior: votes for right answers and for wrong ones in each row.

    >>> stream = StreamEM(["cat", "dog"])
    >>> stream.vote("photo 1", "ann", "cat").round(2).tolist()
    [0.7, 0.3]
    """

    def __init__(
        self, classes: Iterable[Any], *, rate: Callable[[int], float] | None = lambda t: float(t) ** -POWER,
        prior: tuple[float, float] = (0.7, 0.3),
    ):  # fmt: skip
        self.classes = list(classes)
        if len(self.classes) < 1 or len(set(self.classes)) < len(self.classes):
            raise InputError("classes are different names, at least one")
        if not (prior[0] > 0.0 and prior[1] > 0.0):
            raise InputError(f"prior={prior}: two numbers above 0 are needed")
        k = len(self.classes)
        self._start = np.where(np.eye(k, dtype=bool), prior[0], prior[1] / max(k - 1, 1))
        self.rate, self.sums, self.mass, self.n_votes = rate, dict[Any, Array](), np.ones(k) / k, 0
        self._votes: dict[Any, list[tuple[Any, int]]] = {}

    def vote(self, item: Any, annotator: Any, label: Any) -> Array:
        """One vote; gives the item's classes by what is believed now."""
        if label not in self.classes:
            raise InputError(f"{shown(label)} is none of the classes {', '.join(map(str, self.classes))}")
        self.n_votes += 1
        code = self.classes.index(label)
        self._votes.setdefault(item, []).append((annotator, code))
        self.sums.setdefault(annotator, self._start.copy())
        q = self.posterior(item)
        said = np.outer(q, np.eye(len(self.classes))[code])
        if self.rate is None:
            self.sums[annotator] += said
            self.mass += q
        else:
            gamma = min(self.rate(self.n_votes + 1), 1.0)
            self.sums[annotator] = (1.0 - gamma) * self.sums[annotator] + gamma * said
            self.mass = (1.0 - gamma) * self.mass + gamma * q
        return q

    def posterior(self, item: Any) -> Array:
        """The classes of an item by all its votes."""
        log = np.log(self.mass / self.mass.sum())
        for annotator, code in self._votes.get(item, ()):
            rows = self.sums[annotator] + 1e-9
            log = log + np.log(rows[:, code] / rows.sum(axis=1))
        chance = np.exp(log - log.max())
        return np.asarray(chance / chance.sum())

    def labels(self) -> dict[Any, Any]:
        """The label of every item that has a vote."""
        return {item: self.classes[int(self.posterior(item).argmax())] for item in self._votes}
