"""Games restricted to some of the players' actions, or to some of the states."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz_solve.recursive.building.recursive_game import Floats, Ints, RecursiveGame, Structure
from kibitz_solve.recursive.values.chains import entries_of_rows, mixes_at, pairs_of
from kibitz_solve.recursive.values.kernels import Marks

Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]


class Restriction(msgspec.Struct, frozen=True):
    """A game of fewer actions. Its states, and so its vectors of values, are those of the whole game."""

    game: RecursiveGame
    rows: Flags
    """Which of the whole game's actions player 0 keeps, state after state."""
    columns: Flags

    def mixes_at(self, values: Floats, skipped: Marks) -> tuple[Floats, Floats]:
        """Both players' strategies at the matrices of *values*, as shares of all their actions; 0 if skipped."""
        rows, columns = np.zeros(len(self.rows)), np.zeros(len(self.columns))
        rows[self.rows], columns[self.columns] = mixes_at(self.game, values, skipped)
        return rows, columns


def restrict_game(game: RecursiveGame, rows: Flags | None = None, columns: Flags | None = None) -> Restriction:
    """The game with the marked actions alone; every state must keep one of each player."""
    structure = game.structure
    row_starts, column_starts = game.mix_starts(0), game.mix_starts(1)
    kept_rows = np.ones(row_starts[-1], bool) if rows is None else rows
    kept_columns = np.ones(column_starts[-1], bool) if columns is None else columns
    row, column = action_indices(game)
    pairs = kept_rows[row] & kept_columns[column]
    widths = np.add.reduceat(kept_columns, column_starts[:-1], dtype=np.int64)
    heights = np.add.reduceat(kept_rows, row_starts[:-1], dtype=np.int64)
    less = msgspec.structs.replace(
        structure,
        first=np.concatenate([[0], np.cumsum(widths * heights)]).astype(np.int32),
        columns=widths.astype(np.uint16),
        successors=structure.successors[pairs],
        stage=structure.stage[pairs] if len(structure.stage) else structure.stage,
    )
    return Restriction(msgspec.structs.replace(game, structure=less), kept_rows, kept_columns)


def restrict_states(game: RecursiveGame, live: Indices, low: Floats, high: Floats) -> tuple[RecursiveGame, Indices]:
    """The game of the nodes *live*, in order, which play leaves for ends worth their *low* to *high*.

    The second array is the node in the whole game of every node of the part.
    """
    structure = game.structure
    states, moves = live[live < game.choices], live[live >= game.choices] - game.choices
    source, entry = entries_of_rows(structure.first, states)
    mover, outcome = entries_of_rows(structure.chance_first, moves)
    after = np.concatenate([structure.successors[entry], structure.chance_successors[outcome]]).astype(np.int64)
    ends = np.setdiff1d(after, live)
    nodes = np.concatenate([live, ends])
    order = np.argsort(nodes)

    def part_nodes(successors: Ints) -> Ints:
        return order[np.searchsorted(nodes, successors, sorter=order)].astype(np.int32)

    part = Structure(
        first=np.concatenate([[0], np.cumsum(np.bincount(source, minlength=len(states)))]).astype(np.int32),
        columns=structure.columns[states],
        successors=part_nodes(structure.successors[entry]),
        chance_first=np.concatenate([[0], np.cumsum(np.bincount(mover, minlength=len(moves)))]).astype(np.int32),
        chance_successors=part_nodes(structure.chance_successors[outcome]),
        chance_odds=structure.chance_odds[outcome],
        stage=structure.stage[entry] if len(structure.stage) else structure.stage,
    )
    return RecursiveGame(part, low[ends], high[ends], game.states, game.infinite_play), nodes


def action_indices(game: RecursiveGame) -> tuple[Indices, Indices]:
    """The indices of the row and the column of every pair of actions among all rows and all columns."""
    source, _, row, column = pairs_of(game, np.arange(game.choices))
    return game.mix_starts(0)[source] + row, game.mix_starts(1)[source] + column


def whole_rows(game: RecursiveGame, inside: Flags) -> Flags:
    """The rows after which play is inside, whatever player 1 does."""
    row, _ = action_indices(game)
    stays = np.ones(game.mix_starts(0)[-1], bool)
    stays[row[~inside[game.structure.successors]]] = False
    return stays


def touching_columns(game: RecursiveGame, inside: Flags) -> Flags:
    """The columns against which some row leads inside."""
    _, column = action_indices(game)
    touches = np.zeros(game.mix_starts(1)[-1], bool)
    touches[column[inside[game.structure.successors]]] = True
    return touches
