"""History: what earlier projects tell of annotators, kept in a file, for projects of the same task."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..engine import bind
from ..errors import InputError, OptionError, how_many
from ..files import whole_file
from ..fit.em import EM
from ..fit.estimates import Classes
from ..fit.result import Result
from ..methods import METHODS, make
from ..votes.codes import Array, find, names_array, shown
from ..votes.crowd import Crowd
from ..votes.table import Table

STRENGTH = 20.0  # votes that an annotator's own history counts, in each row
STRANGER = 4.0  # votes that the population's counts, of annotators without a history
POOLED = 10.0  # votes by which a history is drawn to the population's
COUNTING = ("dawid-skene", "ibcc")  # methods whose sums are a matrix for each annotator
FORMAT = "crowdwise annotator history 1"


class Record(NamedTuple):
    """What one project tells of one annotator: expected counts, (true, given), of its classes; and where it is from."""

    annotator: str
    task: str
    source: str
    classes: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class History:
    """Annotators in earlier projects: one record for each annotator, task and project. Never changed: `add` gives more.

    What is known of somebody in one task says little of another one, and may mislead: histories are used for the task
    that is named, and for no other.

    >>> from crowdwise import DawidSkene, simulate
    >>> people = simulate.one_coin(10, 2, np.linspace(0.55, 0.95, 10))
    >>> old = simulate.crowd(people, n_items=500, per_item=5, seed=0)
    >>> history = History().add(DawidSkene().fit(old.crowd), task="mood", source="spring")
    >>> new = simulate.crowd(people, n_items=20, per_item=5, seed=1)
    >>> result = history.fit(new.crowd, task="mood")
    >>> result.notes[-1]
    'the history of 10 annotators in 1 project of this task counts 20 votes for each class'
    """

    records: Mapping[tuple[str, str, str], Record] = field(default_factory=dict)

    # -- what is kept -----------------------------------------------------------------------------------------------

    def add(self, result: Result, *, task: str, source: str) -> History:
        """With what a result tells of its annotators. task: what was asked; source: which project, so that adding it
        again replaces what was there."""
        if not task or not source:
            raise OptionError("task and source need names: a history is used for its task only")
        if not isinstance(result.votes, Crowd):
            raise InputError("this result does not hold votes that name classes: fit them again")
        crowd, posterior = result.on(result.votes)
        counts = bind(crowd).confusion_counts(posterior)
        classes = tuple(str(name) for name in result.classes.tolist())
        more = {}
        for place in np.flatnonzero(counts.sum(axis=(1, 2)) > 0.0).tolist():
            name = str(crowd.annotators[place])
            rows = tuple(tuple(round(cell, 4) for cell in row) for row in counts[place].tolist())
            more[name, task, source] = Record(name, task, source, classes, rows)
        return History({**self.records, **more})

    def merge(self, other: History) -> History:
        """Both; of a project that both know, what the other says."""
        return History({**self.records, **other.records})

    def to_table(self) -> Table:
        """One row per record: annotator, task, source, votes, right (share of votes on the diagonal)."""
        rows = [
            (one.annotator, one.task, one.source, float(np.sum(one.counts)), float(np.trace(np.array(one.counts))))
            for one in self.records.values()
        ]
        columns: list[Any] = list(zip(*rows, strict=True)) if rows else [()] * 5
        names, votes = [names_array(list(column)) for column in columns[:3]], np.array(columns[3], float)
        right = np.array(columns[4], float) / np.maximum(votes, 1e-300)
        return Table({"annotator": names[0], "task": names[1], "source": names[2], "votes": votes, "right": right})

    def save(self, path: str | Path) -> None:
        """Write everything as JSON."""
        content = {"format": FORMAT, "records": [record._asdict() for record in self.records.values()]}
        with whole_file(path) as file:
            file.write(json.dumps(content, ensure_ascii=False).encode())

    @classmethod
    def load(cls, path: str | Path) -> History:
        """Read what `save` wrote."""
        try:
            content = json.loads(Path(path).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"{path} cannot be read as a history: {error}") from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise InputError(f"{path} is no history of annotators")
        try:
            made = [
                Record(r["annotator"], r["task"], r["source"], tuple(r["classes"]), tuple(map(tuple, r["counts"])))
                for r in content["records"]
            ]
        except (KeyError, TypeError) as error:
            raise InputError(f"{path}: a record of this history is damaged ({error})") from error
        return cls({(one.annotator, one.task, one.source): one for one in made})

    # -- what it is for ---------------------------------------------------------------------------------------------

    def fit(self, crowd: Any, *, task: str, method: str = "ibcc", strength: float = STRENGTH, **how: Any) -> Result:
        r"""A fit in which earlier projects of the same task count as votes: annotator j's rows are drawn to

        .. math:: A_j \sim \mathrm{Dirichlet}(c H_j), \qquad H_j = \frac{n_j + s P}{|n_j| + s}

        :math:`n_j` being their counts there and P everybody's. c: `strength`. Annotators without a history are drawn to
        P, by four votes. method: dawid-skene or ibcc, or another that counts confusion matrices. Projects of other
        tasks are not asked.
        """
        if not 0.0 < strength < np.inf:
            raise OptionError(f"strength={strength} must be above 0")
        crowd = Crowd.of(crowd)
        if METHODS[method].takes != "classes" or method not in COUNTING:
            raise OptionError(f"method {method!r} keeps no confusion matrices that a history could count in")
        model: Any = make(method, history=1.0)
        there = list(self._of_task(task, crowd))
        if not there:
            tasks = ", ".join(sorted({one.task for one in self.records.values()})) or "none"
            raise OptionError(f"task {task!r}: the history has nothing of it; the tasks that it knows: {tasks}")
        counts, known = self._counts(there, crowd)
        if not known.any():
            first = shown(crowd.annotators[0])
            raise InputError(f"nobody in these votes, such as {first}, is in the history of task {task!r}")
        everybody = counts.sum(axis=0) + np.eye(crowd.n_classes) + 0.5
        everybody /= everybody.sum(axis=1, keepdims=True)
        usual = (counts + POOLED * everybody) / (counts.sum(axis=2, keepdims=True) + POOLED)
        past = np.where(known[:, None, None], strength * usual, STRANGER * everybody)
        start = _as_start(replace(model, history=0.0), crowd, past)
        result = model.fit(crowd, start=start, **how)
        people = how_many(int(known.sum()), "annotators")
        projects = how_many(len({one.source for one in there}), "projects")
        said = f"the history of {people} in {projects} of this task counts {strength:g} votes for each class"
        return replace(result, votes=crowd, notes=(*result.notes, said))

    def _of_task(self, task: str, crowd: Crowd) -> Iterator[Record]:
        classes = {str(name) for name in crowd.classes.tolist()}
        for one in self.records.values():
            if one.task == task:
                if not classes & set(one.classes):
                    raise InputError(
                        f"task {task!r}: project {shown(one.source)} has the classes {', '.join(one.classes[:5])}, and "
                        f"these votes {', '.join(sorted(classes)[:5])}"
                    )
                yield one

    def _counts(self, records: list[Record], crowd: Crowd) -> tuple[Array, Array]:
        """Counts of each annotator of a crowd on its classes, and of whom there are any."""
        counts, known = np.zeros((crowd.n_annotators, *2 * (crowd.n_classes,))), np.zeros(crowd.n_annotators, bool)
        people = names_array([str(name) for name in crowd.annotators.tolist()])
        classes = names_array([str(name) for name in crowd.classes.tolist()])
        place = np.asarray(find(names_array([one.annotator for one in records]), people), np.int64)
        for j, one in zip(place.tolist(), records, strict=True):
            at = np.asarray(find(names_array(list(one.classes)), classes), np.int64)
            if j >= 0:
                rows = np.array(one.counts)[at >= 0][:, at >= 0]
                counts[np.ix_([j], at[at >= 0], at[at >= 0])] += rows
                known[j] = True
        return counts, known


def _as_start(method: EM, crowd: Crowd, past: Array) -> Result:
    """A result whose sums are an annotator's history, and which knows nothing else."""
    k = crowd.n_classes
    first = method.fit(crowd)  # its parameters, of which those of the annotators are replaced by their history
    params = dict(first.params)
    for name in ("confusion", "confusion_votes"):
        if name in params:
            rows = past if name == "confusion_votes" else past / past.sum(axis=2, keepdims=True)
            params[name] = rows
    statistics = {name: np.zeros_like(value) for name, value in first.statistics.items()} | {"counts": past}
    nobody = Classes(np.zeros((0, k)), crowd.classes, np.zeros(0, np.int64))
    return replace(
        first, estimate=nobody, items=crowd.items[:0], params={**params, "votes": past.sum(axis=(1, 2))},
        statistics=statistics, votes=None, trace=(),
    )  # fmt: skip
