"""Votes that are larger than the memory: a folder of files, packed on disk and fitted block by block."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError, OptionError, how_many
from . import inputs, speech

UNITS = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
A_VOTE = 150  # bytes of memory that a vote takes on its way from a packed file to labels, about


NOT_SERVED = {
    "start": None, "result": None, "trusted": None, "intervals": None, "calibrate": False,
    "history": None, "task": None,
    "tokens": None, "question": None, "weight": None, "probability": None, "hard": False, "repeats": "all",
    "normalise": False, "annotators": None, "delimiter": None, "encoding": None, "input_format": None, "to": "table",
    "min_confidence": 0.0, "save": None,
}  # fmt: skip


def _require_classes(given: Mapping[str, Any]) -> None:
    """Columns that make votes something else, or count them otherwise, are not for the disk."""
    from ..io.kinds import kind_of
    from ..scale.partition import SUFFIXES, files_of, names_in

    files = files_of([Path(one) for one in inputs.sources(given)])
    strange = [file for file in files if file.suffix not in SUFFIXES]
    if strange:
        raise InputError(f"{strange[0]}: only {', '.join(SUFFIXES)} go by the disk")
    first = files[0]
    found = (
        given["kind"]
        if given["kind"] != "auto"
        else kind_of(first)[0]
        if first.suffix in (".csv", ".tsv")
        else "classes"
    )
    if found != "classes":
        raise InputError(f"{first}: these are {found}, and only votes that name classes go by the disk")
    for file in files:
        odd = [name for name in names_in(file) if name.lower() in ("weight", "probability", "logprob")]
        if odd:
            speech.say(f"{file}: column {odd[0]!r} is not used: votes that go by the disk count once each")
            break


def is_lake(given: Mapping[str, Any]) -> bool:
    """Whether the votes of a command go by the disk: it was told how much memory there is, or they do not fit."""
    from ..engine.memory import available_memory
    from ..scale.partition import SUFFIXES

    files = [one for one in given["votes"] or () if one != "-"]
    if given.get("memory"):
        return True
    folders = [Path(one) for one in files if Path(one).is_dir()]
    if folders and len(folders) == len(files):
        inside = {file.suffix for one in folders for file in one.rglob("*") if file.is_file()}
        if not inside:
            raise InputError(f"{folders[0]} is empty: there is no file of votes in it")
        return bool(inside & {*SUFFIXES}) and not inside & {".ann", ".xml", ".jsonl", ".json"}
    size = sum(Path(one).stat().st_size for one in files if Path(one).is_file())
    return 8 * size > available_memory()


def aggregate(given: Mapping[str, Any]) -> None:
    """Labels of votes on disk, a Parquet file for each block."""
    from ..io import write_table
    from ..methods import make
    from ..scale import fit, pack

    memory = bytes_of(given["memory"] or "2GB")
    out = given["out"]
    if out == "-" or Path(out).suffix:
        raise OptionError(f"--out {out}: labels of votes on disk go to a new folder, such as --out labels/")
    for name, usual in NOT_SERVED.items():
        if given.get(name) not in (usual, None, False, 0.0, (), []):
            raise OptionError(f"--{name.strip('_').replace('_', '-')} is not for votes that go by the disk")
    if not Path(out).resolve().parent.is_dir():
        raise InputError(f"{out} cannot be written: there is no folder {Path(out).parent}")
    if given["annotators_out"] and given["method"] == "auto":
        raise OptionError("--annotators-out: auto has no sums of its own on disk; name a method, such as -m ibcc")
    _require_classes(given)
    method = make(given["method"], seed=given["seed"], **inputs.settings(given["set_"]))
    gold = None
    if given["gold"]:
        from ..io import read_labels

        gold = read_labels(given["gold"])
    with (
        speech.spoken_warnings(),
        speech.progress("votes on disk") as tell,
        tempfile.TemporaryDirectory(prefix="crowdwise-", dir=Path(out).resolve().parent) as folder,
    ):
        blocks = pack(
            [Path(one) for one in inputs.sources(given)], Path(folder, "votes"), item=given["item"],
            annotator=given["annotator"], label=given["label"], no_vote=given["no_vote"] or (),
            aside=given["set_aside"],
            block_votes=max(10_000, memory // A_VOTE), tell=tell or (lambda text: None),
        )  # fmt: skip
        for note in blocks.notes:
            speech.say(note)
        done = fit(method, blocks, gold=gold, out=out, callback=speech.steps(tell))
        if given["annotators_out"]:
            write_table(done.annotators(), given["annotators_out"])
        sizes = f"{how_many(blocks.n_votes, 'votes')} of {how_many(blocks.n_annotators, 'annotators')}"
        if given["json"]:
            speech.as_json({"votes": blocks.n_votes, "items": blocks.n_items, "annotators": blocks.n_annotators,
                            "classes": blocks.n_classes, "blocks": len(blocks.sizes), "steps": len(done.trace),
                            "converged": done.converged, "out": out})  # fmt: skip
        else:
            speech.say(f"{how_many(blocks.n_items, 'labels')} by {method.name} from {sizes}: {out}")


def bytes_of(text: str) -> int:
    """2GB, 500M or 1000000000 as a number of bytes.

    >>> bytes_of("2GB"), bytes_of("500M"), bytes_of("1000000")
    (2000000000, 500000000, 1000000)
    """
    plain = text.strip().upper().removesuffix("B")
    unit = UNITS.get(plain[-1:], 1)
    try:
        found = int(float(plain.removesuffix(plain[-1:]) if unit > 1 else plain) * unit)
    except ValueError as error:
        raise OptionError(f"--memory {text}: write a size, such as 2GB") from error
    if found < 10**6:
        raise OptionError(f"--memory {text}: at least 1MB is needed")
    return found
