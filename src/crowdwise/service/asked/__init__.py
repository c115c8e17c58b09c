"""ASKED: the kinds of answers that a project may ask for, one file for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import OptionError
from .answer import Asked
from .compared import Compared
from .marked import Marked
from .one_class import OneClass
from .rated import Rated
from .ticked import Ticked

ASKED: dict[str, type[Asked]] = {one.kind: one for one in (OneClass, Ticked, Rated, Compared, Marked)}


def asked_by(settings: Mapping[str, Any]) -> Asked:
    """What a project asks for, by its settings."""
    kind = settings.get("kind", OneClass.kind)
    if kind not in ASKED:
        raise OptionError(f"--kind {kind}: a project asks for {', '.join(ASKED)}")
    return ASKED[kind](settings)
