"""Plays a tournament and stores matches as they are completed; started again it resumes."""

from collections.abc import Generator, Iterable
from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from kibitz.arena.batches import SeriesWork
from kibitz.arena.executors import Executor
from kibitz.arena.plan import Plan
from kibitz.arena.tournament import Tournament
from kibitz.core import version
from kibitz.core.errors import BadDefinition, KibitzError
from kibitz.core.registry import make_agent
from kibitz.remote.process import Process
from kibitz.store.results import MatchResult, RunKind

if TYPE_CHECKING:
    from kibitz.store import Run, Store
    from kibitz.store.claims import Claim


class TournamentRun:
    """A run in a store: the matches played, and the rest to play."""

    def __init__(self, run: "Run", store: "Store") -> None:
        self.run, self.store = run, store
        self.results: list[MatchResult] = store.results(run.run)
        """All matches so far."""

    @cached_property
    def tournament(self) -> Tournament:
        """The tournament of the run."""
        return tournament_of(self.run)

    @cached_property
    def plan(self) -> Plan:
        """The series of the tournament; raises if an agent or game is no longer available."""
        return Plan(self.tournament)

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
            self.check_programs()
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

    def check_programs(self) -> None:
        """Raise BadDefinition if the command line of a program is not known here."""
        for (_, name), spec in self.plan.specs.items():
            agent = make_agent(spec)
            if isinstance(agent, Process):
                try:
                    agent.trouble()
                except KibitzError as error:
                    raise BadDefinition(f"run {self.run.run}", f"agents.{name}: {error}") from None

    def finish(self) -> None:
        """Mark the run as finished."""
        self.store.finish(self.run.run)


def tournament_of(run: "Run") -> Tournament:
    """The tournament of a run. A comparison's definition is open: it has the planned blocks, and may get more."""
    tournament = msgspec.json.decode(run.definition, type=Tournament)
    if run.kind != RunKind.COMPARISON:
        return tournament
    return msgspec.structs.replace(tournament, repeats=run.planned // block_size(tournament))


def block_size(tournament: Tournament) -> int:
    """The number of matches in one block of all fields."""
    return Plan(msgspec.structs.replace(tournament, repeats=1)).planned


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


def open_run(tournament: Tournament, store: "Store", *, name: str = "", fresh: bool = False) -> TournamentRun:
    """A tournament with its run in the store: its earlier one, to be resumed, or a new one."""
    plan = Plan(tournament)
    definition = msgspec.json.encode(plan.tournament).decode()
    return TournamentRun(
        store.begin(RunKind.TOURNAMENT, name or title(tournament), definition, plan.planned, fresh=fresh), store
    )


def title(tournament: Tournament) -> str:
    """The title of a tournament in a list: its games and the number of agents."""
    return f"{', '.join(tournament.games)}: {tournament.format} of {len(tournament.agents)}"
