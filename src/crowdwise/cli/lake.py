"""Votes that are larger than the memory: a folder of files, packed on disk, fitted and looked at block by block."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, OptionError, how_many
from . import disk, inputs, speech

if TYPE_CHECKING:
    from ..scale import Fitted

NOT_SERVED = {
    **disk.NOT_READ, "start": None, "result": None, "intervals": None, "calibrate": False,
    "history": None, "task": None, "to": "table", "min_confidence": 0.0, "save": None,
}  # fmt: skip


NOT_REVIEWED = {
    **disk.NOT_READ, "start": None, "result": None, "history": None, "task": None, "repeated": None,
}  # fmt: skip


def aggregate(given: Mapping[str, Any]) -> None:
    """Labels of votes on disk, a Parquet file for each block."""
    from ..io import write_table
    from ..methods import make
    from ..scale import settle

    memory = disk.bytes_of(given["memory"] or "2GB")
    out = given["out"]
    if out == "-" or Path(out).suffix:
        raise OptionError(f"--out {out}: labels of votes on disk go to a new folder, such as --out labels/")
    disk.require_served(given, NOT_SERVED)
    if not Path(out).resolve().parent.is_dir():
        raise InputError(f"{out} cannot be written: there is no folder {Path(out).parent}")
    if given["annotators_out"] and given["method"] == "auto":
        raise OptionError("--annotators-out: auto has no sums of its own on disk; name a method, such as -m ibcc")
    disk.require_classes(given)
    method = make(given["method"], seed=given["seed"], **inputs.settings(given["set_"]))
    gold = None
    if given["gold"]:
        from ..io import read_labels

        gold = read_labels(given["gold"])
    with (
        speech.spoken_warnings(),
        speech.progress("votes on disk") as tell,
        disk.workplace(given, Path(out)) as folder,
    ):
        blocks = disk.packed(given, folder, memory, tell)
        how = _settled_how(given, memory, tell)
        done = settle(blocks, method, gold=gold, out=out, checkpoint=Path(folder, "fit"), **how)
        _say_found(done)
        if given["annotators_out"]:
            write_table(done.annotators(), given["annotators_out"])
        sizes = f"{how_many(blocks.n_votes, 'votes')} of {how_many(blocks.n_annotators, 'annotators')}"
        if given["json"]:
            speech.as_json({"votes": blocks.n_votes, "items": blocks.n_items, "annotators": blocks.n_annotators,
                            "classes": blocks.n_classes, "blocks": len(blocks.sizes), "steps": len(done.trace),
                            "converged": done.converged, "method": done.method.name, "notes": list(done.notes),
                            "out": out})  # fmt: skip
        else:
            speech.say(f"{how_many(blocks.n_items, 'labels')} by {done.method.name} from {sizes}: {out}")


def review(given: Mapping[str, Any]) -> None:
    """The items to look at of all votes on disk, a block at a time; what can be accepted is written as Parquet."""
    from ..io import read_labels, write_table
    from ..methods import make
    from ..scale import reviewed, settle

    memory, accepted = disk.bytes_of(given["memory"] or "2GB"), given["accepted"]
    disk.require_served(given, NOT_REVIEWED)
    if accepted and Path(accepted).suffix != ".parquet":
        raise OptionError(f"--accepted {accepted}: of votes on disk this is a Parquet file, such as accepted.parquet")
    disk.require_classes(given)
    method = make(given["method"], seed=given["seed"], **inputs.settings(given["set_"]))
    gold = read_labels(given["gold"]) if given["gold"] else None
    with (
        speech.spoken_warnings(),
        speech.progress("votes on disk") as tell,
        tempfile.TemporaryDirectory(prefix="crowdwise-") as folder,
    ):
        blocks = disk.packed(given, folder, memory, tell)
        done = settle(blocks, method, gold=gold, **_settled_how(given, memory, tell))
        _say_found(done)
        rows, counts = reviewed(done, given["top"], given["sure"], gold=gold, accepted=accepted)
    if given["out"]:
        write_table(rows, given["out"])
    if given["json"]:
        speech.as_json({"votes": blocks.n_votes, "items": blocks.n_items, "annotators": blocks.n_annotators,
                        "classes": blocks.n_classes, "states": counts, "queue": speech.records(rows)})  # fmt: skip
        return
    if given["out"] != "-":
        speech.show(rows, f"Items to look at: {len(rows)} of {blocks.n_items:,} (gain in bits)")
    speech.say(", ".join(f"{count:,} {name}" for name, count in counts.items()) + ".")


def _settled_how(given: Mapping[str, Any], memory: int, tell: Callable[[str], None] | None) -> dict[str, Any]:
    """Whom to believe, and how many votes are asked about that."""
    from ..scale.committee import ASKED

    some = min(ASKED, max(memory // disk.A_SAMPLED_VOTE, 1))
    return {"trusted": given["trusted"] or (), "sample": some, "callback": speech.steps(tell)}


def _say_found(done: Fitted) -> None:
    for note in done.notes:
        speech.say(note)
