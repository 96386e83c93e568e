"""`kibitz bench`: measures speed against targets and peers."""

from typing import Annotated

import msgspec
from rich.text import Text

from kibitz.cli.console import Table, busy
from kibitz.cli.options import Argument, TableCommand, Written
from kibitz_lab.testing.benchmark import Figure, names, read_figures, run, store_figures


class BenchCommand(TableCommand, frozen=True):
    """Measure speed against peers, or models on strangers; a missed target is reported, not an error.

    Examples:
      kibitz bench core
      kibitz bench core --json
      kibitz bench strangers --quick
      kibitz bench core plans --out figures.json
    """

    names: Argument[tuple[Annotated[str, "NAME"], ...]] = ()
    """Benchmarks to run (default: all)."""
    runs: Annotated[int, msgspec.Meta(ge=3)] = 5
    """Measurements per figure."""
    quick: bool = False
    """Measure less, where a benchmark has a small version."""
    out: Written | None = None
    """Also put the figures into this JSON file, with date and version."""

    def execute(self) -> None:
        found: dict[str, Figure] = {}
        wanted = self.names or names()
        if self.out is not None and self.out.exists():
            read_figures(self.out)  # a file that cannot be added to is refused before anything is measured
        for each in wanted:
            prefix = f"{each}." if len(wanted) > 1 else ""
            with busy(f"measuring {each}", quiet=self.json or self.csv):
                figures = run(each, self.runs, quick=self.quick)
            found |= {prefix + figure: value for figure, value in figures.items()}
            if self.out is not None:
                store_figures(self.out, {each: figures}, quick=self.quick)
        headings = ("figure", "value", "unit", "target", "", "range of the runs, or interval")
        self.show(found, [Table(headings, (figure_row(*pair) for pair in found.items()))])


def figure_row(name: str, figure: Figure) -> tuple[str | Text, ...]:
    """A figure as a row of the table."""
    value = "–" if figure.value is None else f"{figure.value:.4g}"
    spread = f"{figure.spread[0]:.4g} – {figure.spread[1]:.4g}" if figure.spread else ""
    verdict = Text("") if not figure.bar else Text("met", "green") if figure.ok else Text("missed", "red")
    if figure.value is None:
        verdict = Text("not measured", "yellow")
    return name, value, figure.unit, figure.bar, verdict, "; ".join(filter(None, (spread, figure.note)))
