"""The powers of a match: how strong every player is, who threatens all others, and whether to press or to stop."""

from functools import cached_property
from typing import NamedTuple

from kibitz.games.risk.missions import held_continents
from kibitz.games.risk.situation import Situation

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
    bonuses = [sight.board.continents[each].bonus for each in held_continents(sight.board, sight.owners, player)]
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
