"""`kibitz bench`: measures speed against targets and peers."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from kibitz.cli.console import busy, console, plain_table
from kibitz.cli.options import JsonOption
from kibitz.core.files import check_writable
from kibitz.testing.benchmark import Figure, names, read_figures, run, store_figures


def bench(
    name: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Benchmarks to run (default: all).")] = None,
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=3, help="Measurements per figure.")] = 5,
    quick: Annotated[
        bool, typer.Option("--quick", help="Measure less, where a benchmark has a small version.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Also put the figures into this JSON file, with date and version."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Measure speed against peers, or models on strangers; a missed target is reported, not an error.

    Examples:

      kibitz bench core

      kibitz bench core --json

      kibitz bench strangers --quick

      kibitz bench core plans --out figures.json
    """
    found: dict[str, Figure] = {}
    wanted = name or names()
    if out is not None:  # a file that cannot be added to is refused before anything is measured
        check_writable(out)
        if out.exists():
            read_figures(out)
    for each in wanted:
        prefix = f"{each}." if len(wanted) > 1 else ""
        with busy(f"measuring {each}", quiet=json):
            figures = run(each, runs, quick=quick)
        found |= {prefix + figure: value for figure, value in figures.items()}
        if out is not None:
            store_figures(out, {each: figures}, quick=quick)
    if json:
        print(msgspec.json.encode(found).decode())
        return
    table = plain_table()
    for heading in ("figure", "value", "unit", "target", "", "range of the runs, or interval"):
        table.add_column(heading, overflow="fold")
    for label, figure in found.items():
        value = "-" if figure.value is None else f"{figure.value:.4g}"
        known = f"{figure.spread[0]:.4g} – {figure.spread[1]:.4g}" if figure.spread else ""
        spread = "; ".join(filter(None, (known, figure.note)))
        verdict = "" if not figure.bar else "[green]met[/]" if figure.ok else "[red]missed[/]"
        if figure.value is None:
            verdict = "[yellow]not measured[/]"
        table.add_row(label, value, figure.unit, figure.bar, verdict, spread)
    console.print(table)
