"""The measures of the arenas: means over a population with two intervals.

How sure a mean is depends on the question. *Over matches*: if the same opponents were met again. *Over opponents*: if
others were drawn from where these came from; a family counts as one draw.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import numpy as np

from kibitz import core
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.arena.statistics.intervals import Bounds, student_quantile
from kibitz.core.errors import BadDefinition
from kibitz.core.registry import make_agent
from kibitz.studies.arenas.families import Opponent, in_halves
from kibitz.studies.measures import Column
from kibitz.studies.study import Row

HALF_NAMES = ("all", "tuning", "unseen")


class PopulationMean(msgspec.Struct, frozen=True):
    """A mean over opponents, each with the same weight, with its two intervals."""

    over_matches: Estimate
    over_opponents: Estimate


def population_mean(scores: Mapping[str, Sequence[float]], population: Sequence[Opponent]) -> PopulationMean:
    """The mean of *scores*, for each opponent one per repeat; opponents without scores are left out."""
    met = [each for each in population if scores.get(each.name)]
    if not met:
        raise BadDefinition("arena", "no opponent of this half was met")
    families = {family: number for number, family in enumerate(dict.fromkeys(each.family for each in met))}
    means = [float(np.mean(scores[each.name])) for each in met]
    return PopulationMean(
        mean_over_matches([scores[each.name] for each in met]),
        mean_interval(means, [families[each.family] for each in met]),
    )


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


def worst_mean(scores: Mapping[str, Sequence[float]]) -> tuple[str, Estimate]:
    """The opponent who wins most, and what is earned against them."""
    name = min(scores, key=lambda each: float(np.mean(scores[each])))
    return name, mean_interval(scores[name])


def half_columns(population: Callable[[], Sequence[Opponent]], bounds: Bounds) -> tuple[Column, ...]:
    """Columns with the mean over all opponents and over each half, and the interval over opponents."""

    def mean(half: str, *, over_opponents: bool = False) -> Callable[[Sequence[Row]], Estimate | None]:
        def column(rows: Sequence[Row]) -> Estimate | None:
            scores = scores_by_opponent(rows)
            met = [each for each in in_halves(population())[half] if each.name in scores]
            found = population_mean(scores, met) if met else None
            return None if found is None else found.over_opponents if over_opponents else found.over_matches

        return column

    halves = [Column(name=half, of=mean(half), least=2, bounds=bounds) for half in HALF_NAMES]
    return (*halves, Column(name="all, over opponents", of=mean("all", over_opponents=True), bounds=bounds))


def worst_of(rows: Sequence[Row]) -> Estimate:
    """What is earned against the opponent who wins most."""
    return worst_mean(scores_by_opponent(rows))[1]


def worst_opponent(rows: Sequence[Row]) -> str:
    """The opponent who wins most."""
    return worst_mean(scores_by_opponent(rows))[0]


def median_cpu(rows: Sequence[Row]) -> float:
    """The median CPU time of a match in milliseconds."""
    return 1000.0 * float(np.median([row["cpu"] for row in rows]))


def scores_by_opponent(rows: Iterable[Row]) -> dict[str, list[float]]:
    """What was earned from each opponent, repeat by repeat."""
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row["opponent"], []).append(row["earned"])
    return found


def scores_by_agent(rows: Iterable[Row], key: str = "earned") -> dict[str, dict[str, list[float]]]:
    """What each agent earned from each opponent, repeat by repeat."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        found.setdefault(row["agent"], {}).setdefault(row["opponent"], []).append(row[key])
    return found


def check_agents(specs: Sequence[str], game: str) -> None:
    """Raise if one of the agents does not exist or has wrong parameters."""
    for spec in specs:
        made: core.Agent = make_agent(spec, game)
        assert made is not None
