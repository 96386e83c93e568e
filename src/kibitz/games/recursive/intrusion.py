"""Intrusion detection: a system loads one of two libraries of signatures against an attacker with two attacks.

After Zhu and Başar's configuration of intrusion detection (2009), as a case study of Kwiatkowska, Norman, Parker and
Santos (2018) plays it. A library stops the attack of its number. Damage is counted in halves, so that positions are
whole numbers.
"""

from typing import Literal

from kibitz.games.recursive.rules import Few, Outcomes, Position, Recursive, merge_outcomes

HEALTHY, COMPROMISED, FAILED = 1, 2, 3
STATES = {HEALTHY: "healthy", COMPROMISED: "compromised", FAILED: "failed"}
ODDS = {"simple": (1.0, 1.0), "sturdy": (0.2, 0.8), "fragile": (0.8, 0.2)}
"""How likely an attack that is not stopped harms the system, and how likely it recovers from one that is."""


class Intrusion(Recursive):
    """Intrusion detection: choose a library of signatures every round, and keep the damage of attacks low.

    *system*: a `simple` one is healthy or compromised, at once; a `sturdy` one may also fail, is rarely harmed and
    recovers well; a `fragile` one is often harmed and recovers badly.
    """

    seats = ("policy", "attacker")
    names = (("library 1", "library 2"), ("attack 1", "attack 2"))
    quantities = ("system", "round", "damage")

    def __init__(self, rounds: Few = 5, system: Literal["simple", "sturdy", "fragile"] = "sturdy") -> None:
        self.rounds, self.system = rounds, system
        worst = float(COMPROMISED if system == "simple" else FAILED)
        self.utility = (-worst * rounds, worst * rounds)

    def opening(self) -> Position:
        return HEALTHY, 0, 0

    def damage(self, state: int, actions: tuple[int, ...]) -> int:
        """The damage of a round, in halves."""
        library, attack = actions
        if library == attack:
            return 0 if state == HEALTHY else 2
        return 2 * state - (library > attack)

    def outcomes(self, position: Position, actions: tuple[int, ...]) -> Outcomes:
        state, played, damage = position
        harm, recovery = ODDS[self.system]
        stopped = actions[0] == actions[1]
        worst = COMPROMISED if self.system == "simple" else FAILED
        after, odds = (max(HEALTHY, state - 1), recovery) if stopped else (min(worst, state + 1), harm)
        total = damage + self.damage(state, actions)
        return merge_outcomes((((after, played + 1, total), odds), ((state, played + 1, total), 1.0 - odds)))

    def worth(self, position: Position) -> float | None:
        return -position[2] / 2.0 if position[1] >= self.rounds else None

    def describe(self, position: Position) -> str:
        state, played, damage = position
        return f"the system is {STATES[state]} after {played} of {self.rounds} rounds, damage {damage / 2:g}"
