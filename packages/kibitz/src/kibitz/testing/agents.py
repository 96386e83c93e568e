"""`check_agent`: the contract test of agents."""

from collections.abc import Mapping, Sequence
from inspect import Parameter
from typing import Any

import msgspec

from kibitz import core
from kibitz.core.errors import Unsupported, error_text
from kibitz.core.match import MatchOptions
from kibitz.core.match.play import RecordedMatch
from kibitz.core.records import Record
from kibitz.core.registry import entries, make_agent, make_game, spec_of
from kibitz.core.seeds import stream
from kibitz.core.specs import Configurable, constructor_parameters
from kibitz.testing.leaks import reachable
from kibitz.testing.walks import pickle_copy, require


def check_agent(
    agent: str | core.Agent,
    games: Sequence[str] | None = None,
    *,
    plies: int = 60,
    shorter: Mapping[str, int] | None = None,
    seed: int = 0,
) -> None:
    """Test an agent in every seat it can take in every registered game, or in *games*.

    Matches end after *plies* plies, those of slow games earlier: *shorter* names their limits.

    >>> from kibitz.testing import check_agent
    >>> check_agent("dilemma.grim", ["dilemma(rounds=3)"])  # raises if it breaks the contract
    """
    made = make_agent(agent)
    check_specified(made)
    require(made.clone() is not made, f"{made!r}: clone returns the agent itself")
    if made.interactive:
        return
    played = 0
    for name in entries("game") if games is None else games:
        game = make_game(name)
        seats = [player for player in range(game.players) if _can_play(made, game, player)]
        require(bool(seats) or games is None, f"{made!r} says it cannot play {name}")
        played += len(seats)
        length = (shorter or {}).get(name, plies)
        for player in seats:
            records = [_match(made, game, player, length, seed, examined) for examined in (True, False)]
            same = _comparable(records[0], made) == _comparable(records[1], made)
            require(same, f"{made!r} plays {name} differently with the same seed")
    require(played, f"{made!r} can play no game at all")


def check_specified(thing: Configurable) -> None:
    """Require a constructor that only stores its parameters, and a repr that recreates the object."""
    kind = type(thing)
    for name, parameter in constructor_parameters(kind).items():
        plain = parameter.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        require(plain, f"{kind.__name__}: the constructor takes *{name}; name its parameters")
        require(parameter.default is not Parameter.empty, f"{kind.__name__}: parameter {name} has no default")
        require(hasattr(thing, name), f"{kind.__name__}: parameter {name} is not stored under its name")
    again = kind(**thing.parameters())
    require(repr(again) == repr(thing), f"{thing!r}: made again from its parameters it is {again!r}")
    require(repr(pickle_copy(thing, repr(thing))) == repr(thing), f"{thing!r}: pickling changes it")


def _can_play(agent: core.Agent, game: core.Game, player: int) -> bool:
    try:
        agent.clone().begin(game, player, stream(0, "can play"))
    except Unsupported:
        return False
    except (AssertionError, AttributeError, KeyError, TypeError, ValueError) as error:
        require(False, f"{agent!r} must raise Unsupported if it cannot play {game!r}, not {error_text(error)}")
    return True


def _match(agent: core.Agent, game: core.Game, player: int, plies: int, seed: int, examined: bool) -> Record:
    """A match of the agent against random ones; if it is *examined*, all its choices and its views are checked."""
    others: list[core.Agent] = [make_agent("random") for _ in range(game.players)]
    others[player] = seated = ExaminedAgent(agent.clone())
    seated.examined = examined
    table = RecordedMatch(game, others, MatchOptions(seed=seed, max_plies=min(plies, game.max_plies), strikes=10**9))
    for moment in table.moments():
        if moment.event is not None and examined:
            for position in (moment.event.before, moment.event.after):
                untouched = reachable(position.view(player, player)) == reachable(position.state.view(player))
                require(untouched, f"{agent!r} changed a view it was shown in observe; clone it first")
    assert table.record.ending is not None
    faults = [fault for entry in table.record.entries for fault in entry.faults] + [*table.record.ending.faults]
    require(not faults, f"{agent!r} in {game!r}: {faults[0].message if faults else ''}")
    return table.record


def _comparable(record: Record, agent: core.Agent) -> Record:
    """What must be the same in two matches of an agent; what a strategy counts of its work depends on who asks it."""
    record = record.without_times()
    if isinstance(agent, core.Strategy):
        entries = record.entries
        record.entries = [msgspec.structs.replace(entry, truths=_without_numbers(entry.truths)) for entry in entries]
    return record


def _without_numbers(fact: Any) -> Any:
    """A fact as it would be if all of its numbers were alike."""
    if isinstance(fact, dict):
        return {name: _without_numbers(part) for name, part in fact.items()}
    if isinstance(fact, (list, tuple)):
        return [_without_numbers(part) for part in fact]
    return 0 if type(fact) in (int, float) else fact


class ExaminedAgent(core.Agent):
    """Wraps an agent, forwards every call, and checks its answers as long as it is *examined*."""

    def __init__(self, agent: core.Agent) -> None:
        self.agent, self.examined = agent, True

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.agent.begin(game, player, rng)

    def act(self, view: core.State, clock: core.Clock) -> int:
        if self.examined and isinstance(self.agent, core.Strategy):
            before = view.clone()
            drawn = repr(self.agent.rng.bit_generator.state)
            policy = self.agent.policy(view)
            undrawn = repr(self.agent.rng.bit_generator.state) == drawn
            require(undrawn, f"policy of {self.agent!r} draws random numbers; only act may")
            require(reachable(view) == reachable(before), f"policy of {self.agent!r} changes the view; clone it first")
            check_distribution(policy, before.legal_actions(self.player), f"policy of {self.agent!r}")
            again = self.agent.policy(before)
            same = all(abs(policy.probability(a) - again.probability(a)) < 1e-12 for a, _ in policy.top(8))
            require(same, f"policy of {self.agent!r} changes when it is asked twice")
            action = self.agent.act(before, clock)
            require(policy.probability(action) > 0.0, f"{self.agent!r} plays {action}, which its policy rules out")
            return action
        return self.agent.act(view, clock)

    def observe(self, transition: core.Transition) -> None:
        self.agent.observe(transition)

    def end(self, returns: Sequence[float]) -> None:
        self.agent.end(returns)

    def truth(self) -> dict[str, Any]:
        return {**self.agent.truth(), "strategy": str(spec_of(self.agent))}


def check_distribution(found: core.Distribution, legal: Sequence[int], what: str) -> None:
    """Require probabilities of legal actions that add up to 1."""
    require(abs(found.total() - 1.0) < 1e-9, f"{what}: the probabilities add up to {found.total()}")
    shares = [found.rest, *found.named.values()]
    require(all(share >= -1e-12 for share in shares), f"{what}: a negative probability")
    require(all(action in legal for action in found.named), f"{what}: an action that is not legal")
    require(len(found.legal) == len(legal), f"{what}: its legal actions are not the view's")
