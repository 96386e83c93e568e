"""Pictures of play: the equilibrium of a small game, on its board and on its map, and the search behind a move."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.drawing import Drawing
from kibitz.core.errors import BadGame, Refused
from kibitz.core.match import Event
from kibitz.core.pictures.highlights import with_expectations
from kibitz.core.pictures.match_pictures import draw_position
from kibitz.core.registry import kit_of, make_agent, spec_of
from kibitz.core.seeds import stream

PLIES, WIDEST = 2, 3
"""Number of plies of a tree that are drawn, and of children per node."""
MOST = 5
"""Most actions of a mixture that are marked on the board."""


def can_be_solved(spec: str) -> bool:
    """Whether the solvers can take a game, and solve it while a visitor waits."""
    from kibitz_solve import build_game
    from kibitz_solve.agents.solved_games import LIMIT

    try:
        build_game(spec, limit=LIMIT)
    except BadGame:
        return False
    return True


def solved_pictures(game: core.Game, state: core.State) -> dict[str, Drawing]:
    """By caption: the board with the equilibrium actions of each mover, and a map of each strategy if there is one."""
    from kibitz_solve import draw_solution
    from kibitz_solve.agents.solved_games import Equilibrium

    movers, lay_out = game.movers(state), kit_of(game).state_map
    if not movers:
        raise Refused("no player moves here")
    board, maps = draw_position(game, state), dict[str, Drawing]()
    for player in movers:
        agent = Equilibrium()
        agent.begin(game, player, stream(0, "solution", player))
        expected = agent.policy(state).top(MOST)
        named = {action: state.action_to_string(player, action) for action, _ in expected}
        board = with_expectations(board, player, expected, named)
        if lay_out is not None:
            sheet = lay_out(game, state)
            words = f"Arrows: what {game.player_name(player)} does, by {sheet.across} and {sheet.upwards}"
            maps[words] = draw_solution(agent.solution, sheet, player)
    words = f"In equilibrium {game.player_name(0)} earns {bounds_text(*agent.solution.interval(state))}"
    return {words: board, **maps}


def bounds_text(low: float, high: float) -> str:
    """`0.4999 to 0.5`, or `0.5` if both bounds agree to four digits."""
    least, most = (f"{round(bound, 4) + 0.0:g}" for bound in (low, high))
    return least if least == most else f"{least} to {most}"


def tree_behind(
    game: core.Game, agents: Sequence[str | None], seed: int, events: Sequence[Event]
) -> dict[str, Drawing]:
    """A drawing of the search behind the last of *events*; *specs* name the players, None for people."""
    from kibitz_lab.search.alphabeta import AlphaBeta
    from kibitz_lab.search.picture import branch_of, draw_tree, searched_tree

    if not events or not 0 <= events[-1].player < len(agents):
        raise Refused("no agent made the last move")
    player = events[-1].player
    spec = agents[player]
    agent = make_agent(spec, spec_of(game).name) if spec is not None else None
    if not isinstance(agent, AlphaBeta):
        raise Refused(f"{spec or 'a person'} grows no tree; alphabeta and agents based on it do")
    agent.begin(game, player, stream(seed, "agent", player))
    for event in events[:-1]:
        agent.observe(event.transition(player, ("tree", player)))
    view = events[-1].before.state.view(player)
    picture = draw_tree(branch_of(searched_tree(agent, view, PLIES), view, PLIES, WIDEST), game, player)
    return {f"The search behind the last move: {picture.caption}": picture}
