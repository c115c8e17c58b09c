"""What may be sent to a project: bodies, checked strictly."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

BODY = 64 * 1024  # bytes of a body, at most
OURS = ("undo:", "ls:", "ar:", "in:")  # how ids begin that the server makes


def _is_text(value: str) -> str:
    """Half of a letter, which JSON can spell, is no text and cannot be kept."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError("this is no text") from error
    return value


def _is_theirs(value: str) -> str:
    if value.startswith(OURS):
        raise ValueError(f"ids that begin with {' or '.join(OURS)} are made by the server")
    return value


Text = Annotated[str, AfterValidator(_is_text)]
Name = Annotated[str, Field(min_length=1, max_length=256, pattern=r"^[^\x00]*$"), AfterValidator(_is_text)]
Id = Annotated[
    str, Field(min_length=8, max_length=56, pattern=r"^[A-Za-z0-9_.:-]+$"), AfterValidator(_is_theirs)
]  # an undo of it has five letters more


class Strict(BaseModel):
    """A body: nothing but what is declared, and of just that type."""

    model_config = ConfigDict(strict=True, extra="forbid")


class SpanIn(Strict):
    """A part of a text, in letters from its beginning, and what it is."""

    begin: Annotated[int, Field(ge=0, le=2**53)]
    end: Annotated[int, Field(ge=0, le=2**53)]
    label: Name


Said = (
    Annotated[str, Field(max_length=BODY, pattern=r"^[^\x00]*$"), AfterValidator(_is_text)]
    | Annotated[float, Field(allow_inf_nan=False)]
    | Annotated[list[Name], Field(max_length=1000)]
    | Annotated[list[SpanIn], Field(max_length=1000)]
)
"""An answer: a class or a side, a number, labels, or spans, by what the project asks for."""


def plain(said: Any) -> Any:
    """An answer without our classes."""
    return [one.model_dump() if isinstance(one, SpanIn) else one for one in said] if isinstance(said, list) else said


class VoteIn(Strict):
    """A vote; the id is made by who sends it, so that a vote sent twice counts once."""

    id: Id
    item: Name
    label: Said
    seconds: Annotated[float, Field(ge=0.0, le=86_400.0, allow_inf_nan=False)] | None = None


class GivenIn(Strict):
    """A vote that was given in another tool; no label takes back what the annotator said there before."""

    item: Name
    annotator: Name
    label: Said | None = None


class SkipIn(Strict):
    """An item that somebody cannot answer."""

    id: Id
    item: Name


class PersonIn(Strict):
    """Somebody new."""

    name: Name
    role: Annotated[str, Field(pattern="^(admin|annotator|machine)$")] = "annotator"
    cost: Annotated[float, Field(gt=0.0, le=1e9, allow_inf_nan=False)] = 1.0
    family: Name | None = None


class ItemIn(Strict):
    """An item, and what is shown of it: text, image or audio; of a pair, left and right."""

    name: Name
    content: Annotated[dict[Name, Text], Field(max_length=20)] = {}


class KnownIn(Strict):
    """A label that is known, audited or settled; none takes it back."""

    item: Name
    label: Said | None


class PauseIn(Strict):
    """Whether somebody is paused."""

    paused: bool
