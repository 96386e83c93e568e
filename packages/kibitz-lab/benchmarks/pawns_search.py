"""Search and random play in board games: Breakthrough against OpenSpiel's, Pawns against the search in Python."""

from functools import cache

import numpy as np

from kibitz import playing
from kibitz.core.kernels import kernel
from kibitz.core.kit.compiled import words_of
from kibitz.core.registry import kit_of, make_game
from kibitz.core.seeds import kernel_stream
from kibitz_lab.games.breakthrough.features import feature_weights
from kibitz_lab.games.breakthrough.kernels import KERNELS, rollout
from kibitz_lab.games.pawns.agents import TABLE
from kibitz_lab.games.pawns.features import evaluate
from kibitz_lab.games.pawns.rules import State
from kibitz_lab.search import game_tree
from kibitz_lab.search.compiled_search import CompiledSearch
from kibitz_lab.search.settings import SearchResult, Settings
from kibitz_lab.testing.benchmark import Bench, seconds_of, speed

ALL_SIX = (3.0, -7.0, 1.5, -110.0, 2.0, 5.0)
FIRST_MOVE = """
import kibitz
from kibitz.core.agent import Clock
from kibitz.core.seeds import stream
game, agent = kibitz.make_game("pawns"), kibitz.make_agent("alphabeta(depth=6)")
agent.begin(game, 0, stream(1, "first"))
agent.act(game.new_initial_state(), Clock())
"""
GAMES, PEER_GAMES = 20_000, 300
DRIVEN = 300
CLONES = 100_000
DEPTH, SEARCHES = 7, 5
PLAIN = Settings(depth=DEPTH, table=False, history=False)
"""Alpha-beta without a memory, which the peer has not either."""


def measure(bench: Bench) -> None:
    measure_breakthrough(bench)
    measure_pawns(bench)


def measure_breakthrough(bench: Bench) -> None:
    bench.ratio("breakthrough_rollouts_vs_openspiel", our_rollouts, openspiel_rollouts, least=20.0, needs="pyspiel")
    bench.ratio("breakthrough_state_vs_openspiel", our_moves, openspiel_moves, least=0.9, needs="pyspiel")
    bench.ratio("breakthrough_clone_vs_openspiel", our_clones, openspiel_clones, least=1.0, needs="pyspiel")
    bench.ratio("breakthrough_alphabeta_vs_openspiel", our_nodes, openspiel_nodes, least=50.0, needs="pyspiel")


def measure_pawns(bench: Bench) -> None:
    bench.ratio("pawns_search_vs_python", compiled_nodes, python_nodes, least=25.0, unit="× Python")
    deep_nodes()  # makes the positions
    speeds = [speed(deep_nodes) / 1e6 for _ in range(bench.runs)]
    bench.figure("pawns_million_nodes_per_second", speeds, "M nodes/s, all six features", least=2.0)
    counts = [settled(state, Settings(depth=8, noise_seed=5)) for state in midgame()]
    bench.figure("pawns_depth8_nodes", [sum(found.nodes for found in counts) / len(counts)], "nodes", most=15_000)
    plain = [settled(state, Settings(depth=8, noise_seed=5, table=False, history=False)) for state in midgame()]
    wrong = sum(one.value != other.value for one, other in zip(counts, plain, strict=True))
    bench.figure("pawns_depth8_values_that_differ", [float(wrong)], "of 40 positions", most=0.0)
    firsts = [seconds_of(FIRST_MOVE) / seconds_of("import numba") for _ in range(bench.runs)]
    bench.figure("first_move_vs_import_numba", firsts, "× import numba", most=2.5)


@cache
def midgame(count: int = 40) -> list[State]:
    """Positions of games between the four strategies, not too near either end."""
    found: list[State] = []
    rng = np.random.default_rng(3)
    while len(found) < count:
        pair = [f"pawns.{name.lower()}" for name in rng.choice(list(TABLE), 2)]
        states = [moment.state for moment in playing("pawns", pair, seed=int(rng.integers(1 << 32)))]
        found += [states[int(place)] for place in rng.integers(8, max(9, len(states) - 4), 2) if len(states) > 14]
    return found[:count]


def settled(state: State, settings: Settings) -> SearchResult:
    """What the compiled search finds with the strategies of the thesis in turn."""
    weights = list(TABLE.values())[len(state.legal_actions()) % 4]
    return pawns_searcher().search(state, settings, weights)


@cache
def pawns_searcher() -> CompiledSearch:
    return CompiledSearch(kit_of("pawns").kernels)


def deep_nodes() -> float:
    return sum(pawns_searcher().search(state, Settings(depth=8, noise_seed=5), ALL_SIX).nodes for state in midgame())


def compiled_nodes() -> float:
    return sum(pawns_searcher().search(state, Settings(depth=4), ALL_SIX).nodes for state in midgame(8) * 40)


def python_nodes() -> float:
    """The same searches in Python."""
    searches = (
        game_tree.search(state, Settings(depth=4), lambda child: evaluate(child, ALL_SIX)) for state in midgame(8)
    )
    return sum(found.nodes for found in searches)


@kernel("int64(uint64[:], uint64[:], int64)")
def rollouts(state, random, games):
    """Play *games* random games from *state*; return their plies in all."""
    played, plies = np.empty_like(state), 0
    for _ in range(games):
        played[:] = state
        plies += rollout(played, random) >> 2
    return plies


def our_rollouts() -> float:
    """Moves of random games inside one call."""
    start = words_of(make_game("breakthrough").new_initial_state())
    return float(rollouts(start, kernel_stream(1, "rollouts"), GAMES))


def openspiel_rollouts() -> float:
    """Moves of the random games its C++ tree search plays inside one call: one simulation, all of it from the start."""
    import pyspiel

    start = openspiel_start()
    evaluator = pyspiel.RandomRolloutEvaluator(PEER_GAMES, 1)
    bot = pyspiel.MCTSBot(start.get_game(), evaluator, 1.4, 1, 10, False, 1, False)
    bot.mcts_search(start)
    return PEER_GAMES * mean_length()


@cache
def mean_length() -> float:
    """How long a random game is; the same rules, so the same for both."""
    start = words_of(make_game("breakthrough").new_initial_state())
    return rollouts(start, kernel_stream(2, "length"), 100_000) / 100_000


def our_moves() -> float:
    return moves(make_game("breakthrough").new_initial_state())


def openspiel_moves() -> float:
    return moves(openspiel_start())


def moves(start) -> int:
    """Moves of random games driven from Python, one call at a time; both sides have the same names."""
    drawn = iter(np.random.default_rng(1).random(DRIVEN * 250).tolist())
    count = 0
    for _ in range(DRIVEN):
        state = start.clone()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(next(drawn) * len(legal))])
            count += 1
    return count


def our_clones() -> float:
    return clones(make_game("breakthrough").new_initial_state())


def openspiel_clones() -> float:
    return clones(openspiel_start())


def clones(state) -> int:
    for _ in range(CLONES):
        state.clone()
    return CLONES


@cache
def searcher() -> CompiledSearch:
    return CompiledSearch(KERNELS)


def our_nodes() -> float:
    """Children visited by alpha-beta that counts pieces."""
    start = make_game("breakthrough").new_initial_state()
    return sum(searcher().search(start, PLAIN, feature_weights(material=1.0)).nodes for _ in range(SEARCHES))


def openspiel_nodes() -> float:
    """Children visited by OpenSpiel's own alpha-beta over its C++ states, to the same depth and counting pieces too."""
    from open_spiel.python.algorithms import minimax

    search = minimax.alpha_beta_search
    search(openspiel_start().get_game(), openspiel_start(), openspiel_material, DEPTH)
    return openspiel_visits()


@cache
def openspiel_visits() -> int:
    """How many children that search visits: counted once, apart from the measuring, by watching it call itself."""
    from open_spiel.python.algorithms import minimax

    inner, calls = minimax._alpha_beta, 0

    def watched(*arguments, **keywords):
        nonlocal calls
        calls += 1
        return inner(*arguments, **keywords)

    minimax._alpha_beta = watched
    try:
        minimax.alpha_beta_search(openspiel_start().get_game(), openspiel_start(), openspiel_material, DEPTH)
    finally:
        minimax._alpha_beta = inner
    return calls - 1  # the root is nobody's child


def openspiel_material(state) -> float:
    """Its quickest way to count pieces, by the letters of the board; less than a win, which it takes as 1."""
    board = str(state)
    return (board.count("b") - board.count("w")) / 100.0


def openspiel_start():
    import pyspiel

    return pyspiel.load_game("breakthrough").new_initial_state()
