"""The arena: matches played and stored per second, what each part of a match costs, and Axelrod's own loop.

Seconds are CPU seconds: the machine may be busy.
"""

import gc
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

import msgspec

from kibitz.core.bridges import bridge_status
from kibitz.core.game import Position
from kibitz.core.match import Match, MatchOptions
from kibitz.core.match.play import RecordedMatch, Recorder, Seats
from kibitz.core.match.watchers import Watchers
from kibitz.core.registry import make_agent
from kibitz_lab.arena.executors import Executor, make_executor
from kibitz_lab.arena.plan import Plan
from kibitz_lab.arena.runs import open_run
from kibitz_lab.arena.series import played_batch, stored_match
from kibitz_lab.arena.tournament import Tournament
from kibitz_lab.store import Store, Writer
from kibitz_lab.testing.benchmark import Bench

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
NOISY = {"first": "generous", "second": "random"}
RANDOM = {"first": "random", "second": "random"}
CONQUERORS = {"first": "risk.mission", "second": "risk.mission(w=20.0)"}
WATCHED = {"plain": (), "watched": ("strategy_filter",)}
"""The models of the matches whose parts are measured."""
PARTS: dict[str, tuple[Callable[..., object], ...]] = {
    "planning": (Plan.of, Plan.series),
    "building_agents": (make_agent,),
    "building_the_match": (RecordedMatch.__init__,),
    "begin": (Seats.begin,),
    "choosing": (Seats.replies,),
    "observing": (Seats.see, Seats.end),
    "rules": (Position.after,),
    "models": (Watchers.see, Watchers.end),
    "record": (Recorder.see, Recorder.end, Recorder.packed_record, stored_match),
    "store": (Writer.add, Writer.flush),
}
"""The parts of a match, and the calls in which they are done."""
PART_OF: dict[CodeType, str] = {call.__code__: part for part, calls in PARTS.items() for call in calls}
OTHER_PARTS = (LOOP, SCHEDULING) = ("loop", "scheduling")
LOOK = 0.001
"""CPU seconds between looks at what is being done."""


def measure(bench: Bench) -> None:
    conquests = Tournament(games=("risk(players=2)",), agents=CONQUERORS, repeats=5000)
    played = [cpu_seconds(conquests) for _ in range(min(bench.runs, 2))]
    bench.figure("ten_thousand_risk_matches", played, "s", most=15.0)
    bench.figure(
        "overhead_per_match", [overhead(dilemmas(1000, seed=run)) for run in range(bench.runs)], "ms", most=1.0
    )
    for name, models in WATCHED.items():
        costs = [cost_by_part(models, seed=run, quick=bench.quick) for run in range(bench.runs)]
        for part in (*PARTS, *OTHER_PARTS):
            bench.figure(f"{name}_match.{part}", [cost[part] for cost in costs], "µs")
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
        for _ in open_run(Plan.of(tournament), store).play_matches(executor):
            pass
        return time.process_time() - start


def overhead(tournament: Tournament) -> float:
    """Milliseconds a match costs beyond being played by kernels: planning, storing, rating."""
    series = list(Plan.of(tournament).series())
    whole = cpu_seconds(tournament)
    start = time.process_time()
    played_batch(series)
    return 1000.0 * (whole - (time.process_time() - start)) / len(series)


def cost_by_part(models: tuple[str, ...], seed: int, *, quick: bool) -> dict[str, float]:
    """CPU µs of a match of the dilemma in every part of it."""
    repeats = (25 if models else 500) if quick else (100 if models else 2000)
    tournament = Tournament(
        games=(f"dilemma(rounds={TURNS})",), agents=NOISY, models=models, repeats=repeats, seed=seed
    )
    with make_executor("inline") as inline:
        play_stored(msgspec.structs.replace(tournament, repeats=2), inline)  # load and compile what is needed
        with looks() as found:
            seconds = play_stored(tournament, inline)
    scale = 1e6 * seconds / (2 * repeats * found.total())
    return {part: scale * found[part] for part in (*PARTS, *OTHER_PARTS)}


@contextmanager
def looks() -> Iterator[Counter[str]]:
    """How often each part was seen at work meanwhile."""
    found: Counter[str] = Counter()
    before = signal.signal(signal.SIGPROF, lambda _, frame: found.update([part_of(frame)]))
    signal.setitimer(signal.ITIMER_PROF, LOOK, LOOK)
    try:
        yield found
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def part_of(frame: FrameType | None) -> str:
    """The part to which a call belongs: that of its nearest caller that has one."""
    part = SCHEDULING
    while frame is not None:
        code = frame.f_code
        if code in PART_OF:
            return PART_OF[code]
        if "/kibitz/games/" in code.co_filename:
            part = "rules"
        elif part == SCHEDULING and code is Match.steps.__code__:
            part = LOOP
        frame = frame.f_back
    return part


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
