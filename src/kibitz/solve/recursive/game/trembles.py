"""Games with slips: on a brink player 1 makes no deliberate mistake, but with some probability one happens."""

import msgspec
import numpy as np

from kibitz.solve.recursive.game.expansions import expand_game
from kibitz.solve.recursive.game.game import Floats, Ints, RecursiveGame, Structure
from kibitz.solve.recursive.game.restriction import Flags, Restriction, pair_places, restrict_game, touching_columns
from kibitz.solve.recursive.values.chains import entries_of_rows
from kibitz.solve.recursive.values.kernels import Marks


def slipping(
    game: RecursiveGame, covered: Marks, near: Marks, slip: float, values: Floats | None = None
) -> Restriction:
    """The game of reaching the *covered* nodes, whose states are worth 1, or their *values*.

    In the states marked in *near*, player 1 has only the columns that keep player 0 out, and with probability *slip*
    one of the others, drawn evenly, replaces their choice. All other states are unchanged.
    """
    goals, on_brink = expand_game(game, covered, values), near[: game.choices] != 0
    mistakes = touching_columns(game, covered != 0)
    elsewhere = np.repeat(~on_brink, np.diff(game.mix_starts(1)))
    less = restrict_game(goals, columns=~mistakes | elsewhere)
    pairs = np.repeat(on_brink, np.diff(less.game.structure.first))
    moves = _slips(goals, less.game, mistakes & ~elsewhere, pairs, slip)
    structure = _with_moves(less.game, pairs, *moves)
    return Restriction(msgspec.structs.replace(less.game, structure=structure), less.rows, less.columns)


def _slips(
    goals: RecursiveGame, less: RecursiveGame, wrong: Flags, pairs: Flags, slip: float
) -> tuple[Ints, Ints, Floats]:
    """A chance move after each of the marked pairs, which keeps the pair or replaces its column by a wrong one.

    Returns where the moves begin, and the nodes and odds of all outcomes; the pair itself comes first.
    """
    row, column = pair_places(goals)
    mistakes = goals.structure.successors[wrong[column]]
    in_row = np.bincount(row[wrong[column]], minlength=goals.mix_starts(0)[-1])
    rows = pair_places(less)[0][pairs]
    first = np.concatenate([[0], np.cumsum(1 + in_row[rows])])
    stands = np.zeros(first[-1], bool)
    stands[first[:-1]] = True
    after = np.empty(first[-1], np.int32)
    after[stands] = less.structure.successors[pairs]
    after[~stands] = mistakes[entries_of_rows(np.append(0, np.cumsum(in_row)).astype(np.int32), rows)[1]]
    odds = np.where(stands, 1.0 - slip, np.repeat(slip / in_row[rows], 1 + in_row[rows]))
    return first.astype(np.int32), after, odds


def _with_moves(game: RecursiveGame, pairs: Flags, first: Ints, after: Ints, odds: Floats) -> Structure:
    """The structure with these chance moves after the marked pairs; they come before the ends, which are renumbered."""
    structure, added = game.structure, len(first) - 1

    def moved_on(nodes: Ints) -> Ints:
        return (nodes + np.where(nodes >= game.live, added, 0)).astype(np.int32)

    successors = moved_on(structure.successors)
    successors[pairs] = game.live + np.arange(added)
    return msgspec.structs.replace(
        structure,
        successors=successors,
        chance_first=np.append(structure.chance_first, structure.chance_first[-1] + first[1:]).astype(np.int32),
        chance_successors=moved_on(np.append(structure.chance_successors, after)),
        chance_odds=np.append(structure.chance_odds, odds),
    )
