"""Tables of model scores for the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from string import ascii_uppercase

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kibitz.arena.scoring import BASELINE, QuestionScores, ScoreRow, Scores
from kibitz.arena.statistics import Estimate
from kibitz.cli.console import plain_table

Column = tuple[str, str, int]
"""The heading, the name of the figure, and whether more (1) or less (-1) is better, or neither (0)."""
FIGURES = 82
"""Width of the figures in characters; names of models get the rest of the line."""


def columns(scores: Scores, question: QuestionScores) -> list[Column]:
    """The figures to show for a question."""
    found = [("top-1", "accuracy", 1), (f"top-{scores.top}", "top", 1), ("log loss", "log_loss", -1)]
    found += [("Brier", "brier", -1), ("ECE", "calibration", -1)]
    if question.baseline.figures.convergence is not None:
        found += [("settled", "convergence", -1), ("changes", "changes", 0)]
    return found


def tables(scores: Scores, by: Sequence[str], width: int) -> Iterator[RenderableType]:
    """For each question: the models, their differences to the first, the chosen groups, and the problems."""
    every = dict.fromkeys(row.model for question in scores.questions.values() for row in question.rows)
    longest = max(map(len, every), default=0)
    short = dict(zip(every, ascii_uppercase, strict=False)) if longest > max(len(BASELINE), width - FIGURES) else {}
    short.pop(BASELINE, None)
    if short:
        yield Group(*(Text(f"{letter}  {model}") for model, letter in short.items()))
    for question in scores.questions.values():
        if question.baseline.figures.events:
            yield from Tables(scores, question, short).parts(by)
        else:
            yield Text(f"{question.question}: no record holds the truth about it", style="yellow")


class Tables:
    """The tables of one question; letters stand for models with long names."""

    def __init__(self, scores: Scores, question: QuestionScores, short: Mapping[str, str]) -> None:
        self.scores, self.question, self.short = scores, question, short
        self.shown = columns(scores, question)

    def parts(self, by: Sequence[str]) -> Iterator[RenderableType]:
        """The tables and notes in order."""
        yield self.models()
        notes = list(self.notes())
        if notes:
            yield Group(*notes)
        if len(self.question.rows) > 2:
            yield self.differences()
        for each in by:
            yield self.groups(each)

    def models(self) -> Table:
        """A row per model, every figure above its interval."""
        question, scores = self.question, self.scores
        truths = f"{len(question.labels)} different truths"
        title = f"{question.question}: {question.baseline.figures.events} answers, {truths}"
        table = _table(title, "model", [heading for heading, _, _ in self.shown] + ["µs"])
        table.columns[0].min_width = max(len(self.name(row)) for row in question.rows)
        table.columns[-1].min_width = 5  # the same width on slow and on fast machines
        best = {name: clear_best(question.rows, name, better) for _, name, better in self.shown}
        for row in question.rows:
            cells = [_cell(estimate_of(row, name), best[name] is row) for _, name, _ in self.shown]
            table.add_row(self.name(row), *cells, _timing(row))
        units = "matches" if scores.units == scores.matches else "blocks of matches"
        clear = "; * differs clearly from all others" if any(best.values()) else ""
        table.caption = f"Below each figure its {100 * scores.level:g} % interval over {scores.units} {units}{clear}."
        table.caption_justify = "left"
        return table

    def notes(self) -> Iterator[Text]:
        """Notes below the table: failures, missing answers, extreme answers."""
        for row in self.question.rows:
            name, figures = self.short.get(row.model, row.model), row.figures
            if row.broken:
                words = f"{name} raised in {row.broken} matches and was scored up to there; first error: {row.error}"
                yield Text(words, style="red")
            if row.silent:
                yield Text(f"{name} gave no answer {row.silent} times, which counts as {BASELINE}", style="yellow")
            if figures.floored is not None and figures.floored.mean > 0.0:
                share = f"{figures.floored.mean:.2%} of its answers"
                words = f"{name} gave the truth a probability below one in a million in {share}"
                yield Text(words, style="yellow")
            if figures.unconverged is not None and not row.baseline:
                share = f"{figures.unconverged.mean:.0%}"
                yield Text(f"{name} was not right at the end about {share} of players, which counts as 1", style="dim")

    def differences(self) -> Table:
        """The difference of each model to the first."""
        first, *others = self.question.rows
        compared = [column for column in self.shown if column[1] in (others[0].difference or {})]
        title = f"{self.question.question}: difference to {self.short.get(first.model, first.model)}"
        table = _table(title, "model", [heading for heading, _, _ in compared])
        for row in others:
            found = row.difference or {}
            table.add_row(self.name(row), *(_cell(found.get(name), False, signed=True) for _, name, _ in compared))
        return table

    def groups(self, by: str) -> Table:
        """A row per group and model."""
        shown = [column for column in self.shown if column[1] != "calibration"]
        headings = ["model", "answers", *(heading for heading, _, _ in shown)]
        table = _table(f"{self.question.question} by {by}", by, headings)
        table.columns[1].justify = "left"
        groups = dict.fromkeys(group for row in self.question.rows for group in row.by[by])
        table.columns[0].min_width = min(max(map(len, groups), default=0), 22)
        for group in groups:
            for place, row in enumerate(self.question.rows):
                figures = row.by[by].get(group)
                if figures is not None:
                    cells = [_cell(getattr(figures, name), False) for _, name, _ in shown]
                    table.add_row(Text("" if place else group), self.name(row), str(figures.events), *cells)
        return table

    def name(self, row: ScoreRow) -> Text:
        return Text(self.short.get(row.model, row.model), style="dim" if row.baseline else "")


def _table(title: str, first: str, headings: Sequence[str]) -> Table:
    table = plain_table(Text(title))
    table.add_column(first, overflow="fold", min_width=7)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table


def estimate_of(row: ScoreRow, name: str) -> Estimate | None:
    """A figure of a row by its name."""
    if name == "calibration":
        return row.calibration.error
    found: Estimate | None = getattr(row.figures, name)
    return found


def clear_best(rows: Sequence[ScoreRow], name: str, better: int) -> ScoreRow | None:
    """The row whose figure is best, if its interval lies apart from all others.

    Calibration is compared among models only: the baseline, which knows nothing, is perfectly calibrated.
    """
    taking_part = [row for row in rows if not (row.baseline and name == "calibration")]
    held = [(row, found) for row in taking_part if (found := estimate_of(row, name)) is not None and found.is_finite()]
    if better == 0 or len(held) < 2:
        return None
    best, mine = max(held, key=lambda pair: better * pair[1].mean)
    others = [found for row, found in held if row is not best]
    if better > 0:
        return best if mine.low > max(found.high for found in others) else None
    return best if mine.high < min(found.low for found in others) else None


def _cell(found: Estimate | None, best: bool, *, signed: bool = False) -> Text:
    """A figure above its interval."""
    if found is None or not isfinite(found.mean):
        return Text("–", style="dim")
    number = f"{found.mean:+.3f}" if signed else f"{found.mean:.3f}"
    cell = Text(number + ("*" if best else ""), style="bold green" if best else "")
    if found.is_vacuous():
        cell.append("\ntoo few", style="not bold dim default")
    elif found.low < found.high:
        cell.append(f"\n{found.low:.3f} {found.high:.3f}", style="not bold dim default")
    return cell


def _timing(row: ScoreRow) -> Text:
    """The median time of an observation and of an answer."""
    timing = row.timing
    if timing.observe_median is None:
        return Text("–", style="dim")
    answer = "" if timing.answer_median is None else f"\n+ {timing.answer_median:.0f}"
    return Text(f"{timing.observe_median:.0f}{answer}")
