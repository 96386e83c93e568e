"""The bridge to OpenSpiel: how many of its games keep the contract, and what wrapping a game costs.

Environments for learning programs are measured in `environments.py`.
"""

import random
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from kibitz.core.bridges import bridge_status
from kibitz.core.registry import make_game
from kibitz_lab.bridges.openspiel.about import catalogue
from kibitz_lab.bridges.openspiel.loading import pyspiel
from kibitz_lab.testing.benchmark import Bench

MATCHES = {"breakthrough": 60, "connect_four": 250, "goofspiel(num_cards=8,points_order=descending)": 400}
SECONDS, PROCESSES = 60, 2
"""Seconds of CPU time that the check of one game may take, and how many are checked at once."""
PATIENCE = 20 * SECONDS
"""Seconds by the clock, for a game that waits for ever."""
ELIGIBLE = """
import random, sys, time
import pyspiel
if sys.argv[1].startswith(("python_", "chat_", "mfg_")): import open_spiel.python.games
start, state = time.process_time(), pyspiel.load_game(sys.argv[1]).new_initial_state()
for _ in range(10):
    if state.is_terminal(): break
    if state.is_simultaneous_node():
        state.apply_actions([random.choice(state.legal_actions(p) or [0]) for p in range(state.num_players())])
    elif state.is_chance_node(): state.apply_action(random.choice(state.chance_outcomes())[0])
    else: state.apply_action(random.choice(state.legal_actions()))
assert time.process_time() - start < 1.0
"""
CHECK = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
from kibitz.testing import check_game
check_game(sys.argv[1], walks=2, plies=60)
"""


def measure(bench: Bench) -> None:
    """Games that pass `check_game`, each in a process of its own, and the overhead of random play from Python."""
    if not bridge_status("openspiel").usable:
        bench.missing("OpenSpiel games that pass check_game", "open_spiel", "games", ">= 85")
        return
    names = [entry.spec.removeprefix("openspiel:") for entry in catalogue()]
    with ThreadPoolExecutor(PROCESSES) as pool:
        eligible = [name for name, ok in zip(names, pool.map(partial(succeeds, ELIGIBLE), names), strict=True) if ok]
        passed = sum(pool.map(partial(succeeds, CHECK), [f"openspiel:{name}" for name in eligible]))
    unit = f"games of {len(eligible)} that finish 10 random plies in 1 s"
    bench.figure("OpenSpiel games that pass check_game", [passed], unit, least=85)
    for name in MATCHES:
        ours, theirs = our_playouts(name), their_playouts(name)
        ours(), theirs()
        costs = [cost(ours) / cost(theirs) for _ in range(bench.runs)]
        bench.figure(f"overhead of {name.partition('(')[0]}", costs, "× OpenSpiel's own loop in Python", most=2.5)


def cost(work: Callable[[], float]) -> float:
    """Seconds of CPU per ply."""
    start = time.process_time()
    plies = work()
    return (time.process_time() - start) / plies


def succeeds(code: str, name: str) -> bool:
    """Whether *code* runs through for a game; some games end the process."""
    try:
        done = subprocess.run([sys.executable, "-c", code, name], capture_output=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def our_playouts(name: str) -> Callable[[], float]:
    """Random matches of a bridged game; what it returns is the number of plies."""
    game = make_game(f"openspiel:{name}")
    return lambda: random_plies(game, MATCHES[name])


def their_playouts(name: str) -> Callable[[], float]:
    """The same with OpenSpiel's own objects."""
    game = pyspiel().load_game(name)
    return lambda: random_plies(game, MATCHES[name])


def random_plies(game: Any, matches: int) -> float:
    """Play random matches through the names that both sides share; return the number of plies."""
    rng, plies = random.Random(1), 0
    draw = rng.random
    for _ in range(matches):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.current_player() == -2:
                legal = [state.legal_actions(player) for player in (0, 1)]
                state.apply_actions([actions[int(draw() * len(actions))] for actions in legal])
            else:
                actions = state.legal_actions()
                state.apply_action(actions[int(draw() * len(actions))])
            plies += 1
    return float(plies)
