"""What `strategy_filter` holds: worlds, what their players may do next, caches of that, and draws from them.

A search plays against worlds and types that are drawn from what the filter believes. A type is one of the strategies,
with its memory, or a stranger as one of the learners knows them. A stranger of whom little was seen is often left out:
then the model does not know what they will do, and says so.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, Self, TypeVar

import msgspec

from kibitz import core
from kibitz.core.insight import UNKNOWN
from kibitz.core.registry import house_agents, make_agent, spec_of
from kibitz.core.specs import constructor_parameters
from kibitz.models.strangers import Learner, Stranger
from kibitz.models.strangers.choices import ChoiceLearner
from kibitz.models.strangers.stranger import PolicyLearner

if TYPE_CHECKING:
    from kibitz.models.strategy_filter import StrategyFilter


Cached = TypeVar("Cached")


def looking(strategy: core.Strategy, depth: int | None) -> core.Strategy:
    """The same strategy with search depth *depth*, if it searches and a depth is given."""
    if depth is None or "depth" not in constructor_parameters(type(strategy)):
        return strategy
    return type(strategy)(**{**strategy.parameters(), "depth": depth})


def known_strategies(game: core.Game) -> tuple[core.Strategy, ...]:
    """The strategies that come with *game*, can play it and may be hypotheses, each with its default parameters."""
    name = spec_of(game).name
    agents = [make_agent(agent) for agent in house_agents(name)]
    strategies = (agent for agent in agents if isinstance(agent, core.Strategy) and agent.supposed)
    return tuple(agent for agent in strategies if agent.manages(game))


KNOWN, USUAL = 4096, 64
"""How many positions the cache of memoryless strategies holds, and of how many actions; of more, it holds fewer."""


class Policies(NamedTuple):
    """What players would do in a position: by each strategy, and in general; and the nodes this took."""

    meant: list[core.Distribution]
    anything: core.Distribution
    """What a slip leads to."""
    cost: int


class PositionCache(dict[tuple[int, core.Key], Cached]):
    """A cache of what somebody would do in recent positions; a copy starts empty."""

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return type(self)()


class MomentCache:
    """What was worked out since the last event about strangers, who are shared by worlds that look alike to them."""

    def __init__(self) -> None:
        self.policies = PositionCache[Policies]()
        self.expected: dict[tuple[int, core.Key], core.Distribution] = {}
        self.learned: dict[tuple[int, core.Key, int], tuple[float, Stranger]] = {}
        self.observed: dict[tuple[int, tuple[int | None, ...]], Stranger] = {}
        self.given: dict[int, list[tuple[float, float]]] = {}
        """For each world, the probability that predictions gave to what a mover chose and all see, and its weight."""

    def __deepcopy__(self, memo: dict[int, object]) -> "MomentCache":
        return MomentCache()

    def stranger_prediction(
        self, stranger: Stranger, view: core.State, policies: Sequence[core.Distribution]
    ) -> core.Distribution:
        """What a stranger would do where the strategies would do this."""
        here = id(stranger), view.key()
        found = self.expected.get(here)
        if found is None:
            if len(self.expected) >= KNOWN:
                self.expected.clear()
            found = self.expected[here] = stranger.predict(view, policies)
        return found

    def teach_copy(
        self, stranger: Stranger, view: core.State, action: int, policies: Sequence[core.Distribution]
    ) -> tuple[float, Stranger]:
        """The probability of a choice by a stranger, and a copy of the stranger after it."""
        here = id(stranger), view.key(), action
        found = self.learned.get(here)
        if found is None:
            copied = stranger.copy()
            found = self.learned[here] = copied.learn(view, action, policies), copied
        return found

    def show_copy(self, stranger: Stranger, told: core.Transition) -> Stranger:
        """A copy of a stranger who has seen an event, one for all worlds in which it looks the same."""
        here = id(stranger), told.actions
        found = self.observed.get(here)
        if found is None:
            found = self.observed[here] = stranger.copy()
            found.observe(told)
        return found


class Outcome(NamedTuple):
    """What a mover may have done, its probability, and the mover's posterior and stranger after it."""

    action: int
    probability: float
    posterior: list[float]
    stranger: Stranger | None = None
    given: float = 0.0
    """Its probability where hypotheses count as they do in predictions."""


class World(msgspec.Struct):
    """A state the match may be in: its weight, each player's strategies with their memory, and how likely each is."""

    weight: float
    state: core.State
    copies: list[list[core.Strategy]]
    posteriors: list[list[float]]
    strangers: list[Stranger]
    """Each player as one who follows none of the strategies."""


def as_seen_by(
    player: int,
    before: core.State,
    after: core.State,
    transition: core.Transition,
    movers: tuple[int, ...],
    actions: tuple[int, ...],
) -> core.Transition:
    """The event as *player* would have seen it in a world."""
    pairs = zip(movers, actions, strict=True)
    seen = tuple(before.seen_action(player, mover, action) for mover, action in pairs)
    seen_states = {"earlier": before.view(player), "later": after.view(player)}
    return msgspec.structs.replace(transition, actions=seen, **seen_states)


def resample_worlds(found: list[World], most: int, rng: core.Rng) -> list[World]:
    """The worlds to keep; if there are more than *most*, a systematic resample."""
    if len(found) <= most:
        return [world for world in found if world.weight > 0.0]
    step = 1.0 / most
    position, passed, kept = rng.random() * step, 0.0, []
    for world in found:
        passed += world.weight
        hits = 0
        while position < passed:
            position += step
            hits += 1
        if hits:
            world.weight = hits * step
            kept.append(world)
    return kept


UNDERSTOOD = 8.0
"""After this many choices a stranger is understood as likely as not."""


class KnownPlayer(core.PlayerType):
    """A player who follows *strategy*, but for slips."""

    def __init__(self, label: str, model: "StrategyFilter", player: int, strategy: core.Strategy) -> None:
        self.label, self.model, self.player, self.strategy = label, model, player, strategy
        self.remembers = type(strategy).observe is not core.Agent.observe

    def policy(self, state: core.State) -> core.Distribution:
        if self.remembers or self.model.game.hidden:
            return self.slipping_policy(state.view(self.player) if self.model.game.hidden else state)
        held, here = self.model.type_policies, (id(self.strategy), state.key())
        found = held.get(here)  # the searches of one move after another ask about the same positions
        if found is None:
            if len(held) >= KNOWN:
                held.clear()
            found = held[here] = self.slipping_policy(state)
        return found

    def slipping_policy(self, view: core.State) -> core.Distribution:
        """What the player does, slips included."""
        meant, noise = self.strategy.policy(view), self.model.noise
        others = meant.others() / len(meant.legal)
        named = {action: (1.0 - noise) * share + noise / len(meant.legal) for action, share in meant.named.items()}
        return core.Distribution(named, meant.legal, (1.0 - noise) * meant.rest + noise * others)

    def observe(self, transition: core.Transition) -> None:
        self.strategy.observe(transition)

    def copy(self) -> core.PlayerType:
        if not self.remembers:
            return self
        return KnownPlayer(self.label, self.model, self.player, self.model.copy_strategy(self.strategy))


class LearnedPlayer(core.PlayerType):
    """A stranger as one *learner* knows them."""

    label = UNKNOWN

    def __init__(self, model: "StrategyFilter", player: int, learner: Learner) -> None:
        self.model, self.player, self.learner = model, player, learner
        self.remembers = not isinstance(learner, ChoiceLearner)  # the position holds all that counts for that one

    def policy(self, state: core.State) -> core.Distribution:
        return self.learner.predict(state.view(self.player) if self.model.game.hidden else state, ())

    def observe(self, transition: core.Transition) -> None:
        self.learner.observe(transition)

    def copy(self) -> core.PlayerType:
        return LearnedPlayer(self.model, self.player, self.learner.copy()) if self.remembers else self


class TypicalPlayer(core.PlayerType):
    """A stranger who does what players in general do."""

    label = UNKNOWN

    def __init__(self, model: "StrategyFilter", player: int, *, uniform: bool) -> None:
        self.model, self.player, self.uniform = model, player, uniform

    def policy(self, state: core.State) -> core.Distribution:
        if self.uniform:
            return core.Distribution.uniform(state.legal_actions(self.player))
        return self.model.strange(self.player, state.view(self.player) if self.model.game.hidden else state)


def sample_worlds(model: "StrategyFilter", view: core.State, count: int, rng: core.Rng) -> list[core.SampledWorld]:
    """Draw worlds in proportion to their weights, and a type for every other player, both spread evenly."""
    others = [player for player in range(model.game.players) if player != model.seat]
    places = {player: spread_evenly(count, rng) for player in others}
    types = TypeDraws(model, rng)
    ends = list(accumulate(world.weight for world in model.possible))
    hidden = model.game.hidden  # a world looks to the watcher as the view does unless an event was missed
    fits = {id(each): not hidden or each.state.view(model.seat).key() == view.key() for each in model.possible}
    found = []
    for number, place in enumerate(spread_evenly(count, rng)):
        world = model.possible[place_in(ends, place)]
        state = (world.state if hidden else view) if fits[id(world)] else view.complete(rng)
        drawn = {}
        for player in others:
            each = types.draw(world, player, places[player][number])
            if each is not None:
                drawn[player] = each
        found.append(core.SampledWorld(state, drawn))
    return found


class TypeDraws:
    """Draws types; the same type is the same object, so that a search asks it once about a position."""

    def __init__(self, model: "StrategyFilter", rng: core.Rng) -> None:
        self.model, self.rng = model, rng
        self.made: dict[Hashable, core.PlayerType] = {}
        self.ends: dict[tuple[int, int], list[float]] = {}
        """Where the share of each hypothesis ends, by world and player."""

    def draw(self, world: World, player: int, place: float) -> core.PlayerType | None:
        """The type of *player* in a world at this place of the belief; None: a stranger who is not understood."""
        model, here = self.model, (id(world), player)
        ends = self.ends.get(here)
        if ends is None:
            ends = self.ends[here] = list(accumulate(model.apply_drift(world.posteriors[player])))
        number = place_in(ends, place)
        if number < len(model.asked):
            return self.known_player(model.labels[number], player, world.copies[player][number])
        choices = model.evidence[player].choices
        if self.rng.random() >= choices / (choices + UNDERSTOOD):
            return None
        learner, policy = draw_learner(world.strangers[player], self.rng)
        if policy is None:
            return self.make_once((player, id(learner)), partial(LearnedPlayer, model, player, learner))
        if policy < len(model.asked):
            return self.known_player(UNKNOWN, player, world.copies[player][policy])
        uniform = policy > len(model.asked) or not model.expects
        return self.make_once((player, uniform), partial(TypicalPlayer, model, player, uniform=uniform))

    def known_player(self, label: str, player: int, strategy: core.Strategy) -> core.PlayerType:
        """The type of a player who follows a strategy, or as a stranger does what the strategy would."""
        return self.make_once((player, label, id(strategy)), partial(KnownPlayer, label, self.model, player, strategy))

    def make_once(self, key: Hashable, make: Callable[[], core.PlayerType]) -> core.PlayerType:
        """The type of this key."""
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = make()
        return found


def draw_learner(stranger: Stranger, rng: core.Rng) -> tuple[Learner, int | None]:
    """A learner of the stranger's mixture and, if it weighs known policies, the number of one; the last is chance."""
    learner = stranger.learners[place_in(list(accumulate(stranger.before_choice())), float(rng.random()))]
    if isinstance(learner, PolicyLearner):
        return learner, place_in(list(accumulate(learner.shares().tolist())), float(rng.random()))
    return learner, None


def spread_evenly(count: int, rng: core.Rng) -> list[float]:
    """Numbers in [0, 1), one in each of *count* equal parts, in random order."""
    places = (rng.permutation(count) + rng.random(count)) / count
    return [float(place) for place in places]


def place_in(ends: Sequence[float], place: float) -> int:
    """The number of the share that *place*, a part of all of them, falls on; shares are given by where they end."""
    number = bisect_right(ends, place * ends[-1])
    return number if number < len(ends) else bisect_left(ends, ends[-1])  # rounding: the last that is not 0
