"""Lowered expectations (Keffer 2013, section 4.2): what to do where nothing can be won against a perfect opponent.

*Level 0* are the states that player 0 may win from. A state is on the *brink* of a level if it lies outside and some
pair of actions leads in: there the other must make a mistake, and may. Level 1 are the brink of level 0 and the states
from which play can be brought to it with some probability, their *hope*; level 2 are the same for level 1, and so on:
the β-expansion (4.12) again and again. From states on no level, nothing that both do leads to a win.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import BadGame
from kibitz.solve.recursive.cooperation import Cooperation, cooperation
from kibitz.solve.recursive.expansions import brink, expanded
from kibitz.solve.recursive.graph import graph_sets
from kibitz.solve.recursive.kernels import Int32, Marks
from kibitz.solve.recursive.model import Floats
from kibitz.solve.recursive.operators import Deadline
from kibitz.solve.recursive.policies import Policy, PolicyRow
from kibitz.solve.recursive.restriction import Flags, restricted, touching_columns
from kibitz.solve.recursive.solution import Proved, Solution
from kibitz.solve.recursive.solving import solve
from kibitz.solve.recursive.timely import laid_over, timely

HOPELESS = -1
"""The level of a node from which nothing leads to a win."""


class Lowered(Solution):
    """A solution whose strategies say what to do everywhere, and guarantee as much as before.

    Where player 0 may win, he hurries and player 1 delays, as far as neither gives anything up. On higher levels they
    play for the level below. On a brink player 0 plays for the least helpful mistake, and player 1 makes none.
    """

    def __init__(
        self,
        solution: Solution,
        given: tuple[Proved, Proved],
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
            given=given,
            eta=solution.eta,
            methods=(*solution.methods, "lowered expectations"),
            seconds=solution.seconds + seconds,
        )
        self.levels, self.brinks, self.hopes, self.together = levels, brinks, hopes, together

    def level(self, state: Any) -> int:
        """The level of a state; HOPELESS where nothing leads to a win."""
        return int(self.levels[self.node(state)])

    def on_brink(self, state: Any) -> bool:
        """Whether a single mistake leads from a state to the level below."""
        return bool(self.brinks[self.node(state)])

    def hope(self, state: Any) -> tuple[float, float]:
        """With which probability, at least and at most, play can be brought to the brink of the level below."""
        node = self.node(state)
        return float(self.hopes[0][node]), float(self.hopes[1][node])

    def levels_behind(self, state: Any) -> Int32:
        """The matrix of the levels that every pair of actions leads to from a state."""
        node = self._choosing(state)
        first, last = self.game.structure.first[node : node + 2]
        return self.levels[self.game.structure.successors[first:last]].reshape(self.game.shape(node))

    def sizes(self) -> dict[int, int]:
        """How many states there are on every level, the hopeless ones last."""
        found = Counter(self.levels[: len(self)].tolist())
        return {level: found[level] for level in sorted(found, key=lambda level: (level == HOPELESS, level))}

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
    width: float = 1e-6,
    seconds: float | None = None,
    told: Callable[[str], None] | None = None,
) -> Lowered:
    """Give every state advice, level by level, until no more states are reached.

    It takes the solution of a game in which nothing pays less than infinite play, as games of survival are. *width* and
    *seconds* are those of `solve`, for the hopes.
    """
    game = solution.game
    if game.bounds[0] < 0.0:
        raise BadGame("the game", "lowered expectations are about winning or not; solve it with objective 'survival'")
    if not game.exact_ends:
        raise BadGame("the game", "what lies outside its table is not known exactly; lowered expectations need that")
    return Lowering(solution, width, Deadline(seconds, told)).lowered()


class Lowering:
    """One run: the nodes covered so far, and what is known of them."""

    def __init__(self, solution: Solution, width: float, deadline: Deadline) -> None:
        self.solution, self.game, self.width, self.deadline = solution, solution.game, width, deadline
        self.covered: Marks = (solution.sets or graph_sets(self.game)).positive.copy()
        self.levels = np.where(self.covered, 0, HOPELESS).astype(np.int32)
        self.brinks = np.zeros(self.game.nodes, np.uint8)
        self.worth = solution.low
        """What successors are worth to somebody on the brink: values, then hopes of the level before."""
        self.hopes = self.covered.astype(np.float64), self.covered.astype(np.float64)

    def lowered(self) -> Lowered:
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
            Proved(Policy(0, self.game.mix_starts(0), self.rows), first.guarantee),
            Proved(Policy(1, self.game.mix_starts(1), self.columns), second.guarantee),
        )
        return Lowered(self.solution, given, self.levels, self.brinks, self.hopes, together, self.deadline.elapsed())

    def _cover(self, level: int, near: Marks) -> None:
        """One level: its brink, and the states from which play can be brought there."""
        game = self.game
        solved = solve(
            expanded(game, near | self.covered),
            width=self.width,
            seconds=self.deadline.left(),
            told=self.deadline.told,
        )
        found = ((solved.sets or graph_sets(solved.game)).positive[: game.nodes] != 0) & (self.covered == 0)
        self._advise(found[: game.choices] & (near[: game.choices] == 0), timely(solved, self.deadline))
        self._advise_brink(near, solved.high[: game.nodes])
        self.levels[found] = level
        self.brinks |= near
        for hope, bound in zip(self.hopes, (solved.low, solved.high), strict=True):
            hope[found] = bound[: game.nodes][found]
        self.covered[found] = 1
        self.worth = solved.low[: game.nodes]

    def _advise(self, states: Flags, strategies: tuple[Proved, Proved]) -> None:
        """Take these strategies for the marked states."""
        rows, columns = (each.policy.shares for each in strategies)
        self.rows = laid_over(self.game, 0, self.rows, rows, states)
        self.columns = laid_over(self.game, 1, self.columns, columns, states)

    def _advise_brink(self, near: Marks, feared: Floats) -> None:
        """Player 0 plays as if player 1 made some mistake, who makes none and keeps the hopes of the level low."""
        game, skipped = self.game, (near == 0).astype(np.uint8)
        states = near[: game.choices] != 0
        elsewhere = np.repeat(~states, np.diff(game.mix_starts(1)))
        mistakes = touching_columns(game, self.covered != 0)
        rows = restricted(game, columns=mistakes | elsewhere).mixes_at(self.worth, skipped)[0]
        columns = restricted(game, columns=~mistakes | elsewhere).mixes_at(feared, skipped)[1]
        self.rows = laid_over(game, 0, self.rows, rows, states)
        self.columns = laid_over(game, 1, self.columns, columns, states)
