"""The page: a frame, a style, a script and the content, in one file that asks nothing of any network.

The script builds everything from the content, as text: no name from data is ever read as HTML. The policy lets only
this style and this script work, by their hashes, and no address at all.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from typing import Any

from .data import NAMES, columns, dumps
from .sections import SECTIONS, of_kind
from .summary import sentences
from .texts import texts

SCRIPTS = ("dom", "charts", "plain", "annotators", "sections", "main")
SIZES = ("votes", "annotators", "items")
PLAIN_SCRIPTS = ("dom", "charts", "plain", "main")


def page(content: Mapping[str, Any]) -> str:
    """The whole page."""
    told = {
        **content,
        "head": {**{name: content["summary"][name] for name in SIZES}, "date": content["made"]["date"]},
        "sections": {name: texts().get(name, {}).get("title") or SECTIONS[name].title for name in _shown(content)},
        "sentences": sentences(content, _isolated),
        "annotators": {**content["annotators"], "classes": [str(name) for name in content["annotators"]["classes"]]},
        "contested": [_spelt(item) for item in content["contested"]],
    }
    return _filled(told, SCRIPTS)


def _shown(content: Mapping[str, Any]) -> list[str]:
    """The sections that there is something in, and those that draw what another one holds."""
    drawn = [name for name in of_kind("classes") if SECTIONS[name].class_name == "drawn_above"]
    return [name for name in of_kind("classes") if name in content or name in drawn]


def plain_page(content: Mapping[str, Any], names: Iterable[str]) -> str:
    """A page whose sections are all drawn plainly."""
    return _filled({**content, "sections": {name: SECTIONS[name].title for name in names}}, PLAIN_SCRIPTS)


def _filled(told: Mapping[str, Any], scripts: Iterable[str]) -> str:
    style, script = _read("style.css"), "\n".join(_read(f"{name}.js") for name in scripts)
    parts = {
        "language": escape(texts()["language"]),
        "policy": f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; "
        "form-action 'none'",
        "title": escape(str(told["title"])),
        "no_script": escape(texts()["no_script"]),
        "style": style,
        "content": _inert(dumps({"texts": texts(), "content": told}, columns, separators=(",", ":"))),
        "script": script,
    }
    before, *rest = _read("frame.html").split("{{")
    return before + "".join(parts[name] + text for name, text in (piece.split("}}", 1) for piece in rest))


def _spelt(item: Mapping[str, Any]) -> dict[str, Any]:
    """A contested item with its names as text."""
    names = {name: str(value) for name, value in item.items() if name in NAMES or (name == "trusted" and value)}
    why = item["why"] and {**item["why"], "other": str(item["why"]["other"])}
    return {**item, **names, "why": why}


def _isolated(name: Any) -> str:
    """A name in a sentence, so that letters that run the other way do not turn the sentence around."""
    return f"\u2068{str(name) or texts()['empty_name']}\u2069"


def _inert(json: str) -> str:
    """JSON that no reader of HTML takes for the end of its element, or for anything else."""
    return json.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (files(__package__) / "web" / name).read_text("utf-8")
