"""Movers, the parts of negotiators that choose steps; look here for where an agent goes, and when."""

from kibitz.games.trails.agents.negotiator import Mover, Moving
from kibitz.games.trails.situation import Situation
from kibitz.games.trails.state import STAY


class Patient(Mover, frozen=True):
    """Moves a step in each round once it is independent; before that, only when the game would end otherwise.

    With the *stop_rule* it lets the game end rather than move at a loss.
    """

    stop_rule: bool = False

    def moves(self, situation: Situation) -> Moving:
        own = situation.own
        if own.independent:
            return {best_step(situation): 1.0}
        if not situation.must_move(own.player):
            return {STAY: 1.0}
        step = nearest_step(situation)
        lost = step != STAY and situation.side_after_step(step).best_use < own.best_use
        return {STAY if self.stop_rule and lost else step: 1.0}


def best_step(situation: Situation) -> int:
    """The first step that keeps the BestUse; STAY where every step lowers it."""
    best = situation.own.best_use
    return next((step for step in situation.steps() if situation.side_after_step(step).best_use >= best), STAY)


def nearest_step(situation: Situation) -> int:
    """Forward if possible, to where the fewest chips are missing; else back; STAY if no step can be paid."""
    here = situation.board.distances[situation.own.place]

    def worse(step: int) -> tuple[bool, int, int]:
        after = situation.side_after_step(step)
        return situation.board.distances[after.place] > here, after.missing, step

    return min(situation.steps(), key=worse, default=STAY)


class Racer(Mover, frozen=True):
    """Moves in every round where a step keeps its BestUse, or where the game would end otherwise."""

    def moves(self, situation: Situation) -> Moving:
        step = best_step(situation)
        if step == STAY and situation.must_move(situation.own.player):
            step = nearest_step(situation)
        return {step: 1.0}


class Sleeper(Mover, frozen=True):
    """Stays where it is while it has the better score, which ends the game."""

    def moves(self, situation: Situation) -> Moving:
        ahead = situation.own.best_use > situation.other.best_use
        return {STAY: 1.0} if ahead else Patient().moves(situation)
