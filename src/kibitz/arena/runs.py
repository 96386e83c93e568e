"""Plays a tournament and stores matches as they are completed; started again it resumes. Standings by game."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from kibitz.arena.executors import Executor
from kibitz.arena.plan import Plan
from kibitz.arena.series import SeriesWork, known_game
from kibitz.arena.statistics import Summary, summary
from kibitz.arena.tournament import Tournament
from kibitz.core import version
from kibitz.store.results import MatchResult, RunKind

if TYPE_CHECKING:
    from kibitz.store import Run, Store
    from kibitz.store.claims import Claim


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
        from kibitz.store.claims import Claim

        with Claim(self.store, self.run.run) as claim:
            yield from self.played_under(claim, executor)

    def played_under(self, claim: "Claim", executor: Executor) -> Generator[list[MatchResult], None, None]:
        """Play the rest as long as the claim holds."""
        if self.store.run(self.run.run).stored > len(self.results):  # another process has played until now
            self.results = self.store.results(self.run.run)
        yield from self.new_matches(claim, executor)
        self.results.sort(key=lambda result: result.index)  # as they are stored
        self.finish()

    def new_matches(self, claim: "Claim", executor: Executor) -> Generator[list[MatchResult], None, None]:
        """Play the series that are not done."""
        done = {result.index for result in self.results}
        from kibitz.store import Writer

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

    def finish(self) -> None:
        """Mark the run as finished."""
        self.store.finish(self.run.run)


def stored_plan(run: "Run") -> Plan:
    """The plan of a stored run. A comparison's definition is open: it has the planned blocks, and may get more."""
    plan = Plan.of(msgspec.json.decode(run.definition, type=Tournament))
    return plan.with_blocks(run.planned // plan.block_size) if run.kind == RunKind.COMPARISON else plan


def other_versions(store: "Store", run: "Run") -> list[str]:
    """The other versions of the code that have played a part of a run."""
    return [each for each in store.versions(run.run) if each != version.code_version()] if run.stored else []


def version_warning(store: "Store", run: "Run") -> str:
    """The warning before a run is resumed that another version of the code has played; empty if none has."""
    others = other_versions(store, run)
    if not others:
        return ""
    made = f"run {run.run}: {run.stored} of {run.planned} matches were played by kibitz {', '.join(others)}"
    return f"{made}, the others will be played by {version.code_version()}; if that matters, --fresh plays all again"


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


def table(running: TournamentRun) -> RunSummary:
    """The current table of a run."""
    run = running.run
    games = standings(running.results)
    return RunSummary(run.run, run.name, len(running.results), running.run.planned, running.complete, games)
