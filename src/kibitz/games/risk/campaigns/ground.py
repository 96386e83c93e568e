"""The ground of a campaign: what holds in a situation whatever card the player has, found once for all cards."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from kibitz.games.risk import phases
from kibitz.games.risk.campaigns.powers import Powers
from kibitz.games.risk.campaigns.routes import CAREFUL, EVEN, Goal, Searcher
from kibitz.games.risk.situation import Situation

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
