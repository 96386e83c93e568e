"""The whole game of Axis & Allies: random games over kernels and by the readable rules.

Speeds are turns of a power per processor second, because the machine may be busy.
"""

import random
from time import process_time

from kibitz.games.axis.full.fast import ArrayAxis
from kibitz.games.axis.rules import Axis
from kibitz.testing.benchmark import Bench

GAME = {"scenario": "revised", "rules": "full", "turns": 1}


def measure(bench: Bench) -> None:
    fast, readable = ArrayAxis(**GAME), Axis(**GAME)
    turns_per_second(fast, 0)  # compiles
    speeds = [turns_per_second(fast, seed) for seed in range(bench.runs)]
    reference = [turns_per_second(readable, seed) for seed in range(bench.runs)]
    bench.figure("random_turns", speeds, "turns of a power a CPU s")
    bench.figure(
        "times_the_reference", [one / other for one, other in zip(speeds, reference, strict=True)], "× in a round"
    )


def turns_per_second(game: Axis, seed: int) -> float:
    """How many turns random games have a processor second, in one round."""
    rng, state, begun = random.Random(seed), game.new_initial_state(), process_time()
    while not state.is_terminal():
        outcomes = state.chance_outcomes()
        legal = state.legal_actions()
        if outcomes:
            state.apply_action(rng.choices([o for o, _ in outcomes], [chance for _, chance in outcomes])[0])
        else:
            state.apply_action(legal[rng.randrange(len(legal))])
    return len(game.world.turns) / (process_time() - begun)
