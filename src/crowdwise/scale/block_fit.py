"""Fits that stream over blocks: the loop of every method whose sums add, in bounded memory; and updates."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.choice import first_of_tied
from ..errors import InputError, OptionError
from ..files import read_arrays, write_arrays
from ..fit.climb import Climb, race
from ..fit.em import EM
from ..fit.method import Watch
from ..fit.params import Names, Params, carry
from ..methods import make
from ..methods.classes.auto import Auto
from ..votes.codes import Array
from ..votes.table import Table
from .blocks import Blocks, Parts
from .committee import asked_in_a_sample, joined, members_of, write_weights

EVERY = 20.0  # seconds between two checkpoints
KEPT = "fit.npz"
Callback = Callable[[int, float], object]


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a method found in blocks: parameters, sums and trace in memory; labels and posteriors as Parquet, if asked.

    labels: the folder of item, label and confidence (and the posterior), a file for each block; None where nothing was
    written.
    """

    method: Any
    blocks: Blocks
    params: Params
    statistics: Params
    trace: tuple[float, ...]
    converged: bool
    labels: Path | None = None
    gold: Mapping[Any, Any] | None = None

    def annotators(self) -> Table:
        """One row per annotator: votes, how many of them are right as far as the method knows, and the share."""
        given = self.blocks.given
        if not self.statistics:
            raise InputError(f"{self.method.name} has no sums of its own: fit one of its members, such as ibcc")
        counts = self.statistics.get("counts")
        if counts is not None and counts.shape[1] != counts.shape[2]:
            raise InputError(f"{self.method.name} has states of its own: its sums tell no share of right votes")
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
        if isinstance(self.method, Auto) and (np.asarray(self.params.get("group", [-1])) >= 0).any():
            raise InputError("votes of groups were shared while this was fitted: read its labels, with posterior=True")
        part = self.blocks.parts(some=[block], known=self.gold)[0]
        return np.asarray(self.method.infer(part.ops, self.params, part.known))

    def save(self, path: str | Path) -> None:
        """Keep parameters, sums and trace, for `update` and for fits of more."""
        of = self.blocks.parts().fingerprint
        _save(Path(path), self.method, self.params, self.statistics, self.trace, self.converged, of)

    @classmethod
    def load(cls, path: str | Path, blocks: Blocks) -> Fitted:
        """Read what `save` wrote, for the blocks that it was fitted to."""
        method, params, statistics, trace, converged, of = _load(Path(path))
        if of and of != blocks.parts().fingerprint:
            raise InputError(f"{path} is a fit to other votes")
        return cls(method, blocks, params, statistics, trace, converged)


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
    on from there (of one climb: restarts begin anew). Methods that need all votes at once refuse, and say why.
    """
    model: Any = make(method) if isinstance(method, str) else method
    if isinstance(model, Auto):
        if checkpoint is not None:
            raise OptionError("auto keeps no checkpoint: fit one of its members, such as ibcc, where that is needed")
        return _auto(model, blocks, gold, out, posterior, threads, callback)
    if not isinstance(model, EM):
        name = getattr(model, "name", str(method))
        raise OptionError(
            f"{name} does not run on blocks: choose dawid-skene, ibcc, ebcc, community-bcc, one-coin, mace ..."
        )
    if model.whole or model.structure != "independent" or model.weights != "given":
        why = model.whole or "votes of a chain, a graph or of groups are not cut"
        raise OptionError(f"{model.name} needs all votes at once: {why}")
    target = None if out is None else _new_folder(Path(out))
    parts = blocks.parts(threads, gold)
    best = _climbed(model, parts, checkpoint, callback)
    params = {**best.params, **model.derived(best.params)}
    params["votes"] = blocks.given.sum(axis=1)
    done = Fitted(model, blocks, params, best.sums, tuple(best.trace), best.converged, gold=gold)
    if target is not None:
        write_labels(done, parts, target, posterior)
        done = replace(done, labels=target)
    return done


def _auto(
    model: Auto, blocks: Blocks, gold: Any, out: Any, posterior: bool, threads: int | None, callback: Callback | None
) -> Fitted:
    """The default: groups, and who decides, from a sample of a million votes; its members fitted to all."""
    target = None if out is None else _new_folder(Path(out))
    asked = asked_in_a_sample(blocks, model.seed)
    with tempfile.TemporaryDirectory(prefix="weights-", dir=blocks.folder) as folder:
        weights = write_weights(blocks, np.asarray(asked["group"]), Path(folder))
        parts, members, trace, ended = blocks.parts(threads, gold, weights=weights), {}, [], []
        for name in members_of(asked):
            member: Any = make(name, seed=model.seed)
            best = _climbed(member, parts, None, callback)
            members[name] = {**best.params, **member.derived(best.params)}
            trace.append(best.trace[-1])
            ended.append(best.converged)
        params = joined(members, asked, blocks)
        done = Fitted(model, blocks, params, {}, tuple(trace), all(ended), gold=gold)
        if target is not None:
            write_labels(done, parts, target, posterior)
            done = replace(done, labels=target)
    return done


def _climbed(model: EM, parts: Parts, checkpoint: str | Path | None, callback: Callback | None) -> Climb:
    sweep = model.sweep_of(parts)
    first = parts[0].ops
    watch, begin = Watch(callback), model.begin(first)
    file = None if checkpoint is None else Path(checkpoint) / KEPT
    if model.restarts > 1:
        climbs = [Climb(model, sweep, {}, model.first_sums(parts, None, run), begin) for run in range(model.restarts)]
        return race(climbs, model.max_iter, watch)
    if file is not None and file.is_file():
        before, params, sums, trace, converged, of = _load(file)
        if before != model or of != parts.fingerprint:
            raise InputError(
                f"{file} keeps a fit of {before.name} to other votes, or with other options: name another folder"
            )
        climb = Climb(model, sweep, {}, sums, params)
        climb.trace, climb.converged = list(trace), converged
    else:
        climb = Climb(model, sweep, {}, model.first_sums(parts, None, 0), begin)
    kept = time.monotonic()
    while len(climb.trace) < model.max_iter and not climb.converged:
        stopped = climb.advance(len(climb.trace) + 1, watch)
        if file is not None and (time.monotonic() - kept > EVERY or stopped or climb.converged):
            file.parent.mkdir(parents=True, exist_ok=True)
            _save(file, model, climb.params, climb.sums, tuple(climb.trace), climb.converged, parts.fingerprint)
            kept = time.monotonic()
        if stopped:
            break
    return climb


def update(
    fitted: Fitted, blocks: Blocks, new: Sequence[int], *, sweeps: int = 2, full: int = 0, out: str | Path | None = None
) -> Fitted:
    """New blocks of a packed folder (`append`), mostly without a look at the old ones: their sums stay as they were.

    A few sweeps over the new blocks, each with the sums of the old ones added, and labels of the new items. The labels
    of old items are those of before: all but near ties would be so in a fit of everything. full: as many sweeps over
    everything after, which bring near ties where a fit of everything has them; labels of all items are written then.
    """
    if not new:
        return fitted
    if len(fitted.blocks.sizes) + len(new) != len(blocks.sizes):
        raise InputError("these new blocks are not all that has come since the fit, or are in it already")
    model, gold = fitted.method, fitted.gold
    if not isinstance(model, EM):
        raise OptionError(f"{model.name} is not updated: fit one of its members, such as ibcc, and update that")
    target = None if out is None else _new_folder(Path(out))
    parts = blocks.parts(some=new)
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
    done = Fitted(model, blocks, params, statistics, tuple(trace), fitted.converged, gold=gold)
    if target is not None:
        write_labels(done, parts, target, False)
        done = replace(done, labels=target)
    return done


def write_labels(fitted: Fitted, parts: Parts, target: Path, posterior: bool) -> None:
    """A Parquet file of item, label and confidence for each part."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    blocks, classes = fitted.blocks, fitted.blocks.classes
    names = pa.array(classes.tolist())
    for block, part in zip(parts.chosen, parts, strict=True):
        found = np.asarray(fitted.method.infer(part.ops, fitted.params, part.known))
        label = first_of_tied(found)
        items = pq.read_table(blocks.folder / blocks.sizes[block][0] / "items.parquet")["item"]
        columns = {
            "item": items, "label": pa.DictionaryArray.from_arrays(pa.array(label.astype(np.int32)), names),
            "confidence": pa.array(found[np.arange(len(label)), label].astype(np.float32)),
        }  # fmt: skip
        if posterior:
            columns |= {
                f"p_{name}": pa.array(found[:, k].astype(np.float32)) for k, name in enumerate(classes.tolist())
            }
        file = target / f"{blocks.sizes[block][0]}.parquet"
        whole = file.with_suffix(".part")
        pq.write_table(pa.table(columns), whole)
        whole.rename(file)


def _new_folder(path: Path) -> Path:
    if path.exists() and any(path.iterdir() if path.is_dir() else [path]):
        raise OptionError(f"{path} is there already: labels go to a new folder")
    path.mkdir(parents=True, exist_ok=True)
    return path


def _save(
    path: Path, method: EM, params: Params, sums: Params, trace: tuple[float, ...], converged: bool, of: str = ""
) -> None:
    header = {
        "method": method.name,
        "options": method.options(),
        "trace": list(trace),
        "converged": converged,
        "of": of,
    }
    arrays = {f"params.{name}": np.asarray(value) for name, value in params.items()}
    arrays |= {f"sums.{name}": np.asarray(value) for name, value in sums.items()}
    write_arrays(path, header, arrays)


def _load(path: Path) -> tuple[EM, Params, Params, tuple[float, ...], bool, str]:
    arrays, header = read_arrays(path, "a fit that was kept")
    options = {name: tuple(value) if isinstance(value, list) else value for name, value in header["options"].items()}
    method: Any = make(header["method"], **options)

    def group(name: str) -> Params:
        return {key.partition(".")[2]: value for key, value in arrays.items() if key.startswith(f"{name}.")}

    trace = tuple(header["trace"])
    return method, group("params"), group("sums"), trace, bool(header["converged"]), header.get("of", "")
