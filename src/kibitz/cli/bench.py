"""`kibitz bench`: measures speed against targets and peers."""

from typing import Annotated

import msgspec
import typer

from kibitz.cli.options import JsonOption
from kibitz.cli.screen import busy, console, plain_table
from kibitz.testing.benchmark import Figure, names, run


def bench(
    name: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Benchmarks to run (default: all).")] = None,
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=3, help="Measurements per figure.")] = 5,
    quick: Annotated[
        bool, typer.Option("--quick", help="Measure less, where a benchmark has a small version.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Measure speed against peers, or models on strangers; a missed target is reported, not an error.

    Examples:

      kibitz bench core

      kibitz bench core --json

      kibitz bench strangers --quick
    """
    found: dict[str, Figure] = {}
    wanted = name or names()
    for each in wanted:
        prefix = f"{each}." if len(wanted) > 1 else ""
        with busy(f"measuring {each}", quiet=json):
            found |= {prefix + figure: value for figure, value in run(each, runs, quick=quick).items()}
    if json:
        print(msgspec.json.encode(found).decode())
        return
    table = plain_table()
    for heading in ("figure", "value", "unit", "target", "", "range of the runs, or interval"):
        table.add_column(heading, overflow="fold")
    for label, figure in found.items():
        value = "-" if figure.value is None else f"{figure.value:.4g}"
        spread = figure.note or (f"{figure.spread[0]:.4g} – {figure.spread[1]:.4g}" if figure.spread else "")
        verdict = "" if not figure.bar else "[green]met[/]" if figure.ok else "[red]missed[/]"
        if figure.value is None:
            verdict = "[yellow]not measured[/]"
        table.add_row(label, value, figure.unit, figure.bar, verdict, spread)
    console.print(table)
