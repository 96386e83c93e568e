"""Pawns in words (`ABOUT`), and its board and pawns as named fields (`FIELDS`)."""

import msgspec

from kibitz import core
from kibitz.core.abilities.about import About, ActionForm
from kibitz.core.abilities.fields import Fields
from kibitz.core.drawing.squares import Square, name, number
from kibitz.games.pawns.rules import BLACK, WHITE, Pawns, State

SIDES = ("black", "white")
STRATEGIES = {
    "s1": "moves all pawns away from its own base",
    "s2": "sends one pawn ahead and the others after it",
    "s3": "sends one pawn straight to the other base",
    "s4": "sends one pawn ahead, keeps the others well out, and avoids losing any",
}
WIPES = {
    "mover": "the player who moved wins",
    "opponent": "the other player wins",
    "draw": "the game is a draw",
}


class PawnsBoard(msgspec.Struct, frozen=True):
    """The size of the board, the squares of both bases, and the pawns of each side.

    *base*: in `super` a base is one place that pawns leave, in `cells` pawns stand on its squares. *adjacency*:
    `orthogonal` steps, or also diagonal ones like a `king`. After *draw_plies* moves the game is a draw.
    """

    size: int
    bases: dict[str, list[str]]
    base: str
    adjacency: str
    pawns: int
    first: str
    draw_plies: int


class PawnsView(msgspec.Struct, frozen=True):
    """The squares of the pawns outside, the number of pawns at home, who moves, the moves made, and the winner.

    *winner*: `black`, `white`, `draw`, or null while the game goes on.
    """

    pawns: dict[str, list[str]]
    at_home: dict[str, int]
    player: str
    ply: int
    winner: str | None


def about(game: core.Game) -> About:
    """Pawns under any options."""
    assert isinstance(game, Pawns)
    leave = (
        "A base counts as one place: a pawn at home steps onto any free square beside the base."
        if game.base == "super"
        else "Pawns begin on the squares of their base, and move there as elsewhere."
    )
    safe = " A pawn at home is safe." if game.base == "cells" and game.home == "exempt" else ""
    steps = "left, right, up or down" if game.adjacency == "orthogonal" else "in any direction, like a king in chess"
    corner, beside = game.corner(BLACK), game.exits(BLACK)[0]
    inside = next(square for square in game.base_squares(BLACK) if beside in game.neighbours(square))
    beyond = next(
        square for square in game.neighbours(beside) if square[0] > beside[0] or square[1] > game.base_size - 1
    )
    leaving = ActionForm("base-<square>", "a pawn leaves the base", (f"base-{name(beside)}",))
    step = name(beside if game.base == "super" else inside), name(beyond if game.base == "super" else beside)
    return About(
        title="Pawns",
        goal="Bring one pawn into the other base, or leave the other side without pawns.",
        rules=(
            f"Black and white have {game.pawns} pawns each and a base of {game.base_size} by {game.base_size} squares "
            f"in opposite corners of a board of {game.size} by {game.size}: black's corner is {name(corner)}, white's "
            f"{name(game.corner(WHITE))}. {leave} Players move in turn, {game.first} first, one pawn one step {steps}, "
            "to a free square. A pawn may never get nearer to its own base. The distance to a base is counted in "
            "squares along the longer of both directions. After each move every pawn of either side that cannot make "
            f"a step is removed; pawns in a base without a free way out are removed as well.{safe} A player who brings "
            "a pawn into the other base wins at once. A player without pawns loses; if both lose their last pawns at "
            f"once, {WIPES[game.double_wipe]}. After {game.draw_plies} moves the game is a draw."
        ),
        players=("black, at home in the lower left corner", "white, at home in the upper right corner"),
        actions=(
            *((leaving,) if game.base == "super" else ()),
            ActionForm("<square>-<square>", "a pawn steps from one square to another", ("-".join(step),)),
        ),
        strategies=STRATEGIES,
        minutes=10,
        glossary={
            "base": "the corner where a side is at home; a pawn that enters the other one wins the game",
            "stuck": "a pawn without any step to make; it is taken off the board",
        },
        colours={"dark pieces, blue corner": "black", "light pieces, orange corner": "white"},
        opponents={
            "s4": "Attacks early with one pawn, guards the others well, and forgets its base.",
            "s3": "Runs straight for your base with one pawn.",
            "s1": "Brings all its pawns out; slow, and easy to get past.",
        },
    )


def board(game: Pawns) -> PawnsBoard:
    bases = {side: names(game.base_squares(player)) for player, side in enumerate(SIDES)}
    return PawnsBoard(game.size, bases, game.base, game.adjacency, game.pawns, game.first, game.draw_plies)


def view(state: State) -> PawnsView:
    outcome = state.outcome
    return PawnsView(
        {side: names(squares) for side, squares in zip(SIDES, state.outside, strict=True)},
        dict(zip(SIDES, state.at_home, strict=True)),
        SIDES[state.player],
        state.ply,
        None if outcome is None else "draw" if outcome < 0 else SIDES[outcome],
    )


def names(squares: "frozenset[Square] | list[Square]") -> list[str]:
    """Squares by their names, in the order of their numbers."""
    return [name(square) for square in sorted(squares, key=number)]


FIELDS = Fields(board, view)
