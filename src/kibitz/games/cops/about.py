"""Cops and robber in words (`ABOUT`), and its graph and places as named fields (`FIELDS`)."""

import msgspec

from kibitz import core
from kibitz.core.abilities.about import About, ActionForm
from kibitz.core.abilities.fields import Fields
from kibitz.games.cops.graphs import ways
from kibitz.games.cops.rules import NOWHERE, Cops, State

STRATEGIES = {
    "pursuit": "chases as the cops, runs away as the robber",
    "runner": "keeps as far from the other side as it can",
    "chaser": "takes the shortest way to the other side",
}


class CopsBoard(msgspec.Struct, frozen=True):
    """The neighbours of every place, by number from 0; how many cops there are, and how many turns they have."""

    neighbours: list[tuple[int, ...]]
    cops: int
    turns: int


class CopsView(msgspec.Struct, frozen=True):
    """Where the cops and the robber are (null: not chosen yet), who moves, and the turns that the cops have had.

    *orders*: the orders given to cops in this turn, each from one place to another; all are carried out together.
    """

    cops: list[int]
    robber: int | None
    player: int
    turn: int
    orders: list[tuple[int, int]]


def about(game: core.Game) -> About:
    """Cops and robber on any graph."""
    assert isinstance(game, Cops)
    cops = "one cop" if game.cops == 1 else f"{game.cops} cops"
    near = ways(game.graph, game.size)[0][0]
    return About(
        title="Cops and robber",
        goal=f"The cops must reach the robber within {game.turns} turns; the robber must escape them until then.",
        rules=(
            f"The board is a graph: numbered places, and ways between them. One player moves {cops}, who begin at "
            "place 0, the other moves the robber. The robber first chooses any place to begin at. Then the cops and "
            "the robber take turns, the cops first. In a turn of the cops each cop is ordered to stay or to take one "
            "step to a neighbouring place, and all orders are carried out together. The robber then stays or takes "
            "one step. Both sides see everything. The cops win as soon as a cop and the robber stand on one place. "
            f"The robber wins if they are free after {game.turns} turns of the cops and their own last step."
        ),
        players=("cops, who move first once the robber has begun", "robber, who chooses where to begin"),
        actions=(
            ActionForm("robber <place>", "the robber begins at a place, or stays there", ("robber 0",)),
            ActionForm("robber > <place>", "the robber takes a step", ("robber > 0",)),
            ActionForm("cop <place> stays", "the next cop, who is at this place, stays", ("cop 0 stays",)),
            ActionForm("cop <place> > <place>", "the next cop takes a step", (f"cop 0 > {near}",)),
        ),
        strategies=STRATEGIES,
        minutes=5,
        glossary={"turn": "the cops move, each one step or none, then the robber does"},
        colours={"blue": "the cops", "orange": "the robber"},
        opponents={
            "pursuit": "Chases you as the cops, runs from you as the robber.",
            "runner": "Keeps as far away as it can.",
            "chaser": "Takes the shortest way to you.",
        },
    )


def board(game: Cops) -> CopsBoard:
    return CopsBoard(list(ways(game.graph, game.size)), game.cops, game.turns)


def view(state: State) -> CopsView:
    orders = sorted(zip(state.cops, state.orders, strict=False))
    robber = None if state.robber == NOWHERE else state.robber
    return CopsView(list(state.cops), robber, state.player, state.turn, orders)


FIELDS = Fields(board, view)
