"""Blocks: packed votes on disk, 4 bytes a vote and 1 or 2 an item, every item whole within its block.

A folder holds one folder for each block: `cells.npy` (annotator times classes plus label, a number for each vote, items
one after the other), `weights.npy` (how much each counts, where not all count once), `counts.npy` (votes of each item),
`items.parquet` (their names) and `hashes.npy` (numbers that depend on the names only). Annotators and classes have
codes for all blocks; item names need none.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..engine import NumpyEngine
from ..engine.cores import available_cores
from ..engine.memory import require_room
from ..engine.numba_engine import NOTHING, NumbaEngine, even_ranges
from ..errors import DataWarning, InputError, how_many
from ..files import whole_file
from ..fit.climber import Part
from ..fit.params import Names
from ..votes.codes import Array, as_names_of, names_array
from ..votes.crowd import Crowd
from ..votes.gold import known_classes
from ..votes.keyed import hashed
from ..votes.known import Known

FORMAT = "crowdwise blocks 1"
NOTES = "manifest.json"
WEIGHTS = "weights.npy"
FUSED = 1 << 33  # bytes of counts up to which scores and sums are made in one pass: blocks are large


@dataclass(frozen=True)
class Blocks:
    """Votes on disk, opened. `pack` makes them."""

    folder: Path
    annotators: Array
    classes: Array
    given: Array
    sizes: tuple[tuple[str, int, int], ...]
    """Name, votes and items of each block."""
    notes: tuple[str, ...] = ()

    @classmethod
    def open(cls, folder: str | Path) -> Blocks:
        """Blocks that were packed before."""
        path = Path(folder)
        try:
            told = json.loads((path / NOTES).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"{folder} holds no packed votes") from error
        if told.get("format") != FORMAT or not told.get("packed"):
            raise InputError(f"{folder}: these votes are not packed to the end; pack them again, and it goes on")
        import pyarrow.parquet as pq

        files = {"annotators": "annotators.parquet", "given": "given.npy"} | told.get("files", {})
        annotators = names_array(pq.read_table(path / files["annotators"])["annotator"].to_pylist())
        return cls(
            path, annotators, names_array(told["classes"]), np.load(path / files["given"]),
            tuple((name, votes, items) for name, votes, items in told["blocks"]), tuple(told["notes"]),
        )  # fmt: skip

    # -- sizes ------------------------------------------------------------------------------------------------------

    @property
    def n_votes(self) -> int:
        """Number of votes."""
        return sum(votes for _, votes, _ in self.sizes)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return sum(items for _, _, items in self.sizes)

    @property
    def n_annotators(self) -> int:
        """Number of annotators."""
        return len(self.annotators)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def __repr__(self) -> str:
        counts = ", ".join(how_many(n, what) for n, what in (
            (self.n_votes, "votes"), (self.n_items, "items"), (self.n_annotators, "annotators"),
            (self.n_classes, "classes"), (len(self.sizes), "blocks")))  # fmt: skip
        return f"Blocks({counts})"

    # -- what is in a block -------------------------------------------------------------------------------------------

    def cells(self, block: int) -> Array:
        """Annotator times classes plus label, of each vote."""
        return np.asarray(np.load(self._at(block) / "cells.npy", mmap_mode="c"))

    def weight(self, block: int) -> Array | None:
        """How much each vote counts; None where all count once."""
        file = self._at(block) / WEIGHTS
        return np.asarray(np.load(file)) if file.exists() else None

    def counts(self, block: int) -> Array:
        """Votes of each item."""
        return np.asarray(np.load(self._at(block) / "counts.npy"))

    def hashes(self, block: int) -> Array:
        """A number for each item, by its name."""
        return np.asarray(np.load(self._at(block) / "hashes.npy"))

    def packed(self, block: int) -> Packed:
        """A block's arrays."""
        return Packed(self.cells(block), self.counts(block), lambda: self.hashes(block))

    def items(self, block: int) -> Array:
        """The names of the items."""
        import pyarrow.parquet as pq

        from ..io.cells import plain

        return names_array(plain(pq.read_table(self._at(block) / "items.parquet")["item"]))

    def crowd(self, block: int) -> Crowd:
        """A block's votes as a crowd, with all names of annotators and classes."""
        cells = self.cells(block)
        return Crowd(
            item=np.repeat(np.arange(self.sizes[block][2]), self.counts(block)), annotator=cells // self.n_classes,
            label=cells % self.n_classes, items=self.items(block), annotators=self.annotators, classes=self.classes,
            weight=self.weight(block),
        )  # fmt: skip

    def sample(self, n_votes: int, seed: int = 0, also: Sequence[Any] = ()) -> Crowd:
        """About so many votes: all those on some items, which are drawn by their names, and on those named."""
        from ..votes.keyed import keyed_uniform

        share, parts = min(1.0, n_votes / max(self.n_votes, 1)), []
        named = hashed(names_array(list(also)))
        for block in range(len(self.sizes)):
            counts, hashes = self.counts(block), self.hashes(block)
            keep = (keyed_uniform(seed + n_votes, hashes) < share) | np.isin(hashes, named)
            if not keep.any():
                continue
            item = np.repeat(np.arange(counts.size), counts)
            votes = keep[item]
            cells, rank, weight = self.cells(block)[votes], np.cumsum(keep) - 1, self.weight(block)
            parts.append(Crowd(
                item=rank[item[votes]], annotator=cells // self.n_classes, label=cells % self.n_classes,
                items=self.items(block)[keep], annotators=self.annotators, classes=self.classes,
                weight=None if weight is None else weight[votes],
            ))  # fmt: skip
        if not parts:
            raise InputError(f"a sample of {how_many(n_votes, 'votes')} holds no item: draw more")
        item_names = names_array([name for part in parts for name in part.items.tolist()])
        begins = np.cumsum([0, *(part.n_items for part in parts)])
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in ("annotator", "label")
        }
        item = np.concatenate([part.item.astype(np.int64) + at for part, at in zip(parts, begins[:-1], strict=True)])
        if parts[0].weight is not None:
            columns["weight"] = np.concatenate([part.weight for part in parts])
        whole = Crowd(item=item, items=item_names, annotators=self.annotators, classes=self.classes, **columns)
        return whole._kept("annotator", np.bincount(whole.annotator, minlength=whole.n_annotators) > 0)

    def parts(
        self,
        threads: int | None = None,
        known: Any = None,
        some: Sequence[int] | None = None,
        weights: Mapping[int, Path | Array] = MappingProxyType({}),
    ) -> Parts:
        """The blocks as parts that a method climbs over, each opened when it is asked for.

        known: gold labels by item. some: which blocks, all unless told. weights: how much each vote counts, or files of
        that.
        """
        chosen = tuple(range(len(self.sizes))) if some is None else tuple(some)
        return Parts(self, chosen, threads or available_cores(), known, weights)

    def _at(self, block: int) -> Path:
        return self.folder / self.sizes[block][0]


class Parts(Sequence[Part[NumpyEngine]]):
    """Blocks as parts: an engine is made when one is asked for, and gone after."""

    def __init__(
        self, blocks: Blocks, chosen: tuple[int, ...], threads: int, gold: Any, weights: Mapping[int, Path | Array]
    ):
        self.blocks, self.chosen, self.threads, self.weights = blocks, chosen, threads, weights
        if gold:
            gold = self._as_items_are(gold)
        self._known: dict[int, Known | None] = {}
        self.gold: dict[Any, Any] | None = gold or None

    def __len__(self) -> int:
        return len(self.chosen)

    @cached_property
    def given(self) -> Array:
        """How often each annotator named each class in these blocks."""
        if len(self.chosen) == len(self.blocks.sizes) and not self.weights:
            return self.blocks.given
        n = self.blocks.n_annotators * self.blocks.n_classes
        counts = np.zeros(n)
        for block in self.chosen:
            counts += np.bincount(self.blocks.cells(block), self._weight(block), n)
        return np.asarray(counts, float).reshape(self.blocks.n_annotators, -1)

    @cached_property
    def fingerprint(self) -> str:
        """What these votes and this gold are, in a word: a fit that was kept goes on with the same ones alone."""
        told = hashlib.sha256(self.blocks.given.tobytes())
        gold = sorted(map(repr, (self.gold or {}).items()))
        told.update(repr((self.blocks.sizes, self.chosen, gold)).encode())
        for block in sorted(self.weights):
            told.update(np.ascontiguousarray(self._weight(block)).tobytes())
        return told.hexdigest()

    def __getitem__(self, place: Any) -> Any:
        if not 0 <= place < len(self.chosen):
            raise IndexError(place)
        block = self.chosen[place]
        given = self.given if place == 0 else np.zeros_like(self.given)
        names = Names(self.blocks.annotators, self.blocks.classes)
        ops = BlockEngine(names, self.blocks.packed(block), given, self.threads, self._weight(block))
        return Part(ops, self._known_of(block))

    def _weight(self, block: int) -> Array | None:
        own, more = self.blocks.weight(block), self.weights.get(block)
        if isinstance(more, Path):
            more = np.asarray(np.load(more))
        return own if more is None else more if own is None else own * more

    def _as_items_are(self, gold: Mapping[Any, Any]) -> dict[Any, Any]:
        """Gold by names of the items' own sort; names of no item are told and left out."""
        there = self.blocks.items(0) if self.blocks.sizes else np.empty(0, object)
        names = as_names_of(there, names_array(list(gold)))
        told = dict(zip(names.tolist(), gold.values(), strict=True))
        known = np.zeros(len(names), bool)
        for block in range(len(self.blocks.sizes)):
            known |= np.isin(hashed(names), self.blocks.hashes(block))
        if not known.all():
            first = names[~known][0]
            text = f"gold names {how_many(int((~known).sum()), 'items')} without votes, such as {first!r}; left out"
            warnings.warn(text, DataWarning, stacklevel=3)
        return {name: label for name, label, here in zip(told, told.values(), known.tolist(), strict=True) if here}

    def _known_of(self, block: int) -> Known | None:
        if self.gold is None:
            return None
        if block not in self._known:
            names, labels = names_array(list(self.gold)), list(self.gold.values())
            there = np.flatnonzero(np.isin(hashed(names), self.blocks.hashes(block)))
            some = {names[place]: labels[place] for place in there.tolist()}
            crowd = _Checked(self.blocks, block)
            found = known_classes(crowd, some, None) if some else None  # type: ignore[arg-type]
            self._known[block] = found
        return self._known[block]


class _Checked:
    """As much of a crowd as a block's gold is checked by."""

    def __init__(self, blocks: Blocks, block: int):
        self.items, self.classes = blocks.items(block), blocks.classes
        self.n_items, self.n_classes = len(self.items), len(self.classes)


class Packed(NamedTuple):
    """A block's votes as arrays: cells, votes of each item, and what gives the items' hashes."""

    cells: Array
    counts: Array
    hashes: Callable[[], Array]


class _Sides:
    """As much of a crowd as a climb asks of a part: names, hashes of the items, and weights of the annotators."""

    def __init__(self, names: Names, packed: Packed, given: Array):
        self.annotators, self.classes = names.annotators, names.classes
        self.n_votes, self.n_items = packed.cells.size, packed.counts.size
        self._given, self._packed = given, packed  # and not the engine: a circle would be kept for long

    @cached_property
    def item_hash(self) -> Array:
        """A number for each item, by its name."""
        return self._packed.hashes()

    def annotator_weight(self) -> Array:
        """Votes of each annotator: of all blocks, told by the first."""
        return np.asarray(self._given.sum(axis=1))


class BlockEngine(NumbaEngine):
    """One block's votes where they are summed, without a crowd: cells come from the disk as they are.

    Counts by annotator and label are those of all parts, told by the first one: what is summed over parts is right, and
    no block has to be counted again in every sweep.
    """

    fused_bytes = FUSED

    def __init__(self, names: Names, packed: Packed, given: Array, threads: int, weight: Array | None = None):
        self.threads = threads
        self.n_annotators, self.n_classes = len(names.annotators), len(names.classes)
        self.n_cells, self.n_items = self.n_annotators * self.n_classes, packed.counts.size
        self.first = np.zeros(self.n_items + 1, np.int64)
        np.cumsum(packed.counts, out=self.first[1:])
        self.cells, self.weight = packed.cells, weight
        self.w = NOTHING if weight is None else weight
        self.ranges = even_ranges(self.first, threads)
        self.__dict__["given"] = given
        self.crowd = _Sides(names, packed, given)  # type: ignore[assignment]

    @cached_property
    def label(self) -> Array:  # type: ignore[override]
        """The class that each vote names."""
        return (self.cells % self.n_classes).astype(np.int32)

    @cached_property
    def annotator(self) -> Array:  # type: ignore[override]
        """Whose vote it is."""
        return (self.cells // self.n_classes).astype(np.int32)

    @cached_property
    def item(self) -> Array:  # type: ignore[override]
        """What it is about."""
        return np.repeat(np.arange(self.n_items), np.diff(self.first))

    def confusion_counts(self, posterior: Array) -> Array:
        require_room(self.n_annotators, posterior.shape[1], self.n_classes)
        return super().confusion_counts(posterior)


def write_manifest(folder: Path, **told: Any) -> None:
    """Write what a folder of blocks holds."""
    with whole_file(folder / NOTES) as file:
        file.write(json.dumps({"format": FORMAT, **told}, ensure_ascii=False).encode())
