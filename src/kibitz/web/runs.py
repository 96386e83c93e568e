"""Tournaments and studies that operators start from the pages; the store keeps them."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from kibitz.arena.definitions import make_tournament, named_agents
from kibitz.arena.executors import make_executor
from kibitz.arena.runs import TournamentRun, open_run
from kibitz.core.errors import KibitzError, Refused
from kibitz.server.lobby import Lobby
from kibitz.server.policy import allowed_spec
from kibitz.store import Run, Store
from kibitz.studies.catalogue import find_study
from kibitz.studies.folder import default_folder, write_report
from kibitz.studies.report import make_report
from kibitz.studies.runs import StudyRun


class Runs:
    """Runs tournaments and studies off the event loop, in one process beside the server. Stopped runs can be resumed.

    Only operators may start them; the lobby knows their agents and the limits.
    """

    def __init__(self, lobby: Lobby) -> None:
        self.compute, self.agents, self.limits = lobby.compute, lobby.agents, lobby.limits
        self.url = lobby.store.url.render_as_string(hide_password=False)
        self.folder = Path.cwd()
        """The folder for reports, whatever the working folder is."""
        self.going: dict[str, asyncio.Task[None]] = {}
        self.failures: dict[str, str] = {}
        self.shares: dict[str, float] = {}
        """The share done of each started study."""

    def all(self) -> list[Run]:
        """Every run in the store, newest first."""
        with Store(self.url, make=False) as store:
            return store.runs()[::-1]

    def begin_tournament(self, game: str, agents: Sequence[str], repeats: int, seed: int = 0) -> int:
        """Start a round robin, or resume the same one; return the number of its run. No request can start a program."""
        allowed = {name: allowed_spec(spec, self.agents) for name, spec in named_agents(agents).items()}
        wanted = make_tournament({"games": (allowed_spec(game),), "agents": allowed, "repeats": repeats, "seed": seed})
        self.check_room()
        with Store(self.url) as store:
            run = open_run(wanted, store).run.run
        self.go_on(f"run {run}", lambda: play_tournament(self.url, run))
        return run

    def begin_study(self, name: str) -> None:
        """Start the small version of a study, or resume it."""
        find_study(name)
        self.check_room()

        def tell(done: float, planned: float) -> None:
            self.shares[name] = done / max(1.0, planned)

        self.go_on(f"study {name}", lambda: play_study(self.url, name, self.report_folder(name), tell))

    def check_room(self) -> None:
        """Raise Refused if too many runs are active."""
        if sum(not task.done() for task in self.going.values()) >= self.limits.tournaments:
            raise Refused("too many tournaments and studies are running; try again when one has finished")

    def go_on(self, name: str, work: Callable[[], None]) -> None:
        """Start a run, unless it is running."""
        if name in self.going and not self.going[name].done():
            raise Refused(f"{name} is running already")
        self.failures.pop(name, None)
        self.going[name] = asyncio.get_running_loop().create_task(self.run_work(name, work))

    async def run_work(self, name: str, work: Callable[[], None]) -> None:
        """Do the work; keep an error to show it."""
        try:
            await self.compute.run_blocking(work)
        except KibitzError as error:
            self.failures[name] = str(error)

    def report_folder(self, name: str) -> Path:
        """The folder of the report of a study's small version."""
        return self.folder / default_folder(find_study(name).name, quick=True)

    def status(self, name: str) -> str:
        """The status of a run in a few words."""
        if name in self.failures:
            return f"stopped: {self.failures[name]}"
        task = self.going.get(name)
        return "playing" if task is not None and not task.done() else ""


def play_tournament(url: str | None, run: int) -> None:
    """Play the rest of a tournament."""
    with Store(url) as store, make_executor("pool", workers=1) as executor:
        running = TournamentRun(store.run(run), store)
        with closing(running.play_matches(executor)) as played:
            for _ in played:
                pass


def play_study(url: str | None, name: str, folder: Path, tell: Callable[[float, float], None]) -> None:
    """Play the rest of a study's small version, report progress to *tell*, and write its report."""
    with Store(url) as store:
        run = StudyRun(find_study(name), store, quick=True, seed=0, called=name)
        tell(*run.steps)
        if not run.complete:
            with make_executor("pool", workers=1) as executor, closing(run.run_rest(executor)) as played:
                for _ in played:
                    tell(*run.steps)
        write_report(make_report(run), run, folder)
