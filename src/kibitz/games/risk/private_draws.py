"""Agents of Risk that draw in secret who they are: a deceiver with a decoy, and moody players.

What others may expect of them sums over what they may have drawn, weighed by what they did.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from kibitz import core
from kibitz.core.seeds import stream
from kibitz.games.risk import phases
from kibitz.games.risk.agents import PRESSES, UNMOVED, OnMission, Weight, expected_shares
from kibitz.games.risk.board import Mission
from kibitz.games.risk.rules import Risk, State
from kibitz.games.risk.situation import Situation

MOST_KEEN = 100.0
"""How many times as much the territories of a moody player's card are worth, at most."""
HEEDS, WHIMS, CAUTION = (0.4, 1.0), (0.1, 1.5), (-0.15, 0.15)
"""Of moody players: how often they follow their card, how much wants vary by order, and what is added to good odds."""
TASTES = 0.7
"""How much their wants vary by continent."""
CHARACTERS, MOODS, ORDERS = 32, 4, 64
"""How many characters, each in how many moods, stand for all moody players, and after how many orders these return."""
OTHERWISE = 0.1
"""The probability of any other action, as not all moods are tried."""


class Deceptive(OnMission):
    """Plays another card for *turns* of its own turns, then its own."""

    def __init__(self, turns: core.Count = 6, w: Weight = 100.0) -> None:
        super().__init__(w)
        self.turns = turns

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.drawn, self.done = float(rng.random()), 0

    def observe(self, transition: core.Transition) -> None:
        super().observe(transition)
        before, after = transition.before, transition.after
        assert isinstance(before, State)
        assert isinstance(after, State)
        if before.phase == phases.FORTIFY and before.mover == self.player and after.phase != phases.FORTIFY:
            self.done += 1

    def card(self, sight: Situation) -> Mission | None:
        if self.meant is not None or sight.mission is None or self.done >= self.turns:
            return super().card(sight)
        return self.decoy(sight.game, sight.mission)

    def decoy(self, game: Risk, own: Mission) -> Mission:
        """The card it pretends to have."""
        others = self.decoys(game, own)
        return others[int(self.drawn * len(others))]

    def decoys(self, game: Risk, own: Mission | None) -> list[Mission]:
        """The cards it may pretend to have."""
        found = [each for each in game.mission_deck if each != own and each.asks_continents]
        return found or ([own] if own is not None else [])

    def suspected_cards(self, sight: Situation) -> Sequence[Mission]:
        if self.done >= self.turns or (sight.mission is None and not sight.hides_mission):
            return super().suspected_cards(sight)
        return self.decoys(sight.game, sight.mission)


class Moody(OnMission):
    """A different player in every match: it draws how far it follows its card, its tastes and its whims.

    Before every order it is in another mood, and at times it forgets its card. A model that learns from such players
    can infer what unknown players aim at.
    """

    def __init__(self) -> None:
        super().__init__()

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        assert isinstance(game, Risk)
        self.places = tuple(territory.continent for territory in game.map.territories)
        self.orders = 0
        self.characters: list[float] = []
        """How well each character explains its choices, if anybody wondered; empty before the first one."""
        self.draw_character(rng)
        self.change_mood(rng)

    def draw_character(self, rng: core.Rng) -> None:
        """Draw what stays the same for a match."""
        self.w = float(np.exp(rng.uniform(0.0, np.log(MOST_KEEN))))
        self.heeds, self.whims, self.caution = (float(rng.uniform(*span)) for span in (HEEDS, WHIMS, CAUTION))
        self.tastes = np.exp(TASTES * rng.standard_normal(max(self.places) + 1))

    def observe(self, transition: core.Transition) -> None:
        if transition.player == self.player:
            if transition.chose(self.player) and self.asked[0] is not None:
                self.weigh_characters(transition)
            self.orders += 1
            self.change_mood(self.rng)

    def change_mood(self, rng: core.Rng) -> None:
        """Draw new tastes for territories, and whether to follow the card."""
        tastes = self.tastes[list(self.places)]
        self.likes = (tastes * np.exp(self.whims * rng.standard_normal(len(self.places)))).tolist()
        self.forgets = bool(rng.random() >= self.heeds)

    def card(self, sight: Situation) -> Mission | None:
        return None if self.forgets else super().card(sight)

    def wants(self, sight: Situation) -> list[float]:
        return [want * liked for want, liked in zip(super().wants(sight), self.likes, strict=True)]

    def boldness(self, sight: Situation) -> float:
        return max(PRESSES, super().boldness(sight) + self.caution)  # an agent that would not go on does not begin

    def expected_choice(self, view: State, legal: Sequence[int], sight: Situation) -> core.Distribution:
        if view.phase in UNMOVED:
            return super().expected_choice(view, legal, sight)
        parts = zip(self.characters or [1.0 / CHARACTERS] * CHARACTERS, self.by_mood(view, legal, sight), strict=True)
        shares = [(action, weight / MOODS) for weight, actions in parts for action in actions]
        return expected_shares(shares, legal, OTHERWISE)

    def by_mood(self, view: State, legal: Sequence[int], sight: Situation) -> list[list[int]]:
        """What players of each character would do in some moods."""

        def find() -> list[int]:
            cards, found = self.suspected_cards(sight), []
            for character in range(CHARACTERS):
                for mood, drawn in moods(self.places, character, self.orders % ORDERS, self.player):
                    mood.meant = cards[int(drawn * len(cards))] if cards else None
                    found.append(mood.choice(view, legal, sight))
            return found

        actions = self.find_once((view.key(), self.orders), find)
        return [actions[start : start + MOODS] for start in range(0, len(actions), MOODS)]

    def weigh_characters(self, transition: core.Transition) -> None:
        """Weigh the characters by a choice."""
        view, action = transition.before, transition.action_of(self.player)
        assert isinstance(view, State)
        legal = view.legal_actions(self.player)
        if view.phase in UNMOVED or len(legal) == 1:
            return
        actions = self.by_mood(view, legal, Situation(view, self.player))
        everybody = sum(each.count(action) for each in actions if action is not None) / (CHARACTERS * MOODS)
        likely = [
            weight * (each.count(action) + everybody + OTHERWISE / len(legal)) if action is not None else weight
            for weight, each in zip(self.characters or [1.0] * CHARACTERS, actions, strict=True)
        ]
        self.characters = [each / sum(likely) for each in likely]


@lru_cache(CHARACTERS * ORDERS)
def moods(places: tuple[int, ...], character: int, order: int, player: int) -> list[tuple[Moody, float]]:
    """A character in some moods, each with a number for the card; *places* are the continents of the territories."""
    found = []
    for number in range(MOODS):
        mood = Moody()
        mood.player, mood.places = player, places
        mood.draw_character(stream(character, "characters"))
        rng = stream(character, "moods", order, number)
        mood.change_mood(rng)
        found.append((mood, float(rng.random())))
    return found
