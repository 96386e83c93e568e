"""The opponent model of Pawns: learning slices by EM, the likelihood of a position inside a kernel, and search."""

import time
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import playing
from kibitz.core.kernels import kernel
from kibitz.core.kit.compiled import LIKELIHOODS
from kibitz.core.registry import make_game
from kibitz.core.seeds import kernel_stream
from kibitz_lab.learn.discretisation import Discretisation
from kibitz_lab.learn.example_tables import cases_text
from kibitz_lab.learn.slice_filter import SliceFilter
from kibitz_lab.learn.slice_learning import EMSettings, count_slice, learn_slice
from kibitz_lab.learn.slices import MISSING, Rows, SliceLayout, row_starts, slice_network, uniform_slice
from kibitz_lab.models.dbn.positions import scores_of
from kibitz_lab.testing.benchmark import Bench, module_of

Floats = NDArray[np.float64]

LAYOUT = SliceLayout((13, 16, 16, 13, 16, 9), own=4, latent=4)
"""The states of the six features of Pawns and four strategies."""
NAMES = ("BMax", "BSum", "DSum", "OBMin", "OBSum", "PD")
ROWS, ITERATIONS = 20_000, 50
PEER_ROWS, PEER_ITERATIONS = 40, 3
SIBLINGS, TIMES, REPEATS = 8, 20, 500


def measure(bench: Bench) -> None:
    module_of("opponent-search").measure(bench)
    measure_dbn(bench)


def measure_dbn(bench: Bench) -> None:
    """Figures of the dynamic network. The bar of a child is the thesis's: the own strategy is observed."""
    em_seconds(ROWS, 1)  # compiles
    seconds = [em_seconds(ROWS, ITERATIONS) for _ in range(bench.runs)]
    bench.figure("dbn_em_20000_rows_50_iterations", seconds, "s", most=1.0)
    bench.ratio(
        "dbn_em_vs_pyagrum", our_row_iterations, pyagrum_row_iterations, least=1000.0, needs="pyagrum",
        unit="× pyagrum, rows × iterations",
    )  # fmt: skip
    bench.figure("dbn_likelihood_of_a_child", [child_nanoseconds(0) for _ in range(bench.runs)], "ns", most=50.0)
    latent = [child_nanoseconds(None) for _ in range(bench.runs)]
    bench.figure("dbn_likelihood_of_a_child_own_strategy_latent", latent, "ns")


def rows(count: int) -> Rows:
    """Moves as they are in Pawns: features change a little or not at all."""
    rng = np.random.default_rng(1)
    before = np.stack([rng.integers(0, states, count) for states in LAYOUT.features], 1)
    after = np.clip(before + rng.integers(-1, 2, before.shape), 0, np.array(LAYOUT.features) - 1)
    own = rng.integers(0, LAYOUT.own, count)
    return Rows(before, after, own, np.zeros(count, np.int64), np.full(count, MISSING), row_starts(count))


def em_seconds(count: int, iterations: int) -> float:
    """Seconds of one EM run."""
    given, settings = rows(count), EMSettings(iterations=iterations, tolerance=-1.0, restarts=1)
    start = time.perf_counter()
    found = learn_slice(LAYOUT, given, settings, kernel_stream(1, "benchmark"))
    assert len(found.likelihoods) == iterations + 1
    return time.perf_counter() - start


def our_row_iterations() -> float:
    em_seconds(ROWS, ITERATIONS)
    return float(ROWS * ITERATIONS)


def pyagrum_row_iterations() -> float:
    """The same by pyagrum, on few rows: it takes milliseconds for each."""
    learner, template = pyagrum_learner()
    learner.learnParameters(template, False)
    return float(PEER_ROWS * PEER_ITERATIONS)


@cache
def pyagrum_learner() -> tuple[Any, Any]:
    import pyagrum as gum

    given = rows(PEER_ROWS)
    template = slice_network(count_slice(LAYOUT, given, 0.1), NAMES)
    columns = ["S_own", "S_opp", *(f"{name}_past_1" for name in NAMES), *(f"{name}_1" for name in NAMES)]
    lines = [
        [f"own{own}", None, *(f"s{state}" for state in before), *(f"s{state}" for state in after)]
        for before, after, own in zip(given.before, given.after, given.own, strict=True)
    ]
    with TemporaryDirectory() as folder:
        Path(folder, "rows.csv").write_text(cases_text(columns, lines))
        learner = gum.BNLearner(str(Path(folder, "rows.csv")), template, ["?"])
    learner.useSmoothingPrior(0.1)
    learner.useEM(1e-12, 0.0)
    learner.EMsetMaxIter(PEER_ITERATIONS)
    learner.EMdisableEpsilon()
    learner.EMdisableMinEpsilonRate()
    return learner, template


@kernel(
    f"float64(FunctionType({LIKELIHOODS}), float64[:, :, ::1], float64[:, ::1], int64, int64[::1], float64[::1],"
    " float64[:, ::1], float64[::1], int64)"
)
def many_siblings(
    likelihoods: Any,
    families: Floats,
    scores: Floats,
    row: int,
    integers: NDArray[np.int64],
    numbers: Floats,
    path: Floats,
    found: Floats,
    times: int,
) -> float:
    """Ask about one family of siblings after the other, as a search does."""
    total = 0.0
    for _ in range(times):
        for family in range(len(families)):
            for child in range(SIBLINGS):
                for feature in range(families.shape[2]):
                    scores[child, feature] = families[family, child, feature]
            likelihoods(scores, SIBLINGS, 1, row, integers, numbers, path, found)
            total += found[0]
    return total


def child_nanoseconds(own: int | None) -> float:
    """Nanoseconds of the likelihood of one of eight siblings, its scores put into states included; the best of many."""
    children = real_children()
    pairs = zip(NAMES, children.T, strict=True)
    states = [Discretisation.from_values(name, scores) for name, scores in pairs]
    model = uniform_slice(SliceLayout(tuple(each.size for each in states), own=4, latent=4))
    watching = SliceFilter(model, states, 1, own=own, window=4)
    watching.begin(children[0])
    for ply in range(1, 6):
        watching.advance(children[ply], ply % 2)
    ready = watching.compiled_model()
    families = children[: len(children) // SIBLINGS * SIBLINGS].reshape(-1, SIBLINGS, len(NAMES)).copy()
    room = np.empty((SIBLINGS, len(NAMES)))
    arguments = (ready.likelihoods, families, room, ready.row + 1, ready.integers, ready.numbers, ready.path)
    many_siblings(*arguments, np.empty(SIBLINGS), 1)
    best = float("inf")
    for _ in range(REPEATS):  # whoever else uses the machine can only slow it down
        start = time.perf_counter()
        many_siblings(*arguments, np.empty(SIBLINGS), TIMES)
        best = min(best, time.perf_counter() - start)
    return best / (TIMES * families.shape[0] * SIBLINGS) * 1e9


@cache
def real_children() -> Floats:
    """The scores of the children of every position of a game, in their order."""
    _, find = scores_of(make_game("pawns"))
    states = [moment.state for moment in playing("pawns", ["pawns.s1", "pawns.s4"], seed=3)]
    return np.array([find(state.child(action)) for state in states[:-1] for action in state.legal_actions()])
