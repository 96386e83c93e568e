"""`Situation`: the board from a player's side, with distances and the odds of battles; agents decide by it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from kibitz.games.risk.board import Mission
from kibitz.games.risk.dice import win_chances
from kibitz.games.risk.missions import held_continents
from kibitz.games.risk.rules import UNKNOWN, State

TABLED = 40
"""Armies of larger battles are scaled down to this many; the odds hardly change there."""
FAR = 10_000


class Situation:
    """What a state means for the player *me*, computed once."""

    def __init__(self, state: State, me: int) -> None:
        self.me, self.board, self.game = me, state.board, state.game
        self.owners, self.armies = state.owners, state.armies
        self.to_place, self.phase = state.to_place, state.phase
        self.origin, self.target = state.origin, state.target
        self.hands = [len(hand) for hand in state.hands]
        self.mission = self._mission(state.missions)

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
