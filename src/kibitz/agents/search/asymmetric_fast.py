"""Runs the compiled asymmetric search, for models, rules and games that have kernels."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.agents.search import asymmetric_kernel as kernel
from kibitz.agents.search.fast import CompiledSearch, switches_of
from kibitz.agents.search.opponent import Opponent
from kibitz.agents.search.settings import Settings
from kibitz.agents.search.upper import ModelSearchResult
from kibitz.core.abilities.compiled import MOST_SCORES, CompiledModel
from kibitz.core.kernels import kernel_argument
from kibitz.models.likely import LikelyRule, Mass, MaxRatio, SeenBefore

Ranks = NDArray[np.bool_]


def compiled_rule(rule: LikelyRule, most: int) -> tuple[Ranks, float] | None:
    """A rule for kernels: a table, true at [r, c] if rank r of c children is likely, or a mass; None for others."""
    if type(rule) is Mass:
        return np.zeros((1, 1), np.bool_), rule.mass
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


class CompiledAsymmetric:
    """Asymmetric searches in one game, with separate buffers for the upper part."""

    def __init__(self, searcher: CompiledSearch) -> None:
        self.searcher = searcher
        self.plies = 0

    def __deepcopy__(self, memo: dict[int, object]) -> "CompiledAsymmetric":
        return CompiledAsymmetric(CompiledSearch(self.searcher.game, self.searcher.table_size))

    def model(self, opponent: Opponent, deepest: int) -> CompiledModel | None:
        """The model's kernels, if it offers them and the lines of this search fit."""
        offered = getattr(opponent.model, "compiled_model", None)
        if offered is None or opponent.fault or self.searcher.game.scores is None:
            return None
        found = opponent.call_safely("compiled_model", opponent.model, lambda: offered(opponent.player))
        fits = isinstance(found, CompiledModel) and found.row + deepest + 2 < len(found.path)
        return found if fits else None

    def allocate(self, plies: int, features: int) -> None:
        """Buffers for trees of *plies* plies and positions of *features* features."""
        game = self.searcher.game
        self.plies = plies
        self.children = np.empty((plies, game.most_actions, game.words), np.uint64)
        self.lists = np.empty((plies, 6, game.most_actions), np.int64)
        self.values, self.shares = np.empty((plies, game.most_actions)), np.empty((plies, game.most_actions))
        self.lines = np.full((plies + 1, plies + 2), -1, np.int64)
        self.scores = np.empty((game.most_actions, features))

    def search(
        self,
        state: core.State,
        settings: Settings,
        weights: Sequence[float],
        opponent: Opponent,
        deeper: int,
        unlikely: int | None,
    ) -> ModelSearchResult | None:
        """The best move in *state*; None if model, rule or game have no kernels."""
        deepest, shallow = settings.depth + deeper, settings.depth if unlikely is None else unlikely
        searcher, farthest = self.searcher, max(deepest, shallow)
        rule = compiled_rule(opponent.rule, searcher.game.most_actions)
        model = None if rule is None else self.model(opponent, deepest)
        if model is None or rule is None:
            return None
        searcher.ready(settings, farthest)
        if farthest + 1 > self.plies:
            self.allocate(farthest + 1, searcher.game.scores(searcher.game.encode(state), np.empty(MOST_SCORES)))
        counts = np.zeros(4, np.int64)
        switches, seed = switches_of(settings), settings.noise_seed or 0
        numbers = (settings.depth, deepest, shallow, opponent.seat, switches, searcher.game.hashed, model.row)
        value = kernel.asymmetric(
            searcher.expand,
            searcher.to_move,
            kernel_argument(searcher.game.scores),
            kernel_argument(model.likelihoods),
            kernel_argument(model.settle),
            searcher.game.encode(state),
            np.array([*numbers, settings.nodes, seed], np.int64),
            np.array([settings.margin, rule[1]]),
            np.array([searcher.salt(limit) for limit in range(farthest + 1)], np.uint64),
            np.asarray(weights, np.float64),
            rule[0],
            model.integers,
            model.numbers,
            model.path,
            searcher.table_keys,
            searcher.table_moves,
            searcher.table_values,
            searcher.history,
            searcher.children,
            searcher.lists,
            searcher.values,
            searcher.states,
            searcher.kept,
            searcher.windows,
            searcher.counters,
            searcher.lines,
            self.children,
            self.lists,
            self.values,
            self.shares,
            self.scores,
            searcher.root_values,
            searcher.result,
            searcher.line,
            self.lines,
            counts,
        )
        nodes, asked, named, gave_up = counts.tolist()
        if gave_up:
            return ModelSearchResult(-1, 0.0, (), settings.nodes, settings.depth, {}, complete=False)
        line = tuple(takewhile(lambda action: action >= 0, self.lines[0].tolist()))
        count = len(state.legal_actions())
        values = dict(zip(self.lists[0, 0, :count].tolist(), self.values[0, :count].tolist(), strict=True))
        return ModelSearchResult(line[0], value, line, nodes, settings.depth, values, predicted=asked, named=named)
