"""Votes on disk: when they are taken for such, what they cannot do, and how they are packed or sampled."""

from __future__ import annotations

import glob
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..errors import InputError, OptionError, how_many
from . import speech
from .kinds import files_of_votes

if TYPE_CHECKING:
    from ..io import Reading
    from ..scale import Blocks

SPOKEN = ("json", "votes")  # options that change nothing of what is found
UNITS = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
A_VOTE = 150  # bytes of memory that a vote takes on its way from a packed file to labels, about
A_SAMPLED_VOTE = 700  # and one that all is told of: agreement, annotators, a page

NOT_READ = {
    "question": None, "probability": None, "hard": False, "repeats": "all", "normalise": False,
    "annotators": None, "delimiter": None, "encoding": None, "input_format": None, "tokens": None,
}  # fmt: skip
NOT_SAMPLED = {
    **{name: usual for name, usual in NOT_READ.items() if name != "hard"}, "time": None, "seconds": None, "by": None,
    "labels": None, "save": None, "pruned": None,
}  # fmt: skip


def require_served(given: Mapping[str, Any], unserved: Mapping[str, Any]) -> None:
    """Options that votes on disk have no use for are refused."""
    for name, usual in unserved.items():
        if given.get(name) not in (usual, None, False, 0.0, (), []):
            spelt = "prune" if name == "pruned" else name.strip("_").replace("_", "-")
            raise OptionError(f"--{spelt} is not for votes that go by the disk")


def require_classes(given: Mapping[str, Any]) -> None:
    """Columns that make votes something else, or count them otherwise, are not for the disk."""
    from ..io.kinds import kind_of
    from ..scale.vote_stream import EXPORTS, TABLES, TEXTS, files_of, kind_in, names_in

    files = files_of([Path(one) for one in files_of_votes(given)])
    strange = [file for file in files if not kind_in(file)]
    if strange:
        raise InputError(f"{strange[0]}: only {', '.join((*TABLES, *EXPORTS))} go by the disk")
    first = next((file for file in files if kind_in(file) in TEXTS and names_in(file)), files[0])
    found = (
        given["kind"]
        if given["kind"] != "auto"
        else kind_of(first)[0]
        if kind_in(first) in TEXTS and names_in(first)
        else "classes"
    )
    if found != "classes":
        raise InputError(f"{first}: these are {found}, and only votes that name classes go by the disk")
    for file in files:
        odd = [name for name in names_in(file) if name.lower() in ("probability", "logprob")]
        if odd:
            speech.say(f"{file}: column {odd[0]!r} is not used: by the disk, votes count by a column of weights alone")
            break


def is_lake(given: Mapping[str, Any]) -> bool:
    """Whether the votes of a command go by the disk: it was told how much memory there is, or they do not fit."""
    from ..engine.memory import available_memory

    files = [one for one in given["votes"] or () if one != "-"]
    if given.get("memory") and given["votes"]:
        return True
    folders = [Path(one) for one in files if Path(one).is_dir()]
    if folders and len(folders) == len(files):
        from ..scale.vote_stream import TABLES, kind_in

        inside = [file for one in folders for file in one.rglob("*") if file.is_file()]
        if not inside:
            raise InputError(f"{folders[0]} is empty: there is no file of votes in it")
        own = {file.suffix for file in inside} & {".ann", ".xml", ".jsonl", ".json"}  # folders of other tools
        return not own and any(kind_in(file) in TABLES for file in inside)
    size = sum(Path(one).stat().st_size for one in files if Path(one).is_file())
    return 8 * size > available_memory()


def sampled(given: Mapping[str, Any]) -> Reading:
    """Of votes on disk, all those on as many items as the memory takes."""
    from ..io import Reading

    require_served(given, NOT_SAMPLED)
    require_classes(given)
    memory = bytes_of(given["memory"] or "2GB")
    with tempfile.TemporaryDirectory(prefix="crowdwise-") as folder:
        blocks = packed(given, folder, memory, None)
        crowd = blocks.sample(memory // A_SAMPLED_VOTE)
        if crowd.n_votes < blocks.n_votes:
            speech.say(
                f"a sample tells: {how_many(crowd.n_votes, 'votes')} on {how_many(crowd.n_items, 'items')}, of "
                f"{blocks.n_votes:,} votes on {blocks.n_items:,} (--memory sets how many)"
            )
        return Reading(crowd, {}, blocks.notes)


def packed(given: Mapping[str, Any], folder: str, memory: int, tell: Callable[[str], None] | None) -> Blocks:
    """Votes packed on disk as a command was told to, in blocks that fit the memory."""
    from ..scale import Blocks, pack

    named, where = {role: given[role] for role in ("item", "annotator", "label", "weight")}, Path(folder, "votes")
    try:
        blocks = Blocks.open(where)  # by a run that was stopped later
    except InputError:
        blocks = pack(
            [Path(one) for one in files_of_votes(given)], where, **named, no_vote=given["no_vote"] or (),
            aside=given["set_aside"], block_votes=max(10_000, memory // A_VOTE), tell=tell or (lambda text: None),
        )  # fmt: skip
    for note in blocks.notes:
        speech.say(note)
    return blocks


@contextmanager
def workplace(given: Mapping[str, Any], out: Path) -> Iterator[str]:
    """A folder beside the output for packed votes and steps of the fit, gone when all is done.

    If the program is stopped, it stays: the same command on the same files goes on there.
    """
    from ..scale.vote_stream import files_of

    beside = out.resolve()
    gold = [Path(given["gold"])] if given["gold"] and Path(given["gold"]).is_file() else []
    told = [*files_of(files_of_votes(given)), *gold]
    files = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in told]
    asked = {name: given[name] for name in sorted(given) if name not in SPOKEN}
    key = hashlib.sha256(repr((files, asked)).encode()).hexdigest()[:12]
    folder = beside.with_name(f".{beside.name}.{key}.work")
    for older in beside.parent.glob(f".{glob.escape(beside.name)}.*.work"):  # of other votes, or other options
        if older != folder and (lock := _locked(older)) is not None:
            lock.close()
            shutil.rmtree(older, ignore_errors=True)
    if folder.exists():
        speech.say("a run of this command was stopped: it goes on where it was")
    folder.mkdir(exist_ok=True)
    lock = _locked(folder)
    if lock is None:
        raise InputError(f"{out}: the same command is at work on it already")
    with lock:
        try:
            yield str(folder)
        except BaseException as error:
            full = isinstance(error, OSError) or isinstance(error.__cause__, OSError)
            if full or isinstance(error, KeyboardInterrupt):
                speech.say(f"what was done is kept in {folder}: the same command goes on there")
            else:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)


def _locked(folder: Path) -> IO[str] | None:
    """A lock on a folder, held as long as the file is open; None where somebody else has it."""
    import fcntl

    lock = (folder / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    return lock


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
