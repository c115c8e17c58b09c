"""The tables of a project: votes are only ever added; a correction or an undo is a vote that replaces another."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Integer, MetaData, String, Table, Text

METADATA = MetaData()
BIG = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts rows by INTEGER alone

PROJECT = Table(
    "project", METADATA,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)  # fmt: skip
ITEM = Table(
    "item", METADATA,
    Column("id", BIG, primary_key=True, autoincrement=True),
    Column("name", String(512), nullable=False, unique=True),
    Column("content", Text, nullable=False, default="{}"),
    Column("gold", Text),
    Column("audit", Text),
    Column("settled", Text),
)  # fmt: skip
PERSON = Table(
    "person", METADATA,
    Column("id", BIG, primary_key=True, autoincrement=True),
    Column("name", String(256), nullable=False, unique=True),
    Column("role", String(16), nullable=False),
    Column("token_sha256", String(64), nullable=False, unique=True),
    Column("cost", Float, nullable=False, default=1.0),
    Column("family", String(256)),
    Column("paused", Boolean, nullable=False, default=False),
)  # fmt: skip
VOTE = Table(
    "vote", METADATA,
    Column("seq", BIG, primary_key=True, autoincrement=True),
    Column("id", String(64), nullable=False, unique=True),
    Column("item", BIG, ForeignKey("item.id"), nullable=False),
    Column("person", BIG, ForeignKey("person.id"), nullable=False),
    Column("label", Text),
    Column("seconds", Float),
    Column("at", Float, nullable=False),
    Column("replaces", String(64)),
)  # fmt: skip
EVENT = Table(
    "event", METADATA,
    Column("seq", BIG, primary_key=True, autoincrement=True),
    Column("who", String(256), nullable=False),
    Column("what", Text, nullable=False),
    Column("at", Float, nullable=False),
)  # fmt: skip
