"""What a search expects at the nodes of the opponent; write a policy here to let a search use a model in another way.

The search of `game_tree` asks its policy at every node of the opponent: how far to look below each move, and how the
values behind the moves make that of the node. All values are the searching side's.

| policy | looks further below | a node of the opponent is worth | agent |
|---|---|---|---|
| `Minimise` | nothing | the least | `alphabeta`, `expectimax` |
| `LikelySet` | likely moves | the least | `asymmetric` (Pedersen 2008, ch. 9) |
| `TrustMixture` | nothing | the expected by a model, mixed with the least | `prom` (Donkers et al. 2001) |

Chance is not a player and needs no policy: everywhere the search takes the mean.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from kibitz import core
from kibitz.agents.search.opponent import Line, Opponent
from kibitz.agents.search.settings import Settings
from kibitz.agents.search.win_probability import chance

INFINITY = float("inf")
FOREVER = 1 << 30
"""So many nodes of the opponent never follow each other."""
TIE = 1.0
"""Moves whose values are less than this apart may count as equal, because leaf noise can swap their order."""


class Expectation(NamedTuple):
    """What a search expects at a node: a value, the line to it, and in a mixed tree the probability of winning."""

    value: float
    line: tuple[int, ...] = ()
    chance: float | None = None

    def rank(self) -> tuple[float, float]:
        """The key that orders moves in a mixed tree."""
        return self.chance or 0.0, self.value


class ShownNode(msgspec.Struct):
    """A node of the upper part as a picture shows it."""

    action: int
    limit: int
    value: float | None = None
    """None if the search cut it off."""
    share: float | None = None
    likely: bool = False
    chance: float | None = None
    children: list["ShownNode"] = msgspec.field(default_factory=list)
    """The children, in the order in which they are visited."""


class Reply(NamedTuple):
    """A move of the opponent: how far to look below it, and what the model says of it."""

    limit: int
    asks: int
    share: float | None = None
    likely: bool = False


class TreeNode(msgspec.Struct):
    """A node of the tree."""

    state: core.State
    ply: int
    """The moves made before it, chance not counted."""
    limit: int
    """The ply at which the leaves below it are."""
    asks: int = 0
    """At so many more nodes of the opponent on a line the policy is asked."""
    line: Line | None = None
    """The moves from the root, as the model follows them."""
    seen: ShownNode | None = None
    floor: float = -INFINITY
    """Chances below this need not be exact."""


Child = tuple[int, core.State, float, Reply | None, bool]
"""An action, the state after it, that state's own value, what the policy says of it, and whether it is a leaf."""


class Best:
    """The value of a node at which one side takes the best, by alpha-beta; bounds are of the searching side's value.

    The value of the next child must be exact between *alpha* and *beta*; at the root, values less than *margin* below
    the best are found exactly too.
    """

    floor = -INFINITY
    """Chances of the next child below this need not be exact."""
    refutes = True
    """Whether the child that cuts the others off refutes the move before; the search then tries it early elsewhere."""

    def __init__(self, own: bool, alpha: float, beta: float, prune: bool, margin: float = 0.0) -> None:
        self.own, self.alpha, self.beta, self.prune, self.margin = own, alpha, beta, prune, margin
        self.best = -INFINITY if own else INFINITY
        self.line: tuple[int, ...] = ()

    def arrange(self, children: list[Child]) -> None:
        """Change the order of the children."""

    def add(self, action: int, reply: Reply | None, found: Expectation) -> bool:
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
    """What to expect of the opponent: the worst, where a subclass says nothing else."""

    asks = 0
    """At so many nodes of the opponent on a line it is asked."""
    asked = named = 0
    """Nodes at which it asked the model, and children of those that were likely."""

    def is_settled(self, node: TreeNode, own: bool) -> bool:
        """Whether the policy changes nothing at or below a node: then the rest is plain alpha-beta, with its table."""
        return True

    def replies(self, node: TreeNode, shown: int) -> list[Reply] | None:
        """What it says of every move of the opponent; None to look at the node again, as the policy left it."""
        return [Reply(node.limit, node.asks)] * len(node.state.legal_actions())

    def collector(self, node: TreeNode, own: bool, alpha: float, beta: float, settings: Settings) -> Best:
        """What makes the value of a node from those of its children."""
        return Best(own, alpha, beta, settings.prune, 0.0 if node.ply else settings.margin)

    def complete(self, found: Expectation) -> Expectation:
        """An expectation with all that the policy needs."""
        return found

    def model_nodes(self) -> int:
        """Nodes of a model's own searches in this one."""
        return 0


class Minimise(NodePolicy):
    """Expects the worst everywhere: the tree is plain minimax, searched by alpha-beta."""


class ModelPolicy(NodePolicy):
    """What all policies with a model share."""

    def __init__(self, opponent: Opponent) -> None:
        self.opponent = opponent
        self.spent_before = opponent.searched

    def model_nodes(self) -> int:
        return self.opponent.searched - self.spent_before


class LikelySet(ModelPolicy):
    """Looks as far as ply *deepest* below the moves that the opponent's rule names likely, to *unlikely* below others.

    Below likely moves it goes on predicting, below the others not. The limit is a ply counted from the root: nothing
    is ever added twice.
    """

    asks = FOREVER

    def __init__(self, opponent: Opponent, deepest: int, unlikely: int) -> None:
        super().__init__(opponent)
        self.deepest, self.unlikely, self.rule = deepest, unlikely, opponent.fresh_rule()

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
            node.limit, node.asks = self.unlikely, 0
            return None
        return [
            Reply(self.deepest, node.asks, share, True) if each else Reply(self.unlikely, 0, share)
            for share, each in zip(shares_of(weights, len(likely)), likely, strict=True)
        ]


def shares_of(weights: Sequence[float] | None, count: int) -> list[float | None]:
    """Weights as shares of 1; None for each of *count* if there are none."""
    total = sum(weights or ())
    return [weight / total for weight in weights] if weights and total else [None] * count


class TrustMixture(ModelPolicy):
    """At the next *asks* nodes of the opponent on a line, mixes what a model expects with the worst case.

    Such a node is worth

        trust * sum of P(move) * chance behind the move + (1 - trust) * the least chance,

    where chances are probabilities of winning. Everywhere else the tree is minimax. Every node also has its value, that
    of minimax, which breaks ties between equal chances: without trust the tree is alpha-beta. Replies of weight *tiny*
    or less are searched for the worst case only. With *safety* below 1 every root move's value is exact.
    """

    def __init__(
        self, opponent: Opponent, trust: float, asks: int, scale: float, safety: float = 1.0, tiny: float = 0.0
    ) -> None:
        super().__init__(opponent)
        self.trust, self.asks, self.scale, self.safety, self.tiny = trust, asks, scale, safety, tiny

    def is_settled(self, node: TreeNode, own: bool) -> bool:
        return not node.asks or (own and node.ply + 1 >= node.limit)

    def replies(self, node: TreeNode, shown: int) -> list[Reply] | None:
        shares: Sequence[float | None] | None = None
        if node.asks and self.trust:
            self.asked += 1
            assert node.line is not None
            shares = node.line.shares(node.state)
        asks = max(node.asks - 1, 0)
        shares = shares or [None] * len(node.state.legal_actions())
        return [Reply(node.limit, asks, share) for share in shares]

    def collector(self, node: TreeNode, own: bool, alpha: float, beta: float, settings: Settings) -> Best:
        return BestChance(self, node) if own else MixedReplies(self, node)

    def complete(self, found: Expectation) -> Expectation:
        return found if found.chance is not None else found._replace(chance=chance(found.value, self.scale))

    def reach(self) -> float:
        """Chances further apart belong to values that differ by TIE or more: the logistic is nowhere steeper."""
        return TIE / (4.0 * self.scale)


class BestChance(Best):
    """A node of the searching side in a mixed tree: it takes the best chance; the value is the best value."""

    def __init__(self, policy: TrustMixture, node: TreeNode) -> None:
        super().__init__(True, -INFINITY, INFINITY, False)
        # A root move whose chance cannot come near the best is not searched further, unless all values are needed.
        self.reach = policy.reach() if node.ply == 0 and policy.safety >= 1.0 else INFINITY
        self.found: Expectation | None = None

    def add(self, action: int, reply: Reply | None, found: Expectation) -> bool:
        self.best = max(self.best, found.value)
        if self.found is None or found.rank() > self.found.rank():
            self.found = found._replace(line=(action, *found.line))
        self.floor = max(self.floor, found.rank()[0] - self.reach)
        return False

    def expectation(self) -> Expectation:
        assert self.found is not None
        return self.found._replace(value=self.best)


class MixedReplies(Best):
    """A node of the opponent in a mixed tree."""

    refutes = False

    def __init__(self, policy: TrustMixture, node: TreeNode) -> None:
        super().__init__(False, -INFINITY, INFINITY, False)
        self.policy, self.limit = policy, node.floor
        self.trust, self.mean, self.left, self.least, self.most = 0.0, 0.0, 0.0, INFINITY, -INFINITY
        self.heavy = 0
        """Replies of more than tiny weight that are not visited yet."""

    def weight(self, reply: Reply | None) -> float:
        """The weight of a reply in the mean."""
        return 0.0 if reply is None or reply.share is None else self.policy.trust * reply.share

    def arrange(self, children: list[Child]) -> None:
        children.sort(key=lambda child: self.weight(child[3]) <= self.policy.tiny)  # what carries weight comes first
        known = any(reply is not None and reply.share is not None for _, _, _, reply, _ in children)
        self.trust = self.left = self.policy.trust if known else 0.0
        self.heavy = sum(self.weight(child[3]) > self.policy.tiny for child in children)

    def add(self, action: int, reply: Reply | None, found: Expectation) -> bool:
        weight, expected = self.weight(reply), found.rank()[0]
        self.mean += weight * expected
        self.left -= weight
        if found.value < self.best:
            self.best, self.line = found.value, (action, *found.line)
        self.least = min(self.least, expected)
        self.heavy -= 1
        self.beta = INFINITY if self.heavy > 0 else self.best  # of the others only the worst case counts
        # Even if the replies left were certain wins, would the node be worth looking at?
        self.most = self.mean + max(self.left, 0.0) + (1.0 - self.trust) * self.least
        return self.most < self.limit

    def expectation(self) -> Expectation:
        if self.most < self.limit:
            return Expectation(self.best, self.line, self.most)
        return Expectation(self.best, self.line, self.mean + (1.0 - self.trust) * self.least)
