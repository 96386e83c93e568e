"""Investors against the market: when to buy a share whose price moves by itself, while the market may bar them.

After McIver and Morgan's investor in a futures market (2007): the price is capped, its trend drifts, and the market may
close for newcomers, but not twice in a row.
"""

from itertools import product
from typing import Annotated, Literal

from msgspec import Meta

from kibitz.games.recursive.rules import Outcomes, Position, Recursive, clip_value, merge_outcomes

OPEN, BAR = 0, 1
MOST = 10
"""The highest price; and the trend that certainly rises."""


class Investors(Recursive):
    """Investors: buy one share each, at what it is worth after the month; the market may bar a month, but not two.

    *investors*: how many act together as player 0. *months*: how long they have; who has not bought by then earns
    nothing. The price begins at *price*, and rises with probability *trend* / 10, which drifts.
    """

    seats = ("investors", "market")
    names = (("wait", "one buys", "both buy"), ("open", "bar"))
    quantities = ("price", "trend", "looking", "earned", "barred", "month")

    def __init__(
        self,
        investors: Literal[1, 2] = 2,
        months: Annotated[int, Meta(ge=1, le=12)] = 4,
        price: Annotated[int, Meta(ge=0, le=10)] = 5,
        trend: Annotated[int, Meta(ge=0, le=10)] = 5,
    ) -> None:
        self.investors, self.months, self.price, self.trend = investors, months, price, trend
        self.utility = (-float(MOST * investors), float(MOST * investors))

    def opening(self) -> Position:
        return self.price, self.trend, self.investors, 0, 0, 0

    def options(self, position: Position, player: int) -> range:
        if player == 0:
            return range(position[2] + 1)
        return range(OPEN, OPEN + 1) if position[4] else range(OPEN, BAR + 1)

    def outcomes(self, position: Position, actions: tuple[int, ...]) -> Outcomes:
        price, trend, looking, earned, _, month = position
        bought = actions[0] if actions[1] == OPEN else 0
        moves = ((1, trend / MOST), (-1, 1.0 - trend / MOST))
        drifts = ((1, 0.5), (-1, 0.5))
        return merge_outcomes(
            (
                (
                    clip_value(price + step, 0, MOST),
                    clip_value(trend + drift, 0, MOST),
                    looking - bought,
                    earned + bought * clip_value(price + step, 0, MOST),
                    actions[1],
                    month + 1,
                ),
                odds * share,
            )
            for (step, odds), (drift, share) in product(moves, drifts)
        )

    def worth(self, position: Position) -> float | None:
        _, _, looking, earned, _, month = position
        return float(earned) if month >= self.months or not looking else None

    def describe(self, position: Position) -> str:
        price, trend, looking, earned, barred, month = position
        words = f"month {month} of {self.months}: price {price}, rises with {10 * trend} %, {looking} still looking"
        return f"{words}, earned {earned}" + (", barred last month" if barred else "")
