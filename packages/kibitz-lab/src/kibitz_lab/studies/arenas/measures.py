"""The measures of the arenas: means over a population with two intervals.

How sure a mean is depends on the question. *Over matches*: if the same opponents were met again. *Over opponents*: if
others were drawn from where these came from; a family counts as one draw.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from kibitz.core.registry import make_agent
from kibitz_lab.arena.statistics import Estimate, mean_interval
from kibitz_lab.arena.statistics.intervals import Bounds, student_quantile
from kibitz_lab.studies.arenas.families import Opponent, in_halves
from kibitz_lab.studies.measures import Column
from kibitz_lab.studies.study import Row

HALF_NAMES = ("all", "tuning", "unseen")


def mean_over_matches(scores: Sequence[Sequence[float]]) -> Estimate:
    """The mean over opponents who would be met again, from the *scores* against each: Student's interval.

    Its error comes from how the matches with one and the same opponent differ, so that two with each are enough; the
    degrees of freedom are Satterthwaite's (1946). It is unknown where some were met once, or no match differed.

    >>> str(mean_over_matches([[1.0, 3.0], [11.0, 11.0], [5.0, 7.0]]))
    '+6.33, 95 % interval 4.31 to 8.36'
    """
    mean, repeats = float(np.mean([np.mean(each) for each in scores])), min(map(len, scores))
    count = sum(map(len, scores))
    if repeats < 2:
        return Estimate(mean, -np.inf, np.inf, count, repeats)
    parts = np.array([np.var(each, ddof=1) / len(each) for each in scores])
    if parts.sum() <= 1e-12 * max(1.0, mean**2):
        return Estimate(mean, -np.inf, np.inf, count, repeats)
    freedom = parts.sum() ** 2 / sum(part**2 / (len(each) - 1) for part, each in zip(parts, scores, strict=True))
    error = student_quantile(0.975, max(1, int(freedom))) * float(np.sqrt(parts.sum())) / len(scores)
    return Estimate(mean, mean - error, mean + error, count, repeats)


def mean_over_opponents(scores: Sequence[Sequence[float]], families: Sequence[str]) -> Estimate:
    """The mean over opponents if others were drawn, from the *scores* against each and the family of each."""
    numbers = {family: number for number, family in enumerate(dict.fromkeys(families))}
    return mean_interval([float(np.mean(each)) for each in scores], [numbers[family] for family in families])


def worst_mean(scores: Mapping[str, Sequence[float]]) -> tuple[str, Estimate]:
    """The opponent who wins most, and what is earned against them."""
    name = min(scores, key=lambda each: float(np.mean(scores[each])))
    return name, mean_interval(scores[name])


def half_columns(population: Callable[[], Sequence[Opponent]], bounds: Bounds) -> tuple[Column, ...]:
    """Columns with the mean over all opponents and over each half, and the interval over opponents."""

    def mean(half: str, rows: Sequence[Row], *, over_opponents: bool = False) -> Estimate | None:
        earned = scores_by_opponent(rows)
        met = [each for each in in_halves(population())[half] if each.name in earned]
        scores, families = [earned[each.name] for each in met], [each.family for each in met]
        if not met:
            return None
        return mean_over_opponents(scores, families) if over_opponents else mean_over_matches(scores)

    halves = [Column(name=half, of=partial(mean, half), least=2, bounds=bounds) for half in HALF_NAMES]
    over_opponents = partial(mean, "all", over_opponents=True)
    return (*halves, Column(name="all, over opponents", of=over_opponents, bounds=bounds))


def median_cpu(rows: Sequence[Row]) -> float:
    """The median CPU time of a match in milliseconds."""
    return 1000.0 * float(np.median([row["cpu"] for row in rows]))


def scores_by_opponent(rows: Iterable[Row]) -> dict[str, list[float]]:
    """What was earned from each opponent, repeat by repeat."""
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row["opponent"], []).append(row["earned"])
    return found


def scores_by_agent(rows: Iterable[Row]) -> dict[str, dict[str, list[float]]]:
    """What each agent earned from each opponent, repeat by repeat."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        found.setdefault(row["agent"], {}).setdefault(row["opponent"], []).append(row["earned"])
    return found


def check_agents(specs: Sequence[str], game: str) -> None:
    """Raise if one of the agents does not exist or has wrong parameters."""
    for spec in specs:
        make_agent(spec, game)
