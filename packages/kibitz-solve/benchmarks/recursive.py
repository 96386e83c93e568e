"""Matrix games against linear programming, nashpy and QuantEcon; recursive games: states, solves, bytes, widths."""

import resource
import time
from collections.abc import Hashable
from functools import cache, partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np

from kibitz.core.registry import make_game
from kibitz_lab.testing.benchmark import Bench
from kibitz_solve import (
    RecursiveGame,
    build_game,
    iterate,
    matrix_game,
    matrix_games,
    recursive_game,
    solve,
    survival,
    survival_operator,
)
from kibitz_solve.recursive.building.recursive_game import Predecessors, Structure, predecessors_of
from kibitz_solve.recursive.proofs.intervals import IntervalSolver
from kibitz_solve.recursive.values.operators import Deadline

GAMES, LINPROG_GAMES, NASHPY_GAMES, QUANTECON_GAMES, LARGE_GAMES = 200_000, 100, 60, 20_000, 1_000
NEAR_TIES = (1e-3, 1e-5, 1e-7, 1e-8, 1e-10, 1e-12)
BRAWL = "bear-brawl(hero_hp=10, bear_hp=10, radius=60)"
SMALLER_BRAWL = "bear-brawl(hero_hp=10, bear_hp=10, radius=30)"
BETA = 0.999
RANDOM_GAMES: dict[str, Any] = {
    "few ends": {"ends": 0.05},
    "ends": {"ends": 0.1},
    "many ends": {"ends": 0.2},
    "far, many ends": {"ends": 0.2, "reach": np.inf},
    "far": {"ends": 0.1, "reach": np.inf},
    "two by two": {"ends": 0.2, "actions": 2},
    "five by five": {"ends": 0.1, "actions": 5},
    "chance": {"ends": 0.15, "chance": 0.5},
    "unequal pay": {"pays": (1.0, -0.3)},
    "survival": {"pays": (1.0, 0.0)},
    "flight": {"pays": (0.0, -1.0)},
}
"""The kinds of random games whose intervals used to stay wide."""


def measure(bench: Bench) -> None:
    measure_matrix_games(bench)
    measure_recursive_games(bench)
    measure_random_games(bench)
    measure_large_games(bench)


def measure_matrix_games(bench: Bench) -> None:
    bench.ratio("matrix_3x3_vs_linprog", our_games, linprog_games, least=1000.0, needs="scipy")
    bench.ratio("matrix_3x3_vs_nashpy", our_games, nashpy_games, least=2000.0, needs="nashpy")
    bench.ratio("matrix_3x3_vs_quantecon_minmax", our_games, quantecon_games, least=3.0, needs="quantecon")
    for size, most in ((10, 1.0), (30, 1.2)):
        for name, ours in (("", our_large_games), ("_single", our_single_games)):
            bench.ratio(
                f"matrix_{size}x{size}{name}_vs_quantecon",
                partial(ours, size),
                partial(quantecon_large_games, size),
                least=1.0 / most,
                needs="quantecon",
            )
    gaps = [float(matrix_games(random_matrices(size, GAMES)).gaps.max()) for size in (2, 3, 4)]
    bench.figure("matrix_largest_gap", [max(gaps)], "over 600,000 games, 2x2 to 4x4", most=1e-12)
    bench.figure("near_tie_largest_error", [max(near_tie_error(w) for w in NEAR_TIES)], "relative", most=1e-6)


def measure_recursive_games(bench: Bench) -> None:
    brawl_rate()  # compile
    rates = [brawl_rate() / 1e6 for _ in range(bench.runs)]
    bench.figure("brawl_million_states_per_second", rates, "M states/CPU s, built, solved and proved", least=1.0)
    bench.figure("brawl_bytes_per_state", [bytes_per_state()], "bytes, table, predecessors and values", most=100.0)
    for name, game in (("brawl", SMALLER_BRAWL), ("right_turn", "right-turn(radius=60)")):
        bench.figure(f"{name}_worklist_vs_gauss_seidel", [solves_ratio(game)], "× fewer matrix games", least=10.0)
    for name, spec in (("guan", "guan"), ("right_turn", "right-turn(radius=30)")):
        bench.figure(f"{name}_certified_width", [solve(spec, width=1e-6).width], "widest interval", most=1e-5)


def measure_random_games(bench: Bench) -> None:
    """One game of every kind, 1,000 states and 5 CPU seconds each; the bars are for fifty-five, five of every kind."""
    widths = [random_game_widths(kind) for kind in RANDOM_GAMES]
    closed = sum(bool((each <= 1e-6).all()) for each in widths)
    nearly = sum(bool(np.mean(each > 1e-4) <= 0.05) for each in widths)
    bench.figure("random_games_closed", [closed / len(widths)], "share of 11 closed to 1e-6", least=28 / 55)
    bench.figure("random_games_nearly_closed", [nearly / len(widths)], "share of 11, 95 % to 1e-4", least=40 / 55)


def measure_large_games(bench: Bench) -> None:
    """Games of 10,000 states, a minute each, and one of a million, ten minutes on all cores."""
    for kind in ("ends", "many ends", "far, many ends"):
        widths = random_game_widths(kind, 10_000, seconds=60.0)
        name = f"random_10000_{kind.replace(', ', '_').replace(' ', '_')}_median_width"
        bench.figure(name, [float(np.median(widths))], "median width of 10,000 states", most=1e-4)
    million = ring_of_arrays(1_000_000)
    bench.figure("two_cores_over_one", [cores_ratio(million)], "× sweeps of a million states", least=1.7)
    before = resident_bytes()
    with Peak() as peak:
        solution = solve(million, seconds=600.0)
    bench.figure("million_states_bytes", [(peak.most - before) / 1e6], "bytes a state besides the tables", most=100.0)
    widths = (solution.high - solution.low)[: million.choices]
    bench.figure("million_states_widest", [float(widths.max())], "widest interval", most=1e-3)
    bench.figure("million_states_wide", [float(np.mean(widths > 1e-3))], "share wider than 1e-3", most=1e-3)


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


class Peak:
    """The most memory that is resident inside a `with` block, looked at every few milliseconds."""

    def __enter__(self) -> "Peak":
        self.most, self.ended = resident_bytes(), Event()
        self.thread = Thread(target=self._watch, daemon=True)
        self.thread.start()
        return self

    def _watch(self) -> None:
        while not self.ended.wait(0.005):
            self.most = max(self.most, resident_bytes())

    def __exit__(self, *error: object) -> None:
        self.ended.set()
        self.thread.join()


def cores_ratio(game: RecursiveGame) -> float:
    """How many times faster two cores sweep than one."""
    import numba

    from kibitz_solve.recursive.values import block_kernels

    seconds = []
    for cores in (1, 2):
        numba.set_num_threads(min(cores, numba.config.NUMBA_NUM_THREADS))
        values, old, fixed = game.start(game.low), np.empty(game.nodes), np.zeros(game.nodes, np.uint8)
        fastest = np.inf
        for _ in range(12):
            start = time.perf_counter()
            numbers = np.array([0.0, 1e-3, 0.0])
            block_kernels.sweep_blocks(game.structure.arrays, values, old, fixed, numbers, values, 3, 3)
            fastest = min(fastest, time.perf_counter() - start)
        seconds.append(fastest)
    return seconds[0] / seconds[1]


def ring_of_arrays(states: int, seed: int = 1, ends: float = 0.05, reach: int = 10) -> RecursiveGame:
    """The game "few ends" as arrays, because a million states by name would take minutes to state."""
    rng = np.random.default_rng(seed)
    near = np.repeat(np.arange(states), 9) + rng.integers(-reach, reach + 1, 9 * states)
    drawn = rng.random(9 * states)
    after = np.where(drawn < ends, states, np.where(drawn < 2 * ends, states + 1, near % states))
    structure = Structure(
        first=np.arange(0, 9 * states + 1, 9, dtype=np.int32),
        columns=np.full(states, 3, np.uint16),
        successors=after.astype(np.int32),
        chance_first=np.zeros(1, np.int32),
        chance_successors=np.empty(0, np.int32),
        chance_odds=np.empty(0),
        stage=np.empty(0),
    )
    pays = np.array([1.0, -1.0])
    return RecursiveGame(structure, pays, pays, NumberedStates())


class NumberedStates:
    """States that are called by their numbers."""

    def node(self, state: Any) -> int:
        return int(state)

    def name(self, node: int) -> Hashable:
        return node

    def state(self, node: int) -> Any:
        return node

    def actions(self, node: int, player: int) -> list[str] | None:
        return None


def random_game_widths(kind: str, states: int = 1000, seed: int = 100, seconds: float = 5.0) -> np.ndarray:
    """The width of every interval after so many CPU seconds, however busy the machine is."""
    game = ring_game(states, seed, **RANDOM_GAMES[kind])
    deadline = Deadline(seconds, now=time.process_time)
    return IntervalSolver(game, predecessors_of(game), 1e-6, deadline).run().widths()[: game.choices]


def ring_game(
    states: int,
    seed: int,
    ends: float = 0.1,
    actions: int = 3,
    reach: float = 10.0,
    pays: tuple[float, float] = (1.0, -1.0),
    chance: float = 0.0,
) -> RecursiveGame:
    """States on a ring: an entry is one of two ends, each with probability *ends*, or a state at most *reach* away."""
    rng = np.random.default_rng(seed)

    def outcome(state: int) -> Hashable:
        drawn = rng.random()
        far = int(min(reach, states / 2))
        return (
            "won" if drawn < ends else "lost" if drawn < 2 * ends else int(state + rng.integers(-far, far + 1)) % states
        )

    def entry(state: int) -> Any:
        one, other, odds = outcome(state), outcome(state), float(rng.choice([0.5, 0.1, 0.9, 0.01]))
        return {one: odds, other: 1.0 - odds} if rng.random() < chance and one != other else one

    tables = {each: [[entry(each) for _ in range(actions)] for _ in range(actions)] for each in range(states)}
    return recursive_game(tables, {"won": pays[0], "lost": pays[1]})


@cache
def random_matrices(size: int, count: int) -> np.ndarray:
    return np.random.default_rng(size).random((count, size, size))


def our_games() -> float:
    """Both strategies, value and gap of every game."""
    return float(len(matrix_games(random_matrices(3, GAMES)).values))


def linprog_games() -> float:
    """Both of the dual programs of every game, as anybody would write them."""
    from scipy.optimize import linprog

    for matrix in random_matrices(3, LINPROG_GAMES):
        for entries in (matrix, -matrix.T):
            constraints = np.column_stack([-entries.T, np.ones(3)])
            linprog([0, 0, 0, -1], constraints, np.zeros(3), [[1, 1, 1, 0]], [1], [(0, None)] * 3 + [(None, None)])
    return LINPROG_GAMES


def nashpy_games() -> float:
    import nashpy

    for matrix in random_matrices(3, NASHPY_GAMES):
        nashpy.Game(matrix).linear_program()
    return NASHPY_GAMES


def quantecon_games() -> float:
    from quantecon.optimize import minmax

    for matrix in random_matrices(3, QUANTECON_GAMES):
        minmax(matrix)
    return QUANTECON_GAMES


def our_large_games(size: int) -> float:
    return float(len(matrix_games(random_matrices(size, LARGE_GAMES)).values))


def our_single_games(size: int) -> float:
    for matrix in random_matrices(size, LARGE_GAMES):
        matrix_game(matrix)
    return LARGE_GAMES


def quantecon_large_games(size: int) -> float:
    from quantecon.optimize import minmax

    for matrix in random_matrices(size, LARGE_GAMES):
        minmax(matrix)
    return LARGE_GAMES


def near_tie_error(w: float) -> float:
    """The relative error of the small share in [[1 - w, 1], [1, 0]], which is w / (1 + w)."""
    wait = 1.0 - w
    exact = (1.0 - wait) / (2.0 - wait)
    return abs(matrix_game([[wait, 1.0], [1.0, 0.0]]).row[1] - exact) / exact


def brawl_rate() -> float:
    """States of a large board built, solved and proved in a second of one core, however busy the machine is."""
    start = time.process_time()
    solution = solve(make_game(BRAWL))
    return len(solution) / (time.process_time() - start)


def bytes_per_state() -> float:
    model, before = modelled(BRAWL)
    names = model.states.placed.nbytes + model.states.numbers.nbytes
    arrays = sum(array.nbytes for array in (*model.structure.arrays, model.low, model.high))
    return (arrays + names + before.first.nbytes + before.nodes.nbytes + 8 * model.nodes) / model.choices


def solves_ratio(spec: str) -> float:
    """How many matrix games sweeps solve for every one of the worklist, to the same tolerance."""
    model, before = modelled(spec)
    operator, game = survival_operator(BETA), survival(model)
    swept = iterate(game, operator, method="gauss-seidel")
    return swept.solves / iterate(game, operator, before=before).solves


@cache
def modelled(spec: str) -> tuple[RecursiveGame, Predecessors]:
    model = build_game(spec)
    return model, predecessors_of(model)
