"""Runs the compiled search: it keeps the buffers between searches, and returns results as Python objects."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.kernels import kernel_address, machine_code
from kibitz.core.kit.compiled import CompiledGame, CompiledModel, words_of
from kibitz_lab.search import kernel
from kibitz_lab.search.likely import LikelyRule, Mass, MaxRatio, SeenBefore
from kibitz_lab.search.opponent import Opponent
from kibitz_lab.search.settings import ModelSearchResult, SearchResult, Settings
from kibitz_lab.search.workspace import (
    ASKED,
    NAMED,
    NO_RANKS,
    SEARCHES,
    Kernels,
    Ranks,
    SearchPlan,
    Workspace,
    make_workspace,
    switches_of,
)

TABLE_SIZE = 1 << 18
SHORT, SHORT_TABLE = 4, 1 << 12
"""Searches of so few plies fill no larger table; a small one is made and read faster, which counts when a model makes
thousands of them."""
INFINITY = float("inf")
HALF_WORD = 1 << 63


class CompiledSearch:
    """Searches positions of one game."""

    def __init__(self, game: CompiledGame, table_size: int = TABLE_SIZE) -> None:
        self.game, self.table_size = game, table_size
        self.kernels = Kernels(kernel_address(game.expand), kernel_address(game.to_move))
        self.entry = machine_code(kernel.search)
        self.depth = 0
        self.work: Workspace

    def __deepcopy__(self, memo: dict[int, object]) -> "CompiledSearch":
        return CompiledSearch(self.game, self.table_size)  # buffers hold nothing between searches

    def __reduce__(self) -> tuple[type["CompiledSearch"], tuple[CompiledGame, int]]:
        return CompiledSearch, (self.game, self.table_size)

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> SearchResult:
        """Look *settings.depth* plies ahead from *state*."""
        self.prepare(settings, settings.depth)
        nodes = self.run(state, np.asarray(weights, np.float64), self.plan(settings))
        if nodes < 0:
            return SearchResult(-1, 0.0, (), settings.nodes, settings.depth, {}, complete=False)
        line = self.line()
        return SearchResult(line[0], self.value(), line, nodes, settings.depth, self.root_values(state))

    def prepare(self, settings: Settings, farthest: int) -> None:
        """Prepare a new search that looks no further than ply *farthest*."""
        if farthest > self.depth:
            self.depth = farthest
            places = min(self.table_size, SHORT_TABLE) if farthest <= SHORT else self.table_size
            self.work = make_workspace(self.game, farthest, places)
        if settings.history:
            self.work.history[:farthest] = 0
        self.work.counted[SEARCHES] += 1
        self.work.counted[SEARCHES + 1 :] = 0

    def plan(self, settings: Settings) -> SearchPlan:
        """The plan of a whole search without a model."""
        seed = settings.noise_seed or 0
        return SearchPlan(
            switches=switches_of(settings),
            hashed=self.game.hashed,
            seed=(seed + HALF_WORD) % (2 * HALF_WORD) - HALF_WORD,
            first=0,
            limit=settings.depth,
            depth=settings.depth,
            alpha=-INFINITY,
            beta=INFINITY,
            margin=float(settings.margin),
            nodes=settings.nodes,
        )

    def run(
        self, state: core.State, weights: NDArray[np.float64], plan: SearchPlan, model: CompiledModel | None = None
    ) -> int:
        """Search from *state* in the prepared search; return the number of nodes, or -1 if it takes more than allowed.

        The value and the line are those of `value` and `line`.
        """
        self.work.states[plan.first] = words_of(state)
        if model is not None:
            scores, likelihoods, settle = map(kernel_address, (self.game.scores, model.likelihoods, model.settle))
            kernels = self.kernels._replace(scores=scores, likelihoods=likelihoods, settle=settle)
            return kernel.search(kernels, weights, plan, self.work)  # checks the types of the model's arrays
        return self.entry(self.kernels, weights, plan, self.work)

    def value(self, first: int = 0) -> float:
        """The mover's value that the last search from ply *first* found."""
        return float(self.work.windows[3, first])

    def line(self, first: int = 0) -> tuple[int, ...]:
        """The moves that the last search from ply *first* found."""
        return tuple(takewhile(lambda action: action >= 0, self.work.lines[first].tolist()))

    def root_values(self, state: core.State) -> dict[int, float]:
        """The value of every root move, if the last search began at the root."""
        count = len(state.legal_actions())
        actions, values = self.work.lists[0, 0, :count].tolist(), self.work.root_values[:count].tolist()
        return dict(zip(actions, values, strict=True))


class CompiledSubtrees:
    """Runs the compiled search below the upper part of a tree; all runs of one search share a table and a history."""

    def __init__(self, searcher: CompiledSearch, settings: Settings, weights: Sequence[float], farthest: int) -> None:
        searcher.prepare(settings, farthest)
        self.searcher, self.weights = searcher, np.asarray(weights, np.float64)
        self.plan, self.history = searcher.plan(settings), searcher.work.history

    def search(
        self, state: core.State, ply: int, limit: int, window: tuple[float, float], nodes: int
    ) -> tuple[int, float, tuple[int, ...]]:
        """The nodes taken, or -1 if more than *nodes* were needed; the mover's value and the line."""
        plan = self.plan._replace(first=ply, limit=limit, alpha=window[0], beta=window[1], margin=0.0, nodes=nodes)
        taken = self.searcher.run(state, self.weights, plan)
        return taken, self.searcher.value(ply), self.searcher.line(ply)


def search_likely(
    searcher: CompiledSearch,
    state: core.State,
    settings: Settings,
    weights: Sequence[float],
    opponent: Opponent,
    deepest: int,
    unlikely: int,
) -> ModelSearchResult | None:
    """The best move in *state* by `LikelySet`, all compiled; None if model, rule or game have no kernels."""
    rule = compiled_rule(opponent.rule, searcher.game.most_actions)
    model = None if rule is None or searcher.game.scores is None else compiled_model(opponent, deepest)
    if model is None or rule is None:
        return None
    searcher.prepare(settings, max(deepest, unlikely))
    plan = searcher.plan(settings)._replace(
        predicts=1,
        searcher=opponent.seat,
        deepest=deepest,
        unlikely=unlikely,
        ranks=rule[0],
        mass=rule[1],
        row=model.row,
        integers=model.integers,
        numbers=model.numbers,
        path=model.path,
    )
    nodes = searcher.run(state, np.asarray(weights, np.float64), plan, model)
    if nodes < 0:
        return ModelSearchResult(-1, 0.0, (), settings.nodes, settings.depth, {}, complete=False)
    line, values = searcher.line(), searcher.root_values(state)
    asked, named = int(searcher.work.counted[ASKED]), int(searcher.work.counted[NAMED])
    return ModelSearchResult(
        line[0], searcher.value(), line, nodes, settings.depth, values, predicted=asked, named=named
    )


def compiled_model(opponent: Opponent, deepest: int) -> CompiledModel | None:
    """The kernels of the opponent's model, if it offers them and the lines of a search to *deepest* fit."""
    offered = getattr(opponent.model, "compiled_model", None)
    if offered is None or opponent.fault:
        return None
    found = opponent.call_safely("compiled_model", opponent.model, lambda: offered(opponent.player))
    fits = isinstance(found, CompiledModel) and found.row + deepest + 2 < len(found.path)
    return found if fits else None


def compiled_rule(rule: LikelyRule, most: int) -> tuple[Ranks, float] | None:
    """A rule for kernels: a table, true at [r, c] if rank r of c children is likely, or a mass; None for others."""
    if type(rule) is Mass:
        return NO_RANKS, rule.mass
    if type(rule) is SeenBefore:
        return seen_ratios(frozenset(rule.histogram), most), 0.0
    if type(rule) is MaxRatio:
        return ratios_below(rule.max_pr, most), 0.0
    return None


@lru_cache(maxsize=64)
def seen_ratios(seen: frozenset[Fraction], most: int) -> Ranks:
    """Whether r / c is among those seen and below 1, at [r, c]."""
    rule = SeenBefore()
    rule.histogram = Counter(seen)
    return rule.table(most)


@lru_cache(maxsize=16)
def ratios_below(bound: float, most: int) -> Ranks:
    """Whether r / c is below *bound*, at [r, c]."""
    rows = range(most + 1)
    return np.array([[0 < r <= c and Fraction(r, c) < bound for c in rows] for r in rows])
