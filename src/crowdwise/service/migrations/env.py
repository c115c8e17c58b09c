"""Alembic asks here how to reach the database: over the connection that the store hands it."""

from alembic import context

from crowdwise.service.schema import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
