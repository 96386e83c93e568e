"""`kibitz backup` and `kibitz restore`: all that is stored in one file, and back."""

from pathlib import Path

from kibitz.cli.options import Argument, Command
from kibitz_lab.cli.options import MATCHES, Database, MatchFolder
from kibitz_lab.store.backup import make_backup, restore_backup


class BackupCommand(Command, frozen=True):
    """Write the database and the matches in play into one file, also while the server runs.

    Examples:
      kibitz backup monday.zip
      kibitz backup monday.zip --db postgresql://localhost/kibitz
    """

    file: Argument[Path]
    """The file to write."""
    folder: MatchFolder = MATCHES
    force: bool = False
    """Replace FILE if it exists."""
    db: Database = None

    def execute(self) -> None:
        made = make_backup(self.db, self.folder, self.file, force=self.force)
        print(f"{self.file} holds {made.words}")


class RestoreCommand(Command, frozen=True):
    """Put a backup into a new database, SQLite or PostgreSQL. Stop the server first.

    Examples:
      kibitz restore monday.zip --db new.db
      kibitz restore monday.zip --db postgresql://localhost/kibitz --force
    """

    file: Argument[Path]
    """A backup."""
    folder: MatchFolder = MATCHES
    force: bool = False
    """Replace what the database and the folder hold."""
    db: Database = None

    def execute(self) -> None:
        made = restore_backup(self.file, self.db, self.folder, force=self.force)
        print(f"restored {made.words}")
