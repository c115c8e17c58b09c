"""What a report is written as, and what it is called."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def title_of(given: Mapping[str, Any]) -> str:
    """The title of a report that was given none: the file's name."""
    files = given["votes"] or [given["result"]]
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return ("standard input" if files[0] == "-" else Path(files[0]).name) + more


def form_of(out: str | None, form: str | None, json: bool) -> str:
    """What to write: told, or by the ending of the file."""
    from ..errors import OptionError
    from ..report.content import FORMS

    if json and form not in (None, "json"):
        raise OptionError(f"--json and --format {form}: choose one")
    ending = Path(out).suffix.lstrip(".") if out and out != "-" else "html"
    chosen = "json" if json else form or ending
    if chosen not in FORMS:
        raise OptionError(
            f"--format {chosen}: choose html, md or json" if form else f"{out}: a report is .html, .md or .json"
        )
    return chosen
