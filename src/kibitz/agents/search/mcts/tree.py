"""The tree of Monte Carlo tree search: what each player tried at each node, and what it earned.

There is one tree, of what the searching player can see. A step down it is what they see of an event: an action, a
chance outcome, one action per player in a simultaneous move, or None for hidden events. So one node stands for all
positions they cannot tell apart, and they cannot choose differently in them: the information-set search of Cowling,
Powley & Whitehouse (2012) with a single observer.

Its limits: the others choose as if they knew no more than the searching player, so it underestimates them (statistics
by what each player holds made no difference that 400 matches of `kuhn` or 60 of `offers` could show). It draws no
conclusions from what others did before the search began. It therefore neither bluffs well nor reads bluffs.
"""

from collections.abc import Sequence
from math import log, sqrt

from kibitz import core
from kibitz.agents.search.mcts.playouts import Playout, drawn_action
from kibitz.core.match import drawn_outcome

LISTED = 50
"""Up to this many legal actions are all tried; of more, only WIDENING * sqrt(visits) (Coulom 2007)."""
WIDENING = 2.0
LOOSE = 0.2
"""In a simultaneous move each player explores at random with this probability: otherwise players explore in step and
learn wrong values (two players who always try defecting together never see what defecting alone is worth)."""

ROUNDING = 1e-12
"""A variance below this counts as 0."""

Seen = tuple[int | None, ...]
"""What the searching player sees of an event."""


class Arm:
    """An action tried: how often, and the sum of its returns, each scaled to [0, 1]."""

    __slots__ = ("total", "visits")

    def __init__(self) -> None:
        self.visits, self.total = 0, 0.0


class Bandit:
    """The actions one player tried at a node."""

    __slots__ = ("arms", "visits")

    def __init__(self) -> None:
        self.arms: dict[int, Arm] = {}
        self.visits = 0

    def choose(self, legal: Sequence[int], exploration: float, rng: core.Rng, hidden: bool) -> int:
        """An untried action while more may be tried, else the one with the highest upper confidence bound (UCB1)."""
        tried = self.arms
        if hidden:  # legal actions may depend on hidden information
            tried = {action: arm for action, arm in tried.items() if action in legal}
        allowed = len(legal) if len(legal) <= LISTED else min(len(legal), 1 + int(WIDENING * sqrt(self.visits)))
        if len(tried) < allowed:
            return self.untried_action(legal, rng)
        log_visits = log(self.visits)
        best, best_bound = -1, -float("inf")
        for action, arm in tried.items():
            bound = arm.total / arm.visits + exploration * sqrt(log_visits / arm.visits)
            if bound > best_bound:
                best, best_bound = action, bound
        return best

    def untried_action(self, legal: Sequence[int], rng: core.Rng) -> int:
        """A uniformly drawn action without an arm. From a large set it draws until it finds one, which is soon."""
        if len(legal) <= LISTED:
            return drawn_action([action for action in legal if action not in self.arms], rng)
        while (action := drawn_action(legal, rng)) in self.arms:
            pass
        return action

    def learn(self, action: int, earned: float) -> None:
        """Count what *action* earned."""
        arm = self.arms.get(action)
        if arm is None:
            arm = self.arms[action] = Arm()
        arm.visits += 1
        arm.total += earned
        self.visits += 1


class Node:
    """A set of positions that the searching player cannot tell apart."""

    __slots__ = ("bandits", "children", "visits")

    def __init__(self) -> None:
        self.bandits: dict[int, Bandit] = {}
        self.children: dict[Seen, Node] = {}
        self.visits = 0

    def bandit(self, player: int) -> Bandit:
        """The statistics of *player* here."""
        found = self.bandits.get(player)
        if found is None:
            found = self.bandits[player] = Bandit()
        return found

    def child(self, seen: Seen) -> "Node":
        """The node after *seen*."""
        found = self.children.get(seen)
        if found is None:
            found = self.children[seen] = Node()
        return found


class Tree:
    """One search from one view; each simulation grows it."""

    def __init__(
        self, game: core.Game, player: int, playout: Playout, rng: core.Rng, exploration: float, horizon: int
    ) -> None:
        self.game, self.player, self.playout, self.rng = game, player, playout, rng
        self.exploration, self.horizon = exploration, horizon
        self.root = Node()
        self.count, self.total, self.squares = 0, 0.0, 0.0
        """The number of returns so far, their sum and the sum of their squares, all scaled."""
        self.plies = 0
        """Plies played so far, in the tree and in playouts."""

    def simulate(self, view: core.State, rollout_plies: int) -> None:
        """Play once from *view* to the end or the cut, and learn from it."""
        # 1. Sample the hidden information.
        state = view.complete(self.rng)
        # 2. Go down the tree, each player by their own statistics, until one tries an action for the first time.
        path: list[tuple[Bandit, int, int]] = []
        node, left, inside = self.root, self.horizon, True
        exploration = self.exploration * (self.spread() or 1.0)
        while inside and left > 0 and not state.is_terminal():
            movers = self.game.movers(state)
            actions = []
            for player in movers:
                bandit, legal = node.bandit(player), state.legal_actions(player)
                loose = len(movers) > 1 and self.rng.random() < LOOSE
                if loose:
                    action = drawn_action(legal, self.rng)
                else:
                    action = bandit.choose(legal, exploration, self.rng, self.game.hidden)
                inside = inside and action in bandit.arms
                actions.append(action)
                path.append((bandit, player, action))
            if not movers:
                actions.append(drawn_outcome(state, self.rng.random()))
            node = node.child(self.seen_event(state, movers or (core.CHANCE,), actions))
            node.visits += 1
            state.step(actions)
            left -= 1
        # 3. Play on at random.
        returns, plies = self.playout(state, min(left, rollout_plies))
        self.plies += self.horizon - left + plies
        # 4. Each player learns from their own return.
        earned = self.scale_returns(returns)
        for bandit, player, action in path:
            bandit.learn(action, earned[player])

    def seen_event(self, state: core.State, movers: Sequence[int], actions: Sequence[int]) -> Seen:
        """The event as the searching player sees it."""
        if not self.game.hidden:
            return tuple(actions)
        pairs = zip(movers, actions, strict=True)
        return tuple(state.seen_action(self.player, mover, action) for mover, action in pairs)

    def scale_returns(self, returns: Sequence[float]) -> list[float]:
        """Returns scaled from the game's range to [0, 1]."""
        least, most = self.game.utility
        width = most - least or 1.0
        earned = [(value - least) / width for value in returns]
        self.count += len(earned)
        self.total += sum(earned)
        self.squares += sum(value * value for value in earned)
        return earned

    def spread(self) -> float:
        """Two standard deviations of all returns: 1 if the game's largest and smallest return are equally frequent.

        Each player's own spread did worse: a player who nearly always earns the same stops exploring too soon.
        """
        if not self.count:
            return 0.0
        mean = self.total / self.count
        variance = self.squares / self.count - mean * mean
        return 2.0 * sqrt(variance) if variance > ROUNDING else 0.0

    def line(self) -> tuple[Seen, ...]:
        """The most played line from the root, as the searching player sees it, chance included."""
        found, node = [], self.root
        while node.children:
            seen = max(node.children, key=lambda each: node.children[each].visits)
            found.append(seen)
            node = node.children[seen]
        return tuple(found)
