"""crowdwise serve: a labelling project that runs itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError, MissingExtra, OptionError
from . import options as o
from .speech import say

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
    check: Annotated[bool, typer.Option("--check", help="Open the project, say what is in it, and end.")] = False,
) -> None:
    """Run a labelling project: people label in the browser, machines through the API, an admin watches.

    The first start makes the project and prints the admin's link, once. Later starts need the file alone. Links are
    secrets: whoever has one is that person. TLS is a reverse proxy's work.

    Example: crowdwise serve project.db --items items.csv --classes cat,dog --add ann --add bob
    """
    try:
        from ..service.store import Store
    except ImportError as error:
        raise MissingExtra("crowdwise serve needs FastAPI and SQLAlchemy: pip install 'crowdwise[serve]'") from error

    told = _labels(classes)
    if "://" not in project and not Path(project).exists():
        if check or backup:
            raise InputError(f"{project}: there is no such file")
        if not told:
            raise OptionError(f"{project} is not there yet: name the labels with --classes")
    content = _items(items) if items else []
    text = _text(guidelines) if guidelines else ""
    store = Store(project)
    there = store.settings().get("classes", told)
    if told and there[: len(told)] != told[: len(there)]:
        raise InputError(f"the project has the classes {', '.join(there)}: they may be added to, not changed")
    if told:
        store.set(classes=told)
    if not store.settings().get("classes"):
        raise OptionError("the project has no classes yet: name them with --classes")
    if guidelines:
        store.set(guidelines=text)
    if max_votes:
        store.set(max_votes=max_votes)
    if items:
        added = store.add_items(content)
        there_before = store.kept_as_they_are
        stay = f"; {there_before:,} are there already, and stay as they are" if there_before else ""
        say(f"{added:,} new items{stay}")
    here = f"http://{host}:{port}"
    if not store.people():
        say(f"admin, shown once: {here}/enter/{store.add_person('admin', 'admin')}")
    for one in add or ():
        name, _, role = one.partition(":")
        say(f"{name}, shown once: {here}/enter/{store.add_person(name, role or 'annotator')}")
    if backup:
        store.backup(backup)
        say(f"copied to {backup}")
        return
    if check:
        say(f"{len(store.items()):,} items, {len(store.people()):,} people, {store.count():,} rows of votes")
        return
    import uvicorn

    from ..service.app import make_app

    store.own()
    uvicorn.run(make_app(store), host=host, port=port, log_level="warning", access_log=False)


def _labels(classes: str | None) -> list[str]:
    told = [name.strip() for name in (classes or "").split(",") if name.strip()]
    if classes and len(told) < 2:
        raise OptionError(f"--classes {classes}: name two labels at least, separated by commas")
    if len(set(told)) < len(told):
        raise OptionError(f"--classes {classes}: a label is named twice")
    return told


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
