"""The words of a report, all in `texts.json`, so that they can be translated in one place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def texts() -> Mapping[str, Any]:
    """All words, by section."""
    return json.loads((files(__package__) / "texts.json").read_text("utf-8"))


def fill(text: Mapping[str, str] | str, **values: Any) -> str:
    """A sentence with its blanks filled; where it has forms for one and for many, `count` decides.

    >>> fill({"one": "{count} item", "many": "{count} items"}, count=1234)
    '1,234 items'
    """
    if not isinstance(text, str):
        text = text["one" if values["count"] == 1 else "many"]
    shown = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
    return text.format(**shown)
