"""`risk.campaigner`: plans a campaign before every order; where it places, attacks, holds borders and marches."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta

from kibitz import core
from kibitz.core.agent import Clock
from kibitz_risk import phases
from kibitz_risk.actions import ends, pair
from kibitz_risk.agents import UNMOVED, OnMission, Situation, Weight
from kibitz_risk.board import Mission
from kibitz_risk.campaigns.ground import EVEN, CampaignStyle, Ground, Route
from kibitz_risk.campaigns.plan import SPARE, Plan, PlannedAttack
from kibitz_risk.game import Risk, State
from kibitz_risk.phases import AMOUNTS


def exposure(plan: Plan, place: int) -> float:
    """How exposed a territory is: by its neighbours, by the armies of others, less by my own beside it."""
    sight = plan.sight
    near = sight.board.neighbours[place]
    own = [to for to in near if sight.owners[to] == sight.me]
    found = 2.0 * len(near) + 6.0 - sight.armies[place] - 2.0 * (len(near) < 3) - float(len(own)) ** 2
    for to in near:
        if sight.owners[to] == sight.me:
            found -= 0.5 * sight.armies[to]
        else:
            found += (sight.armies[to] + 1) // 2 - (sight.owners[to] == plan.victim)
    return max(1.0, found)


def borders(plan: Plan) -> list[int]:
    """The territories that guard my continents: entries that can be attacked, then the fronts before the others."""
    sight, board = plan.sight, plan.sight.board
    first: list[int] = []
    before: list[int] = []
    for number in plan.ground.own_continents:
        for entry in board.entries[number]:
            if sight.foes(entry):
                first.append(entry)
                continue
            edge = [to for to in board.neighbours[entry] if board.territories[to].continent != number]
            for place in edge:  # the list grows while the loop runs
                if sight.foes(place):
                    before.append(place)
                elif board.territories[place].continent not in plan.ground.own_continents:
                    edge += [to for to in board.neighbours[place] if to not in edge]
    found = list(dict.fromkeys(first + before))
    if plan.asks_armies:
        found += [place for place in sight.mine if place not in found]
    return found


def lacking_armies(plan: Plan, place: int) -> int:
    """The armies that a border lacks to match the strongest enemy beside it; below 0 it has so many to spare."""
    return max((plan.sight.armies[to] for to in plan.sight.foes(place)), default=0) - plan.sight.armies[place]


def reinforcement(plan: Plan, held: Sequence[int], *, least: bool) -> tuple[int, int] | None:
    """The border to reinforce, and by how many: two armies everywhere, then as many as the enemy has, then more."""
    armies, enough = plan.sight.armies, max(SPARE, plan.ground.garrison)
    for place in held:
        if armies[place] < enough:
            return place, enough - armies[place]
    if least and (not plan.ground.in_turn or plan.sight.game.cards == "increasing"):
        return None
    for place in held:
        lacking = lacking_armies(plan, place)
        if lacking > 0:
            return place, lacking
        if not least and -lacking < armies[place] + SPARE:
            return place, armies[place] + SPARE + lacking
    return None


def placement(plan: Plan) -> tuple[int, int]:
    """Where to place armies and how many."""
    held = borders(plan)
    move: PlannedAttack | None = None
    if plan.ground.in_turn:
        move = plan.destruction()
        if move is None and plan.stops and not plan.presses:
            move = easy_conquest(plan)
        if move is None and plan.powers.threat is not None:
            move = plan.breaking(held)
        if move is None and plan.presses and plan.campaigns:
            move = plan.campaign(plan.campaigns[0], against=strongest(plan), whole=False)
    found = reinforcement(plan, held, least=True) if move is None else None
    if found is not None:
        return found
    if move is None and plan.ground.in_turn and plan.presses:
        move = plan.breaking(held)
    for goals in plan.campaigns:
        move = move or plan.campaign(goals, against=strongest(plan), whole=False)
    move = move or hardest_goal(plan)
    if move is not None:
        return move.start, move.armies
    found = reinforcement(plan, held, least=False)
    if found is not None:
        return found
    place = max(plan.ground.fronts or plan.sight.mine, key=lambda each: (plan.sight.armies[each], -each))
    return place, plan.extra


def strongest(plan: Plan) -> int | None:
    """The strongest other player."""
    return plan.powers.others[0].player if plan.powers.others else None


def easy_conquest(plan: Plan) -> PlannedAttack | None:
    """Armies for the easiest conquest, where none is sure yet: it brings a card."""
    goals = list(plan.goals.values())
    most = max((goal.left for goal in goals), default=1)
    if most > 0:
        return None
    wanted = {goal.place for goal in plan.campaigns[0]} if plan.campaigns else set()
    best = max(
        (goal for goal in goals if goal.left == most),
        key=lambda goal: (goal.place in wanted, plan.sight.owners[goal.place] in plan.targets, goal.place),
    )
    route = plan.best_route(best, strongest(plan))
    return None if route is None else PlannedAttack(route.start, route.path[0], 1 - most)


def hardest_goal(plan: Plan) -> PlannedAttack | None:
    """Armies for the goal that lacks most."""
    goals = [goal for campaign in plan.campaigns for goal in campaign]
    if not goals:
        return None
    goal = min(goals, key=lambda goal: goal.ease)
    route = plan.best_route(goal, strongest(plan))
    if route is None:
        return None
    count = plan.ground.character.margin - route.left
    return PlannedAttack(route.start, route.path[0], count if count >= 0 else plan.extra // 3)


def attack(plan: Plan) -> int:
    """The attack to make now, or the end of attacks."""
    if not plan.ground.fronts:
        return phases.END_ATTACK
    held = borders(plan)
    move = plan.destruction() or plan.breaking(held)
    draws_card = not plan.ground.captured
    if move is None and (not plan.stops or draws_card or not plan.powers.is_weak):
        for goals in plan.campaigns[: 1 if plan.powers.is_weak else None]:
            move = move or plan.campaign(goals, against=strongest(plan), whole=False)
    move = move or last_attack(plan, held)
    return phases.END_ATTACK if move is None else pair(move.start, move.to, len(plan.sight.owners))


def last_attack(plan: Plan, held: Sequence[int]) -> PlannedAttack | None:
    """An attack on a neighbour for a card, or to wear others down with armies that guard nothing."""
    sight, powers = plan.sight, plan.powers
    for goal in sorted(plan.goals.values(), key=lambda goal: goal.ease, reverse=True):
        if goal.depth > 1:
            return None
        route = plan.best_route(goal, plan.targets[0] if plan.targets else None)
        if route is None:
            continue
        start, to = route.start, route.path[0]
        owner, armies = sight.owners[to], sight.armies[start]
        if plan.stops and plan.ground.captured:
            stronger = any(each.player == owner and each.defence > powers.me.value for each in powers.others)
            hostile = owner == powers.threat if powers.threat is not None else stronger and not powers.is_weak
            good = armies >= 5 and start not in held and hostile
        else:
            free = not plan.stops and armies > 4 and powers.threat in (None, owner)
            good = free or (not plan.ground.captured and armies > 2 and sight.armies[to] < armies + 3)
        if good:
            return PlannedAttack(start, to, 0)
    return None


def left_behind(plan: Plan) -> int:
    """The armies that stay where an attack came from."""
    sight = plan.sight
    if not sight.foes(sight.target):
        return sight.armies[sight.origin]
    if not sight.foes(sight.origin):
        return plan.ground.garrison
    guards = sight.origin in borders(plan)
    free = sight.armies[sight.origin] - 1
    ahead = list(plan.ground.searcher.routes(Route(sight.target, (), free), plan.extra, EVEN))
    for route in ahead:
        foes = sight.armies[route.path[-1]]
        if route.left < 0 and not guards:
            return plan.ground.garrison
        free -= 2 + max(0, foes - 4) + 3 * min(4, foes) // 2 + foes % 2
    return max(plan.ground.garrison, SPARE if guards else 0, free)


def march(plan: Plan) -> int:
    """The march at the end of a turn: to a border that needs it, then from the interior to a front."""
    sight, held, garrison = plan.sight, borders(plan), plan.ground.garrison
    idle = [
        place
        for place in sight.mine
        if sight.armies[place] > garrison and not (place in held and lacking_armies(plan, place) // 2 + garrison >= 0)
    ]
    inner = [place for place in idle if not sight.foes(place)]
    calling = [place for place in held if lacking_armies(plan, place) >= -1]
    way = best_way(plan, idle, calling) or best_way(plan, inner, [place for place in sight.mine if sight.foes(place)])
    if way is not None:
        place, to = way
        spare = -lacking_armies(plan, place) // 2 if place in held else sight.armies[place]
        return pair(place, to, len(sight.owners)) * AMOUNTS + max(0, spare - garrison)
    crowded = [place for place in inner if sight.armies[place] > garrison + 1]
    if not crowded:
        return phases.STAY
    place = max(crowded, key=lambda each: (sight.armies[each], -each))
    to = min(sight.board.neighbours[place], key=lambda each: (sight.armies[each], each))
    return pair(place, to, len(sight.owners)) * AMOUNTS + sight.armies[place] - garrison - 1


def best_way(plan: Plan, senders: Sequence[int], receivers: Sequence[int]) -> tuple[int, int] | None:
    """From the most exposed sender to the least exposed receiver beside it."""
    neighbours, me, owners = plan.sight.board.neighbours, plan.sight.me, plan.sight.owners
    ways = [
        (exposure(plan, to) - exposure(plan, place), place, to)
        for place in senders
        for to in neighbours[place]
        if owners[to] == me and to in receivers
    ]
    return min(ways)[1:] if ways else None


NOWHERE = -1
PLANNED = (phases.SETUP, phases.PLACE, phases.ATTACK)
"""The phases whose orders follow from a plan; marches hardly depend on the card."""
USUAL = CampaignStyle()


class ExpectedOrders:
    """The orders of campaigners in a state, each plan made once whatever the number of cards that lead to it."""

    def __init__(self, state: State, player: int) -> None:
        self.state, self.sight = state, Situation(state, player)
        self.grounds: dict[int, Ground] = {}
        self.places: dict[object, int] = {}

    def place(self, card: Mission | None, weight: float) -> int:
        """The territory that the order is about with a card of some weight; NOWHERE for the end of attacks."""
        garrison = max(1, card.armies) if card is not None else 1
        if garrison not in self.grounds:
            attacks, captured = self.state.phase == phases.ATTACK, self.state.captured
            self.grounds[garrison] = Ground(self.sight, USUAL, garrison, attacks=attacks, captured=captured)
        plan = Plan(self.grounds[garrison], card, weight)
        known = garrison, plan.signature
        if known not in self.places:
            self.places[known] = self.ordered_place(plan)
        return self.places[known]

    def ordered_place(self, plan: Plan) -> int:
        """The territory of a plan's order."""
        if self.state.phase != phases.ATTACK:
            return placement(plan)[0]
        action = attack(plan)
        return NOWHERE if action == phases.END_ATTACK else ends(action, len(self.state.owners))[1]


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
