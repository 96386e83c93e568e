"""The search of every game tree in plain Python: one recursion for `alphabeta` and `asymmetric`.

A node policy (`node_policy`) says what to expect of the opponent. Where it changes nothing any more, the value of a
position does not depend on the line to it: that part of the tree is alpha-beta with a table, compiled if the game has
kernels. The part above, at whose nodes a model may still be asked, is the *upper part*. Values are those of the side
that searches. A node is a child visited, leaves included. Twin of `kernel.search`.
"""

from collections import defaultdict
from collections.abc import Callable, MutableMapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, cast

from kibitz import core
from kibitz_lab.search.node_policy import (
    INFINITY,
    Best,
    Child,
    Expectation,
    NodePolicy,
    Reply,
    ShownNode,
    TreeNode,
)
from kibitz_lab.search.opponent import Line
from kibitz_lab.search.settings import WIN, WIN_SOONER, SearchResult, Settings

if TYPE_CHECKING:
    from kibitz_lab.search.compiled_search import CompiledSubtrees

Evaluate = Callable[[core.State], float]
Hash = Callable[[core.State], int]
History = MutableMapping[tuple[int, int], int]
"""How much each action cut at each ply."""
WORD = (1 << 64) - 1
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
ALONE = frozenset({0})
"""The first side of a game of two players."""


class BudgetSpent(Exception):
    """Nodes or time are used up."""


class NoSingleMover(Exception):
    """The tree has a node at which players move simultaneously, or chance does."""


class Entry(NamedTuple):
    """What the table knows of a position: the value found with *left* plies to go, and what kind of bound it is."""

    left: int
    kind: int
    found: Expectation

    def answers(self, alpha: float, beta: float) -> bool:
        """Whether it makes a search within this window unnecessary."""
        value = self.found.value
        return (
            self.kind == EXACT or (self.kind == AT_LEAST and value >= beta) or (self.kind == AT_MOST and value <= alpha)
        )


class TreeSearch:
    """One search: its policy, its table, its history, its count of nodes.

    *first_side* are the players whose value the evaluation is. Down to ply *shown* all nodes belong to the upper part,
    so that a picture can show them.
    """

    def __init__(
        self,
        settings: Settings,
        evaluate: Evaluate,
        policy: NodePolicy | None = None,
        position: "Hash | None" = None,
        first_side: frozenset[int] = ALONE,
        compiled: "CompiledSubtrees | None" = None,
        shown: int = 0,
    ) -> None:
        self.settings, self.evaluate, self.position = settings, evaluate, position or key_hash
        self.policy, self.first_side, self.compiled, self.shown = policy or NodePolicy(), first_side, compiled, shown
        self.upper = max(shown, 1)
        """From this ply on nodes need not belong to the upper part."""
        self.late: Callable[[], bool] | None = None
        """Whether time is up; asked after every question to the model."""
        self.table: dict[tuple[core.Key, int], Entry] = {}
        self.history: History = defaultdict(int)
        if compiled is not None:
            self.history = cast(History, compiled.history)  # an array, indexed alike
        self.nodes, self.most = 0, settings.nodes
        """The nodes so far, and how many there may be beside those of the model's searches."""
        self.expectations: dict[int, Expectation] = {}
        """What to expect after each root move."""

    def root(self, state: core.State) -> SearchResult:
        """The best move in *state*."""
        try:
            found = self.search(state)
        except BudgetSpent:
            return SearchResult(-1, 0.0, (), self.settings.nodes, self.settings.depth, {}, complete=False)
        return SearchResult(found.line[0], found.value, found.line, self.nodes, self.settings.depth, self.values())

    def search(self, state: core.State, line: Line | None = None) -> Expectation:
        """What to expect in *state*; raises BudgetSpent when nodes or time run out."""
        self.own = state.current_player() in self.first_side
        self.sign = 1.0 if self.own else -1.0
        depth = self.settings.depth
        self.tree = TreeNode(state, 0, depth, self.policy.asks, line, ShownNode(-1, depth))
        found = self.value(self.tree, -INFINITY, INFINITY)
        assert self.tree.seen is not None
        self.tree.seen.value = found.value
        return found

    def values(self) -> dict[int, float]:
        """The value of every root move."""
        return {action: found.value for action, found in self.expectations.items()}

    def value(self, node: TreeNode, alpha: float, beta: float) -> Expectation:
        """What to expect at a node; exact within the window."""
        settings, policy, state, ply = self.settings, self.policy, node.state, node.ply
        mover = state.current_player()
        own, left = (mover in self.first_side) == self.own, node.limit - ply
        # 1. Where the policy changes nothing any more, the rest is plain alpha-beta.
        settled = policy.is_settled(node, own)
        plain = settled and ply >= self.upper
        if plain and self.compiled is not None:
            return self.compiled_value(node, own, alpha, beta)
        # 2. Was this position searched to the same depth already?
        hint, remembers = -1, plain and settings.table and left > 1
        if remembers:
            here = (state.key(), node.limit)
            known = self.table.get(here)
            if known is not None:
                if known.left == left and known.answers(alpha, beta):
                    return known.found
                hint = known.found.line[0] if known.found.line else -1
        # 3. Ask the policy about the opponent's moves.
        replies = None if settled or own else self.replies(node)
        if replies is None and not settled and not own:  # nothing to expect: it is settled now
            return self.value(node, alpha, beta)
        # 4. Make the children, and order them: the table's move, then moves that cut before, then by value.
        frontier = plain and left == 1 and settings.sort
        enough = beta + 0.5 if own else 0.5 - alpha  # noise takes less than .5 away
        children = self.children(node, mover, replies, enough if frontier and settings.prune else INFINITY)
        if frontier and all(leaf for _, _, _, _, leaf in children):
            return self.best_leaf(children, own, alpha, beta)
        if settings.sort:
            self.order(children, ply, own, hint)
        # 5. Visit them until one is too good for the other side to allow.
        collector = Best(own, alpha, beta, settings.prune, 0.0 if plain or ply else settings.margin)
        found = self.visit_children(node, mover, children, collector, None if plain else node.seen)
        # 6. Remember.
        if remembers:
            kind = AT_LEAST if found.value >= beta else AT_MOST if found.value <= alpha else EXACT
            self.table[here] = Entry(left, kind, found._replace(line=found.line[:1]))  # as much as a compiled table
        return found

    def visit_children(
        self, node: TreeNode, mover: int, children: list[Child], collector: Best, seen: ShownNode | None
    ) -> Expectation:
        """Visit the children in their order and collect what to expect behind them; *seen* is shown in a picture."""
        ply = node.ply
        if seen is not None:
            seen.children = [shown_child(node, child) for child in children]
        for number, (action, state, value, reply, leaf) in enumerate(children):
            self.nodes += 1
            if self.nodes > self.most:
                raise BudgetSpent
            below = None if seen is None else seen.children[number]
            if leaf and below is None and (value <= collector.best if collector.own else value >= collector.best):
                continue  # as most leaves of plain alpha-beta: `add` would do nothing
            if leaf:
                found = Expectation(value)
            else:
                limit, asks = (node.limit, node.asks) if reply is None else (reply.limit, reply.asks)
                line = node.line and node.line.after(ply, mover, action, node.state, state)
                found = self.value(TreeNode(state, ply + 1, limit, asks, line, below), collector.alpha, collector.beta)
            if below is not None:
                below.value = found.value
            if ply == 0:
                self.expectations[action] = found
            if collector.add(action, found):
                self.history[ply, action] += (node.limit - ply) ** 2
                break
        return collector.expectation()

    def replies(self, node: TreeNode) -> list[Reply] | None:
        """What the policy says of the opponent's moves; gives up when nodes or time run out."""
        found = self.policy.replies(node, self.shown)
        self.most = self.settings.nodes - self.policy.model_nodes()
        self.visit(0)
        if self.late is not None and self.late():
            raise BudgetSpent
        return found

    def compiled_value(self, node: TreeNode, own: bool, alpha: float, beta: float) -> Expectation:
        """The compiled search from here on, which counts values as the mover's."""
        assert self.compiled is not None
        window = (alpha, beta) if own else (-beta, -alpha)
        left = max(self.most - self.nodes, 0)
        taken, value, line = self.compiled.search(node.state, node.ply, node.limit, window, left)
        if taken < 0:
            raise BudgetSpent
        self.visit(taken)
        return Expectation(value if own else -value, line)

    def visit(self, count: int) -> None:
        """Count nodes, and give up when there are too many."""
        self.nodes += count
        if self.nodes > self.most:
            raise BudgetSpent

    def children(self, node: TreeNode, mover: int, replies: list[Reply] | None, enough: float) -> list[Child]:
        """Every action and what comes after it, until a leaf that is not the end is worth *enough* to the mover."""
        if mover < 0:
            raise NoSingleMover
        found: list[Child] = []
        state, ply, sorts = node.state, node.ply + 1, self.settings.sort
        better = 1.0 if mover in self.first_side else -1.0
        for number, action in enumerate(state.legal_actions()):
            child, reply = state.child(action), None if replies is None else replies[number]
            limit = node.limit if reply is None else reply.limit
            follower = child.current_player()
            over = follower == core.TERMINAL
            leaf = over or ply >= limit
            static = self.evaluate(child) if leaf or sorts else 0.0
            value = self.leaf_value(child, static, ply, over) if leaf else static
            found.append((action, child, self.sign * value, reply, leaf))
            if leaf and better * static >= enough and not over:
                break
        return found

    def leaf_value(self, leaf: core.State, static: float, ply: int, over: bool) -> float:
        """The first side's value of a leaf, with wins and noise."""
        settings = self.settings
        if over and settings.win_value == "mate":
            won = leaf.returns()[0]
            static += ((won > 0.0) - (won < 0.0)) * (WIN + WIN_SOONER * (settings.depth - ply))
        if settings.noise_seed is not None:
            static += tie_noise(self.position(leaf), settings.noise_seed)
        return static

    def order(self, children: list[Child], ply: int, own: bool, hint: int) -> None:
        """Sort children, best first: the hint, then moves that cut before, then by value; ties keep their order."""
        better, scores = -1.0 if own else 1.0, self.history
        if self.settings.history:
            children.sort(key=lambda child: (child[0] != hint, -scores[ply, child[0]], better * child[2]))
        else:
            children.sort(key=lambda child: (child[0] != hint, better * child[2]))

    def best_leaf(self, leaves: list[Child], own: bool, alpha: float, beta: float) -> Expectation:
        """The best leaf of a node. Leaves are ordered by value: either the best one cuts, or all are visited."""
        action, _, value, _, _ = max(leaves, key=lambda leaf: leaf[2] if own else -leaf[2])
        cuts = self.settings.prune and (value >= beta if own else value <= alpha)
        self.visit(1 if cuts else len(leaves))
        return Expectation(value, (action,))


def shown_child(node: TreeNode, child: Child) -> ShownNode:
    """A child as a picture shows it, before it is visited."""
    action, _, _, reply, _ = child
    if reply is None:
        return ShownNode(action, node.limit)
    return ShownNode(action, reply.limit, None, reply.share, reply.likely)


def search(
    state: core.State,
    settings: Settings,
    evaluate: Evaluate,
    position: "Hash | None" = None,
    first_side: frozenset[int] = ALONE,
) -> SearchResult:
    """Alpha-beta: look *settings.depth* plies ahead from *state*; *first_side* are those whose value is counted."""
    return TreeSearch(settings, evaluate, position=position, first_side=first_side).root(state)


def tie_noise(position: int, seed: int) -> float:
    """A number in ]-.5, .5[ that depends only on the position and the seed. Twin of `kernel.tie_noise`."""
    word = (position ^ seed * 0x9E3779B97F4A7C15) & WORD
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
    word ^= word >> 31
    return ((word >> 12) + 0.5) * (1.0 / 4503599627370496.0) - 0.5


def key_hash(state: core.State) -> int:
    """64 bits of any state's key."""
    return int.from_bytes(blake2b(repr(state.key()).encode(), digest_size=8).digest(), "little")


def words_hash(words: Sequence[int]) -> int:
    """64 bits of the words of a compiled game's state. Twin of `kernel.words_hash`."""
    found = 0x9E3779B97F4A7C15
    for word in words:
        found = (found ^ word) * 0xBF58476D1CE4E5B9 & WORD
        found ^= found >> 29
    return found
