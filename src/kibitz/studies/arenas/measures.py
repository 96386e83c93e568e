"""The measures of the arenas: means over a population with two intervals, and how predictable a series of choices is.

How sure a mean is depends on the question. *Over matches*: if the same opponents were met again. *Over opponents*: if
others were drawn from where these came from; a family counts as one draw.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np

from kibitz import core
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.arena.statistics.estimates import digits
from kibitz.arena.statistics.quantiles import student_quantile
from kibitz.core.errors import BadDefinition
from kibitz.core.registry import make_agent
from kibitz.studies.arenas.families import Opponent, in_halves
from kibitz.studies.blocks import Cell, Table
from kibitz.studies.study import Row, Settings

ORDERS = range(5)
"""The rounds that the yardstick of predictability looks back."""
KEPT = 0.95
"""What is left of a guess's weight after a round."""
STEPS = 10
"""The points of a learning curve."""


class PopulationMean(msgspec.Struct, frozen=True):
    """A mean over opponents, each with the same weight, with its two intervals."""

    over_matches: Estimate
    over_opponents: Estimate


def population_mean(
    scores: Mapping[str, Sequence[float]], population: Sequence[Opponent], bounds: tuple[float, float] | None = None
) -> PopulationMean:
    """The mean of *scores*, for each opponent one per repeat; opponents without scores are left out."""
    met = [each for each in population if scores.get(each.name)]
    if not met:
        raise BadDefinition("arena", "no opponent of this half was met")
    families = {family: number for number, family in enumerate(dict.fromkeys(each.family for each in met))}
    means = [float(np.mean(scores[each.name])) for each in met]
    return PopulationMean(
        mean_over_matches([scores[each.name] for each in met]),
        mean_interval(means, [families[each.family] for each in met], bounds=bounds),
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


def half_table(
    title: str,
    found: Mapping[str, Mapping[str, Sequence[float]]],
    population: Sequence[Opponent],
    *,
    over_opponents: bool = False,
    shown: bool = False,
) -> Table:
    """A table of agents with the means over all opponents and over each half, best first."""
    halves = in_halves(population)
    rows: list[tuple[float, tuple[Cell, ...]]] = []
    for agent, scores in found.items():
        cells: list[Cell] = []
        for members in halves.values():
            met = [each for each in members if scores.get(each.name)]
            if not met:
                cells.append(None)
                continue
            mean = population_mean(scores, met)
            cells.append(mean.over_opponents if over_opponents else mean.over_matches)
        first = cells[0]
        rows.append((first.mean if isinstance(first, Estimate) else 0.0, (agent, *cells)))
    ranked = [row for _, row in sorted(rows, key=lambda each: -each[0])]
    columns = ("agent", *(f"{name} ({len(members)})" for name, members in halves.items()))
    sure = "opponents, siblings as one" if over_opponents else "matches"
    return Table(columns, ranked, f"{title} (95 % interval over {sure}).", shown)


def places_table(
    title: str, found: Mapping[str, Mapping[str, Sequence[float]]], population: Sequence[Opponent]
) -> Table:
    """A table of everybody, best first: the means with their intervals over matches, and that over opponents."""
    halves = in_halves(population)
    rows: list[tuple[float, tuple[Cell, ...]]] = []
    for agent, scores in found.items():
        met = [[each for each in members if scores.get(each.name)] for members in halves.values()]
        whole, *rest = (population_mean(scores, members) if members else None for members in met)
        if whole is not None:
            over = whole.over_opponents
            spread = f"{over.low:.{digits(over)}f} to {over.high:.{digits(over)}f}" if over.is_finite() else None
            halved = [None if each is None else each.over_matches for each in rest]
            rows.append((whole.over_matches.mean, (agent, whole.over_matches, spread, *halved)))
    rows.sort(key=lambda row: -row[0])
    first, *others = (f"{name} ({len(members)})" for name, members in halves.items())
    columns = ("place", "agent", first, "over opponents", *others)
    placed = [(place, *cells) for place, (_, cells) in enumerate(rows, 1)]
    return Table(columns, placed, f"{title} (95 % intervals over matches, and over opponents, siblings as one).")


def scores_by_agent(rows: Iterable[Row], key: str = "earned") -> dict[str, dict[str, list[float]]]:
    """What each agent earned from each opponent, repeat by repeat."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        found.setdefault(row["agent"], {}).setdefault(row["opponent"], []).append(row[key])
    return found


def mean_curve(rows: Sequence[Row], key: str) -> list[Estimate]:
    """The mean of a curve over rows, point by point."""
    curves = np.array([row[key] for row in rows if row[key]])
    return [mean_interval(curves[:, place]) for place in range(curves.shape[1])] if len(curves) else []


def tenths(values: Sequence[float]) -> list[float]:
    """The means of a series over ten parts of it; empty if the series is."""
    if not len(values):
        return []
    return [float(np.mean(part)) for part in np.array_split(np.asarray(values, np.float64), STEPS)]


def predictability(own: Sequence[int], other: Sequence[int]) -> float:
    """The share of own choices that a plain observer guesses: the most frequent one after the last few rounds.

    The observer counts after the last 0 to 4 rounds, and follows the length that guessed best of late. By chance it
    guesses one in as many as there are actions.

    >>> predictability([0, 1, 2] * 50, [0] * 150) > 0.9
    True
    """
    actions = 1 + max(*own, *other, 0)
    pairs = actions * actions
    counts: list[dict[int, list[int]]] = [{} for _ in ORDERS]
    tops: list[dict[int, int]] = [{} for _ in ORDERS]
    """What was chosen most after the last rounds; the first of several."""
    merit = [0.0 for _ in ORDERS]
    past = right = 0
    for turn, (mine, theirs) in enumerate(zip(own, other, strict=True)):
        best = max(ORDERS, key=merit.__getitem__)
        for order in ORDERS:
            context = past % pairs**order + (pairs**order if turn >= order else 0)
            guess = tops[order].get(context, -1)
            right += guess == mine and order == best
            merit[order] = KEPT * merit[order] + (guess == mine)
            held = counts[order].setdefault(context, [0] * actions)
            held[mine] += 1
            if guess < 0 or held[mine] > held[guess]:
                tops[order][context] = mine
        past = (past * pairs + mine * actions + theirs) % pairs ** ORDERS[-1]
    return right / max(1, len(own))


def agents_in(settings: Settings, study: str, name: str = "agents") -> list[str]:
    """The agents that the settings name; a wrong spec is refused before anything is played."""
    found = list(dict.fromkeys(each for each in settings[name] if each))
    if not found:
        raise BadDefinition(study, f"{name}: name at least one")
    return found


def check_agents(specs: Sequence[str], game: str) -> None:
    """Raise if one of the agents does not exist or has wrong parameters."""
    for spec in specs:
        made: core.Agent = make_agent(spec, game)
        assert made is not None
