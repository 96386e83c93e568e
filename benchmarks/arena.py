"""The arena: matches played and stored per second, what scheduling and storing cost, and Axelrod's tournament."""

import tempfile
import time
from pathlib import Path

from kibitz.arena.executors import Executor, make_executor
from kibitz.arena.plan import Plan
from kibitz.arena.runs import open_run
from kibitz.arena.series import played_series
from kibitz.arena.tournament import Tournament
from kibitz.store import Store
from kibitz.testing.benchmark import Bench

TURNS = 200
STRATEGIES = ("tit_for_tat", "defector", "pavlov", "grim", "generous", "two_tats", "cooperator")
RANDOM = {"first": "random", "second": "random"}


def measure(bench: Bench) -> None:
    whole = [seconds(pawns(5000, seed=run), "pool", workers=2) for run in range(min(bench.runs, 3))]
    bench.figure("ten_thousand_pawns_matches", whole, "s", most=60.0)
    overheads = [overhead(pawns(100, seed=run)) for run in range(bench.runs)]
    bench.figure("overhead_per_match", overheads, "ms", most=1.0)
    bench.figure("pool_of_two_vs_inline", [gain(pawns(750, seed=run)) for run in range(bench.runs)], "×", least=1.6)
    bench.ratio("dilemma_matches_vs_axelrod", our_dilemmas, axelrod_dilemmas, least=3.0, needs="axelrod")


def pawns(repeats: int, seed: int) -> Tournament:
    """Random against random: two matches a block."""
    return Tournament(games=("pawns",), agents=RANDOM, repeats=repeats, seed=seed)


def seconds(tournament: Tournament, executor: str, **options: int) -> float:
    """How long a tournament takes, processes started included."""
    start = time.perf_counter()
    with make_executor(executor, **options) as made:
        timed(tournament, made)
    return time.perf_counter() - start


def timed(tournament: Tournament, executor: Executor) -> float:
    """How long a tournament takes from an empty database to the last match stored."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        with Store(str(Path(folder, "bench.db"))) as store:
            for _ in open_run(tournament, store).play_matches(executor):
                pass
        return time.perf_counter() - start


def gain(tournament: Tournament) -> float:
    """How many times as fast two processes are as one, all of which have loaded and compiled what they need."""
    with make_executor("pool", workers=2) as pool, make_executor("inline") as inline:
        timed(pawns(20, seed=99), pool), timed(pawns(20, seed=99), inline)
        return timed(tournament, inline) / timed(tournament, pool)


def overhead(tournament: Tournament) -> float:
    """Milliseconds a match costs in one process beyond being played: planning, storing, rating."""
    series = list(Plan(tournament).stage(0, []))
    whole = seconds(tournament, "inline")
    start = time.perf_counter()
    for each in series:
        played_series(each)
    return 1000.0 * (whole - (time.perf_counter() - start)) / len(series)


def our_dilemmas() -> float:
    """All strategies against all, themselves included, everything stored; two processes."""
    agents = {name: name for name in STRATEGIES}
    games = (f"dilemma(rounds={TURNS})",)
    tournament = Tournament(games=games, agents=agents, mirror=True, seats="fixed", repeats=REPEATS)
    seconds(tournament, "pool", workers=2)
    return 28.0 * REPEATS


REPEATS = 200


def axelrod_dilemmas() -> float:
    """The same strategies and turns in Axelrod's tournament with two processes, results built."""
    import axelrod

    players = [
        *(axelrod.TitForTat(), axelrod.Defector(), axelrod.WinStayLoseShift(), axelrod.Grudger()),
        *(axelrod.GTFT(p=0.3), axelrod.TitFor2Tats(), axelrod.Cooperator()),
    ]
    tournament = axelrod.Tournament(players, turns=TURNS, repetitions=REPEATS, seed=1)
    tournament.play(processes=2, progress_bar=False)
    return 28.0 * REPEATS
