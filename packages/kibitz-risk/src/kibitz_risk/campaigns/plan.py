"""What a campaigner plans in a situation: which continents it is after, and what it would place, attack and hold."""

from collections.abc import Collection, Hashable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from kibitz_risk.board import Mission
from kibitz_risk.campaigns.ground import HOPEFUL, Goal, Ground, Power, Route

WELL_MANNED = 5
"""With so many armies an attack may be tried that does not look good."""
FEW = 3
"""With so few territories to go a card is nearly won."""
SPARE = 2
"""Armies beyond what is needed, on borders and after breaking a continent."""


class PlannedAttack(NamedTuple):
    """Armies to place at the start of a route, or the attack that begins it."""

    start: int
    to: int
    armies: int


class Plan:
    """The plan of a player with a *card*, whose continents are worth *weight* times as much."""

    def __init__(self, ground: Ground, card: Mission | None, weight: float) -> None:
        self.ground, self.card, self.weight = ground, card, weight
        self.sight, self.powers, self.goals = ground.sight, ground.powers, ground.goals
        self.attacks, self.extra = ground.attacks, ground.extra
        self.named = card.named_continents if card is not None else ()

    @property
    def signature(self) -> Hashable:
        """What the plan depends on besides its ground: plans with the same one give the same order."""
        return tuple(self.ranking), tuple(self.to_break), self.victim, self.nearly_won, self.asks_armies

    @property
    def victim(self) -> int | None:
        """The player whom my card is against, if that is still open."""
        card, me = self.card, self.sight.me
        open_still = card is not None and card.destroy is not None and card.destroy != me
        return card.destroy if card is not None and open_still and self.sight.counts[card.destroy or 0] else None

    @cached_property
    def targets(self) -> list[int]:
        """The players to weaken: the victim of the card, and the strongest."""
        strongest = [each.player for each in self.powers.others[:1]]
        victim = [self.victim] if self.victim is not None and self.victim not in strongest else []
        return [*victim, *strongest] if self.ground.in_turn else []

    @property
    def nearly_won(self) -> bool:
        """Whether I lack few of the territories that my card asks for."""
        asked = self.card.territories if self.card is not None else 0
        counts = self.card is not None and self.card.territories > 0 and self.victim is None
        return counts and len(self.sight.mine) + FEW >= asked

    @cached_property
    def presses(self) -> bool:
        """Whether to risk something."""
        return self.powers.presses or self.nearly_won

    @cached_property
    def stops(self) -> bool:
        """Whether to stop attacks that are not urgent."""
        stops = self.powers.stops(self.ground.character.nerve)
        return self.ground.in_turn and stops and not self.nearly_won

    @property
    def asks_armies(self) -> bool:
        """Whether my card asks for several armies in each territory, and I should begin to see to that."""
        card, held = self.card, len(self.sight.mine)
        if card is None or card.armies < 2:
            return False
        return (2 * held > card.territories and self.presses) or held + FEW >= card.territories

    def continent_value(self, number: int) -> float:
        """What a continent is worth to me."""
        return self.ground.values[number] * (self.weight if number in self.named else 1.0)

    @cached_property
    def ranking(self) -> list[int]:
        """The continents that I am after, the best first; their value counts less, the more I hold."""
        prospects, power = self.ground.prospects, 1.0 / (len(self.ground.own_continents) + 1)
        if self.ground.threat is not None:
            power = 0.0
        ranked = [(-ratio * self.continent_value(each) ** power, each) for each, (ratio, _, _) in prospects.items()]
        least = max(1, len(self.sight.board.continents) - len(self.powers.others))
        within_reach = sum(near for _, near, _ in prospects.values())
        return [number for _, number in sorted(ranked)[: least + within_reach]]

    @property
    def campaigns(self) -> list[list[Goal]]:
        """The goals in each continent of the ranking."""
        return [self.ground.prospects[number][2] for number in self.ranking]

    @cached_property
    def to_break(self) -> list[int]:
        """The continents of other players, the most valuable first."""
        others = [each for each, holder in enumerate(self.ground.holders) if holder not in (None, self.sight.me, -1)]
        continents = self.sight.board.continents
        return sorted(others, key=lambda each: (-self.continent_value(each) * continents[each].bonus, each))

    def best_route(self, goal: Goal, against: int | None, closed: Collection[int] = ()) -> Route | None:
        """The route to a goal: for plans from the strongest front, for attacks from the weakest that is enough."""
        sight = self.sight
        found = [route for route in goal.routes.values() if route.start not in closed]
        if not found:
            return None
        enough = [route for route in found if route.left >= 0 and sight.armies[route.start] >= 3]
        if self.attacks and enough:
            return min(enough, key=lambda route: (route.left, sight.armies[route.start] - route.left, route.start))
        return max(found, key=lambda route: (route.left, sight.owners[route.path[0]] == against, -route.start))

    def campaign(
        self, goals: Sequence[Goal], *, against: int | None, whole: bool, mood: int | None = None
    ) -> PlannedAttack | None:
        """The next move to take some goals, the easiest first; as a *whole* all of them or none."""
        if self.attacks and self.stops and not whole:
            return self.cheapest_attack(goals, against)
        extra, taken, used = self.extra, set[int](), set[int]()
        wanted, selected = {goal.place for goal in goals}, list[tuple[int, Goal, Route]]()
        for goal in sorted(goals, key=lambda goal: goal.ease, reverse=True):
            if goal.place not in wanted:
                continue
            route = self.open_route(goal, against, extra, taken, used, whole=whole)
            if route is None:
                if whole:
                    return None
                continue
            if route.left + extra >= 3:
                route = self.ground.searcher.chain(
                    route, wanted, extra, self.ground.mood if mood is None else mood, taken
                )
            taken |= {*route.path}
            wanted -= taken
            used.add(route.start)
            extra += min(0, route.left - 1)
            selected.append((self.sight.armies[route.start] - route.left, goal, route))
        if not selected:
            return None
        paying = [each for each in selected if each[0] > 0] if self.attacks else []
        _, goal, route = min(paying, key=lambda each: (each[0], each[2])) if paying else selected[0]
        return self.first_move(goal, route)

    def open_route(
        self, goal: Goal, against: int | None, extra: int, taken: set[int], used: set[int], *, whole: bool
    ) -> Route | None:
        """The best route to a goal that can be afforded and crosses none before it."""
        closed = set(used)
        while (route := self.best_route(goal, against, closed)) is not None:
            armies = self.sight.armies[route.start]
            affordable = route.left + extra >= 1 or (goal.left + extra >= 2 and armies + extra >= 4)
            if affordable and taken.isdisjoint(route.path) and (whole or self.is_wise(route, against)):
                return route
            closed.add(route.start)
        return None

    def cheapest_attack(self, goals: Sequence[Goal], against: int | None) -> PlannedAttack | None:
        """The attack on a neighbour that just succeeds, for those who should stop."""
        near = ((goal, self.best_route(goal, against)) for goal in goals if goal.depth == 1)
        good = [(r.left, r, goal) for goal, r in near if r is not None and r.left > 0 and self.is_wise(r, against)]
        if not good:
            return None
        _, route, goal = min(good, key=lambda each: each[:2])
        return self.first_move(goal, route)

    def is_wise(self, route: Route, against: int | None) -> bool:
        """Whether the first attack of a route helps no one else: no other's continent, no easy prey."""
        sight, powers = self.sight, self.powers
        owner = sight.owners[route.path[0]]
        if len(powers.others) < 2 or owner == against:
            return True
        holder = self.ground.holders[sight.board.territories[route.path[0]].continent]
        if powers.threat not in (None, owner) and holder is not None:
            return False
        if not (self.attacks and self.ground.captured and sight.hands[owner] > 1):
            return True
        prey = next(each for each in powers.others if each.player == owner)
        remains = prey.defence - 1.25 * sight.armies[route.path[0]] - 1.0
        strongest = powers.others[0]
        return prey.value >= powers.me.value or remains >= (strongest.attack - strongest.armies / 3) * 2 / 3

    def first_move(self, goal: Goal, route: Route) -> PlannedAttack | None:
        """How a route begins; None where it is not good enough, or enough armies are there already."""
        armies, (start, to) = self.sight.armies, (route.start, route.path[0])
        if self.attacks:
            hopeless = armies[start] < WELL_MANNED and goal.left < 1 and armies[to] >= armies[start]
            return None if hopeless else PlannedAttack(start, to, 0)
        lacking = goal.left < 1 or route.left < self.ground.character.margin
        return PlannedAttack(start, to, self.ground.character.margin - route.left) if lacking else None

    def eliminations(self) -> Iterator[tuple[Power, list[Goal]]]:
        """The players who can be destroyed, and their territories: the victim of the card, then those with cards."""
        order = sorted(self.powers.others, key=lambda each: (each.player != self.victim, -each.cards, each.defence))
        for other in order:
            places = [place for place, owner in enumerate(self.sight.owners) if owner == other.player]
            cheap = 1 + (other.cards < 3) + (other.cards < 2)
            most = self.powers.me.attack if other.player == self.victim else self.powers.me.armies / cheap
            if (other.cards or len(places) == 1) and other.defence <= min(most, self.powers.me.attack) + self.extra:
                goals = [self.goals[place] for place in places if place in self.goals]
                if len(goals) == len(places) and (self.attacks or all(-goal.left <= self.extra for goal in goals)):
                    yield other, goals

    def destruction(self) -> PlannedAttack | None:
        """The next move to destroy a player."""
        found = list(self.eliminations())
        whole = len(self.powers.others) > 1
        for other, goals in found:
            move = self.campaign(goals, against=other.player, whole=whole)
            if move is not None:
                return move
        strongest = self.powers.others[0].attack if self.powers.others else 0.0
        worth_it = [(o, goals) for o, goals in found if self.attacks and o.cards > 1 and o.armies <= strongest / 3]
        hopeful = self.ground.goals_within_reach(HOPEFUL) if worth_it else {}
        for other, goals in worth_it:
            again = [hopeful[goal.place] for goal in goals if goal.place in hopeful]
            move = self.campaign(again, against=other.player, whole=whole, mood=HOPEFUL)
            if move is not None:
                return move
        return None

    def breaking(self, borders: Sequence[int]) -> PlannedAttack | None:
        """The next move to break another player's continent."""
        for number in self.to_break:
            found = self.cheapest_break(number, borders) if self.should_break(number) else None
            move = self.first_move(*found) if found is not None else None
            if move is not None:
                return move
        return None

    def should_break(self, number: int) -> bool:
        """Whether the continent of a player is any of my business."""
        holder = self.ground.holders[number]
        if (self.presses and self.attacks) or holder in self.targets:
            return True
        if self.powers.threat is not None:
            return False
        follows = (self.sight.me + 1) % self.sight.game.players
        return holder == follows or any(
            each.player == holder and each.value >= self.powers.me.value for each in self.powers.others
        )

    def cheapest_break(self, number: int, borders: Sequence[int]) -> tuple[Goal, Route] | None:
        """The cheapest way into a continent, if it is worth the armies."""
        sight, bonus = self.sight, self.sight.board.continents[number].bonus
        found: list[tuple[int, Route, Goal]] = []
        for goal in (self.goals[place] for place in sight.board.members[number] if place in self.goals):
            route = self.best_route(goal, self.targets[-1] if self.targets else None)
            if (
                route is not None
                and goal.left + self.extra >= 1
                and (self.ground.own_continents or route.left + self.extra >= 1)
            ):
                cost = sight.armies[route.start] - route.left + SPARE * (route.start in borders)
                found.append((cost, route, goal))
        if not found:
            return None
        cost, route, goal = min(found, key=lambda each: each[:2])
        if cost > 2 * bonus + 2 * sight.armies[goal.place]:
            foes = {self.ground.holders[number], *self.targets}
            hurt = sum(3 * sight.armies[place] // 2 for place in route.path if sight.owners[place] in foes)
            if 2 * bonus + len(route.path) + hurt < cost:
                return None
        return goal, route
