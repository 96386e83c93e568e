"""The agents `planner` and `lookahead` for games of simultaneous moves that are too large to solve beforehand.

Both use a heuristic for states further ahead (Keffer 2013, section 6). The planner builds a part of the game's graph,
solves it with heuristic values at its leaves, and plays the equilibrium of its state; `lookahead` solves one matrix
game.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from kibitz import core
from kibitz.core.agent import Seconds
from kibitz.core.errors import BadGame, UnknownName, Unsupported
from kibitz.core.registry import spec_of
from kibitz_solve.agents.solved_games import is_solvable

if TYPE_CHECKING:
    from kibitz.core.kit.numbers import Heuristic
    from kibitz_solve import MatrixSolution, RecursiveGame, Solution
    from kibitz_solve.recursive.building.recursive_game import Floats

Lean = Literal["optimistic", "cautious", "even"]
"""Which bound of a state counts: the player's upper one, the lower one, or their mean."""
Discount = Annotated[float, msgspec.Meta(gt=0.0, lt=1.0)]
NODES, FIRST_NODES, MOST_NODES = 200, 16, 100_000
"""States to expand: by default; in the first round of a plan against the clock; and at most."""
STEPS = 30_000
"""Default steps of the rules for a plan: a state may have thousands of successors."""
MOST_SOLVED = 64
"""The most solutions of whole parts of a game that are kept."""
SPARE = 0.5
"""The share of a move's time that a plan may take; a round that has begun is finished."""


class Plan(msgspec.Struct, frozen=True):
    """The part of a game that a player has built, the values of its nodes for player 0, and the player's state.

    *solution*: proved bounds and strategies, if the plan covers everything that can follow.
    """

    game: "RecursiveGame"
    values: "Floats"
    node: int
    player: int
    solution: "Solution | None" = None

    @property
    def value(self) -> float:
        """The estimated value of the state for player 0."""
        if self.solution is not None:
            return float(self.values[self.node]) + self.game.infinite_play
        return self._matrix_solution().value + self.game.infinite_play

    def shares(self) -> tuple[float, ...]:
        """The equilibrium of the state's matrix game, on the player's side."""
        import numpy as np

        from kibitz_solve.recursive.values.chains import without_dust

        if self.solution is not None:
            return tuple(self.solution.policy(self.player).at(self.node).tolist())
        mixed = self._matrix_solution()
        shares = np.array(mixed.row if self.player == 0 else mixed.column)
        return tuple(without_dust(shares, np.array([0, len(shares)])).tolist())

    def interval(self, width: float = 1e-4) -> tuple[float, float]:
        """Lower and upper bound of the state's value: proved, if the heuristic is admissible."""
        from kibitz_solve import solve

        state = self.game.states.state(self.node)
        if self.solution is not None:
            return self.solution.interval(state)
        least, most = (
            solve(msgspec.structs.replace(self.game, low=ends, high=ends), width=width)
            for ends in (self.game.low, self.game.high)
        )
        return least.interval(state)[0], most.interval(state)[1]

    def _matrix_solution(self) -> "MatrixSolution":
        from kibitz_solve import matrix_game

        return matrix_game(self.game.matrix(self.node, self.values))


class Lookahead(core.Strategy):
    """Looks one round ahead: plays the equilibrium of a matrix game of heuristic values of the states that may follow.

    *heuristic*: one of the game's by name, by default its first. *lean*: which of its two bounds counts, the upper one
    for the player (`optimistic`), the lower one (`cautious`) or their mean (`even`).
    """

    def __init__(self, heuristic: str = "", lean: Lean = "optimistic") -> None:
        self.heuristic, self.lean = heuristic, lean

    def manages(self, game: core.Game) -> bool:
        return is_solvable(game)

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        from kibitz_solve import PartialGame, check_solvable

        super().begin(game, player, rng)
        try:
            check_solvable(game)
        except BadGame as error:
            raise Unsupported(self, game, error.why) from None
        self.explored: PartialGame = PartialGame(game, self._find_heuristic(game))

    def policy(self, view: core.State) -> core.Distribution:
        return self.action_distribution(view, core.Clock())

    def act(self, view: core.State, clock: core.Clock) -> int:
        return self.action_distribution(view, clock).sample(self.rng)

    def action_distribution(self, view: core.State, clock: core.Clock) -> core.Distribution:
        """The probabilities of the legal actions, within the time available."""
        legal = view.legal_actions(self.player)
        if len(legal) == 1:
            return core.Distribution.certain(legal[0], legal)
        shares = self.plan(view, clock).shares()
        return core.Distribution({action: p for action, p in zip(legal, shares, strict=True) if p > 0.0}, legal)

    def plan(self, view: core.State, clock: core.Clock | None = None) -> Plan:
        """What the agent knows of a state after looking ahead."""
        game = self.explored.grow_game(view, 1)
        return Plan(game, self._start(game), game.states.node(view), self.player)

    def _start(self, game: "RecursiveGame") -> "Floats":
        """The heuristic values of all nodes."""
        values = game.start(self._leaning(game.low, game.high))
        for node in range(game.choices):
            state = game.states.state(node)
            values[node] = self._leaning(*self.explored.bounds(state.key(), state)) - game.infinite_play
        return values

    def _leaning(self, low: Any, high: Any) -> Any:
        """The bound that counts, of one state or of many."""
        if self.lean == "even":
            return (low + high) / 2.0
        return high if (self.lean == "optimistic") == (self.player == 0) else low

    def _find_heuristic(self, game: core.Game) -> "Heuristic":
        from kibitz_solve import heuristics_of

        known = heuristics_of(game)
        name = self.heuristic or next(iter(known))
        if name not in known:
            raise UnknownName("heuristic", name, list(known), f"(of {spec_of(game).name})")
        return known[name]


class Planner(Lookahead):
    """Builds the game around its state on the fly, solves that, plays the equilibrium, and keeps the graph for later.

    *nodes*: states to expand for a move; *seconds*: time for a move, in rounds of twice as many states each; without
    either, 200 states (fewer if those take over 30,000 steps of the rules), or what the match's clock allows.
    *order*: expand whole layers of states (`breadth`), or the most promising states first (`best`). *discount*:
    discount factor per round, which makes near ends worth more than going in circles. *heuristic* and *lean* are those
    of `lookahead`; here the mean of both bounds counts by default, so that a larger plan is not a worse one.

    Its choice depends only on the state and the budget of nodes: states met before cost no time, but count. A plan that
    covers everything that can follow is solved with proofs, as `equilibrium` does it, and kept.
    """

    def __init__(
        self,
        nodes: Annotated[int, msgspec.Meta(ge=1, le=MOST_NODES)] | None = None,
        seconds: Seconds | None = None,
        heuristic: str = "",
        order: Literal["breadth", "best"] = "breadth",
        discount: Discount = 0.9999,
        lean: Lean = "even",
    ) -> None:
        super().__init__(heuristic, lean)
        self.nodes, self.seconds, self.order, self.discount = nodes, seconds, order, discount

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.solved: list[Solution] = []
        """Solutions of parts of the game that nothing leads out of, the newest first."""

    def plan(self, view: core.State, clock: core.Clock | None = None) -> Plan:
        """Grow the game around a state and solve it; against the clock, again and again as it grows."""
        from kibitz_solve import discounted_values, solve
        from kibitz_solve.recursive.values.operators import Deadline

        known = self._known_plan(view)
        if known is not None:
            return known
        allowed = min(SPARE * clock.pace() if clock else float("inf"), self.seconds or float("inf"))
        limited = allowed < float("inf")
        most = self.nodes or (MOST_NODES if limited else NODES)
        steps = float("inf") if self.nodes or limited else STEPS
        size, deadline = (FIRST_NODES if limited else most), Deadline(allowed if limited else None)
        found: Plan | None = None
        while True:
            game = self.explored.grow_game(view, size, self.order, self.player, deadline, steps)
            if game.exact_ends and self.explored.heuristic.admissible:
                self.solved = [solve(game, seconds=deadline.seconds_left()), *self.solved[: MOST_SOLVED - 1]]
                known = self._known_plan(view)
                assert known is not None, "a plan covers its own state"
                return known
            values = discounted_values(game, self.discount, self._start(game), deadline)
            if found is not None and deadline.has_passed():
                return found
            found = Plan(game, values, game.states.node(view), self.player)
            if size >= most:
                return found
            size = min(2 * size, most)

    def _known_plan(self, view: core.State) -> Plan | None:
        """The plan of a state that a plan of everything covers."""
        for solution in self.solved:
            try:
                node = solution.game.states.node(view)
            except KeyError:
                continue
            if node < solution.game.choices:
                return Plan(solution.game, (solution.low + solution.high) / 2.0, node, self.player, solution)
        return None
