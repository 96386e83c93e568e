"""Version 3: who has resigned in a live match."""

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Add the column to the seats."""
    op.add_column("live_seats", sa.Column("resigned", sa.Boolean, nullable=False, server_default=sa.false()))
