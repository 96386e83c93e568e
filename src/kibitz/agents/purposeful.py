"""A player with a goal: he acts on a plan of the game's library, so that recognition has a truth to find."""

from collections.abc import Mapping

from kibitz import core
from kibitz.core.errors import UnknownName
from kibitz.models.plans.story import Share, Story
from kibitz.models.plans.watching import Pursuit, only, plans_of

BEAM = 200


class Purposeful(core.Strategy):
    """Pursues *goal* by the plan library of the game, or one drawn for every match; *slip* is how often he strays."""

    def __init__(self, goal: str = "", slip: Share = 0.1) -> None:
        self.goal, self.slip = goal, slip

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        library, describe = plans_of(game, self)
        if self.goal and self.goal not in library.goals:
            raise UnknownName("goal", self.goal, list(library.goals), f"in the {library.name}")
        drawn = rng.choice(list(library.goals), p=list(library.goals.values())) if not self.goal else self.goal
        self.pursued = str(drawn)
        self.pursuit = Pursuit(only(library, self.pursued), describe, Story(slip=self.slip), BEAM)

    def observe(self, transition: core.Transition) -> None:
        action = transition.action_of(self.player) if self.player in transition.movers else None
        if action is not None:
            self.pursuit.observe(transition.before, self.player, action)

    def policy(self, view: core.State) -> core.Distribution:
        return self.pursuit.foretell(view, self.player)

    def truth(self) -> Mapping[str, str]:
        return {"goal": self.pursued}
