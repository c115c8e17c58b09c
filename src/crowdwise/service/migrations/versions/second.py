"""Answers of any length: spans are longer than the names of classes."""

import sqlalchemy as sa
from alembic import op

revision = "second"
down_revision = "first"
branch_labels = None
depends_on = None
ANSWERS = (("vote", "label"), ("item", "gold"), ("item", "audit"), ("item", "settled"))


def upgrade() -> None:
    """Make room; SQLite keeps any length already."""
    if op.get_bind().dialect.name != "sqlite":
        for table, column in ANSWERS:
            op.alter_column(table, column, type_=sa.Text())


def downgrade() -> None:
    """As it was."""
    if op.get_bind().dialect.name != "sqlite":
        for table, column in ANSWERS:
            op.alter_column(table, column, type_=sa.String(512))
