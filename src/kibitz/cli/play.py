"""`kibitz play`: you against agents, with a kibitzer beside the board."""

from typing import Annotated

import typer
from rich.columns import Columns
from rich.panel import Panel
from rich.text import Text

from kibitz.cli import screen
from kibitz.cli.console import console
from kibitz.cli.options import (
    GameArgument,
    GameTimeOption,
    MemoryOption,
    ModelOption,
    MoveTimeOption,
    NetworkOption,
    RecordOption,
    SeedOption,
    chosen_seed,
    chosen_time,
)
from kibitz.cli.watch import check_programs, print_reasons, seated_by_default
from kibitz.core.drawing.positions import private_words
from kibitz.core.errors import BadSpec, MatchStopped
from kibitz.core.match import MatchOptions
from kibitz.core.match.recorded import Moment, RecordedMatch
from kibitz.core.match.watchers import usual_model
from kibitz.core.registry import make_game


def play(
    game: GameArgument,
    against: Annotated[
        list[str] | None, typer.Option("--against", "-a", metavar="AGENT", help="Your opponent; repeat for more seats.")
    ] = None,
    seat: Annotated[int, typer.Option("--seat", metavar="N", help="Your seat, from 0.")] = 0,
    model: ModelOption = None,
    seed: SeedOption = None,
    record: RecordOption = None,
    move_time: MoveTimeOption = None,
    game_time: GameTimeOption = None,
    memory: MemoryOption = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Your name in the memory (default: human).")
    ] = None,
    network: NetworkOption = None,
) -> None:
    """Play in the terminal. Type a move, its first letters, `?` or `quit`.

    Examples:

      kibitz play dilemma

      kibitz play kuhn --against bluffer --against rock --seat 2

      kibitz play offers --against greedy

      kibitz play kuhn --memory players --name anna
    """
    made = make_game(game)
    if not 0 <= seat < made.players:
        raise BadSpec(f"--seat {seat}", f"{made!r} has seats 0 to {made.players - 1}")
    opponents = against or seated_by_default(made)[: made.players - 1]
    if len(opponents) > made.players - 1:
        raise BadSpec(repr(made), f"it needs {made.players - 1} opponents, you named {len(opponents)}")
    others = [opponents[number % len(opponents)] for number in range(made.players - 1)]
    table = RecordedMatch(
        made,
        [*others[:seat], "human", *others[seat:]],
        MatchOptions(
            models=model or [usual_model(made)],
            seed=chosen_seed(seed),
            time_control=chosen_time(move_time, game_time),
            memory=str(memory or ""),
            names=[name if player == seat else "" for player in range(made.players)] if name else (),
            insights=record is not None,
        ),
    )
    check_programs(table.agents, network)
    out = console
    moments = table.moments(record)
    moment = screen.first(moments)  # an agent that cannot play raises here, before anything is shown
    out.print(f"{made!r}, seed {table.options.seed}. You are {made.player_name(seat)}.", style="bold", markup=False)
    against_you = ", ".join(agent.public_name for player, agent in enumerate(table.agents) if player != seat)
    out.print(f"Against you: {against_you}. Type a move, ? or quit.", style="dim", markup=False)
    interrupted = False
    try:
        _show(table, moment, seat)
        for moment in moments:
            _show(table, moment, seat)
    except MatchStopped as stop:
        out.print(f"\n{stop}", style="bold")
    except KeyboardInterrupt:
        interrupted = True
    if moment.event is not None:
        out.print(screen.board(made, moment.state.view(seat)), markup=False)
        out.print(screen.beliefs(made, moment.beliefs))
        print_reasons(made, table.watchers.insights(table.match.position.state))
    out.print(screen.outcome(made, table.record))
    if record is not None:
        out.print(f"saved in {record}; to see it again: kibitz replay {record}", style="dim", markup=False)
    if interrupted:
        raise KeyboardInterrupt


def _show(table: RecordedMatch, moment: Moment, seat: int) -> None:
    """Print the last event as the person may see it and, on their turn, the board beside the beliefs."""
    game, out = table.game, console
    if moment.event is not None:
        out.print(screen.moves_of(moment.event, game, seat, all_seen=False))
    if seat not in game.movers(moment.state):
        return
    view = moment.state.view(seat)
    believed = screen.beliefs(game, moment.beliefs, moment.insights())
    drawn = Text(screen.board(game, view, screen.FRAME))  # buttons in brackets are no markup
    panels = [Panel(drawn, title="board", border_style="dim")]
    if any(moment.beliefs.values()):
        panels.append(Panel(believed, title="what the kibitzer believes", border_style="dim"))
    out.print(Columns(panels))
    if secret_words := private_words(game, view, seat):
        out.print(secret_words, markup=False)
