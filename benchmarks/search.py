"""Searches on two cores: how much sooner they end than on one.

The comparison is with the same search run twice at the same time, once on each core: a busy machine slows both alike,
and on one that is not busy it takes as long as one search alone.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from threading import Thread

from kibitz import core, make_agent, make_game, playing
from kibitz.agents.search.compiled_search import CompiledSearch
from kibitz.agents.search.mcts.agent import MCTS
from kibitz.agents.search.mcts.root_shares import BegunShare, Budget, ShareWork
from kibitz.agents.search.settings import Settings
from kibitz.agents.search.threaded_search import ThreadedSearch
from kibitz.core.abilities import ability
from kibitz.core.seeds import stream
from kibitz.testing.benchmark import Bench

DEPTHS = {"pawns": 13, "breakthrough": 8}
POSITIONS = 4
SIMULATIONS = 6000


def measure(bench: Bench) -> None:
    for game, depth in DEPTHS.items():
        gains = [alphabeta_gain(game, depth) for _ in range(bench.runs)]
        bench.figure(f"alphabeta_{game}_two_threads", gains, "× as fast as one thread", least=1.7)
    for game in ("pawns", "dilemma"):
        gains = [mcts_gain(game) for _ in range(bench.runs)]
        bench.figure(f"mcts_{game}_two_threads", gains, "× as fast as one thread", least=1.7)


def alphabeta_gain(game: str, depth: int) -> float:
    """How many times as fast two threads search the same positions."""
    kernels, weights = ability(game, "KERNELS"), ability(game, "EVALUATION").check_weights(None)
    alone, together = [CompiledSearch(kernels) for _ in range(2)], ThreadedSearch(kernels, 2)
    settings, one, two = Settings(depth=depth, margin=1.0), 0.0, 0.0
    for seed in range(POSITIONS):
        state = [each.state for each in playing(game, ["random", "random"], seed=seed)][8]
        one += wall_seconds([partial(each.search, state, settings, weights) for each in alone])
        two += wall_seconds([partial(together.search, state, settings, weights)])
    return one / two


def wall_seconds(works: Sequence[Callable[[], object]]) -> float:
    """Seconds until all of *works*, each in a thread of its own, are done."""
    threads = [Thread(target=work) for work in works]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def mcts_gain(game: str) -> float:
    """How many times as fast two processes play the simulations of a move."""
    rules = make_game(game)
    agent = make_agent(f"mcts(simulations={SIMULATIONS}, threads=2)")
    assert isinstance(agent, MCTS)
    agent.begin(rules, 0, stream(1, "agent", 0))
    view = rules.new_initial_state().view(0)
    whole = ShareWork(rules, 0, view, True, 0.7, rules.max_plies, True, 1000, (), Budget(SIMULATIONS), 1)
    start = time.perf_counter()
    other = BegunShare(whole)
    whole.root_share()
    other.root_share(0.0)
    one = time.perf_counter() - start
    start = time.perf_counter()
    agent.act(view, core.Clock())
    return one / (time.perf_counter() - start)
