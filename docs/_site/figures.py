"""Tables made from the figures that commands keep in `docs/figures`: of benchmarks, and of what awareness is worth.

`make figures` measures them.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kibitz_lab.testing.benchmark import Figure, Measurement, names, path_of, read_figures

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures"
GAINS = ("game", "agent", "opponents", "gain", "truth told", "wrong model", "pairs", "verdict")
"""The columns of the study's table that readers see, in this order."""


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '¦') for cell in line)} |" for line in lines)


def benchmark_tables() -> str:
    """A section for every benchmark: what it measures, when and where that was done, and its figures."""
    found = read_figures(FIGURES / "benchmarks.json")
    parts = [part for name, each in found.items() for part in benchmark_section(name, each)]
    others = [f"- `kibitz bench {name}`: {first_words(name)}" for name in names() if name not in found]
    left_out = "These take longer, or need a quiet machine. Each of them is one command:"
    return "\n\n".join([*parts, "## Not measured here", left_out, "\n".join(others)])


def benchmark_section(name: str, found: Measurement) -> Iterator[str]:
    yield f"## {name}"
    yield first_words(name)
    size = "`--quick` sizes" if found.quick else "full sizes"
    runs = {figure.runs for figure in found.figures.values() if figure.value is not None}
    often = f"{min(runs)} to {max(runs)} runs" if len(runs) > 1 else f"{max(runs, default=0)} runs"
    yield f"Measured on {found.date} with kibitz `{found.kibitz}`: {often} a figure, {size}; {found.machine}."
    rows = [figure_row(label, figure) for label, figure in found.figures.items()]
    yield table(("figure", "value", "range or interval", "target", ""), rows)


def figure_row(label: str, figure: Figure) -> tuple[str, ...]:
    if figure.value is None:
        return label.replace("_", " "), "–", figure.note, figure.bar, "not measured"
    verdict = "" if not figure.bar else "met" if figure.ok else "**missed**"
    known = f"{figure.spread[0]:.4g} to {figure.spread[1]:.4g}" if figure.spread else ""
    spread = "; ".join(filter(None, (known, figure.note))) or "unknown"
    return label.replace("_", " "), f"{figure.value:.4g} {figure.unit}".strip(), spread, figure.bar, verdict


def first_words(name: str) -> str:
    """The first line of a benchmark's file."""
    text = path_of(name).read_text(encoding="utf-8")
    return text.removeprefix('"""').partition("\n")[0].removesuffix('"""')


def awareness_report() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FIGURES / "awareness.json").read_text(encoding="utf-8"))
    return found


def awareness_table() -> str:
    """The matrix: a line for every game, agent and kind of opponents."""
    report = awareness_report()
    matrix = next(each for each in report["tables"] if "gain" in each["columns"] and "truth told" in each["columns"])
    places = [matrix["columns"].index(head) for head in GAINS]
    rows = [[cell_words(row[place], GAINS[at]) for at, place in enumerate(places)] for row in matrix["rows"]]
    return table(("game", "agent", "opponents", "gain", "truth", "wrong", "pairs", "verdict"), rows)


def cell_words(cell: Any, head: str) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, dict):
        mean = f"{cell['mean']:+.3f}"
        return f"{mean} ({cell['low']:+.3f} to {cell['high']:+.3f})"
    return f"`{cell}`" if head in ("game", "agent") else f"{cell:,}" if isinstance(cell, int) else str(cell)


def awareness_words() -> str:
    """The table of the study, and how it was made."""
    report = awareness_report()
    parts = next(each for each in report["tables"] if "finished" in each["columns"])
    day = str(parts["rows"][0][parts["columns"].index("begun")])[:10]
    return f"{awareness_table()}\n\nBegun on {day}. {report['making']}"
