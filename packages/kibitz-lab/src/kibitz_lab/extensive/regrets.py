"""Regret minimisation over an information-set table: CFR+ and external-sampling MCCFR, with limits of work and time."""

import time
from collections.abc import Callable

import msgspec
import numpy as np

from kibitz.core.errors import BadGame
from kibitz.core.seeds import kernel_stream
from kibitz_lab.extensive import kernels
from kibitz_lab.extensive.policies import BehaviourPolicy, split_shares
from kibitz_lab.extensive.responses import expected_returns, exploitability
from kibitz_lab.extensive.table import Floats, InformationTable

ITERATIONS = {"cfr": 1_000, "mccfr": 1_000_000}
"""The iterations if neither a target nor a time is given; one of MCCFR is far shorter."""
FIRST = {"cfr": 10, "mccfr": 1_000}
"""The iterations before exploitability is looked at for the first time."""
AGAIN = 0.1
"""It is looked at again after this share of the iterations so far."""
SLICE = 0.5
"""The most seconds between two looks, so that Ctrl-C and progress do not wait."""


class RegretSolution(msgspec.Struct, frozen=True):
    """What regret minimisation found, and how far it is from an equilibrium."""

    profile: tuple[BehaviourPolicy, ...]
    """The average strategy of each player."""
    returns: list[float]
    """What each player earns if all play it."""
    exploitability: float
    """The mean of what each player could gain by deviating alone."""
    iterations: int
    seconds: float
    method: str
    stopped: str
    """Why it stopped: `target`, `iterations`, `seconds` or `interrupted`."""

    @property
    def nash_conv(self) -> float:
        return self.exploitability * len(self.profile)


class Progress(msgspec.Struct, frozen=True):
    """How far a solve is."""

    iterations: int
    exploitability: float
    seconds: float
    left: float | None
    """The seconds left by the speed and convergence so far; None if nothing says when it ends."""


Report = Callable[[Progress], None]


def solve_cfr(
    table: InformationTable,
    *,
    iterations: int | None = None,
    target: float | None = None,
    seconds: float | None = None,
    report: Report | None = None,
) -> RegretSolution:
    """Solve by CFR+ with alternating updates and linear averaging (Tammelin 2014).

    It ends with the first of: so many *iterations*, an exploitability of at most *target*, so many *seconds*, Ctrl-C.
    Average strategies converge to an equilibrium if two players play for the same points; in other games they may not,
    but exploitability is always exact.
    """
    sequences = int(table.sets.empty[-1])
    regrets, sums, plan, values = (np.zeros(sequences) for _ in range(4))
    shares = np.ones(sequences)
    kernels.write_average(tuple(table.sets), sums, shares)

    def run(done: int, count: int) -> None:
        kernels.iterate_cfr_plus(tuple(table.sets), tuple(table.ends), done, count, regrets, sums, shares, plan, values)

    return _solve(table, "cfr", run, sums, Stop(iterations, target, seconds), report)


def solve_mccfr(
    table: InformationTable,
    *,
    iterations: int | None = None,
    target: float | None = None,
    seconds: float | None = None,
    seed: int = 0,
    report: Report | None = None,
) -> RegretSolution:
    """Solve by Monte Carlo CFR with external sampling (Lanctot et al. 2009); see `solve_cfr`."""
    sequences = int(table.sets.empty[-1])
    regrets, sums = np.zeros(sequences), np.zeros(sequences)
    widest = int(table.tree.counts.max(initial=1))
    scratch = np.zeros((2 * tree_depth(table) + 2, widest))
    random = kernel_stream(seed, "mccfr")

    def run(done: int, count: int) -> None:
        with np.errstate(over="ignore"):  # without a compiler NumPy would warn of random words
            kernels.iterate_mccfr(tuple(table.sets), tuple(table.tree), count, regrets, sums, scratch, random)

    return _solve(table, "mccfr", run, sums, Stop(iterations, target, seconds), report)


class Stop:
    """When to stop."""

    def __init__(self, iterations: int | None, target: float | None, seconds: float | None) -> None:
        for name, given in (("iterations", iterations), ("target", target), ("seconds", seconds)):
            if given is not None and not given > 0:
                raise BadGame(name, f"give a number above 0, not {given:g}")
        self.iterations, self.target, self.seconds = iterations, target, seconds


def _solve(
    table: InformationTable,
    method: str,
    run: Callable[[int, int], None],
    sums: Floats,
    stop: Stop,
    report: Report | None,
) -> RegretSolution:
    """Iterate in slices, and look at the average strategy between them."""
    most = stop.iterations
    if most is None and stop.target is None and stop.seconds is None:
        most = ITERATIONS[method]
    shares = np.ones(len(sums))
    kernels.write_average(tuple(table.sets), sums, shares)
    run(0, 0)  # compile before the clock starts
    found, done, why, count = exploitability(table, split_shares(table, shares)), 0, "", FIRST[method]
    start = time.perf_counter()
    try:
        while not why:
            count = count if most is None else min(count, most - done)
            began = time.perf_counter()
            run(done, count)
            now = time.perf_counter()
            done += count
            kernels.write_average(tuple(table.sets), sums, shares)
            found = exploitability(table, split_shares(table, shares))
            why = _why_stop(stop, most, done, found, now - start)
            if report is not None:
                report(Progress(done, found, now - start, _seconds_left(stop, most, done, found, now - start)))
            per_slice = SLICE / max((now - began) / count, 1e-9)
            if stop.seconds is not None:
                per_slice *= min(1.0, max(stop.seconds - (now - start), 1e-3) / SLICE)
            count = max(1, min(int(max(FIRST[method], AGAIN * done)), int(per_slice)))
    except KeyboardInterrupt:
        why = "interrupted"
    profile = split_shares(table, shares)
    return RegretSolution(
        profile=profile,
        returns=expected_returns(table, profile),
        exploitability=exploitability(table, profile),
        iterations=done,
        seconds=time.perf_counter() - start,
        method=method,
        stopped=why,
    )


def _why_stop(stop: Stop, most: int | None, done: int, found: float, seconds: float) -> str:
    """Why to stop now; empty to go on."""
    if stop.target is not None and found <= stop.target:
        return "target"
    if most is not None and done >= most:
        return "iterations"
    return "seconds" if stop.seconds is not None and seconds >= stop.seconds else ""


def _seconds_left(stop: Stop, most: int | None, done: int, found: float, seconds: float) -> float | None:
    """The seconds left: the least by iterations, time, and target if exploitability falls as 1 / iterations."""
    left = []
    if most is not None:
        left.append(seconds * (most - done) / done)
    if stop.seconds is not None:
        left.append(stop.seconds - seconds)
    if stop.target is not None and found > stop.target:
        left.append(seconds * (found / stop.target - 1.0))
    return max(0.0, min(left)) if left else None


def tree_depth(table: InformationTable) -> int:
    """The most choices of players on any way from the start to an end."""
    depths = np.zeros(table.histories, np.int64)
    for node in range(table.histories):
        if table.tree.counts[node]:
            child = table.tree.children[node]
            depths[child : child + table.tree.counts[node]] = depths[node] + (table.tree.movers[node] >= 0)
    return int(depths.max(initial=0))
