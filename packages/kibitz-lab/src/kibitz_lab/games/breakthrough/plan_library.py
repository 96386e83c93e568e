"""Plans in Breakthrough: one piece runs for the far row, pieces are taken, or the home rows stay closed."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.kit.plans import GamePlans, Observation
from kibitz_lab.games.bitboards import name
from kibitz_lab.games.breakthrough.rules import State, squares

TEXT = """
library breakthrough
goal run "one piece straight for the far row"
goal take "every piece that can be taken"
goal hold "a closed front near the own rows"

action advance(from, to) "a step beyond the middle"
action build(from, to) "a step on the own half"
action capture(from, to)
plan dash(at)

run -> dash
dash(at) -> build(at, to) dash(to) : ordered [0.4]
    | advance(at, to) dash(to) : ordered [0.4]
    | capture(at, to) dash(to) : ordered [0.15]
    | advance(at, _) [0.05]
take -> capture take : ordered [0.6] | advance take : ordered [0.2] | build take : ordered [0.15] | capture [0.05]
hold -> build hold : ordered [0.8] | capture hold : ordered [0.15] | build [0.05]
"""


def describe(view: core.State, player: int, actions: Sequence[int]) -> list[Observation]:
    """The purpose of steps: to take a piece, or to advance on the own half or beyond it."""
    assert isinstance(view, State)
    found = []
    for origin, target in (squares(action, player) for action in actions):
        near = 2 * view.game.rows_advanced(target, player) < view.game.rows
        kind = "capture" if view.stands(1 - player, target) else "build" if near else "advance"
        found.append(Observation(kind, (name(origin), name(target))))
    return found


PLANS = GamePlans(TEXT, describe)
