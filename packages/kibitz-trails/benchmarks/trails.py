"""Colored Trails: BestUse in a kernel against the list and against walking every path; all offers; a tournament."""

import time
from collections.abc import Callable
from functools import cache

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz_lab.testing.benchmark import Bench, speed
from kibitz_trails.agents.population import population
from kibitz_trails.board import Board, Chips
from kibitz_trails.board_file import load
from kibitz_trails.offer_scoring import best_use, offer_scores, pack_board, word
from kibitz_trails.rules import State

QUERIES, REPEATED = 1000, 2000
MOST_HELD = 4
"""Chips of a colour in the questions: more make walking every path hopeless."""
TOURNAMENT, SAMPLE = 11_520, 96
"""Games of 24 agents in both seats, ten times; and how many of them are played here."""


def measure(bench: Bench) -> None:
    in_kernel()
    bench.figure("best_use", [1e9 / speed(in_kernel) for _ in range(bench.runs)], "ns", most=100.0)
    bench.ratio("best_use_vs_list", in_kernel, in_list, least=500.0, unit="× the same list in Python")
    bench.ratio("best_use_vs_search", in_kernel, by_walking, least=10_000.0, unit="× walking every path")
    start = make_game("trails").new_initial_state()
    assert isinstance(start, State)
    bench.figure("all_offers", milliseconds(lambda: offer_scores(start), bench.runs), "ms for 63,504", most=15.0)
    sample()
    minutes = [TOURNAMENT / SAMPLE * cpu_seconds(sample) / 2 / 60 for _ in range(bench.runs)]
    bench.figure("tournament", minutes, f"CPU min on 2 cores, from {SAMPLE} recorded games", most=3.0)


def cpu_seconds(work: Callable[[], object]) -> float:
    """What a piece of work takes of this process's time, however busy the machine is."""
    start = time.process_time()
    work()
    return time.process_time() - start


def milliseconds(work: Callable[[], object], runs: int) -> list[float]:
    """How long a piece of work takes, after one to warm up."""
    work()

    def once() -> float:
        work()
        return 1.0

    return [1000.0 / speed(once) for _ in range(runs)]


@cache
def questions() -> tuple[Board, list[tuple[int, Chips]]]:
    """Squares of DD and chips, drawn."""
    board, rng = load("dd"), stream(1, "trails questions")
    drawn = rng.integers(0, MOST_HELD + 1, (QUERIES, len(board.colours))).tolist()
    squares = rng.integers(0, len(board.grid), QUERIES).tolist()
    return board, [(square, tuple(chips)) for square, chips in zip(squares, drawn, strict=True)]


@kernel("int64(int64[::1], uint64[::1], int64[::1], int64, int64[::1], uint64[::1], int64)")
def asked(gains, needs, bounds, chip, squares, chips, times):
    """Ask all questions so often; the answers added up."""
    total = 0
    for _ in range(times):
        for number in range(len(squares)):
            total += best_use(gains, needs, bounds, chip, squares[number], chips[number])
    return total


@cache
def packed_questions() -> tuple[np.ndarray, np.ndarray]:
    _, drawn = questions()
    return np.array([square for square, _ in drawn], np.int64), np.array([word(chips) for _, chips in drawn], np.uint64)


def in_kernel() -> float:
    board, _ = questions()
    packing = pack_board(board)
    asked(packing.gains, packing.needs, packing.bounds, packing.chip, *packed_questions(), REPEATED)
    return float(QUERIES * REPEATED)


def in_list() -> float:
    board, drawn = questions()
    for square, chips in drawn:
        board.frontier(square).best_use(chips)
    return float(QUERIES)


def by_walking() -> float:
    """Every path from the start of player 0, no square twice."""
    board, drawn = questions()
    for _, chips in drawn[:20]:
        walked(board, board.starts[0], chips, {board.starts[0]})
    return 20.0


def walked(board: Board, square: int, chips: Chips, seen: set[int]) -> int:
    best = board.score(square, chips)
    if square == board.goal:
        return best
    for target in board.neighbours[square]:
        if target is not None and target not in seen and chips[board.grid[target]]:
            colour = board.grid[target]
            left = (*chips[:colour], chips[colour] - 1, *chips[colour + 1 :])
            best = max(best, walked(board, target, left, seen | {target}))
    return best


def sample() -> float:
    """Some games of the tournament, recorded."""
    agents, game = population()[-24:], make_game("trails")
    rng = stream(2, "trails tournament")
    for number in range(SAMPLE):
        one, other = rng.permutation(len(agents))[:2]
        play(game, [agents[one], agents[other]], seed=number)
    return float(SAMPLE)
