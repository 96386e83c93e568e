"""Version 2: accounts and their credentials instead of tokens, live matches, and counters."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Create the new tables, and make an account of every token."""
    op.create_table(
        "accounts",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("made", sa.Text, nullable=False),
        sa.Column("revoked", sa.Text),
    )
    op.create_table(
        "credentials",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("account", sa.Text, sa.ForeignKey("accounts.name", ondelete="CASCADE"), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("made", sa.Text, nullable=False),
        sa.Column("expires", sa.Double),
        sa.Column("used", sa.Text),
    )
    op.create_index("credentials_by_account", "credentials", ["account"])
    op.execute("INSERT INTO accounts (name, role, kind, made) SELECT name, role, 'program', made FROM tokens")
    op.execute("INSERT INTO credentials (hash, account, kind, made) SELECT hash, name, 'token', made FROM tokens")
    op.drop_table("tokens")
    op.create_table(
        "live_matches",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("setup", sa.Text, nullable=False),
        sa.Column("clocks", sa.Text, nullable=False, server_default="[]"),
        sa.Column("made", sa.Text, nullable=False),
    )
    match = sa.ForeignKey("live_matches.number", ondelete="CASCADE")
    op.create_table(
        "live_seats",
        sa.Column("number", sa.Integer, match, primary_key=True, autoincrement=False),
        sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text),
        sa.Column("account", sa.Text),
        sa.Column("person", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("key_hash", sa.Text, unique=True),
    )
    op.create_table(
        "counters",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Integer, nullable=False),
    )
