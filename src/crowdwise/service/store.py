"""Store: what a project keeps, in SQLite or PostgreSQL. An answer is given after the commit."""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Engine, create_engine, event, func, insert, make_url, select, text, update
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError

from ..errors import InputError
from ..files import whole_file
from .schema import EVENT, ITEM, PERSON, PROJECT, VOTE

ROLES = ("admin", "annotator", "machine")
AT_ONCE = 500  # names that are looked for in one query
OWNED = 0x63726F77  # the advisory lock of PostgreSQL that one process holds
PATIENCE = "3s"  # how long it is waited for


class Person(NamedTuple):
    """Somebody who is known, without their token."""

    id: int
    name: str
    role: str
    cost: float
    family: str | None
    paused: bool


class Said(NamedTuple):
    """A vote as it is kept: no label is a skip, or an undo of what it replaces."""

    id: str
    item: int
    person: int
    label: str | None
    seconds: float | None
    at: float
    replaces: str | None = None


class _Unknown(Exception):
    """A schema of which nothing is known here."""


class Store:
    """A project's database, by its path (SQLite) or its URL (postgresql+psycopg://...)."""

    def __init__(self, where: str):
        url = where if "://" in where else f"sqlite:///{Path(where).absolute()}"
        self.engine: Engine = create_engine(url, pool_pre_ping=True)
        self.embedded = url.startswith("sqlite")
        self._owned: Any = None
        self.kept_as_they_are = 0  # of the items that were added last: they were there
        if self.embedded:
            event.listen(self.engine, "connect", _careful)
        try:
            self._migrate()
        except DatabaseError as error:
            shown = make_url(url).render_as_string(hide_password=True) if "://" in where else where
            raise InputError(f"{shown} cannot be opened as a database: {error.orig}") from error
        except _Unknown as error:
            raise InputError("the project was made by a newer version of crowdwise: install that one") from error

    def own(self) -> None:
        """From now on this process serves the project, and no other one can."""
        if self._owned is not None:
            return
        taken = InputError(
            "this project is served by another process already: two would not know of each other's votes"
        )
        if self.embedded:
            import fcntl

            self._owned = Path(f"{self.engine.url.database}.lock").open("w")  # noqa: SIM115 - held as long as this lives
            try:
                fcntl.flock(self._owned, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                self._owned.close()
                raise taken from error
            return
        self._owned = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:  # the session of a server that was just killed lives on for a moment
            self._owned.execute(text(f"SET lock_timeout = '{PATIENCE}'"))
            self._owned.execute(text("SELECT pg_advisory_lock(:key)"), {"key": OWNED})
        except OperationalError as error:
            self._owned.close()
            raise taken from error

    def _migrate(self) -> None:
        """Bring the schema up to today's, whatever version made it."""
        from alembic import command
        from alembic.config import Config
        from alembic.util.exc import CommandError

        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        with self.engine.begin() as connection:
            config.attributes["connection"] = connection
            try:
                command.upgrade(config, "head")
            except CommandError as error:
                raise _Unknown from error

    # -- project ------------------------------------------------------------------------------------------------------

    def settings(self) -> dict[str, Any]:
        """What the project was told: classes, guidelines ..."""
        with self.engine.connect() as connection:
            return {row.name: json.loads(row.value) for row in connection.execute(select(PROJECT))}

    def set(self, **values: Any) -> None:
        """Keep settings."""
        with self.engine.begin() as connection:
            for name, value in values.items():
                told = json.dumps(value)
                done = connection.execute(update(PROJECT).where(PROJECT.c.name == name).values(value=told))
                if not done.rowcount:
                    connection.execute(insert(PROJECT).values(name=name, value=told))

    # -- items --------------------------------------------------------------------------------------------------------

    def add_items(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> int:
        """New items, by name and content; names that are there already stay as they are."""
        with self.engine.begin() as connection:
            wanted = {name: dict(content) for name, content in rows}
            there = set()
            names = list(wanted)
            for low in range(0, len(names), AT_ONCE):
                some = select(ITEM.c.name).where(ITEM.c.name.in_(names[low : low + AT_ONCE]))
                there |= set(connection.execute(some).scalars())
            new = {name: content for name, content in wanted.items() if name not in there}
            self.kept_as_they_are = len(wanted) - len(new)
            if new:
                connection.execute(
                    insert(ITEM), [{"name": name, "content": json.dumps(dict(own))} for name, own in new.items()]
                )
        return len(new)

    def items(self, after: int = 0) -> list[Any]:
        """The items, in the order in which they came; those behind one of them."""
        with self.engine.connect() as connection:
            return list(connection.execute(select(ITEM).where(ITEM.c.id > after).order_by(ITEM.c.id)))

    def item(self, name: str) -> Any:
        """One item by its name."""
        with self.engine.connect() as connection:
            return connection.execute(select(ITEM).where(ITEM.c.name == name)).one()

    def tell(self, column: str, known: Mapping[str, str | None]) -> int:
        """Gold, audited or settled labels of items, by name; an unknown item is an error, and nothing is kept."""
        with self.engine.begin() as connection:
            for name, label in known.items():
                done = connection.execute(update(ITEM).where(ITEM.c.name == name).values(**{column: label}))
                if not done.rowcount:
                    raise InputError(f"item {name!r} is not in this project")
        return len(known)

    # -- people -------------------------------------------------------------------------------------------------------

    def add_person(self, name: str, role: str, *, cost: float = 1.0, family: str | None = None) -> str:
        """A new person, and their token: it is told once, and only its hash is kept."""
        return self.add_people([(name, role)], cost=cost, family=family)[0]

    def add_people(
        self, people: Sequence[tuple[str, str]], *, cost: float = 1.0, family: str | None = None
    ) -> list[str]:
        """New people, by name and role, and their tokens: all of them, or none."""
        tokens = [secrets.token_urlsafe(24) for _ in people]
        rows = []
        for (name, role), token in zip(people, tokens, strict=True):
            if role not in ROLES:
                raise InputError(f"role {role!r}: choose {', '.join(ROLES)}")
            told = {"name": name, "role": role, "token_sha256": hashed(token)}
            rows.append({**told, "cost": cost, "family": family, "paused": False})
        try:
            with self.engine.begin() as connection:
                if rows:
                    connection.execute(insert(PERSON), rows)
        except IntegrityError as error:
            there = {one.name for one in self.people().values()}
            name = next((name for name, _ in people if name in there), people[0][0])
            raise InputError(f"there is a person called {name!r} already") from error
        return tokens

    def people(self) -> dict[str, Person]:
        """Everybody, by the hash of their token."""
        with self.engine.connect() as connection:
            rows = connection.execute(select(PERSON).order_by(PERSON.c.id))
            return {
                row.token_sha256: Person(row.id, row.name, row.role, row.cost, row.family, row.paused) for row in rows
            }

    def pause(self, person: int, paused: bool) -> bool:
        """Whether somebody is asked; tells whether they are known."""
        with self.engine.begin() as connection:
            return bool(connection.execute(update(PERSON).where(PERSON.c.id == person).values(paused=paused)).rowcount)

    # -- votes --------------------------------------------------------------------------------------------------------

    def add_votes(self, votes: Sequence[Said]) -> list[bool]:
        """Votes in one transaction; for each whether it is new: an id that is there already is not kept twice."""
        with self.engine.begin() as connection:
            there = set(
                connection.execute(select(VOTE.c.id).where(VOTE.c.id.in_([vote.id for vote in votes]))).scalars()
            )
            fresh, kept = [], []
            for vote in votes:
                fresh.append(vote.id not in there)
                if fresh[-1]:
                    there.add(vote.id)
                    kept.append(vote._asdict())
            if kept:
                connection.execute(insert(VOTE), kept)
        return fresh

    def votes(self) -> list[Said]:
        """All votes, in the order in which they came."""
        return list(self.each_vote())

    def each_vote(self) -> Iterator[Said]:
        """The same one by one, of which some thousands are in memory at a time."""
        columns = select(*(VOTE.c[name] for name in Said._fields)).order_by(VOTE.c.seq)
        with self.engine.connect() as connection:
            for some in connection.execution_options(yield_per=10_000).execute(columns).partitions():
                yield from (Said(*row) for row in some)

    def vote_of(self, vote: str) -> Said | None:
        """One vote by its id."""
        columns = [VOTE.c[name] for name in Said._fields]
        with self.engine.connect() as connection:
            row = connection.execute(select(*columns).where(VOTE.c.id == vote)).first()
        return None if row is None else Said(*row)

    def log(self, who: str, what: str) -> None:
        """Something that happened."""
        with self.engine.begin() as connection:
            connection.execute(insert(EVENT).values(who=who, what=what, at=time.time()))

    def events(self, n: int) -> list[dict[str, Any]]:
        """What happened, the last first."""
        rows = select(EVENT.c.at, EVENT.c.who, EVENT.c.what).order_by(EVENT.c.seq.desc()).limit(n)
        with self.engine.connect() as connection:
            return [dict(row._mapping) for row in connection.execute(rows)]

    def count(self) -> int:
        """How many rows of votes there are."""
        with self.engine.connect() as connection:
            return int(connection.execute(select(func.count()).select_from(VOTE)).scalar_one())

    def backup(self, target: str | Path) -> None:
        """A copy of a SQLite project, whole, while it runs."""
        if not self.embedded:
            raise InputError("backup copies SQLite projects; for PostgreSQL there is pg_dump")
        if Path(target).exists():
            raise InputError(f"{target} is there already: a backup does not replace a file")
        try:
            with self.engine.connect() as connection:
                connection.execute(text("VACUUM INTO :target"), {"target": str(target)})
        except DatabaseError as error:
            raise InputError(f"{target} cannot be written: {error.orig}") from error

    @staticmethod
    def restore(copy: str | Path, target: str) -> None:
        """A project made from a backup: the copy stays, and a project that is there is not replaced."""
        if "://" in target:
            raise InputError("restore copies SQLite projects; for PostgreSQL there is pg_restore")
        if Path(target).exists():
            raise InputError(f"{target} is there already: a backup does not replace a project; move it away first")
        for ending in ("-wal", "-shm", "-journal"):  # SQLite would put what is in there upon the copy
            if Path(f"{target}{ending}").exists():
                raise InputError(f"{target}{ending} is there, of a project that was called so: move it away with it")
        if not Path(copy).is_file():
            raise InputError(f"{copy}: there is no such file")
        try:
            with closing(sqlite3.connect(f"file:{Path(copy).absolute()}?mode=ro", uri=True)) as kept:
                there = {name for (name,) in kept.execute("SELECT name FROM sqlite_master")}
        except sqlite3.DatabaseError:
            there = set()
        if not {PROJECT.name, VOTE.name} <= there:
            raise InputError(f"{copy} is no copy of a project")
        with whole_file(target) as file, Path(copy).open("rb") as source:
            shutil.copyfileobj(source, file)

    def close(self) -> None:
        """Let go of the database."""
        if self._owned is not None:
            self._owned.close()
        self.engine.dispose()


def hashed(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def _careful(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
