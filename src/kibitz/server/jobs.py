"""Tournaments that the server plays: started from definition files, stored as the arena stores them."""

import asyncio
from collections.abc import Mapping
from threading import Event

import msgspec

from kibitz.arena.definitions import tournament_from
from kibitz.arena.executors import make_executor
from kibitz.arena.runs import TournamentRun, open_run
from kibitz.arena.standings import table
from kibitz.core.errors import BadDefinition, KibitzError, Refused
from kibitz.core.match.watchers import error_text
from kibitz.server.lobby import Limits
from kibitz.server.policy import allowed_spec
from kibitz.store import Run, Store
from kibitz.store.results import RunKind


class Jobs:
    """Plays tournaments beside the live matches. The same definition resumes its run, also after a restart."""

    def __init__(
        self,
        store: Store,
        agents: Mapping[str, str] | None = None,
        *,
        workers: int | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.store, self.agents, self.workers = store, dict(agents or {}), workers
        self.limits = limits or Limits()
        self.stopping: dict[int, Event] = {}
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self.failures: dict[int, str] = {}

    async def start(self, definition: str, name: str = "") -> Run:
        """Start a tournament, or resume it."""
        if len(self.tasks) >= self.limits.tournaments:
            raise Refused("too many tournaments are running; try again when one has finished")
        running = await asyncio.to_thread(self.open_run, definition, name)
        number = running.run.run
        if number not in self.tasks:
            self.failures.pop(number, None)
            self.stopping[number] = Event()
            self.tasks[number] = asyncio.create_task(self.play_run(running))
        return running.run

    def open_run(self, definition: str, name: str) -> TournamentRun:
        """The run of a definition, whose specs are checked by the policy."""

        def no_file(file: str) -> dict[str, str]:
            raise BadDefinition("definition", "agents: must be a list or a table here, not a file")

        tournament = tournament_from(definition, "definition", no_file, lambda spec: allowed_spec(spec, self.agents))
        return open_run(tournament, self.store, name=name)

    async def play_run(self, running: TournamentRun) -> None:
        """Play a tournament to its end, or until it is stopped."""
        number = running.run.run
        try:
            await asyncio.to_thread(self.play, running, self.stopping[number])
        except Exception as error:  # shown with the standings of the tournament
            self.failures[number] = error_text(error)
        finally:
            del self.tasks[number], self.stopping[number]

    def play(self, running: TournamentRun, stopping: Event) -> None:
        options = {} if self.workers is None else {"workers": self.workers}
        with make_executor("pool" if self.workers != 0 else "inline", **(options if self.workers else {})) as executor:
            playing = running.play_matches(executor)
            try:
                for _ in playing:
                    if stopping.is_set():
                        return
            finally:
                playing.close()

    def runs(self) -> list[Run]:
        """All tournaments in the store."""
        return [run for run in self.store.runs() if run.kind == RunKind.TOURNAMENT]

    def standings(self, number: int) -> dict[str, object]:
        """The current standings of a tournament."""
        found = table(TournamentRun(self.store.run(number), self.store))
        state = "playing" if number in self.tasks else "finished" if found.complete else "stopped"
        told = {"state": state, "failure": self.failures.get(number, "")}
        return {**msgspec.to_builtins(found), **told}

    async def stop(self, number: int) -> None:
        """Stop a tournament; its finished matches stay stored."""
        task = self.tasks.get(number)
        if task is not None:
            self.stopping[number].set()
            await asyncio.wait([task])

    async def close(self) -> None:
        """Stop everything."""
        for number in list(self.tasks):
            try:
                await self.stop(number)
            except KibitzError:  # the store holds what was played
                continue
