"""`Situation`: the board from a player's side, with distances and the odds of battles; agents decide by it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from kibitz.games.risk.board import Mission
from kibitz.games.risk.dice import win_chances
from kibitz.games.risk.game import State
from kibitz.games.risk.missions import held_continents
from kibitz.games.risk.position import UNKNOWN

TABLED = 40
"""Armies of larger battles are scaled down to this many; the odds hardly change there."""
FAR = 10_000
LAST = 3
"""A player with so few territories is worth destroying."""


class Situation:
    """What a state means for the player *me*, computed once."""

    def __init__(self, state: State, me: int) -> None:
        self.me, self.board, self.game = me, state.board, state.game
        self.owners, self.armies = state.owners, state.armies
        self.to_place, self.phase = state.to_place, state.phase
        self.origin, self.target = state.origin, state.target
        self.hands = [len(hand) for hand in state.hands]
        self.mission = self._mission(state.missions)
        self.hides_mission = self.mission is None and me < len(state.missions)
        """Whether I have a mission that this view does not show."""

    def _mission(self, missions: Sequence[int]) -> Mission | None:
        known = self.me < len(missions) and missions[self.me] != UNKNOWN
        return self.game.mission_deck[missions[self.me]] if known else None

    @cached_property
    def mine(self) -> list[int]:
        """My territories."""
        return [place for place, owner in enumerate(self.owners) if owner == self.me]

    @cached_property
    def counts(self) -> list[int]:
        """Territories of every player."""
        return [self.owners.count(player) for player in range(self.game.players)]

    @cached_property
    def continents_held(self) -> list[list[int]]:
        """The continents that every player holds."""
        return [held_continents(self.board, self.owners, player) for player in range(self.game.players)]

    def foes(self, place: int) -> list[int]:
        """The territories I could attack from a territory."""
        return [to for to in self.board.neighbours[place] if self.owners[to] != self.me]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """All attacks I could make now."""
        return ((origin, to) for origin in self.mine if self.armies[origin] > 1 for to in self.foes(origin))

    @cached_property
    def attacks(self) -> list[tuple[int, int, float]]:
        """The same with their odds."""
        return [(origin, to, self.chance(origin, to)) for origin, to in self.pairs()]

    @cached_property
    def fronts(self) -> dict[int, list[tuple[int, float]]]:
        """What I could attack from each of my territories with all new armies there, with the odds."""
        return {place: [(to, self.chance(place, to, self.to_place)) for to in self.foes(place)] for place in self.mine}

    @cached_property
    def worth(self) -> list[float]:
        """What each territory is worth to a conqueror: by its continent, and by what its loss costs its owner."""
        board = self.board
        continents = [
            (1.0 + continent.bonus) / (1.0 + len(board.entries[number])) * (0.2 + self.share(number))
            for number, continent in enumerate(board.continents)
        ]
        return [
            continents[territory.continent] + self.spite(place, territory.continent)
            for place, territory in enumerate(board.territories)
        ]

    def spite(self, place: int, continent: int) -> float:
        """What taking a territory costs its owner."""
        owner = self.owners[place]
        if owner in (self.me, -1):
            return 0.0
        broken = self.board.continents[continent].bonus if continent in self.continents_held[owner] else 0
        return 0.5 * broken + (1.0 + self.hands[owner] if self.counts[owner] <= LAST else 0.0)

    def share(self, continent: int) -> float:
        """My part of a continent's territories."""
        members = self.board.members[continent]
        return sum(self.owners[place] == self.me for place in members) / len(members)

    def chance(self, origin: int, to: int, more: int = 0) -> float:
        """How likely I am to take a territory from another, with *more* armies there."""
        own, other = self.armies[origin] + more - 1, self.armies[to]
        scale = max(1.0, max(own, other) / TABLED)
        return win_chances(TABLED, self.game.defence_dice)[round(own / scale)][max(1, round(other / scale))]

    def distances(self, goals: Iterable[int], *, by_foes: bool = False) -> list[int]:
        """Steps from every territory to the nearest of *goals*; with *by_foes* no way leads through my own."""
        found = [FAR] * len(self.owners)
        edge = list(goals)
        for place in edge:
            found[place] = 0
        for place in edge:  # the list grows while the loop runs
            if by_foes and self.owners[place] == self.me:
                continue
            for near in self.board.approaches[place]:
                if found[near] == FAR:
                    found[near] = found[place] + 1
                    edge.append(near)
        return found
