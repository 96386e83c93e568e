"""Tables of model scores for the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from string import ascii_uppercase

from rich.text import Text

from kibitz.cli.console import Part, Table
from kibitz_lab.arena.scoring import BASELINE, QuestionScores, ScoreRow, Scores
from kibitz_lab.arena.statistics import Estimate

FIGURES = {
    "accuracy": ("top-1", 1),
    "top": ("top-{}", 1),
    "log_loss": ("log loss", -1),
    "brier": ("Brier", -1),
    "calibration": ("ECE", -1),
    "convergence": ("settled", -1),
    "changes": ("changes", 0),
}
"""The heading of each figure, and whether more (1) or less (-1) is better, or neither (0)."""
WIDTH = 82
"""Width of the figures in characters; names of models get the rest of the line."""


def tables(scores: Scores, by: Sequence[str], width: int) -> Iterator[Part]:
    """For each question: the models, their differences to the first, the chosen groups, and the problems."""
    every = dict.fromkeys(row.model for question in scores.questions.values() for row in question.rows)
    longest = max(map(len, every), default=0)
    short = dict(zip(every, ascii_uppercase, strict=False)) if longest > max(len(BASELINE), width - WIDTH) else {}
    short.pop(BASELINE, None)
    if short:
        yield ""
        yield from (f"{letter}  {model}" for model, letter in short.items())
    names = {model: short.get(model, model) for model in every}
    for question in scores.questions.values():
        yield ""
        if not question.baseline.figures.events:
            yield Text(f"{question.question}: no record holds the truth about it", style="yellow")
            continue
        yield from models_table(scores, question, names)
        notes = list(problems(question, names))
        if notes:
            yield ""
            yield from notes
        if len(question.rows) > 2:
            yield ""
            yield differences_table(scores, question, names)
        for group in by:
            yield ""
            yield groups_table(scores, question, names, group)


def headings_of(scores: Scores, question: QuestionScores) -> dict[str, str]:
    """The figures to show for a question, with their headings."""
    found = {name: heading.format(scores.top) for name, (heading, _) in FIGURES.items()}
    if question.baseline.figures.convergence is None:
        del found["convergence"], found["changes"]
    return found


def models_table(scores: Scores, question: QuestionScores, names: Mapping[str, str]) -> Iterator[Part]:
    """A row per model, every figure above its interval."""
    headings = headings_of(scores, question)
    best = {name: clear_best(question.rows, name, FIGURES[name][1]) for name in headings}
    rows = [
        (name_of(row, names), *(cell(estimate_of(row, name), best[name] is row) for name in headings), timing(row))
        for row in question.rows
    ]
    title = f"{question.question}: {question.baseline.figures.events} answers, {len(question.labels)} different truths"
    yield Table(("model", *headings.values(), "µs"), rows, Text(title))
    units = "matches" if scores.units == scores.matches else "blocks of matches"
    clear = "; * differs clearly from all others" if any(best.values()) else ""
    caption = f"Below each figure its {100 * scores.level:g} % interval over {scores.units} {units}{clear}."
    yield Text(caption, style="dim italic")


def problems(question: QuestionScores, names: Mapping[str, str]) -> Iterator[Text]:
    """Notes below the table: failures, missing answers, extreme answers."""
    for row in question.rows:
        name, figures = names[row.model], row.figures
        if row.broken:
            words = f"{name} raised in {row.broken} matches and was scored up to there; first error: {row.error}"
            yield Text(words, style="red")
        if row.silent:
            yield Text(f"{name} gave no answer {row.silent} times, which counts as {BASELINE}", style="yellow")
        if figures.floored is not None and figures.floored.mean > 0.0:
            share = f"{figures.floored.mean:.2%} of its answers"
            yield Text(f"{name} gave the truth a probability below one in a million in {share}", style="yellow")
        if figures.unconverged is not None and not row.baseline:
            share = f"{figures.unconverged.mean:.0%}"
            yield Text(f"{name} was not right at the end about {share} of players, which counts as 1", style="dim")


def differences_table(scores: Scores, question: QuestionScores, names: Mapping[str, str]) -> Table:
    """The difference of each model to the first."""
    first, *others = question.rows
    headings = {
        name: each for name, each in headings_of(scores, question).items() if name in (others[0].difference or {})
    }
    rows = [
        (name_of(row, names), *(cell((row.difference or {}).get(name), signed=True) for name in headings))
        for row in others
    ]
    title = Text(f"{question.question}: difference to {names[first.model]}")
    return Table(("model", *headings.values()), rows, title)


def groups_table(scores: Scores, question: QuestionScores, names: Mapping[str, str], by: str) -> Table:
    """A row per group and model."""
    headings = headings_of(scores, question)
    del headings["calibration"]
    rows = []
    for group in dict.fromkeys(group for row in question.rows for group in row.by[by]):
        for place, row in enumerate(question.rows):
            figures = row.by[by].get(group)
            if figures is not None:
                cells = (cell(getattr(figures, name)) for name in headings)
                rows.append(("" if place else group, name_of(row, names), str(figures.events), *cells))
    return Table((by, "model", "answers", *headings.values()), rows, Text(f"{question.question} by {by}"))


def name_of(row: ScoreRow, names: Mapping[str, str]) -> Text:
    """The name of a model in the tables."""
    return Text(names[row.model], style="dim" if row.baseline else "")


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


def cell(found: Estimate | None, best: bool = False, *, signed: bool = False) -> Text:
    """A figure above its interval."""
    if found is None or not isfinite(found.mean):
        return Text("–", style="dim")
    number = f"{found.mean:+.3f}" if signed else f"{found.mean:.3f}"
    shown = Text(number + ("*" if best else ""), style="bold green" if best else "")
    if found.is_vacuous():
        shown.append("\ntoo few", style="not bold dim default")
    elif found.low < found.high:
        shown.append(f"\n{found.low:.3f} {found.high:.3f}", style="not bold dim default")
    return shown


def timing(row: ScoreRow) -> Text:
    """The median time of an observation and of an answer."""
    observed, answered = row.timing.observe_median, row.timing.answer_median
    if observed is None:
        return Text("–", style="dim")
    return Text(f"{observed:.0f}" + ("" if answered is None else f"\n+ {answered:.0f}"))
