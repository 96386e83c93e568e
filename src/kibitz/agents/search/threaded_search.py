"""The compiled search on several cores: `alphabeta(threads=2)`.

All threads run the same search with one table, and leave to each other what another one has begun (`kernel.search`).
What one finds out about a node, the others use at once wherever they are below it. To a given depth every order of a
search finds the same values, so that it plays the moves that one thread plays; only the number of nodes differs from
run to run.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ulp

import numpy as np

from kibitz import core
from kibitz.agents.search.compiled_search import TABLE_SIZE, CompiledSearch
from kibitz.agents.search.settings import WIN, SearchResult, Settings
from kibitz.agents.search.workspace import SEARCHES, THREADS
from kibitz.core.abilities.compiled import CompiledGame

SHORTEST = 5
"""Searches of fewer plies end before threads have come together; one thread does them."""
EQUAL = ulp(2.0 * WIN)
"""A margin that makes the values of moves as good as the best exact, so that the first of them can be taken."""


class ThreadedSearch:
    """Searches positions of one game with *threads* threads."""

    def __init__(self, game: CompiledGame, threads: int, table_size: int = TABLE_SIZE) -> None:
        self.game, self.threads, self.table_size = game, threads, table_size
        self.first = CompiledSearch(game, table_size)
        self.searchers = [self.first, *(CompiledSearch(game, table_size, self.first) for _ in range(threads - 1))]
        self.pool: ThreadPoolExecutor | None = None

    def __deepcopy__(self, memo: dict[int, object]) -> "ThreadedSearch":
        return ThreadedSearch(self.game, self.threads, self.table_size)

    def __reduce__(self) -> tuple[type["ThreadedSearch"], tuple[CompiledGame, int, int]]:
        return ThreadedSearch, (self.game, self.threads, self.table_size)

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> SearchResult:
        """Look *settings.depth* plies ahead from *state*; the same move and value as `CompiledSearch.search`."""
        if settings.depth < SHORTEST or not settings.table or not settings.prune or self.threads == 1:
            return self.first.search(state, settings, weights)
        if self.pool is None:
            self.pool = ThreadPoolExecutor(self.threads - 1, "search")
        row, plan = np.asarray(weights, np.float64), self.first.plan(settings)
        each = -(-settings.nodes // self.threads)
        plan = plan._replace(switches=plan.switches | THREADS, margin=max(plan.margin, EQUAL), nodes=each)
        for searcher in self.searchers:
            searcher.prepare(settings, settings.depth)
            searcher.work.counted[SEARCHES] = self.first.work.counted[SEARCHES]
        others = [self.pool.submit(searcher.run, state, row, plan) for searcher in self.searchers[1:]]
        taken = [self.first.run(state, row, plan), *(other.result() for other in others)]
        finished = [searcher for searcher, nodes in zip(self.searchers, taken, strict=True) if nodes >= 0]
        if not finished:
            return SearchResult(-1, 0.0, (), settings.nodes, settings.depth, {}, complete=False)
        spent = sum(nodes if nodes >= 0 else -2 - nodes if nodes < -1 else each for nodes in taken)
        return first_of_the_best(finished[0], state, settings, spent)


def first_of_the_best(searcher: CompiledSearch, state: core.State, settings: Settings, nodes: int) -> SearchResult:
    """The result of the thread that finished; of equal moves the one that a search in order comes to first."""
    line, values, best = searcher.line(), searcher.root_values(state), searcher.value()
    static = dict(zip(values, searcher.work.values[0].tolist(), strict=False))
    ordered = sorted(values, key=lambda each: -static[each]) if settings.sort else list(values)
    action = next(each for each in ordered if values[each] == best)
    return SearchResult(action, best, line if line[0] == action else (action,), nodes, settings.depth, values)
