"""`kibitz nim-table 9`: a command is a struct; its fields are the arguments and options."""

from kibitz.cli.console import Table
from kibitz.cli.options import Argument, TableCommand


class NimTable(TableCommand, frozen=True):
    """List what to take from each heap of nim.

    Example: kibitz nim-table 9
    """

    stones: Argument[int]
    """The largest heap."""

    def execute(self) -> None:
        best = {str(stones): stones % 4 or None for stones in range(1, self.stones + 1)}
        self.show(best, [Table(["stones", "take"], best.items())])
