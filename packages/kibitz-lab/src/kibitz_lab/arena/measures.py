"""The mean of every measure of a run's matches, agent by agent, for games that measure more than the result."""

from collections.abc import Iterable, Sequence
from math import inf

import msgspec

from kibitz.core.kit.numbers import Measure
from kibitz.core.records import Record, record_from_bytes
from kibitz.core.records.replay import measures_of
from kibitz_lab.arena.runs import TournamentRun
from kibitz_lab.arena.statistics import Estimate, mean_interval
from kibitz_lab.store import MatchResult


class MeanMeasure(msgspec.Struct, frozen=True):
    """The mean of a measure over the matches of an agent; of a measure of players, over its own."""

    agent: str
    measure: str
    mean: Estimate
    matches: int


def mean_measures(running: TournamentRun) -> list[MeanMeasure]:
    """The means over all stored records of a run."""
    results = {result.index: result for result in running.results}
    stored = (
        (results[index], record_from_bytes(data, f"match {index}"))
        for index, data in running.store.records(running.run.run)
    )
    return means_of(stored)


def means_of(matches: Iterable[tuple[MatchResult, Record]]) -> list[MeanMeasure]:
    """The means over some matches; intervals are over blocks of matches on one seed."""
    values: dict[tuple[str, str], list[tuple[Measure, int]]] = {}
    for result, record in matches:
        for measure in measures_of(record):
            seats: Sequence[int] = range(len(result.names)) if measure.player is None else (measure.player,)
            for name in dict.fromkeys(result.names[seat] for seat in seats):
                values.setdefault((name, measure.name), []).append((measure, result.block))
    return [
        MeanMeasure(agent, name, interval_of([each for each, _ in found], [block for _, block in found]), len(found))
        for (agent, name), found in sorted(values.items())
    ]


def interval_of(measures: Sequence[Measure], blocks: Sequence[int]) -> Estimate:
    """The mean of a measure, with an interval that respects its bounds."""
    values = [each.value for each in measures]
    least, most = measures[-1].least, measures[-1].most
    if least is not None and most is not None:
        return mean_interval(values, blocks, bounds=(least, most))
    return mean_interval(values, blocks).within((-inf if least is None else least, inf if most is None else most))
