"""The upper part of a search that predicts the opponent; below it is plain alpha-beta, compiled if possible.

The upper part holds every node at which a model may still be asked. Python searches it, so that any model will do.
"""

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from kibitz import core
from kibitz.agents.search import reference
from kibitz.agents.search.opponent import Line, Opponent
from kibitz.agents.search.reference import Answer, GaveUp
from kibitz.agents.search.settings import SearchResult, Settings
from kibitz.core.abilities.compiled import evaluator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kibitz.agents.search.fast import CompiledSearch


class ModelSearchResult(SearchResult, frozen=True):
    """What a search with a model found. `nodes` counts everything, the model's own searches included."""

    model_nodes: int = 0
    """Those of the nodes visited by the model's searches, since the last move too."""
    predicted: int = 0
    """Nodes of the tree at which the model was asked."""
    named: int = 0
    """Children of those that were considered likely, in an asymmetric tree."""
    trust: float = 1.0
    """The model's weight, in a mixed tree."""
    chances: dict[int, float] = msgspec.field(default_factory=dict)
    """The probability of winning after each root move, in a mixed tree; upper bounds for moves that cannot be best."""
    level: tuple[int, ...] = ()
    """The root moves that are as good as the best, in a mixed tree."""
    fallback: str = ""
    """Why the model was not used, if it failed."""


class ShownNode(msgspec.Struct):
    """A node of the upper part as a picture shows it; values are the searching player's."""

    action: int
    limit: int
    value: float | None = None
    """None if the search cut it off."""
    share: float | None = None
    likely: bool = False
    chance: float | None = None
    children: list["ShownNode"] = msgspec.field(default_factory=list)
    """The children visited, in that order."""


class UpperNode(msgspec.Struct):
    """A node of the upper part: how far to look below it, and whether to go on predicting."""

    state: core.State
    ply: int
    limit: int
    trying: bool
    line: Line
    seen: ShownNode

    def after(self, action: int, child: core.State, seen: ShownNode, trying: bool) -> "UpperNode":
        """The node after a move."""
        line = self.line.after(self.ply, self.state.current_player(), action, self.state, child)
        return UpperNode(child, self.ply + 1, seen.limit, trying, line, seen)


class UpperSearch(reference.Search):
    """One search: what all trees with a model share."""

    def __init__(
        self,
        settings: Settings,
        evaluate: reference.Evaluate,
        position: reference.Hash,
        opponent: Opponent,
        below: "CompiledBelow | None" = None,
        late: Callable[[], bool] | None = None,
        shown: int = 0,
    ) -> None:
        super().__init__(settings, evaluate, position)
        self.opponent, self.player, self.compiled, self.late = opponent, opponent.seat, below, late
        self.shown = shown
        """Down to this ply all nodes belong to the upper part, so that a picture can show them."""
        if below is not None:
            self.history = below.history
        self.spent_before = opponent.searched
        self.asked = self.named = 0

    def model_nodes(self) -> int:
        """Nodes of the model's own searches in this one."""
        return self.opponent.searched - self.spent_before

    def visit(self, count: int) -> None:
        self.nodes += count
        if self.nodes + self.model_nodes() > self.settings.nodes:
            raise GaveUp

    def below(self, state: core.State, ply: int, limit: int, alpha: float, beta: float) -> Answer:
        """Plain alpha-beta from here on."""
        if self.compiled is None:
            return self.best(state, ply, limit, alpha, beta)
        left = self.settings.nodes - self.nodes - self.model_nodes()
        value, line, nodes = self.compiled.best(state, ply, limit, alpha, beta, max(left, 0))
        self.visit(nodes)
        return value, line

    def shares(self, place: UpperNode, ranked: bool = False) -> list[float] | None:
        """The probability of each move of the opponent, exact or for ranking; gives up when nodes or time run out."""
        self.asked += 1
        found = place.line.weights(place.state) if ranked else place.line.shares(place.state)
        self.visit(0)
        if self.late is not None and self.late():
            raise GaveUp
        return found

    def top(self, state: core.State, trying: bool = True) -> UpperNode:
        """The root."""
        return UpperNode(
            state, 0, self.settings.depth, trying, self.opponent.line(), ShownNode(-1, self.settings.depth)
        )

    def gave_up(self) -> ModelSearchResult:
        """The result when nodes or time run out."""
        nodes = min(self.nodes + self.model_nodes(), max(self.settings.nodes, self.model_nodes()))
        return ModelSearchResult(
            -1, 0.0, (), nodes, self.settings.depth, {}, complete=False, model_nodes=self.model_nodes()
        )


class CompiledBelow:
    """Runs the compiled search below the upper part; all runs of one search share a table and a history."""

    def __init__(self, searcher: "CompiledSearch", settings: Settings, weights: Sequence[float], farthest: int) -> None:
        import numpy as np

        searcher.ready(settings, farthest)
        self.searcher, self.settings = searcher, settings
        self.weights: NDArray[np.float64] = np.asarray(weights, np.float64)
        self.history = ArrayHistory(searcher.history)

    def best(
        self, state: core.State, ply: int, limit: int, alpha: float, beta: float, nodes: int
    ) -> tuple[float, tuple[int, ...], int]:
        """The mover's value, the line, and the nodes it took. Twin of `reference.Search.best`."""
        searcher = self.searcher
        words = searcher.game.encode(state)
        taken = searcher.run(words, self.weights, self.settings, ply, limit, alpha, beta, nodes)
        if taken < 0:
            raise GaveUp
        return float(searcher.result[0]), searcher.found_line(), taken


class ArrayHistory(MutableMapping[tuple[int, int], int]):
    """The compiled search's history as the Python search reads and writes it."""

    def __init__(self, rows: "NDArray[np.int64]") -> None:
        self.rows = rows

    def __getitem__(self, key: tuple[int, int]) -> int:
        return int(self.rows[key])

    def __setitem__(self, key: tuple[int, int], score: int) -> None:
        self.rows[key] = score

    def __delitem__(self, key: tuple[int, int]) -> None:
        self.rows[key] = 0

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter([(int(ply), int(action)) for ply, action in zip(*self.rows.nonzero(), strict=True)])

    def __len__(self) -> int:
        return int((self.rows != 0).sum())


class SearchContext:
    """What a search needs of a game: an evaluation, a hash of its states, and the compiled search if there is one."""

    def __init__(self, game: core.Game) -> None:
        from kibitz.agents.search.searcher import searcher_for

        self.game = game
        found = searcher_for(game)
        self.searcher: CompiledSearch | None = None if not hasattr(found, "ready") else found  # type: ignore[assignment]

    def evaluate(self, weights: Sequence[float]) -> reference.Evaluate:
        """The evaluation with *weights*."""
        return evaluator(self.game, weights)

    def position(self, state: core.State) -> int:
        """64 bits of a state, the same in Python and compiled."""
        if self.searcher is None:
            return reference.key_hash(state)
        kernels = self.searcher.game
        return reference.words_hash(kernels.encode(state)[: kernels.hashed].tolist())

    def below(self, settings: Settings, weights: Sequence[float], farthest: int) -> CompiledBelow | None:
        """The compiled search below the upper part, if there is one."""
        return None if self.searcher is None else CompiledBelow(self.searcher, settings, weights, farthest)
