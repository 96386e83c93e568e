"""The database tables. If you change one, raise VERSION: a database of another version is refused."""

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
)

VERSION = 4

metadata = MetaData()

schema_version = Table("kibitz_schema", metadata, Column("version", Integer, primary_key=True))

runs = Table(
    "runs",
    metadata,
    Column("run", Integer, primary_key=True, autoincrement=True),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("definition", Text, nullable=False),  # JSON: everything that determines the run
    Column("fingerprint", Text, nullable=False),  # of kind and definition
    Column("copy", Integer, nullable=False),  # 0, or more if the same definition was started again with --fresh
    Column("planned", Integer, nullable=False),  # matches, or rows of a study
    Column("kibitz", Text, nullable=False),
    Column("begun", Text, nullable=False),
    Column("finished", Text),
    UniqueConstraint("fingerprint", "copy"),
    sqlite_autoincrement=True,  # the number of a deleted run is never reused
)

matches = Table(
    "matches",
    metadata,
    Column("run", ForeignKey(runs.c.run, ondelete="CASCADE"), primary_key=True),
    Column("index", Integer, primary_key=True, autoincrement=False),
    Column("series", Integer, nullable=False),
    Column("block", Integer, nullable=False),
    Column("game", Text, nullable=False),
    Column("seed", Text, nullable=False),  # up to 2**64 - 1, more than a signed integer holds
    Column("plies", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("record", LargeBinary, nullable=False),
)


def _of_match(name: str, *columns: Column[object]) -> Table:
    """A table whose rows belong to a match and are deleted with it."""
    return Table(
        name,
        metadata,
        Column("run", Integer, primary_key=True, autoincrement=False),
        Column("index", Integer, primary_key=True, autoincrement=False),
        *columns,
        ForeignKeyConstraint(["run", "index"], [matches.c.run, matches.c.index], ondelete="CASCADE"),
    )


seats = _of_match(
    "seats",
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("returned", Double, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("strikes", Integer, nullable=False),
    Column("forfeited", Boolean, nullable=False),
)

study_rows = Table(
    "study_rows",
    metadata,
    Column("run", ForeignKey(runs.c.run, ondelete="CASCADE"), primary_key=True),
    Column("index", Integer, primary_key=True, autoincrement=False),  # of the case
    Column("row", Text, nullable=False),  # JSON
    Column("seconds", Double, nullable=False),  # time of the work
)

run_versions = Table(
    "run_versions",
    metadata,
    Column("run", ForeignKey(runs.c.run, ondelete="CASCADE"), primary_key=True),
    Column("kibitz", Text, primary_key=True),  # version of the code
    Column("first", Text, nullable=False),
)

claims = Table(
    "claims",
    metadata,
    Column("run", ForeignKey(runs.c.run, ondelete="CASCADE"), primary_key=True),
    Column("token", Text, nullable=False),
    Column("machine", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started", Text, nullable=False),  # start of the process, in ticks since boot
    Column("folder", Text, nullable=False),  # of a server; empty for other runs
    Column("since", Text, nullable=False),
    Column("beat", Double, nullable=False),  # when it was renewed, in seconds
)

accounts = Table(
    "accounts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),  # operator, host, player or spectator
    Column("kind", Text, nullable=False),  # person or program
    Column("made", Text, nullable=False),
    Column("revoked", Text),  # when; the row stays, so that the server goes on asking for credentials
)

credentials = Table(
    "credentials",
    metadata,
    Column("hash", Text, primary_key=True),  # of the secret, which is not stored
    Column("account", ForeignKey(accounts.c.name, ondelete="CASCADE"), nullable=False),
    Column("kind", Text, nullable=False),  # token, link or session
    Column("made", Text, nullable=False),
    Column("expires", Double),  # seconds since 1970
    Column("used", Text),  # when a link was used
)

live_matches = Table(
    "live_matches",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("owner", Text, nullable=False),
    Column("setup", Text, nullable=False),  # JSON
    Column("clocks", Text, nullable=False, server_default="[]"),  # JSON: seconds used by each player
    Column("made", Text, nullable=False),
)

live_seats = Table(
    "live_seats",
    metadata,
    Column("number", ForeignKey(live_matches.c.number, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("name", Text),
    Column("account", Text),
    Column("person", Boolean, nullable=False, server_default=false()),
    Column("key_hash", Text, unique=True),  # of the key to the seat, which is not stored
    Column("resigned", Boolean, nullable=False, server_default=false()),
)

counters = Table(
    "counters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Integer, nullable=False),
)

Index("seats_by_name", seats.c.run, seats.c.name)
Index("credentials_by_account", credentials.c.account)
