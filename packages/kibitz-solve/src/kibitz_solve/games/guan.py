"""The Guan sisters: a game of value 1 in which no strategy attains it (Keffer 2013, equations 3.8 and 3.9)."""

from kibitz_solve.games.rules import Endless, Payoffs, Position, Recursive, when_lost

SESSION: Position = (0,)
DAMEI: Position = (1,)
XIAOMEI: Position = (2,)
"""The session goes on; Damei's arrow has hit; Xiaomei has won."""
WAIT, RUN, FIRE = 0, 1, 1
WORDS = {SESSION: "Xiaomei hides, Damei has one arrow", DAMEI: "Damei's arrow hits", XIAOMEI: "Xiaomei surprises Damei"}


class Guan(Recursive):
    """The Guan sisters: run from hiding while Damei does not fire, or let her waste her only arrow."""

    seats = ("Xiaomei", "Damei")
    names = (("W", "R"), ("W", "F"))
    quantities = ("outcome",)

    def __init__(self, payoffs: Payoffs = "survival", endless: Endless = 0.0) -> None:
        self.payoffs, self.endless = payoffs, endless

    def opening(self) -> Position:
        return SESSION

    def follow(self, position: Position, actions: tuple[int, ...]) -> Position:
        if actions == (WAIT, WAIT):
            return SESSION
        return DAMEI if actions == (RUN, FIRE) else XIAOMEI

    def payoff(self, position: Position) -> float | None:
        return {SESSION: None, DAMEI: when_lost(self.payoffs), XIAOMEI: 1.0}[position]

    def describe(self, position: Position) -> str:
        return WORDS[position]
