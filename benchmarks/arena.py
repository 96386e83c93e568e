"""The arena: matches played and stored per second, what scheduling and storing cost, and Axelrod's own loop.

Seconds are CPU seconds unless two processes play: the machine may be busy.
"""

import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kibitz.arena.batches import played_batch
from kibitz.arena.executors import Executor, make_executor
from kibitz.arena.plan import Plan
from kibitz.arena.runs import open_run
from kibitz.arena.tournament import Tournament
from kibitz.bridges.packages import bridge_status
from kibitz.core.match import MatchOptions
from kibitz.core.match.recorded import RecordedMatch
from kibitz.store import Store
from kibitz.testing.benchmark import Bench

TURNS = 200
SLICES = 5
"""Slices of the loops in each run."""
CERTAIN = {
    "tit_for_tat": "TitForTat",
    "defector": "Defector",
    "pavlov": "WinStayLoseShift",
    "grim": "Grudger",
    "two_tats": "TitFor2Tats",
    "cooperator": "Cooperator",
}
"""Deterministic strategies, and what Axelrod calls them."""
RANDOM = {"first": "random", "second": "random"}
CONQUERORS = {"first": "risk.mission", "second": "risk.mission(w=20.0)"}


def measure(bench: Bench) -> None:
    conquests = Tournament(games=("risk(players=2)",), agents=CONQUERORS, repeats=5000)
    played = [cpu_seconds(conquests) for _ in range(min(bench.runs, 2))]
    bench.figure("ten_thousand_risk_matches", played, "s", most=15.0)
    bench.figure(
        "overhead_per_match", [overhead(dilemmas(1000, seed=run)) for run in range(bench.runs)], "ms", most=1.0
    )
    if not bridge_status("axelrod").usable:
        slow = [1e6 * turn_cost(slow_loop) for _ in range(SLICES * bench.runs)]
        bench.figure("turn_of_the_loop_with_record", slow, "µs", most=5.0)
        bench.missing("dilemma_vs_axelrod", "axelrod", "×", ">= 20")
        return
    turns = [(1e6 * turn_cost(slow_loop), 1e6 * turn_cost(axelrod_loop)) for _ in range(SLICES * bench.runs)]
    bench.figure("turn_of_the_loop_with_record", [own for own, _ in turns], "µs", most=5.0)
    bench.figure("turn_of_axelrods_loop", [peer for _, peer in turns], "µs")
    bench.figure("turn_of_the_loop", [own / peer for own, peer in turns], "× Axelrod's own")
    bench.figure(
        "six_certain_strategies",
        [ratio([*CERTAIN], [*CERTAIN.values()]) for _ in range(bench.runs)],
        "× Axelrod",
        least=20.0,
    )


def dilemmas(repeats: int, seed: int) -> Tournament:
    """Random against random: two matches a block."""
    return Tournament(games=(f"dilemma(rounds={TURNS})",), agents=RANDOM, repeats=repeats, seed=seed)


def cpu_seconds(tournament: Tournament) -> float:
    """CPU seconds of a tournament in this process, from an empty database to the last match stored."""
    with make_executor("inline") as inline:
        play_stored(Tournament(games=tournament.games, agents=tournament.agents, mirror=tournament.mirror), inline)
        return play_stored(tournament, inline)


def play_stored(tournament: Tournament, executor: Executor) -> float:
    """The same with an executor that may have loaded and compiled what it needs."""
    with tempfile.TemporaryDirectory() as folder, Store(str(Path(folder, "bench.db"))) as store:
        start = time.process_time()
        for _ in open_run(tournament, store).play_matches(executor):
            pass
        return time.process_time() - start


def overhead(tournament: Tournament) -> float:
    """Milliseconds a match costs beyond being played by kernels: planning, storing, rating."""
    series = list(Plan(tournament).series())
    whole = cpu_seconds(tournament)
    start = time.process_time()
    played_batch(series)
    return 1000.0 * (whole - (time.process_time() - start)) / len(series)


def turn_cost(play: Callable[[], int]) -> float:
    """CPU seconds of a turn, in a short slice, so that slices of two loops can alternate; without old garbage."""
    play()
    gc.collect()
    start = time.process_time()
    turns = play()
    return (time.process_time() - start) / turns


def slow_loop() -> int:
    """Matches of the dilemma in the loop, with their records."""
    for seed in range(20):
        table = RecordedMatch(f"dilemma(rounds={TURNS})", ["tit_for_tat", "pavlov"], MatchOptions(seed=seed))
        table.play_packed()
    return 20 * TURNS


def axelrod_loop() -> int:
    """The same matches in Axelrod's own loop, with their scores."""
    import axelrod

    for seed in range(20):
        match = axelrod.Match((axelrod.TitForTat(), axelrod.WinStayLoseShift()), turns=TURNS, seed=seed)
        match.play()
        match.final_score()
    return 20 * TURNS


def ratio(ours: list[str], theirs: list[str]) -> float:
    """How many times as fast as Axelrod's matches ours are, each of them played, and ours stored."""
    repeats, agents = 400, dict(zip(theirs, ours, strict=True))
    games = (f"dilemma(rounds={TURNS})",)
    tournament = Tournament(games=games, agents=agents, mirror=True, seats="fixed", repeats=repeats)
    pairs = len(ours) * (len(ours) + 1) // 2
    own = cpu_seconds(tournament) / (repeats * pairs)
    return axelrod_match_seconds(theirs) / own


def axelrod_match_seconds(names: list[str]) -> float:
    """CPU seconds of a match in Axelrod's own loop, with its scores, on average over all pairs; nothing is copied."""
    import axelrod

    kinds = [getattr(axelrod, name) for name in names]
    pairs = [(one, other) for place, one in enumerate(kinds) for other in kinds[place:]]
    start = time.process_time()
    for seed in range(3):
        for one, other in pairs:
            match = axelrod.Match((one(), other()), turns=TURNS, seed=seed)
            match.play()
            match.final_score()
    return (time.process_time() - start) / (3 * len(pairs))
