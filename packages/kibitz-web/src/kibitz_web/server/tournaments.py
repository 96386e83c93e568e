"""Tournaments that operators start on the server, stored as the command line stores them."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from threading import Event

import msgspec

from kibitz.core.errors import BadDefinition, KibitzError, Refused, StoreTrouble, error_text
from kibitz_lab.arena.executors import make_executor
from kibitz_lab.arena.plan import Plan, make_plan
from kibitz_lab.arena.runs import TournamentRun, open_run, run_summary
from kibitz_lab.arena.tournament import named_agents, tournament_from
from kibitz_lab.store import Run, Store
from kibitz_lab.store.claims import Claim
from kibitz_lab.store.results import RunKind
from kibitz_web.server.access.guard import Limits
from kibitz_web.server.access.policy import allowed_spec
from kibitz_web.server.live.storage import FIRST_PAUSE, LONGEST_PAUSE, public_words

log = logging.getLogger(__name__)


class Tournaments:
    """Runs tournaments beside the live matches. The same definition resumes its run, also after a restart.

    Callers must be operators; no definition can start a program or read a file.
    """

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
        """The tournaments that are played, by the number of their run."""
        self.failures: dict[int, str] = {}

    # Starting

    async def start(self, definition: str, name: str = "") -> Run:
        """Start a tournament from the text of its definition, or resume it."""

        def no_file(file: str) -> dict[str, str]:
            raise BadDefinition("definition", "agents: must be a list or a table here, not a file")

        def open_tournament() -> TournamentRun:
            wanted = tournament_from(definition, "definition", no_file, lambda spec: allowed_spec(spec, self.agents))
            return open_run(Plan.of(wanted, "definition"), self.store, name=name)

        return await self.start_tournament(open_tournament)

    async def start_round_robin(self, game: str, agents: Sequence[str], repeats: int, seed: int = 0) -> Run:
        """Start a round robin, or resume the same one."""

        def open_tournament() -> TournamentRun:
            allowed = {name: allowed_spec(spec, self.agents) for name, spec in named_agents(agents).items()}
            wanted = {"games": (allowed_spec(game),), "agents": allowed, "repeats": repeats, "seed": seed}
            return open_run(make_plan(wanted), self.store)

        return await self.start_tournament(open_tournament)

    async def start_tournament(self, open_tournament: Callable[[], TournamentRun]) -> Run:
        """Start a tournament that *open_tournament* finds or makes in the store, unless it is played already."""
        if len(self.tasks) >= self.limits.tournaments:
            raise Refused("too many tournaments are running; try again when one has finished")
        running = await asyncio.to_thread(open_tournament)
        number = running.run.run
        if number not in self.tasks:
            self.failures.pop(number, None)
            self.stopping[number] = Event()
            self.tasks[number] = asyncio.get_running_loop().create_task(self.play(number, running))
        return running.run

    # Running

    async def play(self, number: int, running: TournamentRun) -> None:
        """Play a tournament in a thread; keep an error to show it with the standings."""
        try:
            await asyncio.to_thread(self.play_rest, running, self.stopping[number])
        except Exception as error:
            log.error("run %d has stopped: %s", number, error)
            self.failures[number] = public_words(error) if isinstance(error, KibitzError) else error_text(error)
        finally:
            del self.tasks[number], self.stopping[number]

    def play_rest(self, running: TournamentRun, stopping: Event) -> None:
        """Play the rest of a tournament. While the database is away it waits, and then goes on with what is stored."""
        pause, number = FIRST_PAUSE, running.run.run
        claim, claimed = Claim(self.store, number), False
        made = make_executor("inline") if self.workers == 0 else make_executor("pool", workers=self.workers)
        with made as executor, ExitStack() as until_end:
            while not stopping.is_set():
                try:
                    if not claimed:
                        until_end.enter_context(claim)
                        claimed = True
                    running = TournamentRun(self.store.run(number), self.store, running.plan)
                    with closing(running.played_under(claim, executor)) as playing:
                        for _ in playing:
                            self.failures.pop(number, None)
                            if stopping.is_set():
                                return
                except StoreTrouble as error:
                    self.failures[number] = public_words(error)
                else:
                    return
                stopping.wait(pause)
                pause = min(2.0 * pause, LONGEST_PAUSE)

    # Looking

    def runs(self) -> list[Run]:
        """All tournaments in the store."""
        return [run for run in self.store.runs() if run.kind == RunKind.TOURNAMENT]

    def standings(self, number: int) -> dict[str, object]:
        """The current standings of a tournament."""
        found = run_summary(TournamentRun(self.store.run(number), self.store))
        state = "playing" if number in self.tasks else "finished" if found.complete else "stopped"
        return {**msgspec.to_builtins(found), "state": state, "failure": self.failures.get(number, "")}

    def status(self, number: int) -> str:
        """The status of a tournament in a few words."""
        state = "playing" if number in self.tasks else "stopped" if number in self.failures else ""
        return f"{state}: {self.failures[number]}" if number in self.failures else state

    # Stopping

    async def stop(self, number: int) -> None:
        """Stop a tournament and wait for its end; its finished matches stay stored."""
        if number in self.tasks:
            self.stopping[number].set()
            await asyncio.wait([self.tasks[number]])

    async def close(self) -> None:
        """Stop everything."""
        for number in list(self.tasks):
            await self.stop(number)
