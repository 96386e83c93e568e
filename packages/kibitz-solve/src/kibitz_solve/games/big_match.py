"""The Big Match (Gillette 1957): a repeated game in which player 0 may settle everything by one guess.

Chance plays the discount: after every round the match is over with probability *discount*, and pays what that
round was worth. Its value is one half for every discount.
"""

from typing import Annotated

from msgspec import Meta

from kibitz_solve.games.rules import Outcomes, Position, Recursive, merge_outcomes

ON: Position = (-1,)
NOTHING: Position = (0,)
EVERYTHING: Position = (1,)
STOP, CONTINUE = 0, 1
LEFT, RIGHT = 0, 1


class BigMatch(Recursive):
    """The Big Match: stop against left wins all, stop against right loses all; going on earns rounds against right."""

    seats = ("guesser", "opponent")
    names = (("stop", "continue"), ("left", "right"))
    quantities = ("over",)

    def __init__(self, discount: Annotated[float, Meta(gt=0.0, le=1.0)] = 0.1) -> None:
        self.discount = discount

    def opening(self) -> Position:
        return ON

    def outcomes(self, position: Position, actions: tuple[int, ...]) -> Outcomes:
        guess, truth = actions
        earned = EVERYTHING if (guess == STOP) == (truth == LEFT) else NOTHING
        over = 1.0 if guess == STOP else self.discount
        return merge_outcomes([(earned, over), (ON, 1.0 - over)])

    def payoff(self, position: Position) -> float | None:
        return None if position == ON else float(position[0])

    def describe(self, position: Position) -> str:
        return "the match goes on" if position == ON else f"over: {position[0]}"
