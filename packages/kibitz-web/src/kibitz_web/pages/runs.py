"""Pages of tournaments: start them, follow them, read their tables with intervals and pictures."""

from collections.abc import Callable, Coroutine
from typing import Any

from nicegui import ui

from kibitz.core.drawing import Drawing
from kibitz.core.registry import entries, house_agents, make_game
from kibitz_lab.arena.runs import RunSummary, Standings, TournamentRun, by_game, run_summary
from kibitz_lab.arena.statistics import payoffs
from kibitz_lab.arena.statistics.intervals import digits
from kibitz_lab.store import Run, Store
from kibitz_lab.store.results import RunKind
from kibitz_web.page_frame import button, errors_shown, heading, show_later, whole_number
from kibitz_web.parts.board import Board
from kibitz_web.parts.entries import NumberEntry, keep_in, select_several
from kibitz_web.visit import Visit

EVERY = 2.0
"""Seconds between refreshes."""
FIRST_GAME = "dilemma"


async def attempt(visit: Visit, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Do something that only an operator may; show why if it fails."""
    with errors_shown():
        visit.visitor.check_operator()
        await work()


class TournamentsPage:
    """The stored runs, and a form that starts a round robin."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.tournaments, self.game = visit, visit.service.tournaments, FIRST_GAME
        self.agents: list[str] = []
        self.repeats, self.seed = 10.0, 0.0

    async def build(self) -> None:
        """Lay the page out."""
        await self.visit.choices.load(self.game)
        await self.visit.choices.soon_fitting(make_game(self.game))  # before anything is built
        heading("Tournaments", 1)
        ui.label("Every agent meets every other. Stopped runs can be resumed; the command line sees the same runs.")
        ui.select([*entries("game")], value=self.game, label="game", with_input=True, on_change=self.choose_game)
        await self.build_agents()
        with ui.element("div").classes("row"):
            keep_in(self, "repeats", NumberEntry("times each group meets", min=1, format="%d"))
            keep_in(self, "seed", NumberEntry("seed", min=0, format="%d"))
            button("Begin", lambda: attempt(self.visit, self.begin))
        heading("Runs")
        self.listed: list[tuple[Run, str]] | None = None
        self.runs_listed = ui.element("div")
        ui.timer(EVERY, self.refresh)

    @ui.refreshable_method
    async def build_agents(self) -> None:
        """Lay out the choice of agents."""
        await self.visit.choices.load(self.game)
        game = make_game(self.game)
        own, fitting = house_agents(self.game), await self.visit.choices.soon_fitting(game)
        if not fitting.complete:
            show_later(lambda: self.visit.choices.fitting(game), self.build_agents.refresh)
        self.agents = own or ["random"]
        keep_in(self, "agents", select_several("agents", [*own, *fitting.agents]))

    async def refresh(self) -> None:
        """A line per run, rebuilt only after a change, so that the page does not jump."""
        runs = await self.visit.run_thread(self.tournaments.runs)
        found = [(run, self.tournaments.status(run.run)) for run in runs[::-1]]
        if found == self.listed:
            return
        self.listed = found
        self.runs_listed.clear()
        with self.runs_listed:
            if not found:
                ui.label("None yet.").classes("quiet")
            for run, status in found:
                with ui.element("div").classes("row"):
                    ui.link(f"{run.run}: {run.name}", f"/tournaments/{run.run}")
                    ui.label(f"{run.progress} matches {status}")

    def choose_game(self, event: Any) -> None:
        """Select another game and its agents."""
        self.game = event.value or self.game
        self.build_agents.refresh()

    async def begin(self) -> None:
        """Start the run, and go to its page."""
        repeats, seed = whole_number(self.repeats, 1) or 1, whole_number(self.seed)
        agents = [str(agent) for agent in self.agents or ()]
        run = await self.tournaments.start_round_robin(self.game, agents, repeats, seed)
        ui.navigate.to(f"/tournaments/{run.run}")


class RunPage:
    """One run: its progress, its standings with intervals, and its payoffs."""

    def __init__(self, visit: Visit, run: Run) -> None:
        self.visit, self.run, self.number = visit, run, run.run

    def build(self) -> None:
        """Lay the page out."""
        heading(f"Run {self.number}: {self.run.name}", 1)
        self.bar = ui.linear_progress(0.0, show_value=False).props('aria-label="progress"')
        self.progress = ui.label("").props('role="status"')
        self.tables = ui.element("div")
        self.shown = -1
        ui.timer(EVERY, self.refresh)

    async def refresh(self) -> None:
        """Show the matches played since the last refresh."""
        service = self.visit.service
        self.run = await service.compute.run_io(service.store.run, self.number)
        status = service.tournaments.status(self.number)
        self.bar.set_value(self.run.stored / max(1, self.run.planned))
        self.progress.set_text(f"{self.run.progress} {status}")
        if self.run.kind != RunKind.TOURNAMENT or self.run.stored == self.shown or not self.run.stored:
            return
        found, pictures = await self.visit.run_thread(summary_and_pictures, self.run, service.store)
        self.shown = self.run.stored
        self.tables.clear()
        with self.tables:
            self.build_tables(found, pictures)

    def build_tables(self, found: RunSummary, pictures: dict[str, Drawing]) -> None:
        """A table and a heat map per game."""
        for each in found.games:
            heading(each.game)
            columns = columns_of(each)
            ui.table(columns=columns, rows=rows_of(each), row_key="agent").classes("w-full").props("flat dense")
            if each.game in pictures:
                ui.label("Mean return of the row's agent in matches with the column's.").classes("quiet")
                Board().show(pictures[each.game])


def columns_of(standings: Standings) -> list[dict[str, Any]]:
    """The columns of a game's standings; wins only if they rank agents by their return."""
    outcomes = ("won", "drawn", "lost") if standings.zero_sum else ()
    return [
        {"name": name, "label": name, "field": name, "align": "left", "sortable": True}
        for name in ("agent", "matches", "score", "95 % interval", *outcomes)
    ]


def rows_of(standings: Standings) -> list[dict[str, Any]]:
    """The standings of a game as rows."""
    rows = []
    for each in standings.rows:
        score = each.score
        rows.append(
            {
                "agent": each.name,
                "matches": each.matches,
                "score": f"{score.mean:.3g}",
                "95 % interval": score.interval_text(digits(score)),
                "won": each.won,
                "drawn": each.drawn,
                "lost": each.lost,
            }
        )
    return rows


def summary_and_pictures(run: Run, store: Store) -> tuple[RunSummary, dict[str, Drawing]]:
    """The standings of a run, and its payoffs as pictures."""
    running = TournamentRun(run, store)
    games = by_game(running.results).items()
    return run_summary(running), {game: payoffs(each, bounds=make_game(game).utility).picture() for game, each in games}
