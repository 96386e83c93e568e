"""The agents of solved games: one plays the equilibrium, the other delays and keeps the game going."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from kibitz import core
from kibitz.core.errors import BadGame, BadPolicy, Unsupported, short_repr
from kibitz_lab.agents.solution_cache import make_once

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kibitz_solve import RecursiveGame, Solution

Width = Annotated[float, Meta(gt=0.0, le=1.0)]
Limit = Annotated[int, Meta(ge=1)]
LIMIT, STEPS = 20_000, 300_000
"""The most states, and the most steps of the rules to find them, before a game counts as too large; far below what a
solver can do, because a match waits. A higher limit raises the steps by the same factor."""
DELTA = 1e-6
"""The value of a round to an agent that delays: less than any chance of not losing at all."""


def is_solvable(game: core.Game) -> bool:
    """Whether the solver takes games of this kind; this one may still be too large."""
    from kibitz_solve import check_solvable

    try:
        check_solvable(game)
    except BadGame:
        return False
    return True


class SolvedGameAgent(core.Strategy):
    """The base of both agents: they look up the probabilities of actions in a solution made before the match."""

    limit: int

    def manages(self, game: core.Game) -> bool:
        return is_solvable(game)

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        if len(legal) == 1:
            return core.Distribution.certain(legal[0], legal)
        shares = self.shares(view)
        if shares is None:
            return core.Distribution.uniform(legal)
        return core.Distribution({action: p for action, p in zip(legal, shares, strict=True) if p > 0.0}, legal)

    def shares(self, view: core.State) -> Sequence[float] | None:
        """The probability of each legal action; None for a state that is not in the solution."""
        raise NotImplementedError

    def _build_game(self) -> "RecursiveGame":
        """The game in the form that solvers take."""
        from kibitz_solve import build_game

        try:
            return build_game(self.game, limit=self.limit, steps=STEPS * max(self.limit, LIMIT) // LIMIT)
        except BadGame as error:
            raise Unsupported(self, self.game, error.why) from None

    def _key(self, *options: Any) -> tuple[Any, ...]:
        return type(self), type(self.game), repr(self.game), self.limit, *options


class Equilibrium(SolvedGameAgent):
    """Plays an equilibrium in any small enough zero-sum game of two players without hidden information.

    *file* is a policy table to play instead (`kibitz solve GAME --out FILE`); in states missing there, all actions are
    equally likely. *width* is the target width of the intervals of all values, *limit* the most states. With *lowered*
    it plays only to win, and where it cannot, hopes for a mistake; it wins as soon and loses as late as it can.

    >>> from kibitz import play
    >>> from kibitz_solve import Equilibrium
    >>> play("macwiggins", [Equilibrium(), "random"], seed=1).ending.returns
    [1.0, -1.0]
    """

    def __init__(
        self, file: str | None = None, width: Width = 1e-4, limit: Limit = LIMIT, lowered: bool = False
    ) -> None:
        self.file, self.width, self.limit, self.lowered = file, width, limit, lowered

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if self.file is not None:
            from kibitz_solve import read_policies

            self.table = read_policies(self.file)
        elif self.lowered:
            self.solution, self.part = make_once(self._key(self.width, "lowered", player), self._solve_lowered)
        else:
            from kibitz_solve import solve

            solution = make_once(self._key(self.width), lambda: solve(self._build_game(), width=self.width))
            self.solution, self.part = solution, player

    def shares(self, view: core.State) -> list[float] | None:
        if self.file is not None:
            return self._looked_up(view)
        node = self.solution.node(view)
        shares: list[float] = self.solution.policy(self.part).at(node).tolist()
        return shares

    def _solve_lowered(self) -> "tuple[Solution, int]":
        """The solution, and which of its strategies to play: if both can win, each plays for their own win."""
        from kibitz_solve import lower_expectations, lowerable, mirror_game, solve

        game, part = self._build_game(), self.player
        if part == 1 and game.bounds[0] < 0.0:
            game, part = mirror_game(game), 0
        try:
            return lower_expectations(solve(lowerable(game), width=self.width), width=self.width), part
        except BadGame as error:
            raise Unsupported(self, self.game, error.why) from None

    def _looked_up(self, view: core.State) -> list[float] | None:
        from kibitz_solve import state_name

        row = self.table.row(state_name(view.key()))
        if row is None:
            return None
        actions, shares = (row.rows, row.row_shares) if self.player == 0 else (row.columns, row.column_shares)
        names = [view.action_to_string(self.player, action) for action in view.legal_actions(self.player)]
        if actions != names:
            raise BadPolicy(
                self.file, f"state {short_repr(row.state)} has the actions {', '.join(names)}; it is of another game"
            )
        return shares


class Thwart(SolvedGameAgent):
    """Concedes no more than it must and delays: it loses lost games as late as possible, and keeps other games going.

    Such an opponent makes the game entertaining rather than short (Keffer 2013, section 4).

    *limit* is the most states.
    """

    def __init__(self, limit: Limit = LIMIT) -> None:
        self.limit = limit

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.delay = make_once(self._key(player), self._delay)

    def shares(self, view: core.State) -> Sequence[float] | None:
        return self.delay.shares(self.delay.game.states.node(view))

    def _delay(self) -> "Delay":
        from kibitz_solve import mirror_game

        game = self._build_game()
        return Delay(game if self.player == 1 else mirror_game(game))


class Delay:
    """A game of speed (4.9), in which player 0 wants to win soon and player 1 delays."""

    def __init__(self, game: "RecursiveGame") -> None:
        from kibitz_solve import graph_sets, iterate, speed_operator, survival

        self.game = survival(game)
        self.winnable: NDArray[np.uint8] = graph_sets(self.game).positive
        self.values = iterate(self.game, speed_operator(DELTA), tolerance=DELTA * DELTA).values

    def __deepcopy__(self, memo: dict[int, object]) -> "Delay":
        return self  # it does not change, so copies of agents share it

    def shares(self, node: int) -> Sequence[float]:
        """The mixture of player 1: the slowest way to lose, or any way that keeps the game going for certain."""
        from kibitz_solve import matrix_game

        if self.winnable[node]:
            return matrix_game(self.game.matrix(node, self.values)).column
        dangers = [  # may the other win eventually, and how many of their replies end the game
            (bool(self.winnable[after].any()), int((after >= self.game.live).sum()))
            for after in self.game.successors_at(node).T
        ]
        best = min(dangers)
        chosen = [danger == best for danger in dangers]
        return [mark / sum(chosen) for mark in chosen]
