"""Alpha-beta in plain Python, for any game of two sides with an EVALUATION. Twin of `kernels.alpha_beta`.

A node is a child visited, leaves included.
"""

from collections.abc import Callable, MutableMapping, Sequence
from hashlib import blake2b

from kibitz import core
from kibitz.agents.search.settings import WIN, WIN_SOONER, SearchResult, Settings

Evaluate = Callable[[core.State], float]
Hash = Callable[[core.State], int]
Answer = tuple[float, tuple[int, ...]]
"""A value, and the moves that lead to it."""
Child = tuple[int, core.State, float]
"""An action, the state after it, and that state's value for the mover."""
History = MutableMapping[tuple[int, int], int]
"""How often each action cut at each ply."""
WORD = (1 << 64) - 1
EXACT, AT_LEAST, AT_MOST = 0, 1, 2


ALONE = frozenset({0})
"""The first side of a game of two players."""


def minimax(
    state: core.State,
    depth: int,
    evaluate: Evaluate,
    win_value: str = "mate",
    first_side: frozenset[int] = ALONE,
) -> float:
    """The value for the player to move, by the definition: no pruning, no move ordering, no table."""
    sign = 1.0 if state.current_player() in first_side else -1.0
    best = -float("inf")
    for action in state.legal_actions():
        child = state.child(action)
        if depth == 1 or child.is_terminal():
            value = sign * leaf_value(child, evaluate(child), depth - 1, win_value)
        else:
            value = minimax(child, depth - 1, evaluate, win_value, first_side)
            if (child.current_player() in first_side) != (sign > 0.0):
                value = -value
        best = max(best, value)
    return best


def leaf_value(child: core.State, static: float, left: int, win_value: str) -> float:
    """Player 0's value of a leaf, wins included."""
    if win_value == "mate" and child.is_terminal():
        won = child.returns()[0]
        if won:
            static += (1.0 if won > 0 else -1.0) * (WIN + WIN_SOONER * left)
    return static


def tie_noise(position: int, seed: int) -> float:
    """A number in ]-.5, .5[ that depends only on the position and the seed. Twin of `kernels.tie_noise`."""
    word = (position ^ seed * 0x9E3779B97F4A7C15) & WORD
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
    word ^= word >> 31
    return ((word >> 12) + 0.5) * (1.0 / 4503599627370496.0) - 0.5


def key_hash(state: core.State) -> int:
    """64 bits of any state's key."""
    return int.from_bytes(blake2b(repr(state.key()).encode(), digest_size=8).digest(), "little")


def words_hash(words: Sequence[int]) -> int:
    """64 bits of the words of a compiled game's state. Twin of `kernels.words_hash`."""
    found = 0x9E3779B97F4A7C15
    for word in words:
        found = (found ^ word) * 0xBF58476D1CE4E5B9 & WORD
        found ^= found >> 29
    return found


def search(
    state: core.State,
    settings: Settings,
    evaluate: Evaluate,
    position: Hash = key_hash,
    first_side: frozenset[int] = ALONE,
) -> SearchResult:
    """Look *settings.depth* plies ahead from *state*; *first_side* are the players whose value is counted."""
    return Search(settings, evaluate, position, first_side).root(state)


class GaveUp(Exception):
    """The node budget is used up."""


class Search:
    """One search: its table, its history, its count of nodes."""

    def __init__(
        self, settings: Settings, evaluate: Evaluate, position: Hash, first_side: frozenset[int] = ALONE
    ) -> None:
        self.settings, self.evaluate, self.position, self.first_side = settings, evaluate, position, first_side
        self.table: dict[tuple[int, int], tuple[int, int, float, int]] = {}
        self.history: History = {}
        self.nodes = 0
        self.values: dict[int, float] = {}

    def root(self, state: core.State) -> SearchResult:
        try:
            value, line = self.best(state, 0, self.settings.depth, -float("inf"), float("inf"))
        except GaveUp:
            return SearchResult(-1, 0.0, (), self.settings.nodes, self.settings.depth, {}, complete=False)
        return SearchResult(line[0], value, line, self.nodes, self.settings.depth, self.values)

    def best(self, state: core.State, ply: int, limit: int, alpha: float, beta: float) -> Answer:
        """The mover's value within the window, looking as far as ply *limit*, and the line that leads there."""
        settings, left = self.settings, limit - ply
        # 1. Was this position searched to the same depth already? The root is never answered from the table.
        here, hint = (0, limit), -1
        if settings.table and left > 1:
            here = (self.position(state), limit)
            if here in self.table:
                depth, kind, value, hint = self.table[here]
                exact = kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha)
                if ply and depth == left and exact:
                    return value, (hint,)
        # 2. Make the children, and order them: the table's move, then moves that cut before, then by value.
        mover = state.current_player()
        frontier = left == 1 and settings.sort and ply > 0
        enough = beta + 0.5 if frontier and settings.prune else float("inf")
        children = self.children(state, mover, ply, limit, enough)
        if frontier:  # leaves are ordered by their values: either the best one cuts, or all are visited
            action, _, value = max(children, key=lambda child: child[2])
            self.visit(1 if settings.prune and value >= beta else len(children))
            return value, (action,)
        if settings.sort:
            self.order(children, ply, hint)
        # 3. Visit them until one is too good for the other side to allow.
        best, lower = -float("inf"), alpha
        line: tuple[int, ...] = ()
        for action, child, value in children:
            self.visit(1)
            below: tuple[int, ...] = ()
            if left > 1 and not child.is_terminal():
                floor = lower if settings.prune else -float("inf")
                if (child.current_player() in self.first_side) == (mover in self.first_side):
                    value, below = self.best(child, ply + 1, limit, floor, beta)
                else:
                    value, below = self.best(child, ply + 1, limit, -beta, -floor)
                    value = -value
            if ply == 0:
                self.values[action] = value
            if value > best:
                best, line = value, (action, *below)
                lower = max(lower, best - settings.margin if ply == 0 else best)
                if settings.prune and lower >= beta:
                    self.history[ply, action] = self.history.get((ply, action), 0) + left * left
                    break
        # 4. Remember.
        if settings.table and left > 1:
            kind = AT_LEAST if best >= beta else AT_MOST if best <= alpha else EXACT
            self.table[here] = (left, kind, best, line[0])
        return best, line

    def visit(self, count: int) -> None:
        """Count nodes, and give up when there are too many."""
        self.nodes += count
        if self.nodes > self.settings.nodes:
            raise GaveUp

    def children(self, state: core.State, mover: int, ply: int, limit: int, enough: float) -> list[Child]:
        """Every action, its child and the child's own value for the mover, until one is *enough*."""
        found: list[Child] = []
        sign = 1.0 if mover in self.first_side else -1.0
        for action in state.legal_actions():
            child = state.child(action)
            static = self.evaluate(child)
            found.append((action, child, sign * self.worth(child, static, ply + 1, limit)))
            if sign * static >= enough and not child.is_terminal():
                break
        return found

    def worth(self, child: core.State, static: float, ply: int, limit: int) -> float:
        """Player 0's value of a child at *ply*: a leaf's with wins and noise, else its evaluation."""
        settings = self.settings
        if ply < limit and not child.is_terminal():
            return static
        value = leaf_value(child, static, settings.depth - ply, settings.win_value)
        if settings.noise_seed is not None:
            value += tie_noise(self.position(child), settings.noise_seed)
        return value

    def order(self, children: list[Child], ply: int, hint: int = -1) -> None:
        """Sort children, best first: the hint, then moves that cut before, then by value; ties keep their order."""
        scores = self.history if self.settings.history else {}
        children.sort(key=lambda child: (child[0] != hint, -scores.get((ply, child[0]), 0), -child[2]))
