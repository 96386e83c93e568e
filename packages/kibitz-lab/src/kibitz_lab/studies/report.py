"""The report of a study, finished or not: its question, its results, and how to reproduce them."""

import platform
import shlex
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from kibitz.core.specs import spec_text
from kibitz_lab.arena.executors import make_executor
from kibitz_lab.store import Store, version
from kibitz_lab.studies.blocks import Block, Cell, Figure, Table
from kibitz_lab.studies.claims import comparison_table
from kibitz_lab.studies.measures import Measure, MeasureLine, drawing_of, shown_value
from kibitz_lab.studies.runs import StudyRun
from kibitz_lab.studies.study import Study

COMPARED = "Compared with the documents"

PACKAGES = ("matplotlib", "msgspec", "numba", "numpy", "scipy", "sqlalchemy")


class Chapter(msgspec.Struct, frozen=True):
    """A heading with its blocks."""

    title: str
    blocks: tuple[Block, ...]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a report, independent of its format."""

    study: str
    title: str
    quick: bool
    seed: int
    complete: bool
    progress: str
    """How much of it is done, in words."""
    asks: str
    chapters: tuple[Chapter, ...]
    comparison: Table | None
    """The claims of the documents and our answers; none if the study declares no claims."""
    making: Chapter
    """How it was made, and how to reproduce it."""
    sources: tuple[str, ...]

    def all_chapters(self) -> tuple[Chapter, ...]:
        """The comparison, if there is one, and then the measures."""
        return (*([Chapter(COMPARED, (self.comparison,))] if self.comparison else []), *self.chapters)

    def figures(self) -> list[Figure]:
        """All figures in their order."""
        return [block for chapter in self.chapters for block in chapter.blocks if isinstance(block, Figure)]

    def shown_tables(self) -> list[Table]:
        """The tables that the terminal shows."""
        return [
            msgspec.structs.replace(block, caption=block.caption or chapter.title)
            for chapter in self.all_chapters()
            for block in chapter.blocks
            if isinstance(block, Table) and block.shown
        ]

    def plain(self) -> dict[str, Any]:
        """The report as JSON, without the pictures."""
        tables = [
            {"section": chapter.title, **block.plain()}
            for chapter in (*self.all_chapters(), self.making)
            for block in chapter.blocks
            if isinstance(block, Table)
        ]
        kept = {name: getattr(self, name) for name in ("study", "title", "quick", "seed", "complete")}
        made = [block for block in self.making.blocks if isinstance(block, str)]
        return {**kept, "making": " ".join(made), "tables": tables}


def make_report(run: StudyRun) -> Report:
    """The report of a study, from the results in the store."""
    study = run.study
    measures = {measure.name: measure for measure in study.measures}
    lines = {name: lines_so_far(measure, run) for name, measure in measures.items()}
    chapters = tuple(Chapter(name, tuple(measure_blocks(each, lines[name], run))) for name, each in measures.items())
    return Report(
        study=run.study.name,
        title=run.study.title,
        quick=run.quick,
        seed=run.seed,
        complete=run.complete,
        progress=progress(run),
        asks=run.study.asks,
        chapters=chapters,
        comparison=comparison_table(study.claims, measures, lines, quick=run.quick) if study.claims else None,
        making=Chapter("How it was made", (making(run), parts_table(run), settings_table(run))),
        sources=run.study.sources,
    )


def report_of(study: Study, *, quick: bool = False, seed: int = 0) -> Report:
    """The report of a study that is run here and now, without a store that stays."""
    with TemporaryDirectory() as folder, Store(f"{folder}/study.db") as store, make_executor("inline") as executor:
        run = StudyRun(study, store, quick=quick, seed=seed)
        for _ in run.run_rest(executor):
            pass
        return make_report(run)


def lines_so_far(measure: Measure, run: StudyRun) -> list[MeasureLine]:
    """The lines of a measure; none while there are too few rows to make them."""
    if any(name not in run.runs for name in measure.parts):
        return []
    try:
        return measure.lines(run.results)
    except Exception:
        if run.results.complete(*measure.parts):
            raise
        return []  # a measure expects all rows of its parts, and may fail with only some


def measure_blocks(measure: Measure, lines: Sequence[MeasureLine], run: StudyRun) -> Iterator[Block]:
    """The table of a measure, and its drawing."""
    if measure.about:
        yield measure.about
    if not run.results.complete(*measure.parts):
        yield "Unfinished: these are the results so far."
    elif not lines:
        yield "This run has no rows for this table."
        return
    yield table_across(measure, lines) if measure.across else table_of(measure, lines)
    if (draw := drawing_of(measure, lines)) is not None:
        name = "".join(letter if letter.isalnum() else "-" for letter in measure.name.lower())
        yield Figure(name, measure.name, draw)


def table_of(measure: Measure, lines: Sequence[MeasureLine]) -> Table:
    """The table with all columns."""
    heads = (*measure.by, *(column.name for column in measure.columns))
    rows = [
        (
            *map(level_cell, line.levels.values()),
            *(shown_value(line.values[each.name], each) for each in measure.columns),
        )
        for line in lines
    ]
    return Table(heads, rows, "", measure.shown)


def table_across(measure: Measure, lines: Sequence[MeasureLine]) -> Table:
    """The table of the first column, with a column for each level of the last factor."""
    first, found = measure.columns[0], dict[tuple[Any, ...], dict[Any, Cell]]()
    for line in lines:
        *levels, last = line.levels.values()
        found.setdefault(tuple(levels), {})[last] = shown_value(line.values[first.name], first)
    lasts = list(dict.fromkeys(last for cells in found.values() for last in cells))
    heads = (*measure.by[:-1], *(last if isinstance(last, str) else f"{measure.by[-1]} {last}" for last in lasts))
    rows = [(*map(level_cell, levels), *map(cells.get, lasts)) for levels, cells in found.items()]
    return Table(heads, rows, "", measure.shown)


def level_cell(level: Any) -> Cell:
    """A level of a factor as a cell."""
    return level if isinstance(level, (str, int, float)) and not isinstance(level, bool) else str(level)


def progress(run: StudyRun) -> str:
    """How much is done, in words."""
    done, planned = run.counts
    return f"{done:,} of {planned:,} cases"


def command(run: StudyRun) -> str:
    """The command that reproduces this report, from the start or from the store."""
    words = ["kibitz", "study", run.called, *(["--quick"] if run.quick else [])]
    for name, value in run.changed.items():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            words += [f"--{name}", str(each)]
    return shlex.join([*words, "--seed", str(run.seed)])


def making(run: StudyRun) -> str:
    """Command, seed, versions, and the amount of work."""
    spent = seconds_in_words(sum(each.working_time for each in run.runs.values()))
    packages = ", ".join(f"{name} {found}" for name in PACKAGES if (found := installed_version(name)))
    strangers = sum(run.strangers.values())
    mixed = f" Other versions of the code made {strangers:,} of them, as the table shows." if strangers else ""
    return (
        f"`{command(run)}` reproduces these numbers, on any machine and with any number of workers; all randomness "
        f"comes from seed {run.seed}. The study worked on {run.counts[0]:,} cases for {spent} on all cores together. "
        f"kibitz {version.code_version()}, Python {platform.python_version()} on {platform.system()} "
        f"{platform.machine()}; {packages}.{mixed}"
    )


def parts_table(run: StudyRun) -> Table:
    """The parts and their times."""
    rows: list[tuple[Cell, ...]] = []
    for part in run.parts:
        each = run.runs.get(part.name)
        if each is None:
            rows.append((part.name, 0, run.planned_count(part), "waiting for earlier parts", None, None, None))
            continue
        spent = seconds_in_words(each.working_time)
        makers = ", ".join(f"{maker} ({count:,})" for maker, count in each.makers.items())
        made_by = next(iter(each.makers), None) if len(each.makers) < 2 else makers
        rows.append((part.name, len(each.rows), each.planned, each.run.begun, each.run.finished, spent, made_by))
    columns = ("part", "done", "planned", "begun", "finished", "working time", "by kibitz")
    return Table(columns, rows, "The parts. From begun to finished includes pauses; the working time does not.")


def settings_table(run: StudyRun) -> Table:
    """The settings, and those of the other size of the study."""
    other = run.study.effective_settings(quick=not run.quick)
    rows = [(name, spec_text(value), spec_text(other[name])) for name, value in run.settings.items()]
    return Table(("setting", "here", "in the whole study" if run.quick else "with --quick"), rows, "The settings.")


def installed_version(package: str) -> str | None:
    """The version of a package, if it is installed."""
    try:
        return version_of(package)
    except PackageNotFoundError:
        return None


def seconds_in_words(seconds: float) -> str:
    """`0.8 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 60:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, left = divmod(minutes, 60)
    return f"{hours} h {left} min" if hours else f"{minutes} min {rest} s"
