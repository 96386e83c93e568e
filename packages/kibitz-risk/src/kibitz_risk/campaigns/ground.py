"""The ground of a campaign, whatever the card: how strong everyone is, who threatens all, and what is in reach."""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

from kibitz_risk import phases
from kibitz_risk.agents import Situation
from kibitz_risk.rules import holds

SET_WORTH = 10
"""What a set of cards brings, about."""
THREAT = 1.2
"""How many times as much as the next and as oneself the strongest is worth who threatens all."""


class Power(NamedTuple):
    """How strong a player is."""

    player: int
    armies: int
    attack: float
    """What they could attack with in their next turn."""
    defence: float
    value: float
    cards: int


def power_of(sight: Situation, player: int) -> Power:
    """The power of a player, by their armies, reinforcements, continents and cards."""
    places = [place for place, owner in enumerate(sight.owners) if owner == player]
    armies = sum(sight.armies[place] for place in places)
    force = 0
    for place in places:
        front = any(sight.owners[to] != player for to in sight.board.neighbours[place])
        ready = sight.armies[place] - 1 if front else sight.armies[place] // 2
        force += ready + (ready > 4)
    cards = sight.hands[player] + 1
    sets = 0 if cards < 4 else int((cards // 3 - 1 + cards % 3 * 0.25) * SET_WORTH)
    setting, position = sight.game.setting, sight.position
    bonuses = [bonus for each, bonus in enumerate(setting.bonuses) if holds(setting, position, each, player)]
    attack = force + max(3, len(places) // 3) + sets + sum(bonuses)
    defence = 5 * armies // 4 + armies % 4 + len(places)
    value = attack + 2 * defence + sum(1.5 * bonus + 1.0 for bonus in bonuses)
    return Power(player, armies, attack, defence, value, sight.hands[player])


class Powers:
    """All powers as one player sees them; the larger its *confidence*, the stronger it believes itself."""

    def __init__(self, sight: Situation, confidence: float) -> None:
        self.sight, self.confidence = sight, confidence
        self.me = power_of(sight, sight.me)
        alive = [each for each, count in enumerate(sight.counts) if count and each != sight.me]
        self.others = sorted((power_of(sight, each) for each in alive), key=lambda each: (-each.value, -each.cards))
        """The other players, the strongest first."""

    @cached_property
    def strength(self) -> float:
        """My defence by all that the others could attack with."""
        against = 0.0
        for each in self.others:
            against += each.attack
        return self.confidence * self.me.defence / max(1.0, against)

    @property
    def presses(self) -> bool:
        """Whether I am strong enough to risk something."""
        return len(self.others) < 2 or self.strength > 1.0

    def stops(self, nerve: float) -> bool:
        """Whether it is time to stop attacks that are not urgent; in doubt by *nerve*, from 0 to 1."""
        return len(self.others) > 1 and self.strength <= 1.0 and nerve > 2.0 * (self.strength - 0.5)

    @property
    def is_weak(self) -> bool:
        """Whether I am much weaker than the strongest."""
        if not self.others:
            return False
        return self.confidence * self.me.defence < self.others[0].attack / max(1, min(2, len(self.others) - 1))

    @cached_property
    def threat(self) -> int | None:
        """The player against whom all others should stand together."""
        if len(self.others) < 2:
            return None
        first, second = self.others[:2]
        return first.player if first.value > THREAT * max(self.me.value, second.value) else None


CAREFUL, EVEN, HOPEFUL = 0, 1, 2
"""How losses are estimated: for plans, for attacks now, and for a last try."""
LARGE, MIDDLING, FEW = 10, 5, 2
"""Sizes of armies between which a battle goes on at another rate of losses."""


class Route(NamedTuple):
    """Territories to take in a row from one of the player's own."""

    start: int
    path: tuple[int, ...]
    left: int
    """The armies that are left at the end; below 0 so many are lacking."""

    @property
    def depth(self) -> int:
        """How many territories it takes."""
        return len(self.path)


class Goal:
    """A territory to take, with the best route from every front that leads there."""

    def __init__(self, place: int) -> None:
        self.place, self.routes = place, dict[int, Route]()
        self.left = -1_000
        """What is left of all fronts together that can take it; of the best one if none can."""

    def add(self, route: Route) -> None:
        """Count one more route."""
        self.routes[route.start] = route
        both = self.left >= 0 and route.left >= 0
        self.left = self.left + route.left if both else max(self.left, route.left)

    @property
    def depth(self) -> int:
        """The territories of the shortest route."""
        return min(route.depth for route in self.routes.values())

    @property
    def ease(self) -> tuple[int, int]:
        """What to sort by: the easiest goal is the last."""
        return self.left, self.place


def armies_left(force: int, foes: int, mood: int) -> int:
    """What a force has left after it has beaten *foes*, about: the larger the armies, the better for the attacker."""
    if mood != CAREFUL:
        while foes >= LARGE or (force >= LARGE and foes >= MIDDLING):
            force, foes = force - 3, foes - 4
    while foes >= MIDDLING or (force >= MIDDLING and foes >= FEW):
        force, foes = force - 2, foes - 2
    if mood == HOPEFUL:
        return force - foes
    return 1 if mood == EVEN and force == foes + 1 else force - 3 * foes // 2 - foes % 2


class Searcher:
    """Finds routes in one situation for a player who leaves *garrison* armies behind everywhere."""

    def __init__(self, sight: Situation, garrison: int) -> None:
        self.sight, self.garrison = sight, garrison

    def goals(self, fronts: Collection[int], extra: int, mood: int) -> dict[int, Goal]:
        """All territories that can be reached with *extra* armies on any front."""
        found: dict[int, Goal] = {}
        for start in fronts:
            for route in self.routes(Route(start, (), self.sight.armies[start]), extra, mood):
                found.setdefault(route.path[-1], Goal(route.path[-1])).add(route)
        return found

    def routes(self, begun: Route, extra: int, mood: int, barred: Collection[int] = ()) -> Iterator[Route]:
        """Every way to go on from the end of a route, those that leave most first."""
        armies, owners, neighbours = self.sight.armies, self.sight.owners, self.sight.board.neighbours
        reached, queue = {*barred, *begun.path}, [(-begun.left, begun)]
        while queue:
            _, route = heappop(queue)
            place = route.path[-1] if route.path else route.start
            stays = self.garrison
            if mood != HOPEFUL:
                stays += min(armies[place] // (3 if mood == EVEN else 2), route.depth)
            force = route.left - stays
            if force + extra < 1:
                return
            for to in neighbours[place]:
                if owners[to] != self.sight.me and to not in reached:
                    reached.add(to)
                    further = Route(route.start, (*route.path, to), armies_left(force, armies[to], mood))
                    heappush(queue, (-further.left, further))
                    yield further

    def chain(self, route: Route, wanted: Collection[int], extra: int, mood: int, barred: Collection[int]) -> Route:
        """The route, continued to the next wanted territory again and again while armies last."""
        while True:
            ways = self.routes(route, extra, mood, barred)
            further = next((each for each in ways if each.path[-1] in wanted), None)
            if further is None or further.left + extra < 1 or further.left >= route.left:
                return route
            route = further


NEAR = 0.5
"""A player with this many times the strength of all others in a continent can win it."""


class CampaignStyle(NamedTuple):
    """How a campaigner differs from others, besides the weight of its card."""

    confidence: float = 1.0
    """How many times its true strength it believes itself to have."""
    margin: int = 2
    """The armies that it wants left at the end of a planned route."""
    nerve: float = 0.5
    """How early it stops in doubt, from 0 to 1."""
    tastes: Sequence[float] = ()
    """How many times as much each continent is worth to it, whatever its card; all as much where none are given."""


class Ground:
    """A situation as a player sees it who leaves *garrison* armies behind: for *attacks* now, or for what to place."""

    def __init__(
        self, sight: Situation, character: CampaignStyle, garrison: int, *, attacks: bool, captured: bool
    ) -> None:
        self.sight, self.character, self.garrison = sight, character, garrison
        self.attacks, self.captured = attacks, captured
        self.in_turn = sight.phase not in (phases.SETUP, phases.DRAFT)
        self.extra = sight.to_place if self.in_turn else self.armies_to_set_up()
        self.searcher = Searcher(sight, garrison)
        self.mood = EVEN if attacks else CAREFUL

    def armies_to_set_up(self) -> int:
        """The armies that are left to set up."""
        return self.sight.game.start_armies - sum(self.sight.armies[place] for place in self.sight.mine)

    @cached_property
    def powers(self) -> Powers:
        """How strong everyone is."""
        return Powers(self.sight, self.character.confidence)

    @property
    def threat(self) -> int | None:
        """The player who threatens all; none while armies are set up."""
        return self.powers.threat if self.in_turn else None

    @cached_property
    def fronts(self) -> list[int]:
        """The territories with an enemy beside them, which can attack."""
        return [
            place
            for place in self.sight.mine
            if self.sight.foes(place) and (not self.attacks or self.sight.armies[place] > 1)
        ]

    def goals_within_reach(self, mood: int) -> dict[int, Goal]:
        """What can be reached; while armies are set up, with half of those that are left."""
        return self.searcher.goals(self.fronts, self.extra if self.in_turn else (self.extra + 1) // 2, mood)

    @cached_property
    def goals(self) -> dict[int, Goal]:
        """What can be reached by the usual estimate."""
        return self.goals_within_reach(self.mood)

    @cached_property
    def holders(self) -> list[int | None]:
        """The player who holds each continent."""
        owners = ({self.sight.owners[place] for place in members} for members in self.sight.board.members)
        return [next(iter(found)) if len(found) == 1 else None for found in owners]

    @cached_property
    def own_continents(self) -> list[int]:
        """My continents."""
        return [number for number, holder in enumerate(self.holders) if holder == self.sight.me]

    @cached_property
    def values(self) -> list[float]:
        """What each continent is worth without a card: rich, and hard to enter from outside."""
        board, alive = self.sight.board, sum(count > 0 for count in self.sight.counts)
        found = []
        for number, (members, entries) in enumerate(zip(board.members, board.entries, strict=True)):
            ways = (board.territories[to].continent for place in entries for to in board.neighbours[place])
            outside = sum(continent != number for continent in ways)
            value = (board.continents[number].bonus + len(members) // 3) / max(1, 2 * outside - len(entries)) ** 2
            if len(board.continents) - alive > len(entries):
                value *= len(entries)
            found.append(value * (self.character.tastes[number] if self.character.tastes else 1.0))
        return found

    @cached_property
    def prospects(self) -> dict[int, tuple[float, bool, list[Goal]]]:
        """How good it is to fight for each continent without a card, whether it can be won, and its goals."""
        found = {}
        for number, holder in enumerate(self.holders):
            goals = [self.goals[place] for place in self.sight.board.members[number] if place in self.goals]
            if goals and (holder is None or (holder != self.sight.me and self.threat in (None, holder))):
                ratio, near = self.prospect(number)
                if ratio > 0.0:
                    found[number] = ratio, near, goals
        return found

    def prospect(self, number: int) -> tuple[float, bool]:
        """My strength in and around a continent by that of the others, 0 to stay away, and whether I can win it."""
        sight, neighbours, threat = self.sight, self.sight.board.neighbours, self.threat
        members, own, troops, hostile = sight.board.members[number], 0, 0, 0
        outside: set[int] = set()
        for place in members:
            mine = sight.owners[place] == sight.me
            if mine:
                own, troops = own + 1, troops + sight.armies[place]
            else:
                hostile += sight.armies[place] // (2 if sight.owners[place] == threat else 1)
            for to in neighbours[place]:
                if sight.board.territories[to].continent == number or to in outside:
                    continue
                outside.add(to)
                if sight.owners[to] != sight.me:
                    hostile += sight.armies[to] // 2 if threat is None else 0
                elif not mine:
                    troops += sight.armies[to] - 1
        foes = len(members) - own
        needed = 3 * hostile // 2 + len(members) - troops
        if self.attacks and self.captured and 0.75 * needed > troops:
            return 0.0, False  # better to gather armies first
        ratio = max(1.0, own + 2.0 * troops + self.extra // (2 if self.in_turn else 3)) / (foes + 2 * hostile)
        if ratio >= NEAR:
            return ratio, True
        scattered = max(1, hostile - foes) ** (2 if self.in_turn else 3)
        return (ratio / scattered if threat is None else 0.0), False
