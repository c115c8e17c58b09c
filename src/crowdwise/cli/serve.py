"""crowdwise serve: a labelling project that runs itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, MissingExtra, OptionError
from . import options as o
from .speech import say

if TYPE_CHECKING:
    from ..io import Reading
    from ..service.store import Store as Opened

SHOWN = ("text", "image", "audio")


@o.command(48)
def serve(  # noqa: PLR0912 - one step for each thing that may be told
    project: Annotated[str, typer.Argument(help="File of the project (SQLite), or postgresql+psycopg://..."), o.READ],
    items: Annotated[
        str | None, typer.Option("--items", help="Table of items: item, and text, image or audio to show."), o.READ
    ] = None,
    classes: Annotated[str | None, typer.Option("--classes", help="The labels, separated by commas.")] = None,
    guidelines: Annotated[
        str | None, typer.Option("--guidelines", help="Text file that annotators can open."), o.READ
    ] = None,
    max_votes: Annotated[
        int, typer.Option("--max-votes", help="Votes of an item, at most; 0 for no limit.", min=0)
    ] = 0,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen at; only this machine unless told.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="Port to listen at.", min=1, max=65535)] = 8080,
    add: Annotated[
        list[str] | None,
        typer.Option("--add", help="Somebody new, name or name:role, whose link is printed; repeatable."),
    ] = None,
    backup: Annotated[
        str | None, typer.Option("--backup", help="Write a copy of the project to a file, and end."), o.WRITTEN
    ] = None,
    restore: Annotated[
        str | None, typer.Option("--restore", help="Make the project from a copy that --backup wrote."), o.READ
    ] = None,
    take_in: Annotated[
        list[str] | None,
        typer.Option("--import", help="Votes from a table or a tool's export; what is here already counts once."),
        o.READ,
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Open the project, say what is in it, and end.")] = False,
) -> None:
    """Run a labelling project: people label in the browser, machines through the API, an admin watches.

    The first start makes the project and prints the admin's link, once. Later starts need the file alone. Links are
    secrets: whoever has one is that person. TLS is a reverse proxy's work.

    Example: crowdwise serve project.db --items items.csv --classes cat,dog --add ann --add bob
    """
    try:
        from ..service.store import Store
        from ..service.taken_in import take_in as take_votes_in
    except ImportError as error:
        raise MissingExtra("crowdwise serve needs FastAPI and SQLAlchemy: pip install 'crowdwise[serve]'") from error

    told, readings = _labels(classes), {file: _reading(file) for file in take_in or ()}
    if restore and readings:
        raise OptionError("--restore and --import: restore the project first, then import into it")
    if restore:
        Store.restore(restore, project)
        say(f"{project}: restored from {restore}")
    new = "://" not in project and not Path(project).exists()
    if new and (check or backup) and not readings:
        raise InputError(f"{project}: there is no such file")
    found = list(dict.fromkeys(str(name) for one in readings.values() for name in one.crowd.classes.tolist()))
    if new and not (told or found):
        raise OptionError(f"{project} is not there yet: name the labels with --classes")
    _require_classes(readings, told or found if new else None)
    content = _items(items) if items else []
    text = _text(guidelines) if guidelines else ""
    with closing(Store(project)) as store:
        _set_classes(store, told, found)
        _require_classes(readings, store.settings()["classes"])
        if guidelines:
            store.set(guidelines=text)
        if max_votes:
            store.set(max_votes=max_votes)
        if items:
            added = store.add_items(content)
            there_before = store.kept_as_they_are
            stay = f"; {there_before:,} are there already, and stay as they are" if there_before else ""
            say(f"{added:,} new items{stay}")
        if readings:
            store.own()
        for file, reading in readings.items():
            say(f"{file}: {take_votes_in(store, reading.crowd, reading.gold, reading.texts)}")
        _add_people(store, add or (), f"http://{host}:{port}")
        if backup:
            store.backup(backup)
            say(f"copied to {backup}")
        elif check:
            say(f"{len(store.items()):,} items, {len(store.people()):,} people, {store.count():,} rows of votes")
        else:
            _run(store, host, port)


def _run(store: Opened, host: str, port: int) -> None:
    """Serve until somebody stops it."""
    import socket

    import uvicorn

    from ..service.app import make_app

    store.own()
    try:
        with socket.create_server((host, port)):
            pass
    except OSError as error:
        raise OptionError(f"--port {port} of {host} cannot be used: {error.strerror}") from error
    uvicorn.run(make_app(store), host=host, port=port, log_level="warning", access_log=False)


def _add_people(store: Opened, people: Iterable[str], here: str) -> None:
    """Who was named, and an admin if there is none; their links are told, once."""
    if not any(one.role == "admin" for one in store.people().values()):
        say(f"admin, shown once: {here}/enter/{store.add_person('admin', 'admin')}")
    for one in people:
        name, _, role = one.partition(":")
        say(f"{name}, shown once: {here}/enter/{store.add_person(name, role or 'annotator')}")


def _set_classes(store: Opened, told: list[str], found: list[str]) -> None:
    """The classes that were named, or, in a new project, those that votes from elsewhere name."""
    there = store.settings().get("classes", told)
    if told and told[: len(there)] != there:
        raise InputError(f"the project has the classes {', '.join(there)}: they may be added to, not changed")
    if told or not there:
        store.set(classes=told or found)
    if not store.settings()["classes"]:
        raise OptionError("the project has no classes yet: name them with --classes")


def _labels(classes: str | None) -> list[str]:
    told = [name.strip() for name in (classes or "").split(",") if name.strip()]
    if classes and len(told) < 2:
        raise OptionError(f"--classes {classes}: name two labels at least, separated by commas")
    if len(set(told)) < len(told):
        raise OptionError(f"--classes {classes}: a label is named twice")
    return told


def _reading(file: str) -> Reading:
    """Votes of another tool, with its gold and the texts that its items show."""
    from ..io import read_votes
    from ..io.kinds import kind_of

    kind = kind_of(file)[0]
    if kind != "classes":
        raise InputError(f"{file} holds {kind}, and a project asks for classes")
    try:
        reading = read_votes(file, repeats="last", soft=False)
    except InputError as error:
        raise InputError(f"{error} (what needs options to be read goes through crowdwise convert first)") from error
    for note in reading.notes:
        say(note)
    if reading.crowd.weight is not None:
        say(f"{file}: weights are left out: each vote of a project counts once")
    return reading


def _require_classes(readings: Mapping[str, Reading], classes: list[str] | None) -> None:
    """Nothing is taken in if a label of any file is no class; no classes: they are not known yet."""
    from ..service.taken_in import require_classes

    for file, reading in readings.items() if classes else ():
        try:
            require_classes(reading.crowd, reading.gold, classes or ())
        except InputError as error:
            raise error.named(file) from error


def _text(file: str) -> str:
    try:
        return Path(file).read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise InputError(f"{file} cannot be read as text: {error}") from error


def _items(file: str) -> list[tuple[str, dict[str, str]]]:
    """Names and contents: other columns than those that are shown are left out."""
    from ..io.cells import decoded, require_filled
    from ..io.table_rows import read_rows
    from ..votes.frames import plain_name, require_column

    rows = read_rows(file)
    try:
        name = require_column("item", rows.names)
        require_filled(rows, name)
    except InputError as error:
        raise error.named(rows.name) from error
    shown = {plain_name(column): column for column in rows.names if plain_name(column) in SHOWN}
    names = [str(cell) for cell in decoded(rows.table[name]).to_pylist()]
    columns = {kind: decoded(rows.table[column]).to_pylist() for kind, column in shown.items()}
    return [
        (one, {kind: str(cells[place]) for kind, cells in columns.items() if cells[place] not in (None, "")})
        for place, one in enumerate(names)
    ]
