"""Public crowdsourcing data sets by name: from a folder at hand, from the cache, or downloaded and checked.

`sets.json` holds what is known of them: where they are, whose they are, and a checksum of their content.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen
from zipfile import BadZipFile

import numpy as np

from ..errors import InputError, OptionError
from ..io import read_labels, read_votes, write_table
from ..io.source import spooled
from ..io.table_rows import read_rows
from ..votes.codes import Array, names_array
from ..votes.crowd import Crowd
from ..votes.frames import require_column
from ..votes.table import Table

LARGEST = 1 << 26  # bytes of a download
PATIENCE = 60.0  # seconds without an answer


@dataclass(frozen=True, repr=False)
class DataSet:
    """Votes, the truth of (some of) the items, arrays of features where there are any, and whose they are."""

    name: str
    crowd: Crowd
    truth: Mapping[str, str]
    features: Mapping[str, Array]
    about: str
    licence: str
    citation: str
    source: str

    def __repr__(self) -> str:
        return (
            f"{self.name}: {self.about}\n{self.crowd}, truth of {len(self.truth)} items\n"
            f"licence: {self.licence}; from {self.source}\ncite: {self.citation}"
        )


def list() -> Table:
    """What there is: one row per data set, and whether it is here or can be downloaded.

    >>> found = list()
    >>> found.columns.keys() >= {"name", "votes", "licence", "citation"}, "bluebird" in found["name"].tolist()
    (True, True)
    """
    rows = [
        {
            "name": name,
            "about": known["about"],
            **{size: known[size] for size in ("votes", "items", "annotators", "classes", "truth")},
            "where": "here" if _folder(name) else "download" if "files" in known else "by hand",
            **{text: known[text] for text in ("licence", "citation", "source")},
        }
        for name, known in _known().items()
    ]
    return Table({key: names_array([row[key] for row in rows]) for key in rows[0]})


def load(name: str) -> DataSet:
    """A data set by its name.

    It is looked for in the folder that the environment variable CROWDWISE_DATA names (`<name>/labels.csv` and
    `truth.csv`), then in the cache (CROWDWISE_CACHE, or crowdwise in the user's cache folder); else it is downloaded to
    there. Its content is checked against a checksum, wherever it is from. See its `licence`, and cite its `citation`.
    """
    known = _known().get(name)
    if known is None:
        raise OptionError(f"there is no data set {name!r}: choose among {', '.join(_known())}")
    folder = _folder(name)
    if folder is None:
        votes, truth = _download(name, known)
        _check(name, votes, truth, known["source"])
        _keep(_cache() / name, votes, truth)
        folder = _cache() / name
    else:
        votes, truth = _read(folder)
        _check(name, votes, truth, str(folder))
    crowd = read_votes(votes.to_frame()).crowd
    about = {key: known[key] for key in ("about", "licence", "citation", "source")}
    return DataSet(name, crowd, truth, _features(folder / "features.npz"), **about)


@cache
def _known() -> dict[str, Any]:
    return json.loads((files(__package__) / "sets.json").read_text("utf-8"))


def _cache() -> Path:
    given = os.environ.get("CROWDWISE_CACHE")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(given) if given else home / "crowdwise"


def _folder(name: str) -> Path | None:
    """Where a data set lies; None where it does not."""
    at_hand = os.environ.get("CROWDWISE_DATA")
    places = [*([Path(at_hand) / name] if at_hand else []), _cache() / name]
    return next((place for place in places if (place / "labels.csv").is_file()), None)


def _read(folder: Path) -> tuple[Table, dict[str, str]]:
    rows = read_rows(folder / "labels.csv").table
    truth = folder / "truth.csv"
    roles = ("item", "annotator", "label")
    columns = {role: names_array(rows[require_column(role, rows.column_names)]) for role in roles}
    return Table(columns), read_labels(truth) if truth.is_file() else {}


def _features(path: Path) -> dict[str, Array]:
    if not path.is_file():
        return {}
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (ValueError, OSError, BadZipFile) as error:
        raise InputError(f"{path} is no .npz of plain arrays") from error


def _keep(folder: Path, votes: Table, truth: dict[str, str]) -> None:
    """The votes last: where they are, all is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror}; CROWDWISE_CACHE names another place") from error
    told = {"item": names_array([*truth]), "label": names_array([*truth.values()])}
    write_table(Table(told), folder / "truth.csv")
    write_table(votes, folder / "labels.csv")


def _check(name: str, votes: Table, truth: dict[str, str], where: str) -> None:
    """Whether votes and truth are the published ones, in whatever order."""
    said = sorted("\t".join(row) for row in zip(*(votes[role].tolist() for role in votes.columns), strict=True))
    true = sorted(f"{item}\t{label}" for item, label in truth.items())
    if hashlib.sha256("\n".join([*said, *true]).encode()).hexdigest() != _known()[name]["sha256"]:
        raise InputError(f"{where}: these are not the votes and the truth of {name!r} as they were published")


def _download(name: str, known: dict[str, Any]) -> tuple[Table, dict[str, str]]:
    by_hand = f"put its labels.csv (item,annotator,label) and truth.csv (item,label) into $CROWDWISE_DATA/{name}"
    if "files" not in known:
        raise InputError(f"{name} is not downloaded from its source, {known['source']}: {by_hand}")
    parts = {}
    for part, file in known["files"].items():
        try:
            raw = _fetch(file["url"])
        except (URLError, HTTPException, OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise InputError(f"{file['url']} cannot be downloaded ({reason}): {by_hand}") from error
        header = (",".join(file["header"]) + "\n").encode() if "header" in file else b""
        rows = read_rows(spooled(file["url"], [header, raw])).table
        roles = ("item", "gold") if part == "truth" else ("item", "annotator", "label")
        parts[part] = [names_array(rows[require_column(role, rows.column_names)]) for role in roles]
    votes = Table(dict(zip(("item", "annotator", "label"), parts["votes"], strict=True)))
    items, labels = (column.tolist() for column in parts["truth"])
    return votes, {item: label for item, label in zip(items, labels, strict=True) if label}


def _fetch(url: str) -> bytes:
    """What an address holds, up to a size; only over TLS, or from this machine."""
    if urlsplit(url).scheme != "https" and urlsplit(url).hostname not in ("127.0.0.1", "localhost"):
        raise ValueError("the address is not https")
    with urlopen(Request(url, headers={"User-Agent": "crowdwise"}), timeout=PATIENCE) as answer:
        content = answer.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(f"it is larger than {LARGEST:,} bytes")
    return bytes(content)
