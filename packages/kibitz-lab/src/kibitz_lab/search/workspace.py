"""What the compiled search works with: its plan and its buffers. You need this to change what `kernel.search` takes."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kit.compiled import MOST_SCORES, CompiledGame
from kibitz_lab.search.settings import Settings

PRUNE, SORT, TABLE, HISTORY, MATE, NOISE = 1, 2, 4, 8, 16, 32
"""The switches of `Settings` as bits."""
ACTIONS, OUTCOMES, CHOSEN, HINTS, SCORES, LIKELY = range(6)
"""The indices of a ply's lists. The search indexes them in full: a view of a row takes longer to make than to use."""
SEARCHES, ASKED, NAMED = range(3)
"""The indices of the counters: the number of the search, nodes at which the model was asked, likely children."""

Bits = Annotated[NDArray[np.uint64], "uint64[::1]"]
Ints = Annotated[NDArray[np.int64], "int64[::1]"]
Floats = Annotated[NDArray[np.float64], "float64[::1]"]
BitRows = Annotated[NDArray[np.uint64], "uint64[:, ::1]"]
IntRows = Annotated[NDArray[np.int64], "int64[:, ::1]"]
FloatRows = Annotated[NDArray[np.float64], "float64[:, ::1]"]
BitCube = Annotated[NDArray[np.uint64], "uint64[:, :, ::1]"]
IntCube = Annotated[NDArray[np.int64], "int64[:, :, ::1]"]
Ranks = Annotated[NDArray[np.bool_], "boolean[:, ::1]"]

NO_RANKS, NO_INTS, NO_FLOATS, NO_ROWS = np.zeros((1, 1), np.bool_), np.zeros(1, np.int64), np.zeros(1), np.zeros((1, 1))


class Kernels(NamedTuple):
    """The addresses of a game's kernels, and of a model's if there is one."""

    expand: int
    to_move: int
    scores: int = 0
    likelihoods: int = 0
    settle: int = 0


class SearchPlan(NamedTuple):
    """One search: from where to where, within which window, and how the opponent's moves are predicted."""

    switches: int
    hashed: int
    """How many words of a state make its hash."""
    seed: int
    """The seed of the noise, as signed bits."""
    first: int
    """The ply of the first node, counted from the root of the whole search."""
    limit: int
    """The ply at which leaves are, unless a prediction moves it."""
    depth: int
    """The ply from which wins are counted."""
    alpha: float
    beta: float
    margin: float
    nodes: int
    """The search gives up after this many."""
    predicts: int = 0
    """Whether the opponent's moves are predicted; what follows matters only then."""
    searcher: int = 0
    """The player who searches."""
    deepest: int = 0
    """The limit below likely children."""
    unlikely: int = 0
    """The limit below the others."""
    mass: float = 0.0
    """The share of the probability that likely children have together; if 0, *ranks* decides."""
    ranks: Ranks = NO_RANKS
    """True at [r, c] if a child of rank r among c is likely."""
    row: int = 0
    """The model's row of the root; *integers*, *numbers* and *path* are the model's."""
    integers: Ints = NO_INTS
    numbers: Floats = NO_FLOATS
    path: FloatRows = NO_ROWS


class Workspace(NamedTuple):
    """The buffers of a search. Their first index is the ply, but for the table and the last three."""

    table_keys: Bits
    table_moves: Ints
    table_values: Floats
    history: IntRows
    """How much each action cut at each ply."""
    children: BitCube
    lists: IntCube
    """The actions, outcomes, order, hints, scores and likelihood of the children."""
    values: FloatRows
    shares: FloatRows
    """What the model says of each child."""
    states: BitRows
    hashes: Bits
    windows: FloatRows
    """The window of every ply, its lower bound so far, and its best value."""
    counters: IntRows
    """For every ply: children, those visited, the mover, the limit, whether it predicts, whether it asks here."""
    lines: IntRows
    """The best line from every ply on; -1 ends it."""
    scores: FloatRows
    """The features of the children."""
    root_values: Floats
    counted: Ints


def make_workspace(game: CompiledGame, plies: int, table_size: int) -> Workspace:
    """Buffers for searches that reach ply *plies* at most; their contents mean nothing yet."""
    most, rows = game.most_actions, plies + 1
    return Workspace(
        table_keys=np.zeros(table_size, np.uint64),
        table_moves=np.zeros(table_size, np.int64),
        table_values=np.zeros(table_size),
        history=np.zeros((rows, game.action_bound), np.int64),
        children=np.empty((rows, most, game.words), np.uint64),
        lists=np.empty((rows, 6, most), np.int64),
        values=np.empty((rows, most)),
        shares=np.empty((rows, most)),
        states=np.empty((rows, game.words), np.uint64),
        hashes=np.empty(rows, np.uint64),
        windows=np.empty((4, rows)),
        counters=np.zeros((6, rows), np.int64),
        lines=np.full((rows + 1, rows + 1), -1, np.int64),
        scores=np.empty((most, MOST_SCORES)),
        root_values=np.empty(most),
        counted=np.zeros(3, np.int64),
    )


def switches_of(settings: Settings) -> int:
    """The switches that are on, as bits."""
    return sum(
        bit
        for bit, on in (
            (PRUNE, settings.prune),
            (SORT, settings.sort),
            (TABLE, settings.table),
            (HISTORY, settings.history),
            (MATE, settings.win_value == "mate"),
            (NOISE, settings.noise_seed is not None),
        )
        if on
    )
