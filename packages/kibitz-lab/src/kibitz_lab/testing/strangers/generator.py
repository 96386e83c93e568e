"""Generates strangers for any game from the strategies that come with it; the same seed generates the same ones."""

from collections.abc import Iterator, Sequence
from math import floor, log10

import msgspec

from kibitz import core
from kibitz.core.errors import BadSpec
from kibitz.core.registry import kit_of, make_agent, spec_of
from kibitz.core.seeds import derived_seed, stream
from kibitz.core.specs import Spec, constructor_parameters
from kibitz.models.worlds import known_strategies

FEWEST = 3
"""A game needs this many strategies, so that some are left to tell apart when one is left out."""
RATES = (0.1, 0.3, 0.6)
DEPTHS = (1, 2, 3, 6)
FEW_ACTIONS = 8
"""Most actions of a game for which tables by history are generated."""
TABLE_ACTIONS = 64
LEAST_WEIGHT = 100.0
"""Weights drawn freely reach at least this, because searchers take values closer than 1 for equal."""
LONGEST = 120
"""Events of a random match that are played to see how long matches are."""


class GeneratedStranger(msgspec.Struct, frozen=True):
    """A player that no model knows: its name in tables, its spec, how it was made, and the seed of its matches."""

    name: str
    game: str
    kind: str
    spec: str
    seed: int


def generated_strangers(game: core.Game, seed: int = 1) -> list[GeneratedStranger]:
    """Strangers of every kind that *game* allows; raises BadSpec if it has fewer than three strategies.

    >>> from kibitz import make_game
    >>> [each.spec for each in generated_strangers(make_game("pennies"))][:2]
    ['random', 'noisy(strategy=pennies.alternator, rate=0.1)']
    """
    known = library_of(game)
    name = spec_of(game).name
    made: dict[str, tuple[str, str]] = {}
    counts: dict[str, int] = {}
    for kind, agent in generated_agents(game, known, stream(seed, "strangers", name)):
        spec = str(spec_of(agent))
        if spec not in {held for _, held in made.values()} and agent.manages(game):
            counts[kind] = counts.get(kind, 0) + 1
            made[f"{kind}-{counts[kind]}"] = kind, spec
    return [
        GeneratedStranger(label, name, kind, spec, derived_seed(seed, "stranger", name, label) >> 32)
        for label, (kind, spec) in made.items()
    ]


def library_of(game: core.Game) -> tuple[core.Strategy, ...]:
    """The strategies that come with *game*; raises BadSpec if there are fewer than three."""
    known = known_strategies(game)
    if len(known) < FEWEST:
        has = f"has only {len(known)}" if known else "has none"
        raise BadSpec(repr(game), f"strangers need a game with at least {FEWEST} strategies, and it {has}")
    return known


def generated_agents(
    game: core.Game, known: Sequence[core.Strategy], rng: core.Rng
) -> Iterator[tuple[str, core.Agent]]:
    """Agents of every kind, each with the name of its kind."""
    yield "random", make_agent("random")
    for rate in RATES:
        yield "noise", made_of("noisy", strategy=draw_strategies(known, 1, rng)[0], rate=rate)
    for count in (2, min(3, len(known))):
        shares = [round(0.2 + rng.random(), 2) for _ in range(count)]
        whole = sum(shares)
        parts = tuple(round(share / whole, 2) for share in shares)
        yield "mixture", made_of("mixture", strategies=draw_strategies(known, count, rng), shares=parts)
    moves = moves_of_a_match(game, rng)
    for count in (2, 3):
        every = min(8, max(1, moves // 4 + int(rng.random() * (moves // 4 + 1))))
        yield "switch", made_of("switcher", strategies=draw_strategies(known, min(count, len(known)), rng), every=every)
    yield from other_parameters(known, rng)
    yield from other_depths(known, rng)
    yield from other_weights(game, known, rng)
    yield from tables(game, rng)


def made_of(name: str, **parameters: object) -> core.Agent:
    """An agent from its parameters."""
    return make_agent(Spec(name, parameters))


def draw_strategies(known: Sequence[core.Strategy], count: int, rng: core.Rng) -> tuple[core.Strategy, ...]:
    """Different strategies, drawn at random."""
    left = list(known)
    return tuple(left.pop(int(rng.random() * len(left))) for _ in range(count))


def other_parameters(known: Sequence[core.Strategy], rng: core.Rng) -> Iterator[tuple[str, core.Agent]]:
    """Two strategies with other values of their parameters from 0 to 1."""
    found = 0
    for strategy in draw_strategies(known, len(known), rng):
        kind, values = type(strategy), {}
        for name, parameter in constructor_parameters(kind).items():
            if isinstance(parameter.default, float) and 0.0 <= parameter.default <= 1.0:
                values[name] = round(rng.random(), 2)
        if values and found < 2:
            found += 1
            yield "parameters", kind(**values)


def other_depths(known: Sequence[core.Strategy], rng: core.Rng) -> Iterator[tuple[str, core.Agent]]:
    """Two searching strategies that look less far or farther ahead."""
    searching = [strategy for strategy in known if "depth" in constructor_parameters(type(strategy))]
    for strategy in draw_strategies(searching, min(2, len(searching)), rng):
        others = [depth for depth in DEPTHS if depth != getattr(strategy, "depth", None)]
        values = {"depth": others[int(rng.random() * len(others))]}
        yield "depth", type(strategy)(**values)


def other_weights(game: core.Game, known: Sequence[core.Strategy], rng: core.Rng) -> Iterator[tuple[str, core.Agent]]:
    """Four searchers with weights of their own: two near those of a strategy or of the game, two drawn freely."""
    evaluation = kit_of(game).evaluation
    if evaluation is None or not make_agent("alphabeta").manages(game):
        return
    usual = evaluation.weights
    held = [getattr(strategy, "weights", None) or usual for strategy in known]
    largest = max(LEAST_WEIGHT, *(abs(weight) for weights in held for weight in weights))
    for number in range(4):
        start = held[int(rng.random() * len(held))]
        depth = int(rng.integers(1, 5))
        if number < 2:
            weights = [weight * 4.0 ** (2.0 * rng.random() - 1.0) for weight in start]
        else:
            weights = [(2.0 * rng.random() - 1.0) * largest * 10.0 ** (-2.0 * rng.random()) for _ in usual]
        rounded = tuple(rounded_weight(weight) for weight in weights)
        if number % 2:
            yield (
                "weights",
                made_of("alphabeta", depth=depth, weights=rounded, variety=round(0.1 + 0.3 * rng.random(), 2)),
            )
        else:
            yield "weights", made_of("alphabeta", depth=depth, weights=rounded)


def rounded_weight(weight: float) -> float:
    """A weight with two digits."""
    return round(weight, 1 - floor(log10(abs(weight)))) if weight else 0.0


def tables(game: core.Game, rng: core.Rng) -> Iterator[tuple[str, core.Agent]]:
    """Random tables: by history in games of few actions in which all move at once, by view in games with secrets."""
    start = game.new_initial_state()
    seed = int(rng.integers(1_000_000))
    if start.current_player() == core.SIMULTANEOUS and len(start.legal_actions(0)) <= FEW_ACTIONS:
        for memory, sharpness in ((0, 1.0), (1, 2.0), (1, 4.0), (2, 3.0)):
            yield (
                "memory",
                made_of("random_table", by="history", memory=memory, sharpness=sharpness, seed=seed + memory),
            )
    if game.hidden and widest(game, rng) <= TABLE_ACTIONS:
        for number, sharpness in enumerate((1.0, 2.0, 4.0)):
            yield "table", made_of("random_table", by="view", sharpness=sharpness, seed=seed + number)


def widest(game: core.Game, rng: core.Rng) -> int:
    """The most legal actions in a random match."""
    return max((options for options, _ in random_choices(game, rng)), default=0)


def moves_of_a_match(game: core.Game, rng: core.Rng) -> int:
    """The moves of a player in a random match."""
    counts = [0] * game.players
    for _, player in random_choices(game, rng):
        counts[player] += 1
    return max(counts)


def random_choices(game: core.Game, rng: core.Rng) -> Iterator[tuple[int, int]]:
    """The choices of a random match: the number of legal actions, and the player."""
    state = game.new_initial_state()
    for _ in range(LONGEST):
        movers = game.movers(state)
        if state.is_terminal():
            return
        if not movers:
            outcomes = state.chance_outcomes()
            state.apply_action(outcomes[int(rng.random() * len(outcomes))][0])
            continue
        legal = {player: state.legal_actions(player) for player in movers}
        yield from ((len(legal[player]), player) for player in movers)
        state.step([legal[player][int(rng.random() * len(legal[player]))] for player in movers])
