"""Routes of attack: what a player could take from each front, one territory after the other, and what is left then."""

from collections.abc import Collection, Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from kibitz.games.risk.situation import Situation

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
