"""`kibitz play`: you against agents, with a kibitzer beside the board."""

from typing import Annotated

from rich.columns import Columns
from rich.panel import Panel
from rich.text import Text

from kibitz.cli.console import console, dim, show
from kibitz.cli.options import Agent, Command, GameArgument, Watched
from kibitz.cli.watch import (
    FRAME,
    beliefs,
    board,
    check_programs,
    first,
    moves_of,
    outcome,
    print_reasons,
    seated_by_default,
)
from kibitz.core.errors import BadSpec, MatchStopped
from kibitz.core.game import Game
from kibitz.core.kernels import compile_in_background
from kibitz.core.match import Moment
from kibitz.core.match.play import RecordedMatch
from kibitz.core.pictures.match_pictures import private_words
from kibitz.core.registry import make_game


class PlayCommand(Command, frozen=True):
    """Play in the terminal. Type a move, its first letters, `?` or `quit`.

    Examples:
      kibitz play dilemma
      kibitz play kuhn --against bluffer --against rock --seat 2
      kibitz play offers --against greedy
      kibitz play kuhn --memory players --name anna
    """

    game: GameArgument
    against: Annotated[tuple[Agent, ...], "-a"] = ()
    """Your opponent; repeat for more seats."""
    seat: int = 0
    """Your seat, from 0."""
    watched: Watched = Watched()
    name: Annotated[str | None, "NAME"] = None
    """Your name in the memory (default: human)."""

    def execute(self) -> None:
        compile_in_background()
        game, seat, watched = make_game(self.game), self.seat, self.watched
        names = [self.name if player == seat else "" for player in range(game.players)] if self.name else ()
        options = watched.match(game.usual_model, names=names, insights=watched.record is not None)
        table = RecordedMatch(game, self.agents(game), options)
        check_programs(table.agents, watched.network)
        moments = table.moments(watched.record)
        moment = first(moments)  # an agent that cannot play raises here, before anything is shown
        heading = f"{game!r}, seed {table.options.seed}. You are {game.player_name(seat)}."
        console.print(heading, style="bold", markup=False)
        against = ", ".join(agent.public_name for player, agent in enumerate(table.agents) if player != seat)
        console.print(f"Against you: {against}. Type a move, ? or quit.", style="dim", markup=False)
        interrupted = False
        try:
            show_turn(table, moment, seat)
            for moment in moments:
                show_turn(table, moment, seat)
        except MatchStopped as stop:
            console.print(f"\n{stop}", style="bold")
        except KeyboardInterrupt:
            interrupted = True
        show_end(table, moment, seat)
        if watched.record is not None:
            show(None, [dim(f"saved in {watched.record}; to see it again: kibitz replay {watched.record}")])
        if interrupted:
            raise KeyboardInterrupt

    def agents(self, game: Game) -> list[str]:
        """The agents of all seats, with you in your own."""
        seats = game.players - 1
        if not 0 <= self.seat <= seats:
            raise BadSpec(f"--seat {self.seat}", f"{game!r} has seats 0 to {seats}")
        opponents = self.against or seated_by_default(game)[:seats]
        if len(opponents) > seats:
            raise BadSpec(repr(game), f"it needs {seats} opponents, you named {len(opponents)}")
        others = [opponents[number % len(opponents)] for number in range(seats)]
        return [*others[: self.seat], "human", *others[self.seat :]]


def show_turn(table: RecordedMatch, moment: Moment, seat: int) -> None:
    """Print the last event as the person may see it and, on their turn, the board beside the beliefs."""
    game = table.game
    if moment.event is not None:
        console.print(moves_of(moment.event, game, seat, all_seen=False))
    if seat not in game.movers(moment.state):
        return
    view = moment.state.view(seat)
    believed = beliefs(game, moment.beliefs, moment.insights())
    drawn = Text(board(game, view, FRAME))  # buttons in brackets are no markup
    panels = [Panel(drawn, title="board", border_style="dim")]
    if any(moment.beliefs.values()):
        panels.append(Panel(believed, title="what the kibitzer believes", border_style="dim"))
    console.print(Columns(panels))
    if secret_words := private_words(game, view, seat):
        console.print(secret_words, markup=False)


def show_end(table: RecordedMatch, moment: Moment, seat: int) -> None:
    """Print the last board, the beliefs with their reasons, and the result."""
    if moment.event is not None:
        console.print(board(table.game, moment.state.view(seat)), markup=False)
        console.print(beliefs(table.game, moment.beliefs))
        print_reasons(table.game, moment.insights())
    console.print(outcome(table.game, table.record))
