"""CFR+ on Leduc poker against OpenSpiel's C++ and Python: the time to an exploitability of 1e-3, and what it found."""

import time
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

from kibitz_lab.extensive import build_table, equilibrium, solve_cfr
from kibitz_lab.extensive.table import InformationTable
from kibitz_lab.testing.benchmark import Bench

TARGET = 1e-3
TIMED = 10
"""The iterations of OpenSpiel's Python solver that are timed; all take the same time."""
UNIT = "× its speed, CPU time to exploitability 1e-3"


def measure(bench: Bench) -> None:
    bars = {"leduc_cfr_plus_vs_openspiel_cpp": 0.5, "leduc_cfr_plus_vs_openspiel_python": 20.0}
    if find_spec("pyspiel") is None:
        for name, least in bars.items():
            bench.missing(name, "open_spiel", UNIT, f">= {least:g}")
        return
    our_seconds()  # compile
    peers = {"leduc_cfr_plus_vs_openspiel_cpp": cpp_seconds, "leduc_cfr_plus_vs_openspiel_python": python_seconds}
    runs = 1 if bench.quick else bench.runs
    for name, seconds in peers.items():
        ratios = [seconds() / our_seconds() for _ in range(runs)]  # alternating, so that a busy machine slows both
        bench.figure(name, ratios, UNIT, least=bars[name])
    with_table = [cpp_seconds() / our_seconds(fresh=True) for _ in range(runs)]
    bench.figure("leduc_with_the_table_vs_openspiel_cpp", with_table, f"{UNIT}, building the table included", least=0.5)
    found = solve_cfr(leduc(), target=TARGET)
    bench.figure("leduc_iterations", [float(found.iterations)], "iterations of CFR+", most=2.0 * iterations_needed())
    error = abs(found.exploitability - their_exploitability(found.profile))
    bench.figure("leduc_exploitability_vs_openspiel", [error], "difference", most=1e-6)
    bench.figure("leduc_value_error", [abs(found.returns[0] - equilibrium(leduc(), 0).value)], "points", most=TARGET)


@cache
def leduc() -> InformationTable:
    return build_table("leduc")


@cache
def their_game() -> Any:
    import pyspiel

    return pyspiel.load_game("leduc_poker")


def processor_time(work: Callable[[], object]) -> float:
    """The CPU seconds of some work, however busy the machine is."""
    start = time.process_time()
    work()
    return time.process_time() - start


def our_seconds(fresh: bool = False) -> float:
    """Ours, looking at exploitability as it goes, and with *fresh* from the rules on."""
    return processor_time(lambda: solve_cfr(build_table("leduc") if fresh else leduc(), target=TARGET))


@cache
def iterations_needed() -> int:
    """The iterations after which OpenSpiel's CFR+ is below the target, found by looking at every 50th."""
    import pyspiel

    solver, done = pyspiel.CFRPlusSolver(their_game()), 0
    while True:
        for _ in range(50):
            solver.evaluate_and_update_policy()
        done += 50
        if pyspiel.exploitability(their_game(), solver.average_policy()) <= TARGET:
            return done


def cpp_seconds() -> float:
    """OpenSpiel's C++ solver, told beforehand when to stop, so that it never looks at exploitability."""
    import pyspiel

    def run() -> None:
        solver = pyspiel.CFRPlusSolver(their_game())
        for _ in range(iterations_needed()):
            solver.evaluate_and_update_policy()

    return processor_time(run)


def python_seconds() -> float:
    """OpenSpiel's Python solver: the time of some iterations, times as many as it needs."""
    from open_spiel.python.algorithms.cfr import CFRPlusSolver

    solver = CFRPlusSolver(their_game())

    def run() -> None:
        for _ in range(TIMED):
            solver.evaluate_and_update_policy()

    return processor_time(run) * iterations_needed() / TIMED


def their_exploitability(profile: Any) -> float:
    """What OpenSpiel says of strategies of ours."""
    import pyspiel

    table, found = leduc(), {}
    waiting = [(0, their_game().new_initial_state())]
    while waiting:
        node, state = waiting.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            shares = profile[state.current_player()].at(int(table.tree.sets[node])).tolist()
            found[state.information_state_string()] = list(zip(state.legal_actions(), shares, strict=True))
        first = int(table.tree.children[node])
        waiting += [(first + place, state.child(action)) for place, action in enumerate(state.legal_actions())]
    return float(pyspiel.exploitability(their_game(), pyspiel.TabularPolicy(found)))
