"""`kibitz verify`: re-prove a saved solution by code that shares nothing with the solver but the file."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from kibitz.cli.console import console, plain_table
from kibitz.cli.options import JsonOption


def verify(
    solution: Annotated[
        Path, typer.Argument(metavar="SOLUTION", help="A file that `kibitz solve GAME --proof FILE.npz` wrote.")
    ],
    json: JsonOption = False,
) -> None:
    """Check a saved solution without the solver: its tables, its strategies, and every bound.

    Player 0's strategy must hold every lower bound against all responses, player 1's every upper bound; what floating
    point cannot decide is computed in rational numbers. The exit code is 1 if anything does not hold.

    Examples:

      kibitz solve right-turn --proof right-turn.npz

      kibitz verify right-turn.npz
    """
    from kibitz.solve.verification.checks import check_solution
    from kibitz.solve.verification.game_tables import check_tables
    from kibitz.solve.verification.solution_file import read_solution

    saved = read_solution(solution)
    found = [check_tables(saved)] if saved.game else []
    found += check_solution(saved)
    holds = all(finding.holds for finding in found)
    width = float((saved.high - saved.low)[: saved.live].max(initial=0.0))
    if json:
        fields = {
            "holds": holds,
            "width": width,
            "states": saved.choices,
            "infinite_play": None if saved.must_end else saved.infinite_play,
            "discount": saved.discount,
            "checks": found,
        }
        typer.echo(msgspec.json.encode(fields))
    else:
        table = plain_table(None)
        for head in ("checked", "count", "", "why"):
            table.add_column(head)
        for finding in found:
            table.add_row(finding.what, f"{finding.count:,}", "holds" if finding.holds else "FAILS", finding.why)
        console.print(table)
        endless = "must not happen" if saved.must_end else f"counts {saved.infinite_play:g}"
        console.print(
            f"Play without end {endless}; a round later counts {saved.discount:g} times as much.", markup=False
        )
        told = f"{saved.choices:,} states, every interval at most {width:.3g} wide"
        console.print(f"{told}: {'proved' if holds else 'NOT proved'}", markup=False)
    if not holds:
        raise typer.Exit(1)
