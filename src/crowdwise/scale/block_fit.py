"""Fits that stream over blocks: the loop of every method whose sums add, in bounded memory; and updates."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, OptionError
from ..fit.climb import Climb, Sweep, race
from ..fit.climber import Part
from ..fit.em import EM
from ..fit.method import Watch
from ..fit.params import Names, Params, carry
from ..fit.result import Result
from ..methods import make
from ..methods.classes.auto import Auto
from ..methods.classes.strangers import supported
from ..votes.codes import Array
from ..votes.table import Table
from .block_keeping import Kept, climb_of, digest
from .block_labels import new_folder, write_labels
from .blocks import Blocks, Parts
from .committee import asked_in_a_sample, carried, joined, members_of, weight_of, write_weights

KEPT = "fit.npz"
Callback = Callable[[int, float], object]


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a method found in blocks: parameters, sums and trace in memory; labels and posteriors as Parquet, if asked.

    labels: the folder of item, label and confidence (and the posterior), a file for each block; None where nothing was
    written. strangers: what strangers' votes are worth, where nobody is to be surer than votes support. notes: what was
    found out about the votes.
    """

    method: Any
    blocks: Blocks
    params: Params
    statistics: Params
    trace: tuple[float, ...]
    converged: bool
    labels: Path | None = None
    gold: Mapping[Any, Any] | None = None
    strangers: Array | None = None
    notes: tuple[str, ...] = ()

    def annotators(self) -> Table:
        """One row per annotator: votes, how many of them are right as far as the method knows, and the share."""
        given = self.blocks.given
        if not self.statistics:
            raise InputError(f"{self.method.name} has no sums of its own: fit one of its members, such as ibcc")
        counts = self.statistics.get("counts")
        of_states = counts is not None and counts.shape[1] != counts.shape[2]
        if of_states or (counts is None and "agree" not in self.statistics):
            raise InputError(f"{self.method.name} has sums of another kind: they tell no share of right votes")
        agree = np.einsum("jkk->j", counts) if counts is not None else self.statistics["agree"].sum(axis=1)
        votes = given.sum(axis=1)
        share = agree / np.maximum(votes, 1e-300)
        order = np.argsort(share, kind="stable")
        columns = {
            "annotator": self.blocks.annotators,
            "votes": votes.astype(np.int64),
            "right": agree,
            "accuracy": share,
        }
        return Table(columns).take(order)

    def posterior_of(self, block: int) -> Array:
        """The posterior of a block's items, (items, classes)."""
        shared = None if "group" not in self.params else weight_of(self.blocks, block, self.params["group"])
        part = self._parts[block]
        if shared is not None:
            part = self.blocks.parts(some=[block], known=self.gold, weights={block: shared})[0]
        return self.believed(part)

    @cached_property
    def _parts(self) -> Parts:
        """All blocks: gold is looked for in them once."""
        return self.blocks.parts(known=self.gold)

    def believed(self, part: Part[Any]) -> Array:
        """The posterior of a part's items, no surer than the votes support where that is asked for."""
        found = np.asarray(self.method.infer(part.ops, self.params, part.known))
        if self.strangers is None:
            return found
        heard = self.blocks.given.sum(axis=1).astype(np.int64)
        return supported(part.ops, found, self.strangers, heard, part.known)

    def save(self, path: str | Path) -> None:
        """Keep parameters, sums, trace and gold, for `update` and for fits of more."""
        beside = {} if self.strangers is None else {"strangers": self.strangers}
        of = self.blocks.parts().fingerprint
        Kept(self.method, self.params, self.statistics, self.trace, self.converged, of, self.gold, beside=beside).save(
            Path(path)
        )

    @classmethod
    def load(cls, path: str | Path, blocks: Blocks) -> Fitted:
        """Read what `save` wrote, for the blocks that it was fitted to."""
        kept = Kept.load(Path(path))
        if kept.of and kept.of != blocks.parts().fingerprint:
            raise InputError(f"{path} is a fit to other votes")
        return cls(
            kept.method, blocks, kept.params, kept.sums, tuple(kept.trace), kept.converged, gold=kept.gold,
            strangers=kept.beside.get("strangers"),
        )  # fmt: skip


def fit(
    method: Any,
    blocks: Blocks,
    *,
    gold: Mapping[Any, Any] | None = None,
    out: str | Path | None = None,
    posterior: bool = False,
    checkpoint: str | Path | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
) -> Fitted:
    """Fit a method whose sums add to votes on disk: the trace of the same fit in memory, one block at a time.

    method: a name, or a method with options; "auto" asks a sample of a million votes who errs together and who decides.
    gold: known labels by item. out: a folder for the labels, a Parquet file for each block; with `posterior` also the
    probability of each class. checkpoint: a folder in which the fit is kept while it lasts; a fit that was stopped goes
    on from there. Methods that need all votes at once refuse, and say why.
    """
    model: Any = make(method) if isinstance(method, str) else method
    require_additive(model)
    if out is not None:
        new_folder(Path(out))
    known = blocks.parts(known=gold).gold
    folder = None if checkpoint is None else Path(checkpoint)
    with fitting(model, blocks, known, folder, threads, callback) as (done, parts):
        return finished(done, parts, out, posterior)


def require_additive(model: Any) -> None:
    """A method that runs on blocks, or an error that says why it does not."""
    if isinstance(model, Auto):
        return
    if not isinstance(model, EM):
        name = getattr(model, "name", str(model))
        raise OptionError(
            f"{name} does not run on blocks: choose dawid-skene, ibcc, ebcc, community-bcc, one-coin, mace ..."
        )
    if model.whole or model.structure != "independent" or model.weights != "given":
        why = model.whole or "votes of a chain, a graph or of groups are not cut"
        raise OptionError(f"{model.name} needs all votes at once: {why}")


@contextmanager
def fitting(
    model: Any,
    blocks: Blocks,
    gold: Mapping[Any, Any] | None,
    checkpoint: Path | None,
    threads: int | None,
    callback: Callback | None,
    start: Result | None = None,
) -> Iterator[tuple[Fitted, Parts]]:
    """What a method finds, and the parts whose labels may be asked for as long as this lasts.

    start: a result of the same method for some of the votes, to climb from.
    """
    if isinstance(model, Auto):
        with _committee(model, blocks, gold, checkpoint, threads, callback, start) as found:
            yield found
        return
    parts = blocks.parts(threads, gold)
    best = _climbed(model, parts, checkpoint, callback, start)
    params = {**best.params, **model.derived(best.params)}
    params["votes"] = blocks.given.sum(axis=1)
    yield Fitted(model, blocks, params, best.sums, tuple(best.trace), best.converged, gold=gold), parts


def finished(done: Fitted, parts: Parts, out: str | Path | None, posterior: bool) -> Fitted:
    """The same with its labels written, if they are asked for."""
    if out is None:
        return done
    write_labels(done.believed, parts, Path(out), posterior)
    return replace(done, labels=Path(out))


@contextmanager
def _committee(
    model: Auto,
    blocks: Blocks,
    gold: Any,
    checkpoint: Path | None,
    threads: int | None,
    callback: Callback | None,
    start: Result | None,
) -> Iterator[tuple[Fitted, Parts]]:
    """The default: groups, and who decides, from a sample of a million votes; its members fitted to all, without gold,
    which teaches what they are worth."""
    asked = carried(start or asked_in_a_sample(blocks, model.seed), blocks)
    with tempfile.TemporaryDirectory(prefix="weights-", dir=blocks.folder) as folder:
        weights = write_weights(blocks, np.asarray(asked["group"]), Path(folder))
        parts, members, trace, ended = blocks.parts(threads, weights=weights), {}, [], []
        for name in members_of(asked):
            member: Any = make(name, seed=model.seed)
            best = _climbed(member, parts, None if checkpoint is None else checkpoint / name, callback, None)
            members[name] = {**best.params, **member.derived(best.params)}
            trace.append(best.trace[-1])
            ended.append(best.converged)
        params = joined(members, asked, blocks)
        done = Fitted(model, blocks, params, {}, tuple(trace), all(ended), gold=gold)
        yield done, blocks.parts(threads, gold, weights=weights)


def _climbed(
    model: EM, parts: Parts, checkpoint: Path | None, callback: Callback | None, start: Result | None
) -> Climb:
    sweep, begin = model.sweep_of(parts), model.begin(parts[0].ops)
    climbs, of = [], parts.fingerprint if start is None else f"{parts.fingerprint} {digest(start.params)}"
    for run in range(model.restarts if start is None else 1):
        first = partial(model.first_sums, parts, None, run) if start is None else partial(_sums_at, sweep, start, parts)
        file = None if checkpoint is None else checkpoint / (f"fit-{run}.npz" if run else KEPT)
        climbs.append(climb_of(model, sweep, first, begin, file, of))
    return race(climbs, model.max_iter, Watch(callback))


def _sums_at(sweep: Sweep, start: Result, parts: Parts) -> Params:
    """The sums under the parameters of a result of some of the votes."""
    return sweep(carried(start, parts.blocks))[0]


def update(
    fitted: Fitted,
    blocks: Blocks,
    new: Sequence[int],
    *,
    gold: Mapping[Any, Any] | None = None,
    sweeps: int = 2,
    full: int = 0,
    out: str | Path | None = None,
) -> Fitted:
    """New blocks of a packed folder (`append`), mostly without a look at the old ones: their sums stay as they were.

    A few sweeps over the new blocks, each with the sums of the old ones added, and labels of the new items. The labels
    of old items are those of before: all but near ties would be so in a fit of everything. full: as many sweeps over
    everything after, which bring near ties where a fit of everything has them; labels of all items are written then.
    gold: known labels of new items, beside those of before.
    """
    if not new:
        return fitted
    if len(fitted.blocks.sizes) + len(new) != len(blocks.sizes):
        raise InputError("these new blocks are not all that has come since the fit, or are in it already")
    model = fitted.method
    gold = {**(fitted.gold or {}), **(gold or {})} or None
    if not isinstance(model, EM):
        raise OptionError(f"{model.name} is not updated: fit one of its members, such as ibcc, and update that")
    if out is not None:
        new_folder(Path(out))
    parts = blocks.parts(some=new, known=gold)
    old, now = Names(fitted.blocks.annotators, fitted.blocks.classes), Names(blocks.annotators, blocks.classes)
    past = carry(fitted.statistics, old, now, fill="zero", axes_of=model.axes_of)
    params = carry(fitted.params, old, now, fill="population", axes_of=model.axes_of)
    statistics, trace = past, list(fitted.trace)

    def steps(over: Parts, beside: Params, n: int) -> None:
        nonlocal params, statistics
        sweep = model.sweep_of(over)
        for _ in range(n):
            sums, evidence = sweep(params)
            statistics = {name: value + beside[name] for name, value in sums.items()} if beside else sums
            found = model.maximise(statistics, params)
            params = {**found, **model.derived(found), "votes": blocks.given.sum(axis=1)}
            trace.append(evidence)

    steps(parts, past, max(sweeps, 1))
    if full:
        parts = blocks.parts(known=gold)
        steps(parts, {}, full)
    done = replace(
        fitted, blocks=blocks, params=params, statistics=statistics, trace=tuple(trace), gold=gold, labels=None
    )
    return finished(done, parts, out, posterior=False)
