"""What a project is told when it is made or started: what it asks for, its items, and answers from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import InputError, OptionError
from ..io import read_votes
from ..io.cells import decoded, require_filled
from ..io.kinds import kind_of
from ..io.read_kind import read_kind
from ..io.table_rows import read_rows
from ..votes.crowd import Crowd
from ..votes.frames import find_column, plain_name, require_column
from ..votes.label_sets import LabelSets
from ..votes.sequences import Sequences
from ..votes.votes import Votes
from .asked import ASKED
from .asked.answer import Asked, Item
from .asked.compared import Compared, pairs_among
from .store import ROLES
from .taken_in import Said, said_in

USUAL = {"scale": [1.0, 5.0, 1.0], "ties": True}
WIDEST = 1e9  # of the ends of a scale
LONGEST = 256  # letters of a name


def wanted_by(
    before: Mapping[str, Any], kind: str | None, classes: Sequence[str], scale: str | None, no_ties: bool,
    files: Sequence[str],
) -> dict[str, Any]:  # fmt: skip
    """What a project asks for: what it was told at first, to which classes may be added."""
    there = before.get("kind", "classes") if before else None
    found = kind or there or (kind_of(files[0])[0] if files else "classes")
    if there not in (None, found):
        raise InputError(f"--kind {found}: the project asks for {there}, and goes on to")
    if found not in ASKED:
        raise OptionError(f"--kind {found}: a project asks for {', '.join(ASKED)}")
    wanted: dict[str, Any] = {"kind": found}
    named = before.get("classes", classes)
    if classes and list(classes[: len(named)]) != named:
        raise InputError(f"the project has the classes {', '.join(named)}: they may be added to, not changed")
    if classes and not ASKED[found].needs_classes:
        raise OptionError(f"--classes is for projects that ask for labels, and this one asks for {found}")
    if found == "classes" and len(classes) == 1:
        raise OptionError(f"--classes {classes[0]}: name two labels at least, separated by commas")
    if classes or named:
        wanted["classes"] = list(classes) or named
    for option, name, value, owner in (
        ("--scale", "scale", _scale(scale) if scale else None, "ratings"),
        ("--no-ties", "ties", False if no_ties else None, "comparisons"),
    ):
        if value is not None and found != owner:
            raise OptionError(f"{option} is for {owner}, and this project asks for {found}")
        if value is not None and before and before.get(name, USUAL[name]) != value:
            raise InputError(f"{option}: the project was made otherwise, and its answers stand")
        if value is not None or name in before:
            wanted[name] = before[name] if value is None else value
    return wanted


def _scale(told: str) -> list[float]:
    numbers = told.split(",")
    try:
        found = [float(number) for number in [*numbers, *(["1"] if len(numbers) == 2 else [])]]
    except ValueError:
        found = []
    if len(found) != 3 or not all(abs(number) <= WIDEST for number in found):
        raise OptionError(f"--scale {told}: two or three numbers are expected, such as 1,5,1")
    return found


def labels_named(classes: str | None) -> list[str]:
    """The labels of --classes."""
    told = [name.strip() for name in (classes or "").split(",") if name.strip()]
    if len(set(told)) < len(told):
        raise OptionError(f"--classes {classes}: a label is named twice")
    return told


class Read(NamedTuple):
    """Answers of another tool, its gold, and the texts that its items show."""

    votes: Votes
    gold: Mapping[Any, Any]
    texts: Mapping[Any, str]
    notes: list[str]


def read_answers(file: str, kind: str) -> Read:
    """Answers of another tool, with its gold and the texts that its items show."""
    found = kind_of(file)[0]
    if found not in (kind, "classes"):
        raise InputError(f"{file} holds {found}, and the project asks for {kind}")
    try:
        if kind == "classes":
            reading = read_votes(file, repeats="last", soft=False)
            read = Read(reading.crowd, reading.gold, reading.texts, list(reading.notes))
        else:
            votes, notes = read_kind(kind, [file])
            read = Read(votes, {}, {}, notes)
    except InputError as error:
        raise InputError(f"{error} (what needs options to be read goes through crowdwise convert first)") from error
    if read.votes.weight is not None:
        read.notes.append(f"{file}: weights are left out: each vote of a project counts once")
    return read


def classes_of(votes: Votes) -> list[Any]:
    """The labels that answers name."""
    if isinstance(votes, LabelSets):
        return list(votes.options.tolist())
    if isinstance(votes, Sequences):
        return list(votes.tags.types)
    return list(votes.classes.tolist()) if isinstance(votes, Crowd) else []


def answers_in(file: str, asked: Asked, read: Read, there: Mapping[str, Item]) -> tuple[list[Said], dict[str, str]]:
    """Answers and gold as a project keeps them: all of them, or an error."""
    try:
        said = said_in(asked, read.votes, read.texts, there)
        gold = {str(item): asked.kept(label, Item(str(item))) for item, label in read.gold.items()}
    except InputError as error:
        more = (
            f" (--classes {','.join([*asked.classes, '...'])} adds more)" if "none of the classes" in str(error) else ""
        )
        raise InputError(f"{file}: {error}{more}") from error
    return said, gold


def items_in(file: str, asked: Asked) -> tuple[list[Item], list[str]]:
    """Names and contents: other columns than those that are shown are left out. And remarks."""
    rows, notes = read_rows(file), list[str]()
    shown = {plain_name(column): column for column in rows.names if plain_name(column) in asked.shows}
    sides = {"left", "right"} & shown.keys()
    if isinstance(asked, Compared) and len(sides) == 1:
        raise InputError(f"{rows.name}: column {next(iter(sides))!r} is there, and the other side is not")
    pairs = isinstance(asked, Compared) and bool(sides)
    try:
        name = find_column("item", rows.names) if pairs else require_column("item", rows.names)
        for column in (name, *((shown["left"], shown["right"]) if pairs else ())):
            if column is not None:
                require_filled(rows, column)
    except InputError as error:
        raise error.named(rows.name) from error
    columns = {kind: decoded(rows.table[column]).to_pylist() for kind, column in shown.items()}
    contents = [{kind: str(cell) for kind, cell in zip(columns, row, strict=True) if cell not in (None, "")}
                for row in zip(*columns.values(), strict=True)] or [{}] * rows.table.num_rows  # fmt: skip
    named = [f"{one['left']} | {one['right']}" for one in contents] if name is None else [
        str(cell) for cell in decoded(rows.table[name]).to_pylist()
    ]  # fmt: skip
    items = [Item.of(one, content) for one, content in zip(named, contents, strict=True)]
    _require_distinct(items, rows.name)
    if isinstance(asked, Compared) and not pairs:
        if len(items) < 2:
            raise InputError(f"{rows.name}: two things at least are needed, to be compared")
        made = pairs_among(items)
        notes.append(f"{file}: {len(items):,} things, not pairs: {len(made):,} pairs of them are asked about")
        items = made
    try:
        for item in items:
            asked.require_item(item)
    except InputError as error:
        raise error.named(rows.name) from error
    return items, notes


def _require_distinct(items: Sequence[Item], file: str) -> None:
    """Names that can be sent back, none of them with two contents."""
    there: dict[str, Item] = {}
    for item in items:
        if len(item.name) > LONGEST or "\x00" in item.name:
            raise InputError(f"{file}: the name {item.name[:20]!r}... is too long: {LONGEST} letters at most")
        if there.setdefault(item.name, item) != item:
            raise InputError(f"{file}: item {item.name!r} is named twice, with different contents")


def people_named(add: Sequence[str]) -> list[tuple[str, str]]:
    """Names and roles of --add, checked before anything is made."""
    found = [(one.partition(":")[0].strip(), one.partition(":")[2] or "annotator") for one in add]
    for name, role in found:
        if not name or len(name) > LONGEST:
            raise OptionError(f"--add {name}: a name of 1 to {LONGEST} letters is expected")
        if role not in ROLES:
            raise OptionError(f"--add {name}:{role}: choose {', '.join(ROLES)}")
    return found
