"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "first"
down_revision = None
branch_labels = None
depends_on = None
BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "project", sa.Column("name", sa.String(64), primary_key=True), sa.Column("value", sa.Text, nullable=False)
    )
    op.create_table(
        "item",
        sa.Column("id", BIG, primary_key=True, autoincrement=True),
        sa.Column("name", sa.String(512), nullable=False, unique=True),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("gold", sa.String(512)),
        sa.Column("audit", sa.String(512)),
        sa.Column("settled", sa.String(512)),
    )
    op.create_table(
        "person",
        sa.Column("id", BIG, primary_key=True, autoincrement=True),
        sa.Column("name", sa.String(256), nullable=False, unique=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("token_sha256", sa.String(64), nullable=False, unique=True),
        sa.Column("cost", sa.Float, nullable=False),
        sa.Column("family", sa.String(256)),
        sa.Column("paused", sa.Boolean, nullable=False),
    )
    op.create_table(
        "vote",
        sa.Column("seq", BIG, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(64), nullable=False, unique=True),
        sa.Column("item", BIG, sa.ForeignKey("item.id"), nullable=False),
        sa.Column("person", BIG, sa.ForeignKey("person.id"), nullable=False),
        sa.Column("label", sa.String(512)),
        sa.Column("seconds", sa.Float),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("replaces", sa.String(64)),
    )
    op.create_table(
        "event",
        sa.Column("seq", BIG, primary_key=True, autoincrement=True),
        sa.Column("who", sa.String(256), nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )


def downgrade() -> None:
    """Nothing was there before."""
    for name in ("event", "vote", "person", "item", "project"):
        op.drop_table(name)
