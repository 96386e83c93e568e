"""Agents of Risk that draw in secret who they are: a deceiver with a decoy, and moody players.

What others may expect of them sums over what they may have drawn, weighed by what they did.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.seeds import stream
from kibitz.games.risk import phases
from kibitz.games.risk.agents import PRESSES, UNMOVED, OnMission, Weight, expected_shares
from kibitz.games.risk.board import Mission
from kibitz.games.risk.rules import Risk, State
from kibitz.games.risk.situation import Situation

Floats = NDArray[np.float64]

MOST_KEEN = 100.0
"""How many times as much the territories of a moody player's card are worth, at most."""
HEEDS, WHIMS, CAUTION = (0.4, 1.0), (0.1, 1.5), (-0.15, 0.15)
"""Of moody players: how often they follow their card, how much wants vary by order, and what is added to good odds."""
TASTES = 0.7
"""How much their wants vary by continent."""
CHARACTERS, MOODS, ORDERS = 64, 4, 64
"""How many characters, each in how many moods, stand for all moody players, and after how many orders these return."""
KEPT = 0.98
"""How near to those they are drawn from new characters are; the spread of all of them stays the same."""
FEW = 0.5
"""Characters are drawn again when the weights are worth fewer than this share of as many equal ones."""
ALIKE = 0.01
"""The least spread of a number of characters."""
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
        self.characters: Characters | None = None
        """Who it may be, by its choices, if anybody wondered."""
        self.draw_character(rng)
        self.change_mood(rng)

    def draw_character(self, rng: core.Rng) -> None:
        """Draw what stays the same for a match."""
        self.w = float(np.exp(rng.uniform(0.0, np.log(MOST_KEEN))))
        self.heeds, self.whims, self.caution = (float(rng.uniform(*span)) for span in (HEEDS, WHIMS, CAUTION))
        self.tastes = np.exp(TASTES * rng.standard_normal(max(self.places) + 1))

    def observe(self, transition: core.Transition) -> None:
        if transition.player == self.player:
            if transition.chose(self.player) and self.characters is not None:
                self.weigh_characters(self.characters, transition)
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
        actions = self.by_mood(view, legal, sight)
        assert self.characters is not None
        weights = np.repeat(self.characters.weights / MOODS, MOODS).tolist()
        return expected_shares(zip(actions, weights, strict=True), legal, OTHERWISE)

    def by_mood(self, view: State, legal: Sequence[int], sight: Situation) -> list[int]:
        """What players of each character would do in some moods."""
        characters = self.characters = self.characters or Characters(self.places)

        def find() -> list[int]:
            cards, found = self.suspected_cards(sight), []
            mood = Moody()
            mood.player = self.player
            for mood.w, mood.caution, mood.likes, mood.forgets, drawn in characters.moods(self.orders % ORDERS):
                mood.meant = cards[int(drawn * len(cards))] if cards else None
                found.append(mood.choice(view, legal, sight))
            return found

        return self.find_once((view.key(), self.orders), find)

    def weigh_characters(self, characters: "Characters", transition: core.Transition) -> None:
        """Weigh the characters by a choice."""
        view, action = transition.before, transition.action_of(self.player)
        assert isinstance(view, State)
        legal = view.legal_actions(self.player)
        if view.phase in UNMOVED or len(legal) == 1 or action is None:
            return
        chosen = np.array(self.by_mood(view, legal, Situation(view, self.player))) == action
        counts = chosen.reshape(CHARACTERS, MOODS).sum(axis=1)
        characters.weigh(counts + chosen.mean() + OTHERWISE / len(legal), self.orders)


class Characters:
    """Who a moody player may be: a sample of characters, weighed by their choices and drawn again near the likeliest.

    A character is a row of normal numbers, one for each thing that `Moody.draw_character` draws. New ones are drawn
    around those that are left, moved towards their mean so that the spread does not grow (Liu and West 2001).
    """

    def __init__(self, places: tuple[int, ...]) -> None:
        self.places = places
        self.numbers: Floats = stream(0, "characters").standard_normal((CHARACTERS, max(places) + 5))
        self.weights: Floats = np.full(CHARACTERS, 1.0 / CHARACTERS)

    def moods(self, order: int) -> Iterator[tuple[float, float, list[float], bool, float]]:
        """Each character in some moods: the weight of its card, its caution, its tastes, whether it forgets the card,
        and a number for the card."""
        shares = normal_shares(self.numbers[:, :4])
        keen = np.exp(shares[:, 0] * np.log(MOST_KEEN)).tolist()
        heeds, whims, caution = (
            low + shares[:, place] * (high - low) for place, (low, high) in enumerate((HEEDS, WHIMS, CAUTION), 1)
        )
        whim, heed, card = drawn_moods(order, len(self.places))
        tastes = np.exp(TASTES * self.numbers[:, 4:])[:, list(self.places)]
        likes = (tastes[:, None] * np.exp(whims[:, None, None] * whim)).tolist()
        forgets = (heed >= heeds[:, None]).tolist()
        for number, drawn in enumerate(card.tolist()):
            for mood in range(MOODS):
                yield keen[number], caution[number], likes[number][mood], forgets[number][mood], drawn[mood]

    def weigh(self, likely: Floats, order: int) -> None:
        """Weigh each character by how *likely* it was to choose so; draw others where few are left."""
        weights = self.weights * likely
        self.weights = weights / weights.sum()
        if 1.0 / (self.weights**2).sum() < FEW * CHARACTERS:
            self.draw_again(stream(order, "characters"))

    def draw_again(self, rng: core.Rng) -> None:
        """Draw characters by their weights, each a little different."""
        mean = self.weights @ self.numbers
        spread = np.sqrt(np.maximum(self.weights @ (self.numbers - mean) ** 2, ALIKE**2))
        steps = (np.arange(CHARACTERS) + rng.random()) / CHARACTERS
        left = np.minimum(np.searchsorted(self.weights.cumsum(), steps), CHARACTERS - 1)
        moved = np.sqrt(1.0 - KEPT**2) * spread * rng.standard_normal(self.numbers.shape)
        self.numbers = KEPT * self.numbers[left] + (1.0 - KEPT) * mean + moved
        self.weights = np.full(CHARACTERS, 1.0 / CHARACTERS)


@lru_cache(ORDERS)
def drawn_moods(order: int, places: int) -> tuple[Floats, Floats, Floats]:
    """What makes the moods at an order: whims of territories, and numbers for heeding and for the card."""
    rng = stream(order, "moods")
    return rng.standard_normal((CHARACTERS, MOODS, places)), *rng.random((2, CHARACTERS, MOODS))


def normal_shares(numbers: Floats) -> Floats:
    """The probability that a normal number is smaller than each of these."""
    return np.array([[(1.0 + erf(each / sqrt(2.0))) / 2.0 for each in row] for row in numbers.tolist()])
