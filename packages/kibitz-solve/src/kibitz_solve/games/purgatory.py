"""Purgatory: levels to climb by guessing right, one of which sends you to hell (Hansen, Koucký and Miltersen 2009)."""

from typing import Annotated

from msgspec import Meta

from kibitz_solve.games.rules import Payoffs, Position, Recursive, when_lost

LOST = 0


class Purgatory(Recursive):
    """Purgatory: equal guesses lead one level up, t against h is lost, h against t leads back to level 1."""

    seats = ("soul", "devil")
    names = (("t", "h"), ("t", "h"))
    quantities = ("level",)

    def __init__(self, levels: Annotated[int, Meta(ge=1, le=200)] = 3, payoffs: Payoffs = "survival") -> None:
        self.levels, self.payoffs = levels, payoffs

    def opening(self) -> Position:
        return (1,)

    def follow(self, position: Position, actions: tuple[int, ...]) -> Position:
        guess, truth = actions
        if guess == truth:
            return (position[0] + 1,)
        return (LOST,) if guess < truth else (1,)

    def payoff(self, position: Position) -> float | None:
        (level,) = position
        if level == LOST:
            return when_lost(self.payoffs)
        return 1.0 if level > self.levels else None

    def describe(self, position: Position) -> str:
        (level,) = position
        ends = {LOST: "lost", self.levels + 1: "out of purgatory"}
        return ends.get(level, f"level {level} of {self.levels}")
