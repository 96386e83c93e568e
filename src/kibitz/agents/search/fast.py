"""Runs the compiled search: buffers that are kept from one search to the next, and what it found in Python's terms."""

from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from kibitz import core
from kibitz.agents.search import kernels
from kibitz.agents.search.settings import Found, Settings
from kibitz.core.compiled import CompiledGame

TABLE_SIZE = 1 << 18
SALT, WORD = 0xD1342543DE82EF95, (1 << 64) - 1
"""Times the number of a search, this marks the search's entries in the table."""


class CompiledSearch:
    """Searches positions of one game."""

    def __init__(self, game: CompiledGame, table_size: int = TABLE_SIZE) -> None:
        self.game, self.table_size = game, table_size
        self.depth = 0
        self.searches = 0

    def __deepcopy__(self, memo: dict[int, object]) -> "CompiledSearch":
        return CompiledSearch(self.game, self.table_size)  # buffers hold nothing that outlives a search

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
        self.root_values = np.empty(most)
        self.result = np.empty(1)
        self.line = np.empty(plies, np.int64)

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> Found:
        """Look *settings.depth* plies ahead from *state*."""
        if settings.depth > self.depth:
            self.allocate(settings.depth)
        if settings.history:
            self.history[: settings.depth] = 0
        self.searches += 1
        noise = settings.noise_seed is not None
        switches = sum(
            bit
            for bit, on in (
                (kernels.PRUNE, settings.prune),
                (kernels.SORT, settings.sort),
                (kernels.TABLE, settings.table),
                (kernels.HISTORY, settings.history),
                (kernels.MATE, settings.win_value == "mate"),
                (kernels.NOISE, noise),
            )
            if on
        )
        nodes = kernels.alpha_beta(
            self.game.expand,
            self.game.to_move,
            self.game.encode(state),
            self.game.hashed,
            np.asarray(weights, np.float64),
            settings.depth,
            switches,
            settings.noise_seed or 0,
            self.searches * SALT & WORD,
            settings.margin,
            settings.nodes,
            self.table_keys,
            self.table_moves,
            self.table_values,
            self.history,
            self.children,
            self.lists,
            self.values,
            self.root_values,
            self.result,
            self.line,
        )
        if nodes < 0:
            return Found(-1, 0.0, (), settings.nodes, settings.depth, {}, complete=False)
        line = tuple(takewhile(lambda action: action >= 0, self.line[: settings.depth].tolist()))
        count = len(state.legal_actions())
        values = dict(zip(self.lists[0, 0, :count].tolist(), self.root_values[:count].tolist(), strict=True))
        return Found(line[0], float(self.result[0]), line, nodes, settings.depth, values)
