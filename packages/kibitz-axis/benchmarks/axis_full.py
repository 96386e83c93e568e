"""The whole game of Axis & Allies: random games.

Speeds are turns of a power per processor second, because the machine may be busy.
"""

import random
from time import process_time

from kibitz_axis.game import Axis
from kibitz_lab.testing.benchmark import Bench

GAME = {"scenario": "revised", "rules": "full", "turns": 1}


def measure(bench: Bench) -> None:
    game = Axis(**GAME)
    turns_per_second(game, 0)  # compiles
    speeds = [turns_per_second(game, seed) for seed in range(bench.runs)]
    bench.figure("random_turns", speeds, "turns of a power a CPU s")


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
