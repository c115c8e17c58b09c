"""crowdwise serve: a labelling project that runs itself."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, MissingExtra, OptionError
from . import options as o
from .speech import say

if TYPE_CHECKING:
    from ..service.asked.answer import Item
    from ..service.store import Store as Opened


@o.command(48)
def serve(  # noqa: PLR0912, PLR0915 - one step for each thing that may be told
    project: Annotated[str, typer.Argument(help="File of the project (SQLite), or postgresql+psycopg://..."), o.READ],
    items: Annotated[
        str | None,
        typer.Option("--items", help="Table of items: item; text, image or audio to show; of pairs left and right."),
        o.READ,
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--kind", help="What is asked: classes, label-sets, ratings, comparisons or spans."),
    ] = None,
    classes: Annotated[str | None, typer.Option("--classes", help="The labels, separated by commas.")] = None,
    scale: Annotated[
        str | None, typer.Option("--scale", help="Of ratings: lower end, upper end, and step (0 for none): 1,5,1.")
    ] = None,
    no_ties: Annotated[bool, typer.Option("--no-ties", help="Of comparisons: one side has to be chosen.")] = False,
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
    media: Annotated[
        str | None, typer.Option("--media", help="Folder of the images and sounds that items name."), o.READ
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", help="How people reach it, for the links; the host and the port unless told.")
    ] = None,
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

    Example: crowdwise serve stars.db --items films.csv --kind ratings --scale 1,5,1
    """
    try:
        from ..service import told
        from ..service.asked import ASKED, asked_by
        from ..service.store import Store
        from ..service.taken_in import take_in as take_answers_in
    except ImportError as error:
        raise MissingExtra("crowdwise serve needs FastAPI and SQLAlchemy: pip install 'crowdwise[serve]'") from error

    if restore and take_in:
        raise OptionError("--restore and --import: restore the project first, then import into it")
    if restore:
        Store.restore(restore, project)
        say(f"{project}: restored from {restore}")
    new = "://" not in project and not Path(project).exists()
    if new and (check or backup) and not take_in:
        raise InputError(f"{project}: there is no such file")
    if media and not Path(media).is_dir():
        raise InputError(f"--media {media}: there is no such folder")
    people = told.people_named(add or ())
    before = {} if new else _settings(project)
    wanted = told.wanted_by(before, kind, told.labels_named(classes), scale, no_ties, take_in or ())
    readings = {file: told.read_answers(file, wanted["kind"]) for file in take_in or ()}
    if "classes" not in wanted and ASKED[wanted["kind"]].needs_classes:
        found = [str(name) for one in readings.values() for name in told.classes_of(one.votes)]
        if not found:
            raise OptionError(f"{project} has no labels yet: name the labels with --classes")
        wanted["classes"] = list(dict.fromkeys(found))
    asked = asked_by(wanted)
    content, notes = told.items_in(items, asked) if items else ([], [])
    there = {} if new else _there(project)
    there |= {item.name: item for item in content if item.name not in there}
    said = {file: told.answers_in(file, asked, one, there) for file, one in readings.items()}
    for note in [*(note for one in readings.values() for note in one.notes), *notes]:
        say(note)
    text = _text(guidelines) if guidelines else ""
    with closing(Store(project)) as store:
        store.set(**{name: value for name, value in wanted.items() if before.get(name) != value})
        more = [name for name in wanted.get("classes", []) if name not in before.get("classes", [])]
        if before and more:
            say(f"labels added: {', '.join(more)}")
        if guidelines:
            store.set(guidelines=text)
        if media:
            store.set(media=str(Path(media).resolve()))
        if max_votes:
            store.set(max_votes=max_votes)
        if items:
            added = store.add_items((item.name, item.content) for item in content)
            there_before = store.kept_as_they_are
            stay = f"; {there_before:,} are there already, and stay as they are" if there_before else ""
            say(f"{added:,} new items{stay}")
        if readings:
            store.own()
        for file, (answers, gold) in said.items():
            say(f"{file}: {take_answers_in(store, answers, gold)}")
        _add_people(store, people, (url or f"http://{host}:{port}").rstrip("/"))
        if backup:
            store.backup(backup)
            say(f"copied to {backup}")
        elif check:
            say(f"{len(store.items()):,} items, {len(store.people()):,} people, {store.count():,} rows of votes")
        else:
            say(f"{project} is served at {(url or f'http://{host}:{port}').rstrip('/')} until Ctrl-C")
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


def _add_people(store: Opened, people: Iterable[tuple[str, str]], here: str) -> None:
    """Who was named, and an admin if there is none; their links are told, once."""
    if not any(one.role == "admin" for one in store.people().values()):
        say(f"admin, shown once: {here}/enter/{store.add_person('admin', 'admin')}")
    for name, role in people:
        say(f"{name}, shown once: {here}/enter/{store.add_person(name, role)}")


def _settings(project: str) -> dict[str, Any]:
    """What a project that is there was told."""
    from ..service.store import Store

    with closing(Store(project)) as store:
        return store.settings()


def _there(project: str) -> dict[str, Item]:
    """The items of a project that is there."""
    from ..service.asked.answer import Item
    from ..service.store import Store

    with closing(Store(project)) as store:
        return {row.name: Item(row.name, row.content) for row in store.items()}


def _text(file: str) -> str:
    try:
        return Path(file).read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise InputError(f"{file} cannot be read as text: {error}") from error
