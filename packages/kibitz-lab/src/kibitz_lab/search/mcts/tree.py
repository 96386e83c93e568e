"""The trees of Monte Carlo tree search: what each player knows at a node, and what they tried there.

Every player has a tree of what that player can see. A step down it is what they see of an event: an action, a chance
outcome, one action per player in a move at once, or None for hidden events. So one node stands for all positions that
its player cannot tell apart, and they cannot choose differently in them: the information-set search of Cowling, Powley
& Whitehouse (2012) with one observer per player. The node is never the position alone: where the rules forget who
did what, players do not. If nothing is hidden, the players share one tree.

A model replaces what is not known: each simulation is played in one of the worlds that it drew, and the players whose
types it drew choose by them. The others choose by their trees, as good players who know no more than they can see.
"""

from collections.abc import Sequence
from math import sqrt

from kibitz import core
from kibitz.core.match import drawn_outcome
from kibitz_lab.search.mcts.decisions import Bandit, Decision, Others, RegretTable
from kibitz_lab.search.mcts.playouts import Leaves, side_returns
from kibitz_lab.search.mcts.simulated_players import SimulatedPlayers, Types

ROUNDING = 1e-12
"""A variance below this counts as 0."""

TIES = 0.02
"""The width of the noise in what actions are worth before they are tried."""

Seen = tuple[int | None, ...]
"""What a player sees of an event."""


class Node:
    """A set of positions that a player cannot tell apart."""

    __slots__ = ("children", "decisions", "visits")

    def __init__(self) -> None:
        self.decisions: dict[int, Decision] = {}
        """What each player tried here: of one player, or of all if nothing is hidden."""
        self.children: dict[Seen, Node] = {}
        self.visits = 0.0

    def child(self, seen: Seen) -> "Node":
        """The node after *seen*."""
        found = self.children.get(seen)
        if found is None:
            found = self.children[seen] = Node()
        return found

    def branch_copy(self, share: float = 1.0) -> "Node":
        """A copy of this node and all below it, whose visits count *share* as much."""
        copied = Node()
        pairs = [(self, copied)]
        while pairs:  # not recursive: lines may be thousands of events long
            old, new = pairs.pop()
            new.visits = old.visits * share
            new.decisions = {player: each.scale_to(share) for player, each in old.decisions.items()}
            for seen, child in old.children.items():
                below = new.children[seen] = Node()
                pairs.append((child, below))
        return copied

    def __deepcopy__(self, memo: dict[int, object]) -> "Node":
        return self.branch_copy()


Choice = tuple[Decision, int, int, Others]
"""One choice by a tree on the way down: where, by whom, the action, and what the others did at the same time."""


class Tree:
    """One search from one view, from *root* on, which may hold what earlier searches found; simulations grow it."""

    def __init__(
        self,
        game: core.Game,
        player: int,
        leaves: Leaves,
        rng: core.Rng,
        exploration: float,
        horizon: int,
        root: Node | None = None,
        solves: bool = False,
    ) -> None:
        self.game, self.player, self.leaves, self.rng = game, player, leaves, rng
        self.exploration, self.horizon = exploration, horizon
        self.root = root or Node()
        self.solves = solves and not game.hidden and game.zero_sum and len(game.teams) == 2
        """Whether it proves wins and losses, where two sides move in turn and see everything (Winands et al. 2008)."""
        self.other_roots: dict[tuple[int, core.Key], Node] = {}
        """The nodes at which other players begin, by what they see there; only if something is hidden."""
        self.policies: dict[tuple[core.PlayerType, Node], core.Distribution] = {}
        """What each type does at a node."""
        self.count, self.total, self.squares = 0, 0.0, 0.0
        """The number of returns so far, their sum and the sum of their squares, all scaled."""
        self.plies = 0
        """Plies played so far, in the tree and in playouts; those by a type count as more."""

    def simulate(self, state: core.State, rollout_plies: int, types: Types | None = None) -> None:
        """Play once from *state*, which is used up, to the end or the cut, and learn from it."""
        game, rng, hidden = self.game, self.rng, self.game.hidden
        players = SimulatedPlayers(game, types, state) if types else None
        nodes = self.begin_nodes(state) if hidden else [self.root]
        # 1. Go down the tree until a player tries an action for the first time.
        path: list[Choice] = []
        left, inside = self.horizon, True
        proving, proven = self.solves, False
        exploration = self.exploration * (self.spread() or 1.0)
        while inside and left > 0 and not state.is_terminal():
            movers = game.movers(state)
            actions: list[int] = []
            begun = len(path)
            for player in movers:
                node = nodes[player if hidden else 0]
                if players is not None and player in players.types:
                    actions.append(players.policy_at(player, node, state, self.policies).sample(rng))
                    continue
                decision = node.decisions.get(player)
                if decision is None:
                    decision = node.decisions[player] = self.new_decision(state, len(movers))
                action = decision.choose(state.legal_actions(player), exploration, rng, hidden)
                inside = inside and decision.has_tried(action)
                proven = proving and inside and decision.arms[action].proven is not None
                path.append((decision, player, action, ()))
                actions.append(action)
            if not movers:
                actions.append(drawn_outcome(state, rng.random()))
            elif len(movers) > 1:  # each of them learns what the others did
                path[begun:] = [
                    (decision, player, action, (*actions[:player], *actions[player + 1 :]))
                    for decision, player, action, _ in path[begun:]
                ]
            proving = proving and len(movers) == 1
            if proven:
                break
            # 2. Every player sees what they may see of it.
            if hidden:
                pairs = list(zip(movers or (core.CHANCE,), actions, strict=True))
                for player, node in enumerate(nodes):
                    seen = tuple([state.seen_action(player, mover, action) for mover, action in pairs])
                    nodes[player] = node.child(seen)
            else:
                nodes[0] = nodes[0].child(tuple(actions))
            nodes[self.player if hidden else 0].visits += 1.0
            if players is None:
                state.step(actions)
            else:
                players.step(state, actions)
            left -= 1
        # 3. Value the leaf.
        over = proving and not proven and left > 0 and state.is_terminal()
        if proven:
            returns: Sequence[float] = self.proven_returns(path[-1])
            plies = 0
        else:
            returns, plies = self.leaves.value(state, min(left, rollout_plies), players)
        self.plies += self.horizon - left + plies + (players.cost if players is not None else 0)
        # 4. Each player learns from their own return.
        earned = self.scale_returns(returns)
        for decision, player, action, others in path:
            decision.learn(action, earned[player], others)
        if over:
            self.prove(path, earned)

    def proven_returns(self, choice: Choice) -> list[float]:
        """The returns of all players after a choice whose result is certain."""
        decision, mover, action, _ = choice
        side = self.game.teams[self.game.team_of(mover)]
        return side_returns(self.game, side, decision.arms[action].proven or 0.0)

    def prove(self, path: Sequence[Choice], earned: Sequence[float]) -> None:
        """Note that the last choice ended the game, and what that proves of the choices before it."""
        value: float | None = earned[path[-1][1]] if path else None
        for number in range(len(path) - 1, -1, -1):
            decision, player, action, _ = path[number]
            assert isinstance(decision, Bandit)
            decision.arms[action].proven = value
            value = decision.proven_value()
            if value is None or number == 0:
                return
            if self.game.team_of(path[number - 1][1]) != self.game.team_of(player):
                value = 1.0 - value

    def new_decision(self, state: core.State, movers: int) -> Decision:
        """The statistics of a player who moves here for the first time."""
        if movers > 1:
            return RegretTable()
        priors = self.leaves.priors(state)
        if priors is not None:  # actions that look alike are tried in random order
            priors = {action: value + TIES * (self.rng.random() - 0.5) for action, value in priors.items()}
        return Bandit(priors)

    def begin_nodes(self, state: core.State) -> list[Node]:
        """The node of every player at the beginning of a simulation in a world."""
        found = []
        for player in range(self.game.players):
            if player == self.player:
                found.append(self.root)
                continue
            here = player, state.view(player).key()
            node = self.other_roots.get(here)
            if node is None:
                node = self.other_roots[here] = Node()
            found.append(node)
        return found

    def scale_returns(self, returns: Sequence[float]) -> list[float]:
        """Returns scaled from the game's range to [0, 1]."""
        least, most = self.game.utility
        width = most - least or 1.0
        earned = [(value - least) / width for value in returns]
        self.count += len(earned)
        self.total += sum(earned)
        self.squares += sum([value * value for value in earned])
        return earned

    def spread(self) -> float:
        """Two standard deviations of all returns: 1 if the game's largest and smallest return are equally frequent.

        Each player's own spread did worse: a player who nearly always earns the same stops exploring too soon.
        """
        return spread_of((self.count, self.total, self.squares))

    def line(self) -> tuple[Seen, ...]:
        """The most played line from the root, as the searching player sees it, chance included."""
        found, node = [], self.root
        while node.children:
            seen = max(node.children, key=lambda each: node.children[each].visits)
            if not node.children[seen].visits:
                break
            found.append(seen)
            node = node.children[seen]
        return tuple(found)


def spread_of(moments: tuple[int, float, float]) -> float:
    """Two standard deviations of numbers, by their count, their sum and the sum of their squares."""
    count, total, squares = moments
    if not count:
        return 0.0
    mean = total / count
    variance = squares / count - mean * mean
    return 2.0 * sqrt(variance) if variance > ROUNDING else 0.0
