"""Migrations: bring the tables of an older database to the present version, with Alembic.

`versions/` holds one revision per version of the tables. To change a table: change it in `schema`, raise `VERSION`
there, and add a revision. Revisions never import `schema`, which goes on changing.
"""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from sqlalchemy import Connection

from kibitz.core.errors import StoreTrouble
from kibitz.store import schema

FIRST = 1
"""The oldest version that can be upgraded."""


def upgrade(connection: Connection, version: int, target: int = schema.VERSION) -> None:
    """Upgrade the tables from *version* to *target*; the caller holds the lock and the transaction.

    Version 0 means that there are none.
    """
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    revisions = ScriptDirectory(str(Path(__file__).parent)).walk_revisions("base", str(target))
    # Databases of version 1 may lack tables that were added while it was current, so revision 1 is run again.
    wanted = [each for each in revisions if int(each.revision) > version or version == FIRST]
    with Operations.context(MigrationContext.configure(connection)):
        for revision in reversed(wanted):
            revision.module.upgrade()
    connection.execute(schema.schema_version.delete())
    connection.execute(schema.schema_version.insert().values(version=target))


def copy_database(path: Path, version: int) -> Path:
    """Copy an SQLite file before an upgrade changes it: `kibitz.db` to `kibitz.db.version-1`; return the copy."""
    target = free_name(path, version)
    unfinished = Path(f"{target}.part")
    try:
        unfinished.unlink(missing_ok=True)
        unfinished.touch(mode=path.stat().st_mode & 0o777)
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(unfinished)) as copy:
            source.backup(copy)
        unfinished.rename(target)
    except (OSError, sqlite3.Error) as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        why = f"it has to be upgraded to version {schema.VERSION}, and the copy to keep could not be made ({error})"
        raise StoreTrouble(path.name, why) from None
    return target


def free_name(path: Path, version: int) -> Path:
    """The first name for a copy that no file has."""
    target, number = Path(f"{path}.version-{version}"), 1
    while target.exists():
        number += 1
        target = Path(f"{path}.version-{version}-{number}")
    return target
