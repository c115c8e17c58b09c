"""Which kind of answers a command was given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError, OptionError
from ..methods import DEFAULTS
from .speech import say

KINDS = tuple(DEFAULTS)


def kind_of(given: Mapping[str, Any]) -> str:
    """The kind of answers that a command was given, or told to take; what was seen is said."""
    _require_known(given)
    if given["kind"] != "auto":
        return str(given["kind"])
    if given.get("result"):
        return _of_result(given["result"])
    if given["input_format"] or given["annotators"] or not given["votes"]:
        return "classes"
    found, why = _seen(given)
    if why:
        say(why)
    return found


def require_classes(given: Mapping[str, Any]) -> None:
    """Answers of another kind are refused by a command that is for classes only."""
    _require_known(given)
    told = given["kind"]
    found, why = (told, "") if told != "auto" else ("classes", "") if given["input_format"] else _seen(given)
    if found != "classes":
        name = f"--kind {told}" if told != "auto" else str(files_of_votes(given)[0])
        seen = f": {why.partition(' (')[0]}" if why else ""
        raise InputError(
            f"{name}{seen}; this command is for answers that name classes (aggregate, annotators, agreement and report "
            f"take {found} too{'; --kind classes takes them as classes' if told == 'auto' else ''})"
        )


def _require_known(given: Mapping[str, Any]) -> None:
    if given["kind"] not in ("auto", *KINDS):
        raise OptionError(f"--kind {given['kind']}: choose auto, {', '.join(KINDS)}")


def _seen(given: Mapping[str, Any]) -> tuple[str, str]:
    from ..io.kinds import KINDS as READ
    from ..io.kinds import kind_of as kind_of_file

    files = files_of_votes(given)
    named = {role: given.get(role) for role in ("item", "annotator")}
    named |= dict.fromkeys({"label", *(kind.main for kind in READ.values())}, given.get("label"))
    if not files:
        return "classes", ""
    found, why = kind_of_file(files[0], named)
    for file in files[1:]:
        other = kind_of_file(file, named)[0]
        if other != found:
            raise InputError(f"{file} holds {other}, and {files[0]} {found}: give files of one kind, or say --kind")
    return found, why


def files_of_votes(given: Mapping[str, Any]) -> list[str]:
    """The files of votes that a command was given."""
    votes = given.get("votes") or ()
    return [votes] if isinstance(votes, str) else list(votes)


def _of_result(path: str) -> str:
    """The kind of the votes in a saved result."""
    from ..fit.result import load

    if not Path(path).is_file():
        return "classes"  # said where it is opened
    votes = load(path).votes
    return "classes" if votes is None else votes.kind
