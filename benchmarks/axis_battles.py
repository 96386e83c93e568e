"""Battles, exact and with dice inside kernels, against exact fractions; random turns on the land board."""

from functools import cache

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.core.match import drawn_outcome
from kibitz.core.registry import make_game
from kibitz.core.seeds import kernel_stream, stream
from kibitz.games.axis.battle import reference
from kibitz.games.axis.battle.exact import endings, ladder
from kibitz.games.axis.battle.kernels import battle_grid, battle_tally
from kibitz.games.axis.battle.problem import Battle
from kibitz.games.axis.battle.side import sides_of
from kibitz.games.axis.units import read_battle
from kibitz.testing.benchmark import Bench, speed

BATTLES = {"5v4": "2i2a1t vs 3i1a", "25v25": "10i5a10t vs 15i5a5t", "60v60": "30i10a20t vs 40i10a10t"}
TIMES = {"5v4": 5000, "25v25": 200, "60v60": 20}
MICROSECONDS = {"5v4": 10.0, "25v25": 1000.0, "60v60": 20_000.0}
DICE = {"5v4": (200_000, 500_000.0), "60v60": (20_000, 40_000.0)}
TURNS = 400


def measure(bench: Bench) -> None:
    for name, most in MICROSECONDS.items():
        exact(name)  # compile
        bench.figure(
            f"exact_{name}", [1e6 / speed(lambda name=name: exact(name)) for _ in range(bench.runs)], "µs", most=most
        )
    for name, (times, least) in DICE.items():
        rolled(name, 10)
        speeds = [speed(lambda name=name, times=times: rolled(name, times)) for _ in range(bench.runs)]
        bench.figure(f"dice_{name}", speeds, "battles/s", least=least)
    bench.ratio("exact_5v4_vs_fractions", lambda: exact("5v4"), fractions, least=100.0, unit="× exact fractions")
    bench.figure("largest_error_25v25", [largest_error()], "against fractions", most=1e-12)
    turns()
    bench.figure("random_turns", [speed(turns) for _ in range(bench.runs)], "turns/s, land board", least=2000.0)


@cache
def ladders(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both sides of a battle as kernels want them, and where it begins."""
    battle = Battle(*read_battle(BATTLES[name]))
    attack, defence = (
        ladder(side, side.fighting(army, at_sea=False))[1]
        for side, army in zip(sides_of(battle), (battle.attackers, battle.defenders), strict=True)
    )
    start = np.zeros(len(defence))
    start[0] = 1.0
    return attack, defence, start


@kernel("float64(int64[:, ::1], int64[:, ::1], float64[::1], int64)")
def many_grids(attack, defence, start, times):
    """Work a battle out *times*; the chance that both sides are gone, added up."""
    total = 0.0
    for _ in range(times):
        total += battle_grid(attack, defence, start, len(attack) - 1, 0, False)[-1, -1]
    return total


def exact(name: str) -> float:
    many_grids(*ladders(name), TIMES[name])
    return TIMES[name]


def rolled(name: str, times: int) -> float:
    attack, defence, _ = ladders(name)
    tally = np.zeros((len(attack), len(defence)), dtype=np.int64)
    return battle_tally(attack, defence, 0, len(attack) - 1, 0, False, times, kernel_stream(1, "bench"), tally)


def fractions() -> float:
    reference.outcomes(Battle(*read_battle(BATTLES["5v4"])))
    return 1.0


def largest_error() -> float:
    """The largest difference of any ending of 25 against 25 from its fraction."""
    battle = Battle(*read_battle(BATTLES["25v25"]))
    true = reference.outcomes(battle)
    return max(abs(each.probability - float(true[each.attackers, each.defenders])) for each in endings(battle))


def turns() -> float:
    """Random turns of powers on the land part of the Revised board, two moves and all battles each."""
    game, numbers = make_game("axis(scenario='revised')"), iter(stream(1, "bench").random(100_000).tolist())
    state, done = game.new_initial_state(), 0
    while done < TURNS:
        before, legal = state.mover, state.legal_actions()
        state.apply_action(legal[int(next(numbers) * len(legal))] if legal else drawn_outcome(state, next(numbers)))
        if state.is_terminal():
            state = game.new_initial_state()
        done += state.mover != before
    return done
