"""What perfect players would do: the equilibrium of a game that is small enough, on its board and on its map."""

from kibitz import core
from kibitz.core.abilities import ability
from kibitz.core.drawing import Drawing
from kibitz.core.drawing.highlights import with_expectations
from kibitz.core.drawing.positions import drawn
from kibitz.core.errors import Refused
from kibitz.core.registry import has_ability, spec_of
from kibitz.core.seeds import stream

MOST = 5
"""So many actions of a mixture are marked on the board."""


def may_be_solved(game: core.Game) -> bool:
    """Whether a game is of the kind that solvers take; it may still be too large."""
    return game.players == 2 and game.zero_sum and not game.hidden


def solved_pictures(game: core.Game, state: core.State) -> dict[str, Drawing]:
    """The board with what everybody who chooses would do, and a map of his strategy where the game has one; in words
    what each is.
    """
    from kibitz.agents.solved import Equilibrium
    from kibitz.solve import draw_solution

    movers, name = game.movers(state), spec_of(game).name
    if not movers:
        raise Refused("nobody chooses here")
    board, maps = drawn(game, state), dict[str, Drawing]()
    for player in movers:
        agent = Equilibrium()
        agent.begin(game, player, stream(0, "solution", player))
        board = with_expectations(board, player, agent.policy(state).top(MOST))
        if has_ability(name, "MAP"):
            sheet = ability(name, "MAP")(game, state)
            words = f"Arrows: what {game.player_name(player)} does, by {sheet.across} and {sheet.upwards}"
            maps[words] = draw_solution(agent.solution, sheet, player)
    low, high = agent.solution.interval(state)
    return {f"In equilibrium {game.player_name(0)} earns {low:.4g} to {high:.4g}": board, **maps}
