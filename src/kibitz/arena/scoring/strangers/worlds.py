"""What one strategy would do in a game with secrets, as far as a spectator can know: the yardstick of models there.

It is apart from all models, so that scores do not change when models do.
"""

from collections.abc import Sequence
from copy import deepcopy
from itertools import product

import msgspec

from kibitz import core
from kibitz.core.match import Event
from kibitz.core.registry import make_agent, spec_of
from kibitz.core.seeds import stream

SLIP = 0.1
"""The probability that a player is supposed to play any legal action, so that no world is ruled out by a choice."""
MOST_WORLDS = 2000


class SecretWorld(msgspec.Struct):
    """A full state that the match may be in, with the strategy in every seat."""

    weight: float
    state: core.State
    seats: list[core.Strategy]


class SecretWorlds:
    """Everything that may be hidden if all players follow one strategy, with slips."""

    def __init__(self, game: core.Game, spec: str, seed: int) -> None:
        self.game, self.rng = game, stream(seed, "worlds", spec)
        seats = []
        for player in range(game.players):
            strategy = make_agent(spec, spec_of(game).name)
            assert isinstance(strategy, core.Strategy)
            strategy.begin(game, player, self.rng)
            seats.append(strategy)
        self.worlds = [SecretWorld(1.0, game.new_initial_state(), seats)]

    def probability(self, player: int, action: int) -> float:
        """How likely the strategy chooses *action*, without slips, over all worlds."""
        total = sum(world.weight for world in self.worlds)
        shares = [world.weight * self.policy(world, player).probability(action) for world in self.worlds]
        return sum(shares) / total

    def policy(self, world: SecretWorld, player: int) -> core.Distribution:
        """What the strategy does in a world."""
        return world.seats[player].policy(world.state.view(player))

    def observe(self, event: Event) -> None:
        """Weigh the worlds by an event, as a spectator sees it."""
        seen = event.transition(None, ("worlds", 0))
        key = seen.after.key()
        movers = seen.movers or (core.CHANCE,)
        found = []
        for world in self.worlds:
            options = [self.outcomes(world, mover, seen) for mover in movers]
            for choice in product(*options):
                state = world.state.clone()
                state.step([action for action, _ in choice])
                if state.view(None).key() == key:
                    weight = world.weight
                    for _, chance in choice:
                        weight *= chance
                    found.append((weight, world, state, tuple(action for action, _ in choice)))
        self.worlds = self.heaviest(found, seen, movers) or [self.restart(seen)]

    def outcomes(self, world: SecretWorld, mover: int, seen: core.Transition) -> list[tuple[int, float]]:
        """What *mover* may have done in a world, with the probabilities."""
        wanted = seen.action_of(mover)
        if mover == core.CHANCE:
            outcomes = world.state.chance_outcomes()
            return [(each, share) for each, share in outcomes if world.state.seen_action(None, mover, each) == wanted]
        legal = world.state.view(mover).legal_actions(mover)
        actions: Sequence[int] = legal if wanted is None or wanted not in legal else (wanted,)
        fitting = [each for each in actions[:MOST_WORLDS] if world.state.seen_action(None, mover, each) == wanted]
        if not seen.chose(mover):
            return [(each, 1.0 / len(legal)) for each in fitting]
        policy = self.policy(world, mover)
        return [(each, (1.0 - SLIP) * policy.probability(each) + SLIP / len(legal)) for each in fitting]

    def heaviest(
        self,
        found: list[tuple[float, SecretWorld, core.State, tuple[int, ...]]],
        seen: core.Transition,
        movers: tuple[int, ...],
    ) -> list[SecretWorld]:
        """The likeliest worlds, in which every seat has observed the event; none if nothing fits."""
        kept = sorted((each for each in found if each[0] > 0.0), key=lambda each: -each[0])[:MOST_WORLDS]
        total = sum(weight for weight, _, _, _ in kept)
        worlds = []
        for weight, world, state, actions in kept:
            seats = [deepcopy(strategy, {id(self.rng): self.rng}) for strategy in world.seats]
            for player, strategy in enumerate(seats):
                pairs = zip(movers, actions, strict=True)
                own = tuple(world.state.seen_action(player, mover, action) for mover, action in pairs)
                before, after = world.state.view(player), state.view(player)
                strategy.observe(core.Transition(seen.ply, seen.player, own, before, after, seen.chosen))
            worlds.append(SecretWorld(weight / total, state, seats))
        return worlds

    def restart(self, seen: core.Transition) -> SecretWorld:
        """A world that fits what is seen, with the memories of the likeliest world."""
        likeliest = max(self.worlds, key=lambda world: world.weight)
        return SecretWorld(1.0, seen.after.complete(self.rng), likeliest.seats)
