"""Runs of tournaments: matches stored as they are completed; standings, means of measures, exported files."""

import csv
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import cached_property
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kibitz.core.files import atomic_write, csv_cell, make_folder, write_file
from kibitz.core.kit.numbers import Measure
from kibitz.core.records import Record, record_from_bytes
from kibitz.core.records.records import PACKED
from kibitz.core.records.replay import measures_of
from kibitz_lab.arena.executors import Executor
from kibitz_lab.arena.plan import Plan
from kibitz_lab.arena.series import SeriesWork, known_game
from kibitz_lab.arena.statistics import Estimate, Summary, mean_interval, summary
from kibitz_lab.arena.tournament import Tournament
from kibitz_lab.store import version
from kibitz_lab.store.results import MatchResult, RunKind

if TYPE_CHECKING:
    from kibitz_lab.store import Run, Store
    from kibitz_lab.store.claims import Claim


class TournamentRun:
    """A run in a store: the matches played, and the rest to play."""

    def __init__(self, run: "Run", store: "Store", plan: Plan | None = None) -> None:
        """Without a plan, that of the stored tournament is made when it is needed."""
        self.run, self.store, self.given = run, store, plan
        self.results: list[MatchResult] = store.results(run.run)
        """All matches so far."""

    @cached_property
    def plan(self) -> Plan:
        """The series of the tournament; raises if an agent or game is no longer available."""
        return self.given or stored_plan(self.run)

    @property
    def complete(self) -> bool:
        """Whether nothing is left to play."""
        return len(self.results) >= self.run.planned

    def play_matches(self, executor: Executor) -> Generator[list[MatchResult], None, None]:
        """Play the rest, yielding matches as they are completed; closing it keeps all that were yielded.

        Raises RunInUse if another process plays it.
        """
        from kibitz_lab.store.claims import Claim

        with Claim(self.store, self.run.run) as claim:
            yield from self.played_under(claim, executor)

    def played_under(self, claim: "Claim", executor: Executor) -> Generator[list[MatchResult], None, None]:
        """Play the rest as long as the claim holds."""
        if self.store.run(self.run.run).stored > len(self.results):  # another process has played until now
            self.results = self.store.results(self.run.run)
        done = {result.index for result in self.results}
        from kibitz_lab.store.store import Writer

        writer = Writer(self.store.add, self.run.run)
        try:
            self.plan.check_programs(f"run {self.run.run}")
            left = (series for series in self.plan.series() if series.first not in done)
            with closing(executor.run_items(SeriesWork(), left)) as completed:
                for _, played in completed:
                    claim.check()
                    writer.add(played)
                    found = [each.result for each in played]
                    self.results += found
                    yield found
        finally:
            writer.flush()
        self.results.sort(key=lambda result: result.index)  # as they are stored
        self.finish()

    def finish(self) -> None:
        """Mark the run as finished."""
        self.store.finish(self.run.run)


def stored_plan(run: "Run") -> Plan:
    """The plan of a stored run. A comparison's definition is open: it has the planned blocks, and may get more."""
    plan = Plan.of(msgspec.json.decode(run.definition, type=Tournament))
    return plan.with_blocks(run.planned // plan.block_size) if run.kind == RunKind.COMPARISON else plan


def version_warning(store: "Store", run: "Run") -> str:
    """The warning before a run is resumed that another version of the code has played; empty if none has."""
    here = version.code_version()
    others = [each for each in store.versions(run.run) if each != here] if run.stored else []
    if not others:
        return ""
    made = f"run {run.run}: {run.stored} of {run.planned} matches were played by kibitz {', '.join(others)}"
    return f"{made}, the others will be played by {here}; if that matters, --fresh plays all again"


def by_game(results: Iterable[MatchResult]) -> dict[str, list[MatchResult]]:
    """The results of every game."""
    found: dict[str, list[MatchResult]] = {}
    for result in results:
        found.setdefault(result.game, []).append(result)
    return found


def open_run(plan: Plan, store: "Store", *, name: str = "", fresh: bool = False) -> TournamentRun:
    """A tournament with its run in the store: its earlier one, to be resumed, or a new one."""
    definition = msgspec.json.encode(plan.tournament).decode()
    run = store.begin(RunKind.TOURNAMENT, name or title(plan.tournament), definition, plan.match_count, fresh=fresh)
    return TournamentRun(run, store, plan)


def title(tournament: Tournament) -> str:
    """The title of a tournament in a list: its games and the number of agents."""
    return f"{', '.join(tournament.games)}: {tournament.format} of {len(tournament.agents)}"


class Standings(msgspec.Struct, frozen=True):
    """The agents of one game, the best first."""

    game: str
    rows: list[Summary]
    zero_sum: bool = True
    """Whether the game is zero-sum; in others, wins say little about returns, and tables leave them out."""


class RunSummary(msgspec.Struct, frozen=True):
    """The current state of a run; `--json` prints it as it is."""

    run: int
    name: str
    stored: int
    planned: int
    complete: bool
    games: list[Standings]


def standings(results: Sequence[MatchResult]) -> list[Standings]:
    """The standings of every game, by mean score."""
    found = []
    for game, played in by_game(results).items():
        made = known_game(game)
        rows = summary(played, bounds=made.utility)
        ordered = sorted(rows.values(), key=lambda row: -row.score.mean)
        found.append(Standings(game, ordered, zero_sum=made.zero_sum))
    return found


def run_summary(running: TournamentRun) -> RunSummary:
    """The current state and table of a run."""
    run = running.run
    games = standings(running.results)
    return RunSummary(run.run, run.name, len(running.results), running.run.planned, running.complete, games)


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
    return measure_means(stored)


def measure_means(matches: Iterable[tuple[MatchResult, Record]]) -> list[MeanMeasure]:
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


CSV_COLUMNS = (
    *("index", "series", "block", "game", "seed", "plies", "reason"),
    *("seat", "name", "returned", "seconds", "strikes", "forfeited"),
)


def csv_rows(results: Iterable[MatchResult]) -> Iterator[tuple[object, ...]]:
    """A row per seat, in the order of CSV_COLUMNS."""
    for result in results:
        match = (result.index, result.series, result.block, result.game, result.seed, result.plies, result.reason)
        per_seat = zip(result.names, result.returns, result.seconds, result.strikes, strict=True)
        for seat, columns in enumerate(per_seat):
            yield (*match, seat, *columns, int(seat in result.forfeits))


def write_csv(results: Iterable[MatchResult], path: Path | str) -> None:
    """Write a CSV file; it is written atomically."""
    with atomic_write(path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(CSV_COLUMNS)
        writer.writerows(map(csv_cell, row) for row in csv_rows(results))


def write_records(store: "Store", run: int, folder: Path | str) -> int:
    """Write every record of a run into a folder, named by run and index; return how many."""
    make_folder(folder)
    count = 0
    for index, stored in store.records(run):
        packed = stored.startswith(PACKED)
        record = record_from_bytes(stored, f"match {index} of run {run}").to_bytes() if packed else stored
        write_file(Path(folder, f"{run}-{index:07}.krec"), record)
        count += 1
    return count
