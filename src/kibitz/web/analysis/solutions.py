"""The play of perfect players: the equilibrium of a small game, on its board and on its map."""

from kibitz import core
from kibitz.core.abilities import ability
from kibitz.core.drawing import Drawing
from kibitz.core.drawing.highlights import with_expectations
from kibitz.core.drawing.positions import draw_position
from kibitz.core.errors import BadGame, Refused
from kibitz.core.registry import has_ability, spec_of
from kibitz.core.seeds import stream
from kibitz.server.workers.compute import Compute

MOST = 5
"""Most actions of a mixture that are marked on the board."""
MOST_KNOWN = 1_000
"""Number of games for which solvability is remembered."""


def can_be_solved(spec: str) -> bool:
    """Whether the solvers can take a game, and solve it while a visitor waits."""
    from kibitz.agents.solved_games import LIMIT
    from kibitz.solve import build_game

    try:
        build_game(spec, limit=LIMIT)
    except BadGame:
        return False
    return True


class SolvableGames:
    """Which games can be solved; each is checked once."""

    def __init__(self, compute: Compute) -> None:
        self.compute = compute
        self.known: dict[str, bool] = {}

    async def has(self, game: core.Game) -> bool:
        """Whether a game is one of them."""
        spec = repr(game)
        if spec not in self.known:
            found = await self.compute.run_cpu(can_be_solved, spec)
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            self.known[spec] = found
        return self.known[spec]


def solved_pictures(game: core.Game, state: core.State) -> dict[str, Drawing]:
    """By caption: the board with the equilibrium actions of each mover, and a map of each strategy if there is one."""
    from kibitz.agents.solved_games import Equilibrium
    from kibitz.solve import draw_solution

    movers, name = game.movers(state), spec_of(game).name
    if not movers:
        raise Refused("no player moves here")
    board, maps = draw_position(game, state), dict[str, Drawing]()
    for player in movers:
        agent = Equilibrium()
        agent.begin(game, player, stream(0, "solution", player))
        expected = agent.policy(state).top(MOST)
        named = {action: state.action_to_string(player, action) for action, _ in expected}
        board = with_expectations(board, player, expected, named)
        if has_ability(name, "MAP"):
            sheet = ability(name, "MAP")(game, state)
            words = f"Arrows: what {game.player_name(player)} does, by {sheet.across} and {sheet.upwards}"
            maps[words] = draw_solution(agent.solution, sheet, player)
    words = f"In equilibrium {game.player_name(0)} earns {bounds_text(*agent.solution.interval(state))}"
    return {words: board, **maps}


def bounds_text(low: float, high: float) -> str:
    """`0.4999 to 0.5`, or `0.5` if both bounds agree to four digits."""
    least, most = (f"{round(bound, 4) + 0.0:g}" for bound in (low, high))
    return least if least == most else f"{least} to {most}"
