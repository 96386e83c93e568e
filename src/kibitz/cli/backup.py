"""`kibitz backup` and `kibitz restore`: all that is stored in one file, and back."""

from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.options import MATCHES, DatabaseOption, MatchFolderOption


def backup(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    folder: MatchFolderOption = MATCHES,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
    db: DatabaseOption = None,
) -> None:
    """Write the database and the matches in play into one file, also while the server runs.

    Examples:

      kibitz backup monday.zip

      kibitz backup monday.zip --db postgresql://localhost/kibitz
    """
    from kibitz.store.backup import make_backup

    made = make_backup(db, folder, target, force=force)
    print(f"{target} holds {made.words}")


def restore(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")],
    folder: MatchFolderOption = MATCHES,
    force: Annotated[bool, typer.Option("--force", help="Replace what the database and the folder hold.")] = False,
    db: DatabaseOption = None,
) -> None:
    """Put a backup into a new database, SQLite or PostgreSQL. Stop the server first.

    Examples:

      kibitz restore monday.zip --db new.db

      kibitz restore monday.zip --db postgresql://localhost/kibitz --force
    """
    from kibitz.store.backup import restore_backup

    made = restore_backup(source, db, folder, force=force)
    print(f"restored {made.words}")
