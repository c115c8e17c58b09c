"""Can this crowd be understood at all? What the votes can tell about annotators and classes, and what they cannot.

Votes alone identify Dawid and Skene's model, up to the names of the classes, if annotators overlap, if three of them
can tell the classes apart (tensors are unique then), or if the labels they give are scattered well enough for pairs to
do (class experts are the best case). Names need one more thing: that most votes are right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine import bind
from ...errors import InputError
from ...fit.result import Result
from ...methods import make
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.table import Table
from .co_labelling import CoLabelling, crossed, triples, whoever
from .findings import judge
from .scatter import scatter


@dataclass(frozen=True, eq=False)
class Identification:
    """What a crowd's votes can tell.

    verdict: "yes", "partly" or "no"; findings: why, in plain sentences, the gravest first. numbers: what was counted.
    annotators: a row each, the least known first; classes: a row each, with the nearest to a class expert; confusable:
    pairs of classes, the hardest first; wanted: which votes would help most.
    """

    verdict: str
    findings: tuple[str, ...]
    numbers: dict[str, Any]
    annotators: Table
    classes: Table
    confusable: Table
    wanted: Table


def identify(votes: Any, result: Result | None = None, *, enough: int = 20, engine: str = "auto") -> Identification:
    """Whether the annotators and classes of a crowd can be known from its votes.

    `result` is a fit of any method (Dawid-Skene's, unless given), whose posterior tells how annotators err. `enough`:
    shared items from which a pair of annotators is known, to a tenth or so, and votes from which one is.

    >>> from crowdwise import simulate
    >>> made = simulate.crowd(simulate.one_coin(10, 3, 0.8), n_items=300, per_item=5, seed=0)
    >>> found = identify(made.crowd)
    >>> found.verdict, found.numbers["components"]
    ('yes', 1)
    """
    crowd = Crowd.of(votes)
    if enough < 1:
        raise InputError(f"enough={enough} must be at least 1")
    if result is None:
        result = make("dawid-skene").fit(crowd, engine=engine)
    crowd = crowd.subset(annotators=crowd.annotators[np.unique(crowd.annotator)]).with_classes(result.classes)
    there = whoever(crowd, engine)
    graph, checked = CoLabelling.of(there), crossed(there)
    confusion, met, heard = _confusion(crowd, result, engine)
    annotators = _annotators(crowd, graph, checked, confusion, met, enough)
    classes, scattered = _classes(crowd, heard, confusion, met, enough)
    confusable = _confusable(crowd, heard, confusion, met)
    known_triples, among = triples(there, enough)
    agreement, by_chance, z = _agreement(crowd, engine)
    numbers = {
        "annotators": crowd.n_annotators,
        "classes": heard.size,
        "components": int(graph.component.max(initial=0)) + 1,
        "pairs_that_share": len(graph.shared),
        "pairs_with_enough": int((graph.shared >= enough).sum()),
        "triples_with_enough": known_triples,
        "annotators_in_triples": among,
        "bridges": len(graph.bridges),
        "full_rank": int(((annotators["rank"] == heard.size) & (there.given[:, 0] >= enough)).sum()),
        "scatter": scattered,
        "agreement": agreement,
        "by_chance": by_chance,
        "agreement_z": z,
    }
    verdict, findings = judge(numbers, annotators, classes, confusable, enough)
    order = np.lexsort((annotators["votes"], annotators["crossed"], -annotators["component"]))
    return Identification(
        verdict=verdict,
        findings=findings,
        numbers=numbers,
        annotators=annotators.take(order),
        classes=classes,
        confusable=confusable,
        wanted=_wanted(crowd, graph.component, checked, enough),
    )


# -- what is there ------------------------------------------------------------------------------------------------


def _agreement(crowd: Crowd, engine: str) -> tuple[float, float, float]:
    """How often two votes on an item agree, how often they would by chance, and the difference in standard errors."""
    ops = bind(crowd, engine)
    met, n_classes = ops.tuples(2), crowd.n_classes
    total = float(met.often.sum())
    if not total:
        return float("nan"), float("nan"), 0.0
    usual = ops.given / np.maximum(ops.given.sum(axis=1, keepdims=True), 1e-300)
    first, second = met.cells.T // n_classes
    expected = sum(share[first] * share[second] for share in usual.T)  # that both name the same class
    agrees = met.cells[:, 0] % n_classes == met.cells[:, 1] % n_classes
    agreement, by_chance = float((met.often * agrees).sum()) / total, float((met.often * expected).sum()) / total
    spread = float((met.often * expected * (1.0 - expected)).sum())
    return agreement, by_chance, (agreement - by_chance) * total / max(spread, 1e-300) ** 0.5


def _confusion(crowd: Crowd, result: Result, engine: str) -> tuple[Array, Array, Array]:
    """Confusion matrices by the result's posterior, expected votes a class, and the classes that are there."""
    counts = bind(crowd, engine).confusion_counts(np.asarray(result.posterior_of(crowd, _even(crowd)), float))
    there = counts.sum(axis=(0, 2)) + counts.sum(axis=(0, 1))
    heard = np.flatnonzero(there > 1e-6 * there.sum())
    counts = counts[:, heard][:, :, heard]
    crowds = counts.sum(axis=0) + 1.0 / heard.size
    counts = counts + crowds / crowds.sum(axis=1, keepdims=True)  # one vote's worth of what the crowd does
    met = counts.sum(axis=2)
    return counts / met[:, :, None], met, heard


def _even(crowd: Crowd) -> Array:
    return np.full((1, crowd.n_classes), 1.0 / crowd.n_classes)


def _annotators(crowd: Crowd, graph: CoLabelling, checked: Array, confusion: Array, met: Array, enough: int) -> Table:
    votes, n_classes = crowd.annotator_weight(), met.shape[1]
    heard = np.flatnonzero(votes >= n_classes)  # of the others no matrix is known: fewer votes than it has rows
    singular = np.linalg.svd(confusion[heard], compute_uv=False)
    table, rows = confusion[heard], met[heard, :, None]
    noise = np.sqrt((table * (1.0 - table) / rows).sum(axis=(1, 2)))  # expected error, Frobenius
    rank, condition = np.zeros(len(votes), np.int64), np.full(len(votes), np.inf)
    rank[heard] = (singular > noise[:, None]).sum(axis=1)
    condition[heard] = singular[:, 0] / np.maximum(singular[:, -1], 1e-12)
    columns = {
        "annotator": crowd.annotators,
        "votes": votes if crowd.weight is not None else votes.astype(np.int64),
        "crossed": checked,
        "partners": graph.partners(),
        "close_partners": graph.partners(enough),
        "component": graph.component,
        "cut": graph.cuts,
        "rank": rank,
        "condition": condition,
    }
    return Table(columns)


def _classes(crowd: Crowd, heard: Array, confusion: Array, met: Array, enough: int) -> tuple[Table, float]:
    """For each class the label that is given for it most exclusively; and how well the labels are scattered."""
    n, n_classes = len(confusion), heard.size
    given = np.einsum("jk,jkl->jl", met, confusion)
    usable = np.flatnonzero(given.ravel() >= enough)
    rows = confusion.transpose(0, 2, 1).reshape(n * n_classes, n_classes)[usable]  # (labels of annotators, true)
    rows = rows / rows.sum(axis=1, keepdims=True)
    share = met.sum(axis=0) / met.sum()
    columns: dict[str, Array] = {"class": crowd.classes[heard], "share": share}
    if usable.size:
        best = rows.argmax(axis=0)
        annotator, label = np.divmod(usable[best], n_classes)
        columns |= {
            "purity": rows[best, np.arange(n_classes)],
            "annotator": crowd.annotators[annotator],
            "label": crowd.classes[heard[label]],
        }
    else:
        columns["purity"] = np.full(n_classes, np.nan)
    return Table(columns), scatter(rows) if usable.size else float("nan")


def _confusable(crowd: Crowd, heard: Array, confusion: Array, met: Array) -> Table:
    """Pairs of classes: the chance to mistake one for the other, and what more votes an item would change."""
    first, second = np.triu_indices(heard.size, 1)
    root = np.sqrt(confusion)
    overlap = (root @ root.transpose(0, 2, 1))[:, first, second]  # Bhattacharyya, (annotators, pairs)
    weight = met.sum(axis=1) / met.sum()
    told = -(weight[:, None] * np.log(np.maximum(overlap, 1e-12))).sum(axis=0)  # nats a vote
    an_item = crowd.n_votes / max(np.unique(crowd.item).size, 1)
    trace = np.einsum("j,jkl->kl", weight, confusion)
    named = (trace[first, first] + trace[second, second] - trace[first, second] - trace[second, first]) / 2.0
    columns = {
        "class": crowd.classes[heard[first]],
        "other": crowd.classes[heard[second]],
        "mistaken": 0.5 * np.exp(-told * an_item),
        "votes_needed": np.ceil(-np.log(0.1) / np.maximum(told, 1e-9)).astype(np.int64),  # for one mistake in twenty
        "named": named,
    }
    order = np.argsort(-columns["mistaken"], kind="stable")
    return Table(columns).take(order)


def _wanted(crowd: Crowd, component: Array, checked: Array, enough: int) -> Table:
    """Who should vote on whose items, and how often, for everybody to be known; least effort first."""
    votes = crowd.annotator_weight()
    outside = component > 0
    lacking = np.flatnonzero((votes > 0.0) & ((checked < enough) | outside))
    more = np.where(outside, enough, enough - checked)[lacking]
    lacking, more = (each[np.argsort(more, kind="stable")] for each in (lacking, more))
    # of the largest component, where it has three; two others are wanted
    busiest = np.lexsort((-votes, component if (component == 0).sum() >= 3 else np.zeros(votes.size)))[:3]
    if busiest.size < 3:
        lacking, more = lacking[:0], more[:0]
    beside = np.tile(busiest, (lacking.size, 1))
    same = beside == lacking[:, None]
    beside = np.take_along_axis(beside, np.argsort(same, axis=1, kind="stable"), axis=1)
    columns = {"annotator": lacking, **({"beside": beside[:, 0], "and": beside[:, 1]} if busiest.size == 3 else {})}
    return Table({**{name: crowd.annotators[code] for name, code in columns.items()}, "votes": more})
