"""`plans`: which goals do the players pursue, and what comes next, by recognition of plans."""

from copy import copy
from typing import Annotated, Self

from msgspec import Meta

from kibitz import core
from kibitz.models.plans.recogniser import best_goals
from kibitz.models.plans.story import Share, Story
from kibitz.models.plans.watching import Pursuit, plans_of


class Plans(core.Model):
    """Which goal does each player pursue? Plan recognition (PHATT) over the game's plan library.

    *library* is a file with other plans made of the same actions (none given: those that come with the game). A player
    has at most *roots* goals at a time; *slip* is how often an action serves none, *miss* how often one is not seen,
    and a goal so long idle that this was less likely than *abandon* is given up. At most *beam* explanations are kept.
    """

    answers = ("goal", "action")
    follows_lines = True

    def __init__(
        self,
        library: str = "",
        roots: Annotated[int, Meta(ge=1, le=20)] = 1,
        slip: Share = 0.1,
        miss: Share = 0.0,
        abandon: Share = 0.0,
        beam: core.Count = 500,
    ) -> None:
        self.library, self.roots, self.slip, self.miss = library, roots, slip, miss
        self.abandon, self.beam = abandon, beam

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        plans, describe = plans_of(game, self, self.library)
        story = Story(roots=self.roots, slip=self.slip, miss=self.miss, abandon=self.abandon)
        first = Pursuit(plans, describe, story, self.beam)
        self.pursuits = [first.clone() for _ in range(game.players)]

    def clone(self) -> Self:
        copied = copy(self)
        if hasattr(self, "pursuits"):
            copied.pursuits = [pursuit.clone() for pursuit in self.pursuits]
        return copied

    def observe(self, transition: core.Transition) -> None:
        for player in transition.movers:
            action = transition.action_of(player)
            if action is not None:
                self.pursuits[player].observe(transition.before, player, action)

    def belief(self, player: int) -> dict[str, float]:
        return self.pursuits[player].recogniser.belief()

    def predict(self, view: core.State, player: int) -> core.Distribution:
        return self.pursuits[player].foretell(view, player)

    def gauges(self) -> dict[str, float]:
        watching = [pursuit.recogniser for pursuit in self.pursuits]
        return {
            "explanations kept": float(sum(each.kept for each in watching)),
            "mass dropped": max(each.bound for each in watching),
        }

    def explain(self, player: int) -> str:
        watched = self.pursuits[player]
        if not watched.seen:
            return "has done nothing yet"
        belief = watched.recogniser.belief()
        best = best_goals(belief)
        titles = {goal: watched.recogniser.library.plans[goal].title or goal for goal in belief}
        if len(best) > 1:
            return f"may strive for {' or '.join(titles[goal] for goal in best)}: all fit alike"
        others = sorted((goal for goal in belief if goal != best[0]), key=lambda goal: -belief[goal])
        rival = f"; next {titles[others[0]]} at {belief[others[0]]:.0%}" if others else ""
        likely = next(iter(watched.recogniser.next_actions().items()), None)
        soon = f", and would {likely[0]} next ({likely[1]:.0%})" if likely else ""
        afresh = f" (fitted no plan {watched.restarts} times)" if watched.restarts else ""
        return f"strives for {titles[best[0]]} ({belief[best[0]]:.0%}{rival}){soon}{afresh}"
