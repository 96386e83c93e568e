"""The readable twins of `kernels.py`: the same algorithms as they are published, walking through the histories."""

from collections import defaultdict

import numpy as np

from kibitz import core
from kibitz.core.kernels.random import Draws
from kibitz.solve.extensive.table import Floats, InformationTable


def plan_of(table: InformationTable, player: int, shares: Floats) -> Floats:
    """The probability of a player's own choices up to each of their sequences; 0 for those of others."""
    plan = np.zeros(len(shares))
    plan[table.sets.empty[player]] = 1.0
    for number in table.sets_of(player):
        here = table.sequences_at(number)
        plan[here] = plan[table.sets.parents[number]] * shares[here]
    return plan


def matched_regrets(regrets: Floats) -> Floats:
    """The shares of actions in proportion to their positive regrets; all equal if none is positive."""
    positive = np.maximum(regrets, 0.0)
    if positive.sum() <= 0.0:
        return np.full(len(regrets), 1.0 / len(regrets))
    shares: Floats = positive / positive.sum()
    return shares


class HistoryWalk:
    """Values and regrets at histories, by recursion."""

    def __init__(self, table: InformationTable) -> None:
        self.table, self.tree = table, table.tree
        sequences = int(table.sets.empty[-1])
        self.regrets, self.sums = np.zeros(sequences), np.zeros(sequences)
        self.shares = average_of(table, self.sums)

    def children(self, node: int) -> range:
        first = int(self.tree.children[node])
        return range(first, first + int(self.tree.counts[node]))

    def payoff(self, node: int, player: int) -> float:
        """What *player* earns at an end."""
        return float(self.tree.returns[self.tree.children[node], player])

    # CFR+ ------------------------------------------------------------------------------------------------------------

    def cfr_plus(self, iterations: int) -> Floats:
        """The average strategy after some iterations."""
        for iteration in range(1, iterations + 1):
            for player in range(self.table.players):
                self.gained: dict[int, float] = defaultdict(float)
                self.regret_value(0, player, np.ones(self.table.players + 1), iteration)
                for sequence, gain in self.gained.items():
                    self.regrets[sequence] = max(self.regrets[sequence] + gain, 0.0)
                for number in self.table.sets_of(player):
                    here = self.table.sequences_at(number)
                    self.shares[here] = matched_regrets(self.regrets[here])
        return average_of(self.table, self.sums)

    def regret_value(self, node: int, player: int, reach: Floats, iteration: int) -> float:
        """What *player* earns from a node on; *reach* is what each player contributed to reach it, chance last."""
        mover = int(self.tree.movers[node])
        if mover == core.TERMINAL:
            return self.payoff(node, player)
        if mover == core.CHANCE:
            values = [
                self.regret_value(child, player, reach_after(reach, -1, self.tree.chances[child]), iteration)
                for child in self.children(node)
            ]
            return float(self.tree.chances[self.children(node)] @ values)
        here = self.table.sequences_at(int(self.tree.sets[node]))
        shares = self.shares[here]
        values = [
            self.regret_value(child, player, reach_after(reach, mover, share), iteration)
            for child, share in zip(self.children(node), shares, strict=True)
        ]
        mean = float(shares @ values)
        if mover == player:
            others = float(np.delete(reach, player).prod())
            for place, value in enumerate(values):
                self.gained[here.start + place] += others * (value - mean)
            if self.is_first(node):
                self.sums[here] += iteration * reach[player] * shares
        return mean

    def is_first(self, node: int) -> bool:
        """Whether a node is the first of its information set, so that its plan is counted once."""
        return int(np.flatnonzero(self.tree.sets == self.tree.sets[node])[0]) == node

    # External sampling -----------------------------------------------------------------------------------------------

    def sample_regrets(self, node: int, player: int, draws: Draws) -> float:
        """What *player* earns from a node on, if they try all actions and chance and the others draw one."""
        mover = int(self.tree.movers[node])
        if mover == core.TERMINAL:
            return self.payoff(node, player)
        children = self.children(node)
        if mover == core.CHANCE:
            drawn = drawn_place(self.tree.chances[children], draws)
            return self.sample_regrets(children[drawn], player, draws)
        here = self.table.sequences_at(int(self.tree.sets[node]))
        shares = matched_regrets(self.regrets[here])
        if mover != player:
            if mover == (player + 1) % self.table.players:
                self.sums[here] += shares
            return self.sample_regrets(children[drawn_place(shares, draws)], player, draws)
        values = np.array([self.sample_regrets(child, player, draws) for child in children])
        mean = float(shares @ values)
        self.regrets[here] += values - mean
        return mean


def average_of(table: InformationTable, sums: Floats) -> Floats:
    """The shares of the mean strategy; all equal where it never came."""
    shares = np.ones(len(sums))
    for number in range(len(table)):
        here = table.sequences_at(number)
        total = sums[here].sum()
        shares[here] = sums[here] / total if total > 0.0 else 1.0 / (here.stop - here.start)
    return shares


def reach_after(reach: Floats, mover: int, share: float) -> Floats:
    """The reach after a choice of *mover*, -1 for chance."""
    after = reach.copy()
    after[mover] *= share
    return after


def drawn_place(shares: Floats, draws: Draws) -> int:
    """The place that a random number falls on."""
    left = draws.unit()
    for place, share in enumerate(shares):
        left -= share
        if left < 0.0:
            return place
    return len(shares) - 1


def best_value(table: InformationTable, player: int, shares: Floats) -> float:
    """What a best response of *player* earns, by choosing at all histories of an information set together."""
    walk = HistoryWalk(table)
    walk.shares = shares
    reached: dict[int, list[tuple[int, float]]] = defaultdict(list)
    waiting = [(0, 1.0)]
    while waiting:  # how likely the others and chance let each history happen
        node, weight = waiting.pop()
        mover, number = int(table.tree.movers[node]), int(table.tree.sets[node])
        if mover == player:
            reached[number].append((node, weight))
        odds = np.ones(int(table.tree.counts[node]))
        if mover == core.CHANCE:
            odds = table.tree.chances[walk.children(node)]
        elif mover not in (player, core.TERMINAL):
            odds = shares[table.sequences_at(number)]
        waiting += [(child, weight * share) for child, share in zip(walk.children(node), odds, strict=True)]
    best: dict[int, int] = {}

    def value(node: int) -> float:
        mover, number = int(table.tree.movers[node]), int(table.tree.sets[node])
        children = walk.children(node)
        if mover == core.TERMINAL:
            return walk.payoff(node, player)
        if mover == player:
            if number not in best:
                totals = [
                    sum(weight * value(walk.children(other)[place]) for other, weight in reached[number])
                    for place in range(len(children))
                ]
                best[number] = int(np.argmax(totals))
            return value(children[best[number]])
        odds = table.tree.chances[children] if mover == core.CHANCE else shares[table.sequences_at(number)]
        return sum(float(share) * value(child) for child, share in zip(children, odds, strict=True) if share)

    return value(0)
