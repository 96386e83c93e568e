"""Players who make the game they are in as they go: one plans with a part of its graph, the other looks a round ahead.

Both ask a heuristic what lies beyond (Keffer 2013, section 6). The planner solves what it has made with that part's
ends at their heuristic values, and plays the equilibrium of the state it is in; the other solves one matrix game.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from kibitz import core
from kibitz.agents.solved_games import is_solvable
from kibitz.core.clocks import Seconds
from kibitz.core.errors import BadGame, UnknownName, Unsupported
from kibitz.core.registry import spec_of

if TYPE_CHECKING:
    from kibitz.core.abilities.heuristics import Heuristic
    from kibitz.solve import MatrixSolution, RecursiveGame
    from kibitz.solve.recursive.model import Floats

Lean = Literal["optimistic", "cautious", "even"]
"""Which bound of a state counts: the player's hope, his fear, or their mean."""
Discount = Annotated[float, msgspec.Meta(gt=0.0, lt=1.0)]
NODES, FIRST_NODES, MOST_NODES = 200, 16, 100_000
"""States looked into where nothing is said; in the first round of a plan against the clock; and at most."""
STEPS = 30_000
"""Steps of the rules for a plan where nothing is said: a state may have thousands of successors."""
SPARE = 0.5
"""The share of a move's time that a plan may take; what was begun before is brought to an end."""


class Plan(msgspec.Struct, frozen=True):
    """A part of a game as a player has made it, what its nodes are worth to player 0, and the state he is in."""

    game: "RecursiveGame"
    values: "Floats"
    node: int
    player: int

    @property
    def value(self) -> float:
        """What the state is thought to be worth to player 0."""
        return self._matrix_solution().value + self.game.infinite_play

    def shares(self) -> tuple[float, ...]:
        """The equilibrium of the state's matrix game, on the player's side."""
        import numpy as np

        from kibitz.solve.recursive.two_sided import without_dust

        mixed = self._matrix_solution()
        shares = np.array(mixed.row if self.player == 0 else mixed.column)
        return tuple(without_dust(shares, np.array([0, len(shares)])).tolist())

    def interval(self, width: float = 1e-4) -> tuple[float, float]:
        """What the state is worth at least and at most: proved, if the heuristic is admissible."""
        from kibitz.solve import solve

        solution = solve(self.game, width=width)
        return solution.interval(self.game.states.state(self.node))

    def _matrix_solution(self) -> "MatrixSolution":
        from kibitz.solve import matrix_game

        return matrix_game(self.game.matrix(self.node, self.values))


class Lookahead(core.Strategy):
    """Looks one round ahead: the equilibrium of one matrix game, filled with what a heuristic says of the states after.

    *heuristic*: one of the game's by name, its first where none is named. *lean*: which of its two bounds counts, the
    player's hope (`optimistic`), his fear (`cautious`) or their mean (`even`).
    """

    def __init__(self, heuristic: str = "", lean: Lean = "optimistic") -> None:
        self.heuristic, self.lean = heuristic, lean

    def manages(self, game: core.Game) -> bool:
        return is_solvable(game)

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        from kibitz.solve import PartialGame, check_solvable

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
        """The probabilities of the legal actions, with the time there is."""
        legal = view.legal_actions(self.player)
        if len(legal) == 1:
            return core.Distribution.certain(legal[0], legal)
        shares = self.plan(view, clock).shares()
        return core.Distribution({action: p for action, p in zip(legal, shares, strict=True) if p > 0.0}, legal)

    def plan(self, view: core.State, clock: core.Clock | None = None) -> Plan:
        """What is known of a state after looking ahead."""
        game = self.explored.grow_game(view, 1)
        return Plan(game, self._start(game), game.states.node(view), self.player)

    def _start(self, game: "RecursiveGame") -> "Floats":
        """What the heuristic makes of every node."""
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
        from kibitz.solve import heuristics_of

        known = heuristics_of(game)
        name = self.heuristic or next(iter(known))
        if name not in known:
            raise UnknownName("heuristic", name, list(known), f"(of {spec_of(game).name})")
        return known[name]


class Planner(Lookahead):
    """Makes the game around its state on the fly, solves that, and plays the equilibrium; the graph is kept for later.

    *nodes*: states to look into for a move; *seconds*: time to take for one, in rounds of twice as many states; without
    either, 200 states, fewer where those take over 30,000 steps of the rules, or what the match's clock allows.
    *order*: look into the states that came first (`breadth`), or that promise most (`best`). *discount*: what a round
    takes off all that comes later, as ends that lie near are worth more than circles. *heuristic* and *lean* as for
    `lookahead`.

    What it does depends on the state and the budget of nodes alone: states met before cost no time, but count.
    """

    def __init__(
        self,
        nodes: Annotated[int, msgspec.Meta(ge=1, le=MOST_NODES)] | None = None,
        seconds: Seconds | None = None,
        heuristic: str = "",
        order: Literal["breadth", "best"] = "breadth",
        discount: Discount = 0.9999,
        lean: Lean = "optimistic",
    ) -> None:
        super().__init__(heuristic, lean)
        self.nodes, self.seconds, self.order, self.discount = nodes, seconds, order, discount

    def plan(self, view: core.State, clock: core.Clock | None = None) -> Plan:
        """Grow the game around a state and solve it; against the clock, again and again as it grows."""
        from kibitz.solve import discounted_values
        from kibitz.solve.recursive.operators import Deadline

        allowed = min(SPARE * clock.pace() if clock else float("inf"), self.seconds or float("inf"))
        limited = allowed < float("inf")
        most = self.nodes or (MOST_NODES if limited else NODES)
        steps = float("inf") if self.nodes or limited else STEPS
        size, deadline = (FIRST_NODES if limited else most), Deadline(allowed if limited else None)
        found: Plan | None = None
        while True:
            game = self.explored.grow_game(view, size, self.order, self.player, deadline, steps)
            values = discounted_values(game, self.discount, self._start(game), deadline)
            if found is not None and deadline.has_passed():
                return found
            found = Plan(game, values, game.states.node(view), self.player)
            if game.choices < size or size >= most:
                return found
            size = min(2 * size, most)
