"""Runs the compiled alpha-beta search: it keeps the buffers between searches, and returns results as Python objects."""

from collections.abc import Sequence
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.agents.search import kernels
from kibitz.agents.search.settings import SearchResult, Settings
from kibitz.core.abilities.compiled import CompiledGame, Words
from kibitz.core.kernels import kernel_argument

TABLE_SIZE = 1 << 18
SALT, LIMIT_SALT, WORD = 0xD1342543DE82EF95, 0xAF251AF3B0F025B5, (1 << 64) - 1
"""Multiplied by the number of a search and by its limit, these mark the search's entries in the table."""


class CompiledSearch:
    """Searches positions of one game."""

    def __init__(self, game: CompiledGame, table_size: int = TABLE_SIZE) -> None:
        self.game, self.table_size = game, table_size
        self.expand, self.to_move = kernel_argument(game.expand), kernel_argument(game.to_move)
        self.depth = 0
        self.searches = 0

    def __deepcopy__(self, memo: dict[int, object]) -> "CompiledSearch":
        return CompiledSearch(self.game, self.table_size)  # buffers hold nothing between searches

    def __reduce__(self) -> tuple[type["CompiledSearch"], tuple[CompiledGame, int]]:
        return CompiledSearch, (self.game, self.table_size)

    def allocate(self, depth: int) -> None:
        """Buffers for searches up to *depth*."""
        most, plies = self.game.most_actions, depth + 1
        self.depth = depth
        self.table_keys = np.zeros(self.table_size, np.uint64)
        self.table_moves = np.zeros(self.table_size, np.int64)
        self.table_values = np.zeros(self.table_size)
        self.history = np.zeros((plies, self.game.action_bound), np.int64)
        self.children = np.empty((plies, most, self.game.words), np.uint64)
        self.lists = np.empty((plies, 5, most), np.int64)
        self.values = np.empty((plies, most))
        self.states = np.empty((plies, self.game.words), np.uint64)
        self.kept = np.empty(plies, np.uint64)
        self.windows = np.empty((4, plies))
        self.counters = np.zeros((3, plies), np.int64)
        self.lines = np.full((plies + 1, plies + 1), -1, np.int64)
        self.root_values = np.empty(most)
        self.result = np.empty(1)
        self.line = np.empty(plies + 1, np.int64)
        self.buffers = (
            *(self.table_keys, self.table_moves, self.table_values, self.history),
            *(self.children, self.lists, self.values, self.states, self.kept),
            *(self.windows, self.counters, self.lines, self.root_values, self.result, self.line),
        )

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> SearchResult:
        """Look *settings.depth* plies ahead from *state*."""
        self.ready(settings, settings.depth)
        words, row = self.game.encode(state), np.asarray(weights, np.float64)
        nodes = self.run(words, row, settings, 0, settings.depth, -np.inf, np.inf, settings.nodes)
        if nodes < 0:
            return SearchResult(-1, 0.0, (), settings.nodes, settings.depth, {}, complete=False)
        line = self.found_line()
        count = len(state.legal_actions())
        values = dict(zip(self.lists[0, 0, :count].tolist(), self.root_values[:count].tolist(), strict=True))
        return SearchResult(line[0], float(self.result[0]), line, nodes, settings.depth, values)

    def search_each(
        self, state: core.State, settings: Settings, weights: Sequence[Sequence[float]]
    ) -> list[tuple[dict[int, float], int]]:
        """The values of the root moves and the nodes for each of several *weights*, equal to separate searches."""
        rows = np.array(weights, np.float64)
        salts = np.empty(len(rows), np.uint64)
        for row in range(len(rows)):
            self.ready(settings, settings.depth)
            salts[row] = self.salt(settings.depth)
        found, nodes = np.empty((len(rows), self.game.most_actions)), np.empty(len(rows), np.int64)
        kernels.alpha_beta_each(
            self.expand,
            self.to_move,
            self.game.encode(state),
            self.game.hashed,
            rows,
            settings.depth,
            switches_of(settings),
            salts,
            settings.margin,
            *self.buffers,
            found,
            nodes,
        )
        count = len(state.legal_actions())
        actions = self.lists[0, 0, :count].tolist()
        return [
            (dict(zip(actions, row, strict=True)), spent)
            for row, spent in zip(found[:, :count].tolist(), nodes.tolist(), strict=True)
        ]

    def ready(self, settings: Settings, farthest: int) -> None:
        """Prepare a new search that looks no further than ply *farthest*."""
        if farthest > self.depth:
            self.allocate(farthest)
        if settings.history:
            self.history[:farthest] = 0
        self.searches += 1

    def run(
        self,
        words: Words,
        weights: NDArray[np.float64],
        settings: Settings,
        ply: int,
        limit: int,
        alpha: float,
        beta: float,
        nodes: int,
    ) -> int:
        """Search from ply *ply* of the prepared search to ply *limit*, within a window; return the number of nodes.

        The value is left in `result`, the moves in `line`; -1 means that it would take more than *nodes*.
        """
        return kernels.alpha_beta(
            self.expand,
            self.to_move,
            words,
            self.game.hashed,
            weights,
            limit - ply,
            switches_of(settings),
            settings.noise_seed or 0,
            self.salt(limit),
            ply,
            settings.depth - limit,
            alpha,
            beta,
            settings.margin if ply == 0 else 0.0,
            nodes,
            *self.buffers,
        )

    def salt(self, limit: int) -> int:
        """The mark of this search's entries in the table, different for every limit."""
        return (self.searches * SALT ^ limit * LIMIT_SALT) & WORD

    def found_line(self) -> tuple[int, ...]:
        """The moves that the last search found."""
        return tuple(takewhile(lambda action: action >= 0, self.line.tolist()))


def switches_of(settings: Settings) -> int:
    """The switches that are on, as bits."""
    return sum(
        bit
        for bit, on in (
            (kernels.PRUNE, settings.prune),
            (kernels.SORT, settings.sort),
            (kernels.TABLE, settings.table),
            (kernels.HISTORY, settings.history),
            (kernels.MATE, settings.win_value == "mate"),
            (kernels.NOISE, settings.noise_seed is not None),
        )
        if on
    )
