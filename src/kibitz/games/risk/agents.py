"""The agents that come with Risk: a passive one, a conqueror, and four that follow a mission card in different ways."""

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from copy import copy
from typing import Annotated, Any

from msgspec import Meta

from kibitz import core
from kibitz.core.clocks import Clock
from kibitz.games.risk import phases
from kibitz.games.risk.board import ANY, Mission
from kibitz.games.risk.game import Risk, State
from kibitz.games.risk.phases import AMOUNTS, pair
from kibitz.games.risk.situation import FAR, LAST, Situation

ATTACKS, PRESSES = 0.6, 0.5
"""How likely a battle must be won for an agent to begin it, and to go on with it."""
SLIP = 0.02
"""The probability of an action that does not fit a card."""
UNMOVED = (phases.DEFEND, phases.TRADE, phases.SPOILS, phases.ROLL)
"""Phases in which no card counts."""
Weight = Annotated[float, Meta(ge=0.0, le=10_000.0)]


class Planner(core.Strategy):
    """Gives every territory a value, and acts to take and hold the most valuable."""

    def policy(self, view: core.State) -> core.Distribution:
        return self.policies([self], view)[0]

    def policies(self, strategies: Sequence[core.Strategy], view: core.State) -> list[core.Distribution]:
        assert isinstance(view, State)
        legal = view.legal_actions(self.player)
        if len(legal) == 1:
            return [core.Distribution.certain(legal[0], legal)] * len(strategies)
        sight = Situation(view, self.player)
        return [
            each.expected_choice(view, legal, sight) if isinstance(each, Planner) else each.policy(view)
            for each in strategies
        ]

    def expected_choice(self, view: State, legal: Sequence[int], sight: Situation) -> core.Distribution:
        """What somebody expects who does not see the private draws of this player, if it has any."""
        return core.Distribution.certain(self.choice(view, legal, sight), legal)

    def act(self, view: core.State, clock: Clock) -> int:
        assert isinstance(view, State)
        legal = view.legal_actions(self.player)
        return legal[0] if len(legal) == 1 else self.choice(view, legal)

    def choice(self, view: State, legal: Sequence[int], sight: Situation | None = None) -> int:
        """The action to take in this phase."""
        phase = view.phase
        if phase == phases.DEFEND:
            return legal[-1]
        if phase in (phases.TRADE, phases.SPOILS):
            return legal[0]
        sight = sight or Situation(view, self.player)
        if phase == phases.ROLL:
            return legal[-1] if sight.chance(sight.origin, sight.target) >= PRESSES else phases.RETREAT
        wants = self.wants(sight)
        if phase in (phases.DRAFT, phases.SETUP, phases.CAPITAL):
            return max(legal, key=lambda place: (self.worth_standing(sight, wants, place), -place))
        if phase == phases.PLACE:
            return self.placement(sight, wants)
        if phase == phases.ATTACK:
            return self.attack(sight, wants)
        if phase == phases.CONQUER:
            most = sight.armies[sight.origin] - self.garrison(sight)
            return max(legal[0], most) if self.moves_on(sight, wants) else legal[0]
        marched = self.march(sight, wants)
        return marched if marched in legal else phases.STAY

    @abstractmethod
    def wants(self, sight: Situation) -> list[float]:
        """The value of each territory; 0 or less is not wanted."""

    def worth_standing(self, sight: Situation, wants: list[float], place: int) -> float:
        """The value of an army in a territory: it is near wanted ones, but not alone there."""
        near = 0.0
        for to in sight.foes(place):  # one by one: `sum` rounds otherwise from Python 3.12 on
            near += max(0.0, wants[to])
        return max(0.0, wants[place]) + near - 0.02 * sight.armies[place] * (1.0 + near)

    def placement(self, sight: Situation, wants: list[float]) -> int:
        """All armies where they make the best attack; where there is none, next to a wanted territory."""
        best = max(sight.mine, key=lambda place: (self.front(sight, wants, place), -place))
        if self.front(sight, wants, best) <= 0.0:
            far = sight.distances(place for place, want in enumerate(wants) if want > 0.0 and place not in sight.mine)
            best = min(sight.mine, key=lambda place: (not sight.foes(place), far[place], place))
        return best * AMOUNTS + sight.to_place

    def front(self, sight: Situation, wants: list[float], place: int) -> float:
        """The gain of the best attack from a territory with all armies there."""
        return max((wants[to] * chance for to, chance in sight.fronts[place]), default=0.0)

    def attack(self, sight: Situation, wants: list[float]) -> int:
        """The best attack that is likely to succeed."""
        best, found = 0.0, phases.END_ATTACK
        boldness = self.boldness(sight)
        for origin, to, chance in sight.attacks:
            if chance >= boldness and wants[to] * chance > best:
                best, found = wants[to] * chance, pair(origin, to, len(sight.owners))
        return found

    def boldness(self, sight: Situation) -> float:
        """How likely an attack must be to succeed."""
        return ATTACKS

    def garrison(self, sight: Situation) -> int:
        """How many armies stay behind where others go."""
        return 1

    def moves_on(self, sight: Situation, wants: list[float]) -> bool:
        """Whether all armies that may move into the conquest do: where more is wanted from there."""
        ahead, behind = ([wants[to] for to in sight.foes(place)] for place in (sight.target, sight.origin))
        return max(ahead, default=-1.0) >= max(behind, default=-0.5)

    def march(self, sight: Situation, wants: list[float]) -> int:
        """A step of the largest army without an enemy near, towards a wanted territory."""
        stay = self.garrison(sight)
        idle = [place for place in sight.mine if sight.armies[place] > stay and not sight.foes(place)]
        goals = [place for place, owner in enumerate(sight.owners) if owner != sight.me and wants[place] > 0.0]
        if not idle or not goals:
            return phases.STAY
        origin = max(idle, key=lambda place: (sight.armies[place], -place))
        far = sight.distances(goals)
        to = min(sight.board.neighbours[origin], key=lambda place: (far[place], place))
        if far[to] >= FAR:
            return phases.STAY
        return pair(origin, to, len(sight.owners)) * AMOUNTS + sight.armies[origin] - stay


class Passive(Planner):
    """Places armies where enemies are near, and never attacks."""

    def wants(self, sight: Situation) -> list[float]:
        return [1.0] * len(sight.owners)

    def attack(self, sight: Situation, wants: list[float]) -> int:
        return phases.END_ATTACK


class Heuristic(Planner):
    """Wants continents that are rich, easily held and begun, breaks those of others, and destroys weak players."""

    def wants(self, sight: Situation) -> list[float]:
        return sight.worth


class OnMission(Heuristic):
    """Conquers with its mission in mind: what the card names is worth *w* times as much.

    With 4 the card only tints the play, with 100 little else counts.
    """

    def __init__(self, w: Weight = 4.0) -> None:
        self.w = w

    def compiled_policy(self, game: core.Game, player: int) -> Any:
        from kibitz.games.risk.compiled_matches import MissionPolicy

        return MissionPolicy(self.w) if type(self) is OnMission else None

    meant: Mission | None = None
    """A card to play for instead of its own, for those who wonder what it is after."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.shares: list[float] = []
        """How well each card that it may play for explains its choices; empty before the first one."""
        self.asked: tuple[Hashable, list[int]] = (None, [])
        """What it would do with each of them in the position that somebody wondered about last."""

    def card(self, sight: Situation) -> Mission | None:
        """The mission to play for."""
        return self.meant or sight.mission

    def suspected_cards(self, sight: Situation) -> Sequence[Mission]:
        """The cards that it may play for, as far as the view tells; none if there is no doubt."""
        return sight.game.mission_deck if sight.hides_mission else ()

    def expected_choice(self, view: State, legal: Sequence[int], sight: Situation) -> core.Distribution:
        cards = [] if view.phase in UNMOVED else self.suspected_cards(sight)
        if not cards:
            return super().expected_choice(view, legal, sight)
        return expected_shares(zip(self.by_card(view, legal, sight, cards), self.weights(cards), strict=True), legal)

    def weights(self, cards: Sequence[Mission]) -> list[float]:
        """The weight of each card."""
        return self.shares if len(self.shares) == len(cards) else [1.0 / len(cards)] * len(cards)

    def by_card(self, view: State, legal: Sequence[int], sight: Situation, cards: Sequence[Mission]) -> list[int]:
        """What it would do with each card."""

        here = view.key(), len(cards)
        if self.asked[0] != here:
            player, found = copy(self), []
            for player.meant in cards:
                found.append(player.choice(view, legal, sight))
            self.asked = here, found
        return self.asked[1]

    def observe(self, transition: core.Transition) -> None:
        view, action = transition.before, transition.action_of(self.player)
        if self.asked[0] is None or not transition.chose(self.player):
            return  # nobody wonders
        assert isinstance(view, State)
        if view.phase in UNMOVED or len(view.legal_actions(self.player)) == 1:
            return
        sight = Situation(view, self.player)
        cards, legal = self.suspected_cards(sight), view.legal_actions(self.player)
        if cards:
            done = zip(self.by_card(view, legal, sight, cards), self.weights(cards), strict=True)
            likely = [share * (1.0 - SLIP if each == action else SLIP / len(legal)) for each, share in done]
            self.shares = [each / sum(likely) for each in likely]

    def wants(self, sight: Situation) -> list[float]:
        goals = self.goals(sight)
        return [want * self.w if place in goals else want for place, want in enumerate(super().wants(sight))]

    def goals(self, sight: Situation) -> set[int]:
        """The territories of the card; all of them where it only counts territories."""
        card = self.card(sight)
        if card is None:
            return set()
        if card.asks_continents:
            named = {*card.named_continents, *([self.third(sight, card)] if ANY in card.continents else [])}
            return {place for place, each in enumerate(sight.board.territories) if each.continent in named}
        if self.hunts(sight, card):
            return {place for place, owner in enumerate(sight.owners) if owner == card.destroy}
        return set(range(len(sight.owners)))

    @staticmethod
    def hunts(sight: Situation, card: Mission) -> bool:
        """Whether there is a player to destroy."""
        return card.destroy is not None and card.destroy != sight.me and sight.counts[card.destroy] > 0

    def third(self, sight: Situation, card: Mission) -> int:
        """The continent that fills the free slot: the one nearest to being held."""
        others = [each for each in range(len(sight.board.continents)) if each not in card.named_continents]
        return max(others, key=lambda each: (sight.share(each), -len(sight.board.members[each]), -each))

    def boldness(self, sight: Situation) -> float:
        return PRESSES if 0 < self.missing(sight) <= LAST else ATTACKS

    def missing(self, sight: Situation) -> int:
        """How many territories the mission still takes."""
        card = self.card(sight)
        if card is not None and not card.asks_continents and not self.hunts(sight, card):
            return card.territories - sight.counts[sight.me]
        return sum(sight.owners[place] != sight.me for place in self.goals(sight))

    def garrison(self, sight: Situation) -> int:
        card = self.card(sight)
        return max(1, card.armies) if card is not None else 1

    def placement(self, sight: Situation, wants: list[float]) -> int:
        """Armies on weakly held territories if that ends the game, else where they make the best attack."""
        card = self.card(sight)
        if card is not None and card.armies > 1:
            thin = sorted((card.armies - sight.armies[place], place) for place in sight.mine)
            lacking = [each for each in thin[: card.territories] if each[0] > 0]
            if lacking and len(thin) >= card.territories and sum(count for count, _ in lacking) <= sight.to_place:
                return lacking[0][1] * AMOUNTS + lacking[0][0]
        return super().placement(sight, wants)


class Constrained(OnMission):
    """Acts for its mission only: on territories of the card, or on a shortest way to the nearest that is missing.

    This is constrained play (Khan 2013, 5.1.2). Where several ways are as short, all are open; where no consistent
    attack is possible it passes.
    """

    def __init__(self) -> None:
        super().__init__(w=1.0)

    def wants(self, sight: Situation) -> list[float]:
        goals = self.goals(sight)
        if not goals:
            return Heuristic.wants(self, sight)
        missing = [place for place in goals if sight.owners[place] != sight.me]
        far = sight.distances(missing, by_foes=True)
        nearest = min((far[place] for place in sight.mine), default=FAR)
        values = super().wants(sight)
        return [
            values[place] if place in goals else 0.1 * values[place] if far[place] < nearest else 0.0
            for place in range(len(sight.owners))
        ]


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


def expected_shares(parts: Iterable[tuple[int, float]], legal: Sequence[int]) -> core.Distribution:
    """Actions with their shares."""
    named: dict[int, float] = {}
    for action, share in parts:
        named[action] = named.get(action, 0.0) + share
    return core.Distribution(named, legal)
