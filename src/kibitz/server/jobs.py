"""Jobs: tournaments that operators start on the server, stored as the command line stores them."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from threading import Event

import msgspec

from kibitz.arena.definitions import make_tournament, named_agents, tournament_from
from kibitz.arena.executors import make_executor
from kibitz.arena.runs import TournamentRun, open_run
from kibitz.arena.standings import table
from kibitz.core.errors import BadDefinition, KibitzError, Refused, StoreTrouble
from kibitz.core.match.watchers import error_text
from kibitz.server.access.limits import Limits
from kibitz.server.access.policy import allowed_spec
from kibitz.server.live.storage import FIRST_PAUSE, LONGEST_PAUSE, public_words
from kibitz.store import Run, Store
from kibitz.store.claims import Claim
from kibitz.store.results import RunKind

log = logging.getLogger(__name__)
Work = Callable[[Event], None]
"""The work of a job, which ends early when the event is set."""


class Jobs:
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
        self.stopping: dict[str, Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.failures: dict[str, str] = {}

    # Starting

    async def start(self, definition: str, name: str = "") -> Run:
        """Start a tournament from the text of its definition, or resume it."""

        def no_file(file: str) -> dict[str, str]:
            raise BadDefinition("definition", "agents: must be a list or a table here, not a file")

        def open_tournament() -> TournamentRun:
            allowed = tournament_from(definition, "definition", no_file, lambda spec: allowed_spec(spec, self.agents))
            return open_run(allowed, self.store, name=name)

        return await self.start_tournament(open_tournament)

    async def start_round_robin(self, game: str, agents: Sequence[str], repeats: int, seed: int = 0) -> Run:
        """Start a round robin, or resume the same one."""

        def open_tournament() -> TournamentRun:
            allowed = {name: allowed_spec(spec, self.agents) for name, spec in named_agents(agents).items()}
            wanted = {"games": (allowed_spec(game),), "agents": allowed, "repeats": repeats, "seed": seed}
            return open_run(make_tournament(wanted), self.store)

        return await self.start_tournament(open_tournament)

    async def start_tournament(self, open_tournament: Callable[[], TournamentRun]) -> Run:
        """Start a tournament that *open_tournament* finds or makes in the store."""
        self.check_room()
        running = await asyncio.to_thread(open_tournament)
        number = running.run.run
        self.begin(run_job(number), lambda stopping: self.play(number, stopping))
        return running.run

    def check_room(self) -> None:
        """Raise Refused if too many jobs run."""
        if len(self.tasks) >= self.limits.tournaments:
            raise Refused("too many tournaments are running; try again when one has finished")

    def begin(self, job: str, work: Work) -> None:
        """Start a job, unless it runs."""
        if job not in self.tasks:
            self.failures.pop(job, None)
            self.stopping[job] = Event()
            self.tasks[job] = asyncio.get_running_loop().create_task(self.run_job(job, work))

    # Running, in a thread

    async def run_job(self, job: str, work: Work) -> None:
        """Do the work of a job; keep an error to show it."""
        try:
            await asyncio.to_thread(work, self.stopping[job])
        except Exception as error:  # shown with the standings
            log.error("%s has stopped: %s", job, error)
            self.failures[job] = public_words(error) if isinstance(error, KibitzError) else error_text(error)
        finally:
            del self.tasks[job], self.stopping[job]

    def play(self, number: int, stopping: Event) -> None:
        """Play the rest of a tournament. While the database is away it waits, and then goes on with what is stored."""
        options = {} if self.workers is None else {"workers": self.workers}
        kind = "pool" if self.workers != 0 else "inline"
        pause, job = FIRST_PAUSE, run_job(number)
        claim, claimed = Claim(self.store, number), False
        with make_executor(kind, **(options if self.workers else {})) as executor, ExitStack() as until_end:
            while not stopping.is_set():
                try:
                    if not claimed:
                        until_end.enter_context(claim)
                        claimed = True
                    running = TournamentRun(self.store.run(number), self.store)
                    with closing(running.played_under(claim, executor)) as playing:
                        for _ in playing:
                            self.failures.pop(job, None)
                            if stopping.is_set():
                                return
                except StoreTrouble as error:
                    self.failures[job] = public_words(error)
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
        found = table(TournamentRun(self.store.run(number), self.store))
        job = run_job(number)
        state = "playing" if job in self.tasks else "finished" if found.complete else "stopped"
        return {**msgspec.to_builtins(found), "state": state, "failure": self.failures.get(job, "")}

    def status(self, job: str) -> str:
        """The status of a job in a few words."""
        state = "playing" if job in self.tasks else "stopped" if job in self.failures else ""
        return f"{state}: {self.failures[job]}" if job in self.failures else state

    # Stopping

    async def stop(self, number: int) -> None:
        """Stop a tournament; its finished matches stay stored."""
        await self.stop_job(run_job(number))

    async def stop_job(self, job: str) -> None:
        """Stop a job and wait for its end."""
        task = self.tasks.get(job)
        if task is not None:
            self.stopping[job].set()
            await asyncio.wait([task])

    async def close(self) -> None:
        """Stop everything."""
        for job in list(self.tasks):
            try:
                await self.stop_job(job)
            except KibitzError:  # the store holds what was played
                continue


def run_job(number: int) -> str:
    """The name of the job that plays a run."""
    return f"run {number}"
