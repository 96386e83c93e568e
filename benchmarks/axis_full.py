"""The whole game of Axis & Allies: random games over kernels and by the readable rules.

Speeds are turns of a power per processor second, because the machine may be busy.
"""

import random
from time import process_time

from kibitz.core.seeds import kernel_stream
from kibitz.games.axis.full.fast import ArrayAxis
from kibitz.games.axis.full.kernels.turns import play_at_random
from kibitz.games.axis.rules import Axis
from kibitz.testing.benchmark import Bench

ROUNDS = 20
GAME = {"scenario": "revised", "rules": "full"}


def measure(bench: Bench) -> None:
    game = ArrayAxis(**GAME, turns=ROUNDS)
    start = game.new_initial_state()
    rng = kernel_stream(0, "axis-full")
    play_at_random(start.board_numbers, start.numbers.copy(), 1, rng)  # compiles
    seconds = 1.0 if bench.quick else 3.0
    speeds = [turns_per_second(start, rng, seconds) for _ in range(bench.runs)]
    bench.figure("random_turns", speeds, "turns of a power a CPU s", least=1_000.0)
    readable = Axis(**GAME, turns=1)
    reference = [reference_turns_per_second(readable, seed) for seed in range(bench.runs)]
    first = ArrayAxis(**GAME, turns=1).new_initial_state()
    fast = [turns_per_second(first, rng, seconds) for _ in range(bench.runs)]
    bench.figure(
        "times_the_reference", [one / other for one, other in zip(fast, reference, strict=True)], "× in a round"
    )


def turns_per_second(start: object, rng: object, seconds: float) -> float:
    """How many turns random games have a processor second."""
    begun, turns = process_time(), 0
    while process_time() - begun < seconds:
        turns += play_at_random(start.board_numbers, start.numbers.copy(), 10**9, rng)
    return turns / (process_time() - begun)


def reference_turns_per_second(game: Axis, seed: int) -> float:
    """The same over the readable rules, in one round."""
    rng, state, begun = random.Random(seed), game.new_initial_state(), process_time()
    while not state.is_terminal():
        outcomes = state.chance_outcomes()
        legal = state.legal_actions()
        if outcomes:
            state.apply_action(rng.choices([o for o, _ in outcomes], [chance for _, chance in outcomes])[0])
        else:
            state.apply_action(legal[rng.randrange(len(legal))])
    return len(game.world.turns) / (process_time() - begun)
