"""Battles on land and at sea, exact; random turns on the land board."""

from functools import cache

from kibitz.core.kernels import kernel
from kibitz.core.match import drawn_outcome
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz_axis.battle.exact import worked_out
from kibitz_axis.battle.kernels import battle_odds
from kibitz_axis.battle.problem import Battle
from kibitz_axis.battle.tables import Tables, battle_tables
from kibitz_axis.units import read_battle
from kibitz_lab.testing.benchmark import Bench, speed

BATTLES = {
    "5v4": "2i2a1t vs 3i1a",
    "25v25": "10i5a10t vs 15i5a5t",
    "60v60": "30i10a20t vs 40i10a10t",
    "fleets_20v14": "4 sub 3 trn 4 dd 2 cv 3 bb 4 ftr vs 3 sub 2 trn 3 dd 1 cv 2 bb 3 ftr",
    "fleets_40v40": "20 sub 20 dd vs 20 sub 20 dd",
}
TIMES = {"5v4": 5000, "25v25": 200, "60v60": 20}
MICROSECONDS = {"5v4": 10.0, "25v25": 1000.0, "60v60": 20_000.0}
WHOLE = {"fleets_20v14": (20, 20.0), "fleets_40v40": (20, 20.0)}
"""Of battles that are read, worked out and written down as people ask for them: how often, and the bar in ms."""
TURNS = 400


def measure(bench: Bench) -> None:
    for name, most in MICROSECONDS.items():
        exact(name)  # compile
        bench.figure(
            f"exact_{name}", [1e6 / speed(lambda name=name: exact(name)) for _ in range(bench.runs)], "µs", most=most
        )
    for name, (times, most) in WHOLE.items():
        whole(name, 1)
        took = [1e3 / speed(lambda name=name, times=times: whole(name, times)) for _ in range(bench.runs)]
        bench.figure(f"whole_{name}", took, "ms", most=most)
    turns()
    bench.figure("random_turns", [speed(turns) for _ in range(bench.runs)], "turns/s, land board", least=2000.0)


@cache
def tables(name: str) -> Tables:
    """A battle as kernels want it."""
    return battle_tables(Battle(*read_battle(BATTLES[name])))


@kernel("float64(int64[:, ::1], int64[:, ::1], float64[::1], float64[::1], int64)")
def many_battles(attack, defence, attackers, defenders, times):
    """Work a battle out *times*; the chance that both sides are gone, added up."""
    total = 0.0
    for _ in range(times):
        total += battle_odds(attack, defence, attackers, defenders, 0, 0, False)[-1, -1]
    return total


def exact(name: str) -> float:
    made = tables(name)
    many_battles(made.attack, made.defence, made.attackers_start, made.defenders_start, TIMES[name])
    return TIMES[name]


def whole(name: str, times: int) -> float:
    for _ in range(times):
        worked_out(Battle(*read_battle(BATTLES[name])))
    return times


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
