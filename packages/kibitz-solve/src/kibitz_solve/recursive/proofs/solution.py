"""The result of a solve: an interval per state, both players' strategies, and how they were proved."""

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import UnknownName, short_repr
from kibitz_solve.recursive.building.policies import Policy, PolicyRow, PolicyTable, state_name
from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame
from kibitz_solve.recursive.proofs.bounds import Rests
from kibitz_solve.recursive.proofs.graph import GraphSets, LimitSure
from kibitz_solve.recursive.values.chains import mixes_at


class ProvedPolicy(msgspec.Struct, frozen=True):
    """A strategy, and its proved payoff at every node."""

    policy: Policy
    guarantee: Floats


ProvedPolicies = tuple[ProvedPolicy, ProvedPolicy]
NO_RESTS: tuple[Rests, Rests] = ({}, {})


class Solution:
    """The states of a game with lower and upper bounds of their values for player 0.

    Player 0's strategy earns at least the lower bound against every response; player 1's concedes at most the upper.
    """

    def __init__(
        self,
        game: RecursiveGame,
        low: Floats,
        high: Floats,
        *,
        sets: GraphSets | None = None,
        given: Callable[[], ProvedPolicies] | None = None,
        limit_sure: tuple[LimitSure | None, LimitSure | None] = (None, None),
        rests: tuple[Rests, Rests] = NO_RESTS,
        discount: float = 1.0,
        eta: float = 0.0,
        methods: tuple[str, ...] = (),
        seconds: float = 0.0,
    ) -> None:
        self.game, self.low, self.high, self.sets = game, low, high, sets
        self.given, self.limit_sure = given, limit_sure
        self.rests = rests
        """What to add to the bounds of the few nodes whose proofs need more digits than a double has."""
        self.discount, self.eta, self.methods, self.seconds = discount, eta, methods, seconds

    def __deepcopy__(self, memo: dict[int, object]) -> "Solution":
        return self  # it does not change, so copies of agents share it

    def __len__(self) -> int:
        return self.game.choices

    def __iter__(self) -> Iterator[Hashable]:
        """The names of all states with a choice."""
        return (self.game.states.name(node) for node in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self):,} states, widest interval {self.width:.3g}, by {', '.join(self.methods)}>"

    @property
    def width(self) -> float:
        """The widest interval of any state."""
        return float((self.high - self.low)[: self.game.live].max(initial=0.0))

    def node(self, state: Any) -> int:
        """The number of a state, its key or its name."""
        try:
            return self.game.states.node(state)
        except (KeyError, TypeError):
            raise UnknownName("state", short_repr(state), self._some_names()) from None

    def state(self, state: Any) -> Any:
        """The state of a key, if it has a choice; its name if the game was stated by names."""
        return self.game.states.state(self._choosing(state))

    def interval(self, state: Any) -> tuple[float, float]:
        """The least and the most a state can be worth to player 0."""
        node = self.node(state)
        return float(self.low[node] + self.game.infinite_play), float(self.high[node] + self.game.infinite_play)

    def value(self, state: Any) -> float:
        """The middle of the interval."""
        return sum(self.interval(state)) / 2.0

    def matrix(self, state: Any, player: int = 0) -> Floats:
        """The matrix of a state, filled with the bounds that *player*'s strategy is made from."""
        vector = self.low if player == 0 else self.high
        return self.game.matrix(self._choosing(state), vector) + self.game.infinite_play

    def strategy(self, state: Any, player: int) -> dict[str, float]:
        """What a player does in a state: the notation of their actions, each with its probability."""
        node = self._choosing(state)
        shares = self.policy(player).at(node).tolist()
        return dict(zip(self.action_names(node, player), shares, strict=True))

    def action_names(self, node: int, player: int) -> list[str]:
        """The names of a player's actions."""
        named = self.game.states.actions(node, player)
        return named if named is not None else [str(number) for number in range(self.game.shape(node)[player])]

    def policy(self, player: int) -> Policy:
        """A player's strategy in every state, computed on first use."""
        return self._proved_policies[player].policy

    def guarantee(self, player: int) -> Floats:
        """The proved payoff of a player's strategy at every node, as player 0's payoff.

        It is the bound on that player's side, unless rounding the shares spoils the proof: then it comes from the best
        response to the rounded strategy.
        """
        return self._proved_policies[player].guarantee + self.game.infinite_play

    @cached_property
    def _proved_policies(self) -> tuple[ProvedPolicy, ProvedPolicy]:
        """Those given, else optimal play at player 0's lower and player 1's upper bounds."""
        if self.given is not None:
            return self.given()
        skipped = np.zeros(self.game.nodes, np.uint8)
        rows, columns = mixes_at(self.game, self.low, skipped)[0], mixes_at(self.game, self.high, skipped)[1]
        return (
            ProvedPolicy(Policy(0, self.game.mix_starts(0), rows), self.low),
            ProvedPolicy(Policy(1, self.game.mix_starts(1), columns), self.high),
        )

    def table(self) -> PolicyTable:
        """All states with both players' strategies, for a file or for people."""
        return PolicyTable([self._row(node) for node in range(len(self))])

    def _row(self, node: int) -> PolicyRow:
        return PolicyRow(
            state=state_name(self.game.states.name(node)),
            low=float(self.low[node] + self.game.infinite_play),
            high=float(self.high[node] + self.game.infinite_play),
            rows=self.action_names(node, 0),
            row_shares=self.policy(0).at(node).tolist(),
            columns=self.action_names(node, 1),
            column_shares=self.policy(1).at(node).tolist(),
        )

    def _choosing(self, state: Any) -> int:
        node = self.node(state)
        if node >= len(self):
            raise UnknownName("state with a choice", short_repr(state), self._some_names())
        return node

    def _some_names(self) -> list[str]:
        return [str(name) for name in islice(self, 8)]
