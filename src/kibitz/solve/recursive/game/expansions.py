"""Games with nearer goals (Keffer 2013, section 4.2): some states become ends, as if reaching them were a win."""

import msgspec
import numpy as np

from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.proofs.graph import Marks


def expand_game(game: RecursiveGame, goals: Marks, values: Floats | None = None) -> RecursiveGame:
    """The game in which the marked nodes are worth 1: every choice there leads to a new end that pays 1.

    With the nodes that player 0 may win from (`graph_sets(game).positive`) as goals it is the α-expansion (4.11); with
    the nodes from which some pair of actions leads there, the β-expansion (4.12). States keep their numbers and
    actions. If *values* are given, every marked node pays that (p' = v instead of 1).
    """
    structure, states = game.structure, np.flatnonzero(goals[: game.choices])
    pays = np.ones(game.nodes) if values is None else values
    paid, place = np.unique(pays[states], return_inverse=True)
    leads_to = np.full(game.choices, -1)
    leads_to[states] = game.nodes + place
    after = np.repeat(leads_to, np.diff(structure.first))
    successors = np.where(after >= 0, after, structure.successors).astype(np.int32)
    ends = goals[game.live :] != 0
    return msgspec.structs.replace(
        game,
        structure=msgspec.structs.replace(structure, successors=successors),
        low=np.append(np.where(ends, pays[game.live :], game.low), paid),
        high=np.append(np.where(ends, pays[game.live :], game.high), paid),
        infinite_play=0.0,
    )


def brink(game: RecursiveGame, covered: Marks) -> Marks:
    """The uncovered states from which some pair of actions may lead to a covered node."""
    near = np.zeros(game.nodes, np.uint8)
    if game.choices:
        touched = np.maximum.reduceat(covered[game.structure.successors], game.structure.first[:-1])
        near[: game.choices] = (touched != 0) & (covered[: game.choices] == 0)
    return near
