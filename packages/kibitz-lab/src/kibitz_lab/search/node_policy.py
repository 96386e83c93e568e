"""How far a search looks at the nodes of the opponent; write a policy here to let a search use a model in another way.

The search of `game_tree` asks its policy at every node of the opponent how far to look below each move. `NodePolicy`
is plain alpha-beta; `LikelySet`, of the agent `asymmetric`, looks further below likely moves (Pedersen 2008, ch. 9).
All values are the searching side's.
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

import msgspec

from kibitz import core
from kibitz_lab.search.opponent import Line, Opponent

INFINITY = float("inf")


class Expectation(NamedTuple):
    """What a search expects at a node: a value, and the line to it."""

    value: float
    line: tuple[int, ...] = ()


class ShownNode(msgspec.Struct):
    """A node of the upper part as a picture shows it."""

    action: int
    limit: int
    value: float | None = None
    """None if the search cut it off."""
    share: float | None = None
    likely: bool = False
    children: list["ShownNode"] = msgspec.field(default_factory=list)
    """The children, in the order in which they are visited."""


class Reply(NamedTuple):
    """A move of the opponent: how far to look below it, and what the model says of it."""

    limit: int
    asks: bool
    share: float | None = None
    likely: bool = False


class TreeNode(msgspec.Struct):
    """A node of the tree."""

    state: core.State
    ply: int
    """The moves made before it."""
    limit: int
    """The ply at which the leaves below it are."""
    asks: bool = False
    """Whether the policy is asked at the opponent's nodes from here on."""
    line: Line | None = None
    """The moves from the root, as the model follows them."""
    seen: ShownNode | None = None


Child = tuple[int, core.State, float, Reply | None, bool]
"""An action, the state after it, that state's own value, what the policy says of it, and whether it is a leaf."""


class Best:
    """The value of a node at which one side takes the best, by alpha-beta; bounds are of the searching side's value.

    The value of the next child must be exact between *alpha* and *beta*; at the root, values less than *margin* below
    the best are found exactly too.
    """

    def __init__(self, own: bool, alpha: float, beta: float, prune: bool, margin: float = 0.0) -> None:
        self.own, self.alpha, self.beta, self.prune, self.margin = own, alpha, beta, prune, margin
        self.best = -INFINITY if own else INFINITY
        self.line: tuple[int, ...] = ()

    def add(self, action: int, found: Expectation) -> bool:
        """Take a child's expectation in; return whether the others can be cut off."""
        value = found.value
        if value <= self.best if self.own else value >= self.best:
            return False
        self.best, self.line = value, (action, *found.line)
        if not self.prune:
            return False
        if self.own:
            self.alpha = max(self.alpha, value - self.margin)
        else:
            self.beta = min(self.beta, value)
        return self.alpha >= self.beta

    def expectation(self) -> Expectation:
        """What the node is worth."""
        return Expectation(self.best, self.line)


class NodePolicy:
    """Looks equally far everywhere, where a subclass says nothing else."""

    asks = False
    """Whether it is asked at the opponent's nodes."""
    asked = named = 0
    """Nodes at which it asked the model, and children of those that were likely."""

    def is_settled(self, node: TreeNode, own: bool) -> bool:
        """Whether the policy changes nothing at or below a node: then the rest is plain alpha-beta, with its table."""
        return True

    def replies(self, node: TreeNode, shown: int) -> list[Reply] | None:
        """What it says of every move of the opponent; None to look at the node again, as the policy left it."""
        return [Reply(node.limit, node.asks)] * len(node.state.legal_actions())

    def model_nodes(self) -> int:
        """Nodes of a model's own searches in this one."""
        return 0


class LikelySet(NodePolicy):
    """Looks as far as ply *deepest* below the moves that the opponent's rule names likely, to *unlikely* below others.

    Below likely moves it goes on predicting, below the others not. The limit is a ply counted from the root: nothing
    is ever added twice.
    """

    asks = True

    def __init__(self, opponent: Opponent, deepest: int, unlikely: int) -> None:
        self.opponent, self.spent_before = opponent, opponent.searched
        self.deepest, self.unlikely = deepest, unlikely
        self.rule = deepcopy(opponent.rule)  # so that its draws do not change those of the next search

    def model_nodes(self) -> int:
        return self.opponent.searched - self.spent_before

    def is_settled(self, node: TreeNode, own: bool) -> bool:
        nearest = node.ply + 1 if own else node.ply
        return not node.asks or nearest >= node.limit or nearest + 1 >= self.deepest

    def replies(self, node: TreeNode, shown: int) -> list[Reply] | None:
        self.asked += 1
        assert node.line is not None
        weights = node.line.weights(node.state)
        likely = [False] * len(node.state.legal_actions()) if weights is None else self.rule.likely(weights)
        self.named += sum(likely)
        if not any(likely) and shown <= node.ply < self.unlikely:  # the same as without a prediction
            node.limit, node.asks = self.unlikely, False
            return None
        return [
            Reply(self.deepest, True, share, True) if each else Reply(self.unlikely, False, share)
            for share, each in zip(shares_of(weights, len(likely)), likely, strict=True)
        ]


def shares_of(weights: Sequence[float] | None, count: int) -> list[float | None]:
    """Weights as shares of 1; None for each of *count* if there are none."""
    total = sum(weights or ())
    return [weight / total for weight in weights] if weights and total else [None] * count
