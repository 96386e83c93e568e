"""Oshi-Zumo, the pushing game (Kotani; Buro 2004): bid coins to push the wrestler off the other end."""

from typing import Annotated

from msgspec import Meta

from kibitz.core.errors import BadSpec
from kibitz_solve.games.rules import Few, Position, Recursive, State

Coins = Annotated[int, Meta(ge=0, le=200)]


class OshiZumo(Recursive):
    """Oshi-Zumo: the higher bid pushes the wrestler one step; both bids are paid; off the other end wins.

    *size*: steps from the middle to either edge. *place*: where the wrestler begins, counted towards player 1.
    *least*: the least bid of a player who can afford it; others bid 0. Once neither can, the wrestler's place decides.
    """

    quantities = ("coins", "other_coins", "place")

    def __init__(
        self,
        coins: tuple[Coins, Coins] = (10, 10),
        size: Few = 3,
        place: Annotated[int, Meta(ge=-60, le=60)] = 0,
        least: Annotated[int, Meta(ge=0, le=9)] = 1,
    ) -> None:
        self.coins, self.size, self.place, self.least = coins, size, place, least

    @property
    def action_bound(self) -> int:  # type: ignore[override]
        return max(self.coins) + 1

    def new_initial_state(self) -> State:
        if abs(self.place) > self.size:
            raise BadSpec(repr(self), f"place is off the board; it goes from {-self.size} to {self.size}")
        return super().new_initial_state()

    def opening(self) -> Position:
        return (*self.coins, self.place)

    def options(self, position: Position, player: int) -> range:
        coins = position[player]
        return range(self.least, coins + 1) if coins >= self.least else range(1)

    def follow(self, position: Position, actions: tuple[int, ...]) -> Position:
        coins, other_coins, place = position
        bid, other_bid = actions
        return coins - bid, other_coins - other_bid, place + (bid > other_bid) - (bid < other_bid)

    def payoff(self, position: Position) -> float | None:
        coins, other_coins, place = position
        if abs(place) <= self.size and max(coins, other_coins) >= max(1, self.least):
            return None
        return float((place > 0) - (place < 0))

    def action_name(self, player: int, action: int) -> str:
        return str(action)

    def describe(self, position: Position) -> str:
        coins, other_coins, place = position
        track = "".join("o" if step == place else "·" for step in range(-self.size - 1, self.size + 2))
        return f"{coins} coins [{track}] {other_coins} coins"
