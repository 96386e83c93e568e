"""Version 1: runs, their matches, and tokens."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """Create the tables of version 1 that are missing."""
    create("kibitz_schema", sa.Column("version", sa.Integer, primary_key=True))
    create(
        "runs",
        sa.Column("run", sa.Integer, primary_key=True, autoincrement=True),
        *texts("kind", "name", "definition", "fingerprint"),
        *integers("copy", "planned"),
        *texts("kibitz", "begun"),
        sa.Column("finished", sa.Text),
        sa.UniqueConstraint("fingerprint", "copy"),
        sqlite_autoincrement=True,
    )
    create(
        "matches",
        run_key(),
        key("index", sa.Integer),
        *integers("series", "block"),
        *texts("game", "seed"),
        *integers("plies"),
        *texts("reason"),
        sa.Column("record", sa.LargeBinary, nullable=False),
    )
    create(
        "seats",
        *match_key(),
        key("seat", sa.Integer),
        *texts("name"),
        *doubles("returned", "seconds"),
        *integers("strikes"),
        sa.Column("forfeited", sa.Boolean, nullable=False),
        match_reference(),
    )
    op.create_index("seats_by_name", "seats", ["run", "name"], if_not_exists=True)
    create(
        "beliefs",
        *match_key(),
        key("seen", sa.Integer),
        key("watcher", sa.Text),
        key("player", sa.Integer),
        *texts("belief"),
        match_reference(),
    )
    create("ratings", run_key(), key("game", sa.Text), key("name", sa.Text), *doubles("mu", "sigma"))
    create("study_rows", run_key(), key("index", sa.Integer), *texts("row"), *doubles("seconds"))
    create("run_versions", run_key(), key("kibitz", sa.Text), *texts("first"))
    create(
        "claims",
        run_key(),
        *texts("token", "machine"),
        *integers("pid"),
        *texts("started", "since"),
        *doubles("beat"),
    )
    create("tokens", key("name", sa.Text), *texts("hash", "role", "made"), sa.UniqueConstraint("hash"))


def create(table: str, *parts: sa.schema.SchemaItem, **options: bool) -> None:
    """Create a table unless it is there."""
    op.create_table(table, *parts, if_not_exists=True, **options)


def key(name: str, kind: type[sa.Integer | sa.Text]) -> sa.Column[object]:
    """A column of the primary key."""
    return sa.Column(name, kind, primary_key=True, autoincrement=False)


def run_key() -> sa.Column[object]:
    """The run, as a part of the primary key."""
    return sa.Column("run", sa.Integer, sa.ForeignKey("runs.run", ondelete="CASCADE"), primary_key=True)


def match_key() -> list[sa.Column[object]]:
    """The run and the index of a match, as parts of the primary key."""
    return [key("run", sa.Integer), key("index", sa.Integer)]


def match_reference() -> sa.ForeignKeyConstraint:
    """The match that a row belongs to."""
    return sa.ForeignKeyConstraint(["run", "index"], ["matches.run", "matches.index"], ondelete="CASCADE")


def texts(*names: str) -> list[sa.Column[str]]:
    """Columns of text."""
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def integers(*names: str) -> list[sa.Column[int]]:
    """Columns of whole numbers."""
    return [sa.Column(name, sa.Integer, nullable=False) for name in names]


def doubles(*names: str) -> list[sa.Column[float]]:
    """Columns of numbers."""
    return [sa.Column(name, sa.Double, nullable=False) for name in names]
