"""The agents that come with Risk: a passive one, a conqueror, and four that follow a mission card in different ways.

They decide by a `Situation`, the board from a player's side, and act as `planning` says.
"""

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from copy import copy
from functools import cached_property
from typing import Annotated

from msgspec import Meta

from kibitz import core
from kibitz.core.agent import Clock
from kibitz_risk import phases
from kibitz_risk.actions import ends
from kibitz_risk.board import Mission
from kibitz_risk.game import Risk, State
from kibitz_risk.options import Task
from kibitz_risk.phases import AMOUNTS, TERRITORY
from kibitz_risk.planning import (
    ATTACKS,
    FAR,
    boldness_of,
    knowledge_of,
    mark_goals,
    order,
    reaction,
    value_territories,
    winning_placement,
)
from kibitz_risk.position import NOBODY, UNKNOWN


class Situation:
    """What a state means for the player *me*, computed once."""

    def __init__(self, state: State, me: int) -> None:
        self.me, self.board, self.game = me, state.board, state.game
        self.position, self.owners, self.armies = state.position, state.owners, state.armies
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

    def foes(self, place: int) -> list[int]:
        """The territories I could attack from a territory."""
        return [to for to in self.board.neighbours[place] if self.owners[to] != self.me]

    @cached_property
    def worth(self) -> list[float]:
        """What each territory is worth to a conqueror: by its continent, and by what its loss costs its owner."""
        values = [0.0] * len(self.owners)
        value_territories(self.game.setting, self.position, knowledge_of(self.game), values)
        return values

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
        position, game = view.position, view.game
        if view.phase in (phases.TRADE, phases.SPOILS):
            return legal[0]
        if view.phase in UNMOVED:
            return reaction(game.setting, position, knowledge_of(game).chances)
        sight = sight or Situation(view, self.player)
        wants, boldness, stay = self.wants(sight), self.boldness(sight), self.garrison(sight)
        return order(game.setting, position, knowledge_of(game).chances, wants, boldness, stay)

    @abstractmethod
    def wants(self, sight: Situation) -> list[float]:
        """The value of each territory; 0 or less is not wanted."""

    def boldness(self, sight: Situation) -> float:
        """How likely an attack must be to succeed."""
        return ATTACKS

    def garrison(self, sight: Situation) -> int:
        """How many armies stay behind where others go."""
        return 1


class Passive(Planner):
    """Places armies where enemies are near, and never attacks."""

    def wants(self, sight: Situation) -> list[float]:
        return [1.0] * len(sight.owners)

    def boldness(self, sight: Situation) -> float:
        return 2.0


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

    meant: Mission | None = None
    """A card to play for instead of its own, for those who wonder what it is after."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.posterior: list[float] = []
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
        return expected_action(zip(self.by_card(view, legal, sight, cards), self.weights(cards), strict=True), legal)

    def weights(self, cards: Sequence[Mission]) -> list[float]:
        """The weight of each card."""
        return self.posterior if len(self.posterior) == len(cards) else [1.0 / len(cards)] * len(cards)

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
            likely = [weight * (1.0 - SLIP if each == action else SLIP / len(legal)) for each, weight in done]
            self.posterior = [each / sum(likely) for each in likely]

    def wants(self, sight: Situation) -> list[float]:
        goals, _ = self.goals(sight)
        return [want * self.w if goal else want for want, goal in zip(sight.worth, goals, strict=True)]

    def goals(self, sight: Situation) -> tuple[list[int], int]:
        """1 for the territories of the card, all where it only counts them; and how many it still takes."""
        goals = [0] * len(sight.owners)
        task = self.task(sight)
        return goals, 0 if task is None else mark_goals(sight.game.setting, sight.position, task, goals)

    def task(self, sight: Situation) -> Task | None:
        """What the card asks."""
        card = self.card(sight)
        return None if card is None else sight.game.setting.missions[sight.game.mission_deck.index(card)]

    def boldness(self, sight: Situation) -> float:
        return boldness_of(self.goals(sight)[1])

    def garrison(self, sight: Situation) -> int:
        card = self.card(sight)
        return max(1, card.armies) if card is not None else 1

    def choice(self, view: State, legal: Sequence[int], sight: Situation | None = None) -> int:
        sight = sight or Situation(view, self.player)
        task = self.task(sight) if view.phase == phases.PLACE else None
        ending = NOBODY if task is None else winning_placement(view.game.setting, view.position, task)
        return ending if ending != NOBODY else super().choice(view, legal, sight)


class Constrained(OnMission):
    """Acts for its mission only: on territories of the card, or on a shortest way to the nearest that is missing.

    This is constrained play (Khan 2013, 5.1.2). Where several ways are as short, all are open; where no consistent
    attack is possible it passes.
    """

    def __init__(self) -> None:
        super().__init__(w=1.0)

    def wants(self, sight: Situation) -> list[float]:
        goals, _ = self.goals(sight)
        if not any(goals):
            return sight.worth
        missing = [place for place, goal in enumerate(goals) if goal and sight.owners[place] != sight.me]
        far = sight.distances(missing, by_foes=True)
        nearest = min((far[place] for place in sight.mine), default=FAR)
        return [
            worth if goal else 0.1 * worth if steps < nearest else 0.0
            for worth, goal, steps in zip(sight.worth, goals, far, strict=True)
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
        decoys = self.decoys(sight.game, sight.mission)
        return decoys[int(self.drawn * len(decoys))]

    def decoys(self, game: Risk, own: Mission | None) -> list[Mission]:
        """The cards it may pretend to have."""
        found = [each for each in game.mission_deck if each != own and each.asks_continents]
        return found or ([own] if own is not None else [])

    def suspected_cards(self, sight: Situation) -> Sequence[Mission]:
        if self.done >= self.turns or (sight.mission is None and not sight.hides_mission):
            return super().suspected_cards(sight)
        return self.decoys(sight.game, sight.mission)


def expected_action(weighted: Iterable[tuple[int, float]], legal: Sequence[int]) -> core.Distribution:
    """How likely each action is, from actions with weights, equal ones together."""
    named: dict[int, float] = {}
    for action, weight in weighted:
        named[action] = named.get(action, 0.0) + weight
    return core.Distribution(named, legal)


def consistent_actions(view: core.State, player: int) -> Sequence[int]:
    """The legal actions of *player* that serve their mission, or all where none does, as they must do something."""
    assert isinstance(view, State)
    legal, count = view.legal_actions(player), len(view.owners)
    wants = Constrained().wants(Situation(view, player))
    if view.phase == phases.ATTACK:
        return [action for action in legal if not action or wants[ends(action, count)[1]] > 0.0]
    if view.phase in TERRITORY or view.phase == phases.PLACE:
        near = view.board.neighbours  # armies serve in a territory that is wanted, or next to a wanted one
        serving = {place for place in range(count) if any(wants[to] > 0.0 for to in (place, *near[place]))}
        places = {action: action if view.phase in TERRITORY else action // AMOUNTS for action in legal}
        return [action for action in legal if places[action] in serving] or legal
    return legal
