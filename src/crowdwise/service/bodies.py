"""What may be sent to a project: bodies, checked strictly."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=256, pattern=r"^[^\x00]*$")]


class Strict(BaseModel):
    """A body: nothing but what is declared, and of just that type."""

    model_config = ConfigDict(strict=True, extra="forbid")


class VoteIn(Strict):
    """A vote; the id is made by who sends it, so that a vote sent twice counts once."""

    id: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_.:-]+$")]
    item: Name
    label: Name
    seconds: Annotated[float, Field(ge=0.0, le=86_400.0)] | None = None


class SkipIn(Strict):
    """An item that somebody cannot answer."""

    id: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_.:-]+$")]
    item: Name


class PersonIn(Strict):
    """Somebody new."""

    name: Name
    role: Annotated[str, Field(pattern="^(admin|annotator|machine)$")] = "annotator"
    cost: Annotated[float, Field(gt=0.0, le=1e9)] = 1.0
    family: Name | None = None


class ItemIn(Strict):
    """An item, and what is shown of it: text, image or audio."""

    name: Name
    content: Annotated[dict[str, str], Field(max_length=20)] = {}


class KnownIn(Strict):
    """A label that is known, audited or settled; none takes it back."""

    item: Name
    label: Name | None


class PauseIn(Strict):
    """Whether somebody is paused."""

    paused: bool
