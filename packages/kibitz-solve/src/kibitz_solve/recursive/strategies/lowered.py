"""Lowered expectations (Keffer 2013, section 4.2): what to do in states that cannot be won against a perfect opponent.

*Level 0* holds the states that player 0 may win from. A state is on the *brink* of a level if it lies outside and some
pair of actions leads in: there player 0 needs a mistake of the opponent. Level 1 holds the brink of level 0 and the
states from which play can reach it with some probability: the states that the β-expansion (4.12) adds. Level 2 is the
same for level 1, and so on. From states on no level, no actions of both players lead to a win.

(4.12) ends on the brink and does not say what to do there, or if the mistake does not happen. So both play the game in
which player 1 slips on a brink with a small probability; the *hope* of a state is its value for player 0 in that game.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import BadGame
from kibitz_solve.recursive.building.policies import Policy, PolicyRow
from kibitz_solve.recursive.building.recursive_game import Floats, Ints, RecursiveGame, Structure, predecessors_of
from kibitz_solve.recursive.building.restriction import (
    Flags,
    Restriction,
    action_indices,
    restrict_game,
    touching_columns,
)
from kibitz_solve.recursive.proofs.graph import distances_to, graph_sets
from kibitz_solve.recursive.proofs.graph_kernels import FAR, TOGETHER
from kibitz_solve.recursive.proofs.solution import ProvedPolicy, Solution
from kibitz_solve.recursive.proofs.solving import solve, survival
from kibitz_solve.recursive.strategies.fastest import laid_over, timely
from kibitz_solve.recursive.values.chains import entries_of_rows
from kibitz_solve.recursive.values.kernels import Int32, Marks
from kibitz_solve.recursive.values.operators import Deadline


class Cooperation(msgspec.Struct, frozen=True):
    """The rounds from every node to a goal when both go there, with luck."""

    game: RecursiveGame
    distances: Ints

    def distance(self, state: Any) -> int | None:
        """The rounds from a state; None if no choices lead to a goal."""
        return self.rounds(self.game.states.node(state))

    def rounds(self, node: int) -> int | None:
        """The same by the number of a node."""
        rounds = int(self.distances[node])
        return None if rounds == FAR else rounds


def cooperation(game: RecursiveGame, goals: Marks | None = None) -> Cooperation:
    """Distances to the nodes marked in *goals*; by default, to those from which player 0 may win alone.

    Keffer suggests following the largest entry of a matrix, which leaves ties and zeros; a shortest path does not.
    """
    before = predecessors_of(game)
    marks = graph_sets(game, before).positive if goals is None else goals
    return Cooperation(game, distances_to(game, before, marks, TOGETHER))


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
    row, column = action_indices(goals)
    mistakes = goals.structure.successors[wrong[column]]
    in_row = np.bincount(row[wrong[column]], minlength=goals.mix_starts(0)[-1])
    rows = action_indices(less)[0][pairs]
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


def expand_game(game: RecursiveGame, goals: Marks, values: Floats | None = None) -> RecursiveGame:
    """The game in which the marked nodes are worth 1: every choice there leads to a new end that pays 1.

    With the nodes that player 0 may win from (`graph_sets(game).positive`) as goals it is the α-expansion (4.11); with
    the nodes from which some pair of actions leads there, the β-expansion (4.12). States keep their numbers and
    actions. If *values* are given, every marked node pays that (p' = v instead of 1).
    """
    structure, states = game.structure, np.flatnonzero(goals[: game.choices])
    pays = np.ones(game.nodes) if values is None else values
    paid, end = np.unique(pays[states], return_inverse=True)
    leads_to = np.full(game.choices, -1)
    leads_to[states] = game.nodes + end
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


SLIP = 0.01
"""Default probability of a mistake on a brink."""
HOPELESS = -1
"""The level of a node from which nothing leads to a win."""


class LoweredSolution(Solution):
    """A solution whose strategies say what to do everywhere, and guarantee as much as before.

    Where player 0 may win, they hurry and player 1 delays, as far as neither gives anything up. On higher levels player
    0 plays for the level below, as fast as possible, and player 1 against it; on a brink player 1 makes no deliberate
    mistake.
    """

    def __init__(
        self,
        solution: Solution,
        given: tuple[ProvedPolicy, ProvedPolicy],
        levels: Int32,
        brinks: Marks,
        hopes: tuple[Floats, Floats],
        together: Cooperation,
        seconds: float,
    ) -> None:
        super().__init__(
            solution.game,
            solution.low,
            solution.high,
            sets=solution.sets,
            given=lambda: given,
            eta=solution.eta,
            methods=(*solution.methods, "lowered expectations"),
            seconds=solution.seconds + seconds,
        )
        self.levels, self.brinks, self.hopes, self.together = levels, brinks, hopes, together

    def level(self, state: Any) -> int:
        """The level of a state; HOPELESS if nothing leads to a win."""
        return int(self.levels[self.node(state)])

    def on_brink(self, state: Any) -> bool:
        """Whether a single mistake leads from a state to the level below."""
        return bool(self.brinks[self.node(state)])

    def hope(self, state: Any) -> tuple[float, float]:
        """Bounds of the probability that player 0 reaches the level below against an opponent who slips."""
        node = self.node(state)
        return float(self.hopes[0][node]), float(self.hopes[1][node])

    def levels_behind(self, state: Any) -> Int32:
        """The matrix of levels that the pairs of actions of a state lead to."""
        return self.levels[self.game.successors_at(self._choosing(state))]

    def sizes(self) -> dict[int, int]:
        """How many states there are on every level, the hopeless ones last."""
        sizes = Counter(self.levels[: len(self)].tolist())
        return {level: sizes[level] for level in sorted(sizes, key=lambda level: (level == HOPELESS, level))}

    def _row(self, node: int) -> PolicyRow:
        return msgspec.structs.replace(
            super()._row(node),
            level=int(self.levels[node]),
            hope=float(self.hopes[0][node]),
            distance=self.together.rounds(node),
        )


def lower_expectations(
    solution: Solution,
    *,
    slip: float = SLIP,
    by_value: bool = False,
    width: float = 1e-6,
    seconds: float | None = None,
    report: Callable[[str], None] | None = None,
) -> LoweredSolution:
    """Give every state advice, level by level, until no more states are reached.

    It takes the solution of a game in which nothing pays less than infinite play, such as a game of survival. *slip* is
    the probability of a mistake on a brink; *width* and *seconds* are those of `solve`, for the hopes. With *by_value*,
    a state of level 0 counts with its upper bound instead of 1, and one of another level with its hope, so that hopes
    are what is finally won (p' = v).
    """
    check_lowerable(solution.game)
    if not 0.0 < slip < 1.0:
        raise BadGame("the slip", f"it must be a probability between 0 and 1, not {slip}")
    return LoweringRun(solution, slip, by_value, width, Deadline(seconds, report)).lowered_solution()


def lowerable(game: RecursiveGame) -> RecursiveGame:
    """The game of survival that `lower_expectations` needs solved; refuses early what that would refuse."""
    played = survival(game)
    check_lowerable(played)
    return played


def check_lowerable(game: RecursiveGame) -> None:
    """Raise BadGame for a game in which lowered expectations have no meaning."""
    if len(game.structure.stage):
        raise BadGame("the game", "it pays on the way, but lowered expectations are about winning at the end")
    if game.bounds[0] < 0.0:
        raise BadGame("the game", "lowered expectations are about winning or not; solve it with objective 'survival'")
    if not game.exact_ends:
        raise BadGame("the game", "lowered expectations need exact ends, but values outside its table are only bounded")


class LoweringRun:
    """One run: the nodes covered so far, and their results."""

    def __init__(self, solution: Solution, slip: float, by_value: bool, width: float, deadline: Deadline) -> None:
        self.solution, self.game, self.slip, self.by_value = solution, solution.game, slip, by_value
        self.width, self.deadline = width, deadline
        self.covered: Marks = (solution.sets or graph_sets(self.game)).positive.copy()
        self.levels = np.where(self.covered, 0, HOPELESS).astype(np.int32)
        self.brinks = np.zeros(self.game.nodes, np.uint8)
        bounds = (solution.low, solution.high) if by_value else (self.covered, self.covered)
        self.hopes = bounds[0].astype(np.float64), bounds[1].astype(np.float64)

    def lowered_solution(self) -> LoweredSolution:
        """All levels, one after the other."""
        first, second = timely(self.solution, self.deadline)
        self.rows, self.columns = first.policy.shares, second.policy.shares
        together = cooperation(self.game, self.covered)
        level = 0
        while (near := brink(self.game, self.covered)).any():
            level += 1
            self.deadline.tell(f"level {level}: {int(near.sum()):,} states on the brink")
            self._cover(level, near)
        given = (
            ProvedPolicy(Policy(0, self.game.mix_starts(0), self.rows), first.guarantee),
            ProvedPolicy(Policy(1, self.game.mix_starts(1), self.columns), second.guarantee),
        )
        return LoweredSolution(
            self.solution, given, self.levels, self.brinks, self.hopes, together, self.deadline.elapsed_seconds()
        )

    def _cover(self, level: int, near: Marks) -> None:
        """One level: its brink, and the states from which play can reach it."""
        game = self.game
        reached = graph_sets(expand_game(game, near | self.covered)).positive[: game.nodes]
        added = (reached != 0) & (self.covered == 0)
        less = slipping(game, self.covered, near, self.slip, self.hopes[1] if self.by_value else None)
        solved = solve(less.game, width=self.width, seconds=self.deadline.seconds_left(), report=self.deadline.report)
        first, second = timely(solved, self.deadline)
        columns = np.zeros(len(less.columns))
        columns[less.columns] = second.policy.shares
        states = added[: game.choices]
        self.rows = laid_over(game, 0, self.rows, first.policy.shares, states)
        self.columns = laid_over(game, 1, self.columns, columns, states)
        for hope, bound in zip(self.hopes, (solved.low, solved.high), strict=True):
            hope[: game.live][added[: game.live]] = bound[: game.live][added[: game.live]]
        self.levels[added] = level
        self.brinks |= near
        self.covered[added] = 1
