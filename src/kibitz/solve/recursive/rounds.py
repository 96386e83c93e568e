"""Expected rounds (4.3): how long a win takes when player 0 hurries and player 1 delays."""

from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import BadGame
from kibitz.solve.recursive.chains import mixes_at
from kibitz.solve.recursive.graph import GraphSets, graph_sets
from kibitz.solve.recursive.iteration import iterate
from kibitz.solve.recursive.kernels import Marks
from kibitz.solve.recursive.model import Floats, RecursiveGame, Structure
from kibitz.solve.recursive.newton import newton
from kibitz.solve.recursive.operators import Deadline, Operator
from kibitz.solve.recursive.responses import best_response

ROUGH = 1e-3
"""The worklist goes so far; Newton's method does the rest."""


class Rounds(msgspec.Struct, frozen=True):
    """The rounds a win takes on average, at every node; infinite where player 0 does not win with probability 1.

    *expected* is computed in floating point, *at_most* is what player 0's strategy is proved to need.
    """

    game: RecursiveGame
    expected: Floats
    at_most: Floats

    def at(self, state: Any) -> float:
        """The expected rounds of a state."""
        return float(self.expected[self.game.states.node(state)])


def expected_rounds(game: RecursiveGame, *, seconds: float | None = None) -> Rounds:
    """Solve the game of time on the states that are won with probability 1, with the rows that keep it so."""
    deadline = Deadline(seconds)
    sets = graph_sets(game)
    kept = np.flatnonzero(sets.almost_surely_won[: game.live])
    expected = np.where(sets.ranks == 0, 0.0, np.inf)
    at_most = expected.copy()
    if len(kept):
        timed = _timed(game, sets, kept)
        started = iterate(timed, Operator(), tolerance=ROUGH, deadline=deadline)
        fixed = np.append(np.zeros(timed.live, np.uint8), np.uint8(1))
        found = newton(timed, Operator(), started.values, fixed, deadline)
        expected[kept] = -found.values[: timed.live]
        at_most[kept] = -_proved(timed, found.values, fixed, deadline)[: timed.live]
    return Rounds(game, expected, at_most)


def _proved(timed: RecursiveGame, values: Floats, fixed: Marks, deadline: Deadline) -> Floats:
    try:
        return best_response(timed, mixes_at(timed, values, fixed)[0], 0, deadline=deadline).guaranteed
    except BadGame:  # against the strategy that rounding left, player 1 could go on for ever
        return np.full(timed.nodes, -np.inf)


def _timed(game: RecursiveGame, sets: GraphSets, kept: np.ndarray[Any, np.dtype[np.int64]]) -> RecursiveGame:
    """The kept nodes with the rows after which play stays on them; every round costs 1 and a win pays 0."""
    structure = game.structure
    place = np.full(game.nodes, len(kept), np.int32)
    place[kept] = np.arange(len(kept))
    inside = sets.almost_surely_won
    columns = structure.columns.astype(np.int64)
    rows = np.diff(structure.first) // columns
    state = np.repeat(np.arange(game.choices), rows)
    begin = np.concatenate([[0], np.cumsum(columns[state])[:-1]])
    stays = np.logical_and.reduceat(inside[structure.successors], begin) & inside[state]
    pairs = np.repeat(stays, columns[state])
    states = kept[kept < game.choices]
    counts = np.bincount(state[stays], minlength=game.choices)[states] * columns[states]
    moves = kept[kept >= game.choices] - game.choices
    drawn = np.repeat(inside[game.choices : game.live], np.diff(structure.chance_first))
    chances = np.diff(structure.chance_first)[moves]
    timed = Structure(
        first=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        columns=structure.columns[states],
        successors=place[structure.successors[pairs]],
        chance_first=np.concatenate([[0], np.cumsum(chances)]).astype(np.int32),
        chance_successors=place[structure.chance_successors[drawn]],
        chance_odds=structure.chance_odds[drawn],
        stage=np.full(int(pairs.sum()), -1.0),
    )
    return RecursiveGame(timed, np.zeros(1), np.zeros(1), game.states)
