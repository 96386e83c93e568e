"""The core: the match loop, drawing random numbers in kernels, and what it costs to import kibitz."""

import kibitz
from kibitz.core.kernels import kernel
from kibitz.core.kernels import random as draws
from kibitz.core.seeds import kernel_stream
from kibitz_lab.testing.benchmark import Bench, seconds_of

TURNS = 2000


def measure(bench: Bench) -> None:
    bench.ratio("dilemma_turns_vs_openspiel", our_turns, openspiel_turns, least=0.5, needs="pyspiel")
    bench.ratio("kernel_draws_vs_python", kernel_draws, python_draws, least=50.0, unit="× Python twin")
    extra = [seconds_of("import kibitz") - seconds_of("pass") for _ in range(bench.runs)]
    bench.figure("import_seconds_over_bare_python", extra, "s", most=0.1)


def our_turns() -> float:
    """A whole recorded match of the prisoner's dilemma, all told everything."""
    kibitz.play(f"dilemma(rounds={TURNS})", ["random", "random"], seed=1)
    return TURNS


def openspiel_turns() -> float:
    """OpenSpiel's own Python prisoner's dilemma, stepped at random: no agents, nothing told, nothing kept."""
    import numpy as np
    import pyspiel
    from open_spiel.python.games import iterated_prisoners_dilemma  # noqa: F401  (registers the game)

    game = pyspiel.load_game(
        "python_iterated_prisoners_dilemma", {"max_game_length": TURNS, "termination_probability": 0.0}
    )
    rng = np.random.default_rng(1)
    state, turns = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.chance_outcomes()[0][0])
        else:
            state.apply_actions([int(rng.random() * len(state.legal_actions(player))) for player in (0, 1)])
            turns += 1
    return turns


@kernel("int64(uint64[:], int64)")
def many_draws(state, count):
    """Draw *count* words; return how many."""
    for _ in range(count):
        draws.draw_word(state)
    return count


def kernel_draws() -> float:
    return many_draws(kernel_stream(1, "bench"), 2_000_000)


def python_draws() -> float:
    drawn = draws.Draws(kernel_stream(1, "bench"))
    for _ in range(20_000):
        drawn.word()
    return 20_000
