"""The agent `purposeful`: it follows a plan of the game's library, so that plan recognition has a truth to find."""

from collections.abc import Mapping
from typing import Any

from kibitz import core
from kibitz.core.errors import UnknownName
from kibitz_lab.plans.assumptions import Assumptions, Share
from kibitz_lab.plans.library import PlanLibrary, normalise_weights
from kibitz_lab.plans.observed_player import ObservedPlayer, only, plans_of

BEAM = 200


class Purposeful(core.Strategy):
    """Pursues *goal* by the plan library of the game, or this many *goals* at a time, drawn for every match.

    *slip* is the probability of an action outside the plan.
    """

    def __init__(self, goal: str = "", slip: Share = 0.1, goals: core.Count = 1) -> None:
        self.goal, self.slip, self.goals = goal, slip, goals

    def manages(self, game: core.Game) -> bool:
        try:
            plans_of(game, self)
        except core.Unsupported:
            return False
        return True

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        library, describe = plans_of(game, self, player=player)
        if self.goal and self.goal not in library.goals:
            raise UnknownName("goal", self.goal, list(library.goals), f"in the {library.name}")
        if self.goals > len(library.goals) or (self.goal and self.goals > 1):
            why = f"it can pursue 1 to {len(library.goals)} drawn goals, or one given goal"
            raise core.Unsupported(self, game, why)
        self.pursued = self.draw_goals(library, rng)
        assumptions = Assumptions(slip=self.slip, roots=self.goals)
        self.pursuit = ObservedPlayer(only(library, self.pursued), describe, assumptions, BEAM)

    def draw_goals(self, library: PlanLibrary, rng: core.Rng) -> list[str]:
        """The goals of a match."""
        if self.goal:
            return [self.goal]
        found: list[str] = []
        left = dict(library.goals)
        while len(found) < self.goals:
            found.append(str(rng.choice(list(left), p=list(normalise_weights(left).values()))))
            del left[found[-1]]
        return sorted(found)

    def observe(self, transition: core.Transition) -> None:
        action = transition.action_of(self.player) if self.player in transition.movers else None
        if action is not None:
            self.pursuit.observe(transition.before, self.player, action)

    def policy(self, view: core.State) -> core.Distribution:
        return self.pursuit.predict_next(view, self.player)

    def truth(self) -> Mapping[str, Any]:
        return {"goal": self.pursued[0] if len(self.pursued) == 1 else self.pursued}
