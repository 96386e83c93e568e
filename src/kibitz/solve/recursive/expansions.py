"""Games with nearer goals (Keffer 2013, section 4.2): some states become ends, as if it were a win to come there."""

import msgspec
import numpy as np

from kibitz.solve.recursive.graph import Marks
from kibitz.solve.recursive.model import RecursiveGame


def expanded(game: RecursiveGame, goals: Marks) -> RecursiveGame:
    """The game in which the marked nodes are worth 1: whatever is chosen there leads to a new end that pays it.

    With the nodes that player 0 may win from (`graph_sets(game).positive`) as goals it is the α-expansion (4.11), with
    those that some pair of actions leads there from the β-expansion (4.12). States keep their numbers and actions.
    """
    structure = game.structure
    reached = np.repeat(goals[: game.choices] != 0, np.diff(structure.first))
    successors = np.where(reached, game.nodes, structure.successors).astype(np.int32)
    ends = goals[game.live :] != 0
    return msgspec.structs.replace(
        game,
        structure=msgspec.structs.replace(structure, successors=successors),
        low=np.append(np.where(ends, 1.0, game.low), 1.0),
        high=np.append(np.where(ends, 1.0, game.high), 1.0),
        infinite_play=0.0,
    )


def brink(game: RecursiveGame, covered: Marks) -> Marks:
    """The states that are not covered and from which some pair of actions may lead to a node that is."""
    near = np.zeros(game.nodes, np.uint8)
    if game.choices:
        touched = np.maximum.reduceat(covered[game.structure.successors], game.structure.first[:-1])
        near[: game.choices] = (touched != 0) & (covered[: game.choices] == 0)
    return near
