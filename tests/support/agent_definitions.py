"""What search finds, by its definition, and positions to search."""

from functools import cache

from kibitz import core
from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz_lab.search.game_tree import Evaluate
from kibitz_lab.search.node_policy import INFINITY
from kibitz_lab.search.settings import WIN, WIN_SOONER

ALONE = frozenset({0})


def minimax(
    state: core.State,
    depth: int,
    evaluate: Evaluate,
    win_value: str = "mate",
    first_side: frozenset[int] = ALONE,
) -> float:
    """The value for the player to move, by the definition: no pruning, no move ordering, no table."""
    sign = 1.0 if state.current_player() in first_side else -1.0
    best = -INFINITY
    for action in state.legal_actions():
        child = state.child(action)
        if depth == 1 or child.is_terminal():
            value = sign * leaf_value(child, evaluate(child), depth - 1, win_value)
        else:
            value = minimax(child, depth - 1, evaluate, win_value, first_side)
            if (child.current_player() in first_side) != (sign > 0.0):
                value = -value
        best = max(best, value)
    return best


def leaf_value(child: core.State, static: float, left: int, win_value: str) -> float:
    """The first side's value of a leaf, wins included."""
    if win_value == "mate" and child.is_terminal():
        won = child.returns()[0]
        if won:
            static += (1.0 if won > 0 else -1.0) * (WIN + WIN_SOONER * left)
    return static


@cache
def midgame(count: int, game: str = "pawns", seed: int = 1) -> list[core.State]:
    """Positions of games between house strategies."""
    pair = {"pawns": ["s4(depth=2)", "s1(depth=2)"], "breakthrough": ["runner(depth=2)", "wall(depth=2)"]}[game]
    rules, found, rng = make_game(game), [], stream(seed, "midgame")
    while len(found) < count:
        record = play(game, pair, seed=int(rng.integers(1 << 32)))
        state = rules.new_initial_state()
        for entry in record.entries[: 6 + int(rng.random() * (len(record.entries) - 8))]:
            state.apply_action(state.string_to_action(state.current_player(), entry.actions[0]))
        found.append(state)
    return found
