"""`risk.campaigner`: plans a campaign before every order; how it places, attacks, holds borders and marches."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta

from kibitz import core
from kibitz.core.clocks import Clock
from kibitz.games.risk import phases
from kibitz.games.risk.agents import UNMOVED, OnMission, Weight
from kibitz.games.risk.campaigns.ground import CampaignStyle, Ground
from kibitz.games.risk.campaigns.orders import attack, exposure, left_behind, march, placement
from kibitz.games.risk.campaigns.plan import Plan
from kibitz.games.risk.game import Risk, State
from kibitz.games.risk.phases import AMOUNTS, pair
from kibitz.games.risk.situation import Situation

Confidence = Annotated[float, Meta(ge=0.1, le=10.0)]
Margin = Annotated[int, Meta(ge=0, le=20)]
Whims = Annotated[float, Meta(ge=0.0, le=5.0)]


class Campaigner(OnMission):
    """Ranks continents, those of its card *w* times as high, and plans routes through several territories into them.

    It plays after the published algorithm of the hard player of Domination, in words and code of our own: it gathers
    armies where the best continent is entered, breaks the continents of others, holds the borders of its own, and
    stops when it is weak. *confidence* is how strong it believes itself, *margin* the armies that it wants left at the
    end of a route. How much continents are liked besides differs from match to match as *whims* says, and *slips* is
    how often an order is drawn by lot.
    """

    supposed = False  # what it does depends on tastes and a nerve that no other player knows

    def __init__(
        self,
        w: Weight = 100.0,
        confidence: Confidence = 1.0,
        margin: Margin = 2,
        whims: Whims = 0.0,
        slips: core.Probability = 0.0,
    ) -> None:
        super().__init__(w)
        self.confidence, self.margin, self.whims, self.slips = confidence, margin, whims, slips

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        assert isinstance(game, Risk)
        tastes = np.exp(self.whims * rng.standard_normal(len(game.map.continents)))
        self.character = CampaignStyle(self.confidence, self.margin, float(rng.random()), tastes.tolist())

    def act(self, view: core.State, clock: Clock) -> int:
        return self.policy(view).sample(self.rng) if self.slips else super().act(view, clock)

    def expected_choice(self, view: State, legal: Sequence[int], sight: Situation) -> core.Distribution:
        found = super().expected_choice(view, legal, sight)
        if not self.slips or view.phase in UNMOVED:
            return found
        luck = core.Distribution.uniform(legal)
        return core.Distribution.mixture([(1.0 - self.slips, found), (self.slips, luck)], legal)

    def choice(self, view: State, legal: Sequence[int], sight: Situation | None = None) -> int:
        phase = view.phase
        if phase in (phases.DEFEND, phases.TRADE, phases.SPOILS):
            return super().choice(view, legal, sight)
        sight = sight or Situation(view, self.player)
        attacks = phase in (phases.ATTACK, phases.ROLL, phases.CONQUER)
        ground = Ground(sight, self.character, self.garrison(sight), attacks=attacks, captured=view.captured)
        plan = Plan(ground, self.card(sight), self.w)
        match phase:
            case phases.DRAFT | phases.CAPITAL:
                return max(legal, key=lambda place: (self.worth_settling(plan, place), -place))
            case phases.SETUP | phases.PLACE:
                place, count = placement(plan)
                most = max(1, min(view.to_place, count))
                return place if phase == phases.SETUP else place * AMOUNTS + most
            case phases.ATTACK:
                return attack(plan)
            case phases.ROLL:
                goes_on = attack(plan) == pair(sight.origin, sight.target, len(sight.owners))
                return legal[-1] if goes_on else phases.RETREAT
            case phases.CONQUER:
                return min(max(legal[0], sight.armies[sight.origin] - left_behind(plan)), legal[-1])
        marched = march(plan)
        return marched if marched in legal else phases.STAY

    @staticmethod
    def worth_settling(plan: Plan, place: int) -> float:
        """What a territory is worth at first: in a good continent that few others have begun."""
        sight = plan.sight
        number = sight.board.territories[place].continent
        owners = [sight.owners[each] for each in sight.board.members[number]]
        others = [owner for owner in owners if owner not in (-1, sight.me)]
        begun = (1 + owners.count(sight.me)) / max(1, len(others) * len(set(others)))
        return begun * plan.continent_value(number) / max(1.0, exposure(plan, place))
