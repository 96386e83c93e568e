"""`kibitz verify`: re-prove a saved solution by code that shares nothing with the solver but the file."""

from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.console import Part, Table
from kibitz.cli.options import Argument, TableCommand
from kibitz_solve.verification.checks import check_solution
from kibitz_solve.verification.game_tables import check_tables
from kibitz_solve.verification.solution_file import read_solution


class VerifyCommand(TableCommand, frozen=True):
    """Check a saved solution without the solver: its tables, its strategies, and every bound.

    Player 0's strategy must hold every lower bound against all responses, player 1's every upper bound; what floating
    point cannot decide is computed in rational numbers. The exit code is 1 if anything does not hold.

    Examples:
      kibitz solve right-turn --proof right-turn.npz
      kibitz verify right-turn.npz
    """

    solution: Argument[Annotated[Path, "SOLUTION"]]
    """A file that `kibitz solve GAME --proof FILE.npz` wrote."""

    def execute(self) -> None:
        saved = read_solution(self.solution)
        found = [check_tables(saved)] if saved.game else []
        found += check_solution(saved)
        holds = all(finding.holds for finding in found)
        width = float((saved.high - saved.low)[: saved.live].max(initial=0.0))
        fields = {
            "holds": holds,
            "width": width,
            "states": saved.choices,
            "infinite_play": None if saved.must_end else saved.infinite_play,
            "discount": saved.discount,
            "checks": found,
        }
        rows = ((each.what, each.count, "holds" if each.holds else "FAILS", each.why) for each in found)
        endless = "must not happen" if saved.must_end else f"counts {saved.infinite_play:g}"
        proved = "proved" if holds else "NOT proved"
        parts: list[Part] = [
            Table(("checked", "count", "", "why"), rows),
            f"Play without end {endless}; a round later counts {saved.discount:g} times as much.",
            f"{saved.choices:,} states, every interval at most {width:.3g} wide: {proved}",
        ]
        self.show(fields, parts)
        if not holds:
            raise typer.Exit(1)
