"""`kibitz watch`: agents play, models watch and explain, you see both."""

import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import RenderableType
from rich.live import Live
from rich.text import Text

from kibitz.cli import screen
from kibitz.cli.console import console, warn
from kibitz.cli.options import (
    DelayOption,
    GameArgument,
    GameTimeOption,
    JsonOption,
    MemoryOption,
    ModelOption,
    MoveTimeOption,
    NetworkOption,
    PliesOption,
    PlotOption,
    RecordOption,
    SeedOption,
    chosen_seed,
    chosen_time,
)
from kibitz.core.agent import Agent
from kibitz.core.errors import BadSpec
from kibitz.core.game import Game
from kibitz.core.insight import Insight
from kibitz.core.match import MatchOptions
from kibitz.core.match.recorded import Moment, RecordedMatch
from kibitz.core.match.watchers import usual_model
from kibitz.core.records import Record
from kibitz.core.registry import house_agents, make_game, spec_of
from kibitz.core.registry.fitting import fits


def watch(
    game: GameArgument,
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="AGENT", help="One per seat (default: the game's own).")
    ] = None,
    model: ModelOption = None,
    seed: SeedOption = None,
    delay: DelayOption = None,
    record: RecordOption = None,
    move_time: MoveTimeOption = None,
    game_time: GameTimeOption = None,
    max_plies: PliesOption = None,
    memory: MemoryOption = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name", metavar="NAME", help="A player's name in the memory, seat by seat (default: the agent)."
        ),
    ] = None,
    network: NetworkOption = None,
    plot: PlotOption = None,
    json: JsonOption = False,
) -> None:
    """Watch agents play, with the board, the moves and live belief bars.

    Examples:

      kibitz watch dilemma tit_for_tat pavlov

      kibitz watch kuhn solid rock maniac --seed 7 --record poker.krec

      kibitz watch dilemma --model 'strategy_filter(drift=0.05)' --json

      kibitz watch trails kibitzer tit_for_tat --model trails.types --plot belief.svg

      kibitz watch kuhn solid rock maniac --memory players
    """
    check_plot(plot)
    made = make_game(game)
    table = RecordedMatch(
        made,
        agents or seated_by_default(made),
        MatchOptions(
            models=model or [usual_model(made)],
            seed=chosen_seed(seed),
            time_control=chosen_time(move_time, game_time),
            max_plies=max_plies,
            memory=str(memory or ""),
            names=name or (),
            insights=record is not None or json,
        ),
    )
    check_programs(table.agents, network)
    if any(agent.interactive for agent in table.agents):
        raise BadSpec("human", "a watched match shows every player's secrets; to play yourself: kibitz play")
    if json:
        for _ in table.moments(record):
            pass
        draw_beliefs(table.record, plot)
        print(msgspec.json.encode(table.record).decode())
        return
    heading = f"{table.game!r}, seed {table.options.seed}: {', '.join(table.specs)}"
    show(table.game, table.moments(record), heading, delay, table.agents)
    console.print(screen.outcome(table.game, table.record))
    draw_beliefs(table.record, plot)
    if record is not None:
        console.print(f"saved in {record}; to see it again: kibitz replay {record}", style="dim", markup=False)


def check_plot(plot: Path | None) -> None:
    """Raise an error for a missing package before the match, not after it."""
    if plot is not None:
        from kibitz.arena.plots.style import check_picture

        check_picture(plot)


def draw_beliefs(record: Record, plot: Path | None) -> None:
    """Draw the beliefs over time, if a plot is wanted."""
    if plot is not None:
        from kibitz.arena.plots.beliefs import plot_beliefs

        plot_beliefs(record, plot)


def seated_by_default(game: Game) -> list[str]:
    """The game's own agents that can play it as it is, in the order of its manifest, repeated as needed."""
    house = [name for name in house_agents(spec_of(game).name) if fits("agent", name, game)] or ["random"]
    return [house[player % len(house)] for player in range(game.players)]


def show(
    game: Game, moments: Iterator[Moment], heading: str, delay: float | None, agents: Sequence[Agent] = ()
) -> None:
    """Show a match as it is played: a live screen on a terminal, otherwise a line per event."""
    start = screen.first(moments)  # an agent that cannot play raises here, before anything is shown
    moments = chain((start,), moments)
    console.print(heading, style="bold", markup=False)
    if console.is_terminal:
        _show_live(game, moments, 0.25 if delay is None else delay, agents)
    else:
        _show_lines(game, moments, agents)


def _show_live(game: Game, moments: Iterator[Moment], delay: float, agents: Sequence[Agent]) -> None:
    moves: list[Text] = []
    insights: tuple[Insight, ...] = ()
    with Live(console=console, auto_refresh=False) as live:
        for moment in moments:
            if moment.event is not None:
                moves.append(screen.moves_of(moment.event, game))
            insights = moment.insights()
            live.update(_frame(game, moment, moves, insights, agents), refresh=True)
            time.sleep(delay)
    print_reasons(game, insights)


def _show_lines(game: Game, moments: Iterator[Moment], agents: Sequence[Agent]) -> None:
    last: Moment | None = None
    for moment in moments:
        last = moment
        if moment.event is not None:
            console.print(screen.moves_of(moment.event, game))
    if last is not None:
        console.print(screen.board(game, last.state), markup=False)
        console.print(screen.beliefs(game, last.beliefs))
        print_reasons(game, last.insights())
    for line in screen.intentions(game, agents):
        console.print(line, soft_wrap=True)


def print_reasons(game: Game, insights: Sequence[Insight]) -> None:
    """Print the explanation of each model about each player."""
    for line in screen.reasons(game, insights):
        console.print(line)


def _frame(
    game: Game, moment: Moment, moves: list[Text], insights: Sequence[Insight], agents: Sequence[Agent]
) -> RenderableType:
    title = f"{spec_of(game).name}, {len(moves)} events"
    return screen.frame(game, moment, moves, insights, title=title, agents=agents)


def check_programs(agents: Sequence[Agent], networked: Sequence[str] | None) -> None:
    """Let programs use the network by name; say which programs have all rights of their user, and why."""
    from kibitz.remote.commands import allow_network
    from kibitz.remote.process import Process

    allow_network(networked or ())
    for agent in agents:
        if isinstance(agent, Process) and (trouble := agent.trouble()) is not None:
            warn(f"{agent.public_name} is not confined, it has all your rights: {trouble}")
