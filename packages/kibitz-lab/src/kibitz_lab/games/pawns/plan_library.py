"""Plans in Pawns: one pawn runs for the other base, pawns hunt pawns, or they hold the ground before their own base."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.kit.plans import GamePlans, Observation
from kibitz_lab.games.bitboards import coordinates, name
from kibitz_lab.games.pawns.kernels import BASE
from kibitz_lab.games.pawns.rules import State

TEXT = """
library pawns
goal run "one pawn straight for the other base"
goal hunt "beside the other pawns, to wall them in"
goal hold "the ground before the own base"

action leave(to) "out of the base"
action advance(from, to) "nearer to the other base"
action press(from, to) "to the side of another pawn"
action aside(from, to) "no nearer to the other base"
plan dash(at)

run -> leave(at) dash(at) : ordered [0.6] | dash [0.4]
dash(at) -> advance(at, to) dash(to) : ordered [0.7]
    | press(at, to) dash(to) : ordered [0.2]
    | aside(at, to) dash(to) : ordered [0.05]
    | advance(at, _) [0.05]

hunt -> press hunt : ordered [0.55] | advance hunt : ordered [0.25] | leave hunt : ordered [0.15] | press [0.05]
hold -> leave hold : ordered [0.5] | aside hold : ordered [0.35] | advance hold : ordered [0.1] | aside [0.05]
"""


def describe(view: core.State, player: int, actions: Sequence[int]) -> list[Observation]:
    """The purpose of moves: to leave the base, to stand beside a pawn, to get nearer to the other base, or neither."""
    assert isinstance(view, State)
    game, other = view.game, 1 - player
    beside = {square for pawn in view.outside[other] for square in game.neighbours(pawn)}
    found = []
    for origin, target in (divmod(action, 64) for action in actions):
        to = coordinates(target)
        if origin == BASE or game.distance(coordinates(origin), player) == 0:
            found.append(Observation("leave", (name(to),)))
            continue
        start = coordinates(origin)
        nearer = game.distance(to, other) < game.distance(start, other)
        kind = "press" if to in beside else "advance" if nearer else "aside"
        found.append(Observation(kind, (name(start), name(to))))
    return found


PLANS = GamePlans(TEXT, describe)
