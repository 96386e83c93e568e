"""What a player tried at a node of Monte Carlo tree search, and how they choose there.

`Bandit` is for moves in turn: upper confidence bounds (UCB1). `RegretTable` is for moves at once: regret matching,
whose average comes near an equilibrium, where bounds would make players explore in step.
"""

from collections.abc import Mapping, Sequence
from math import log, sqrt

from kibitz import core

LISTED = 50
"""Up to this many legal actions are all tried; of more, only WIDENING * sqrt(visits) (Coulom 2007)."""
WIDENING = 2.0
PRIOR = 1.0
"""The visits that an action's prior value counts as."""
LOOSE = 0.2
"""In a move at once each player explores at random with this probability: otherwise players explore in step and
learn wrong values (two players who always try defecting together never see what defecting alone is worth)."""

Others = tuple[int, ...]
"""What the other players did at the same time."""


class Arm:
    """An action tried: how often, and the sum of its returns, each scaled to [0, 1]."""

    __slots__ = ("prior", "proven", "total", "visits")

    def __init__(self, prior: float | None = None) -> None:
        self.visits, self.total, self.prior = 0.0, 0.0, prior
        self.proven: float | None = None
        """What the action earns if everyone plays well, once that is certain."""

    def mean(self) -> float:
        """The mean return, or the certain one; of an action not tried yet, its prior."""
        if self.proven is not None:
            return self.proven
        return self.total / self.visits if self.visits else self.prior or 0.0

    def scale_to(self, share: float) -> "Arm":
        """A copy whose returns count *share* as much."""
        copied = Arm(self.prior)
        copied.visits, copied.total, copied.proven = self.visits * share, self.total * share, self.proven
        return copied


class Bandit:
    """The actions one player tried in moves in turn. With *priors*, the values of all actions for the player, an action
    counts as tried once before it is."""

    __slots__ = ("arms", "legal", "visits")

    def __init__(self, priors: Mapping[int, float] | None = None) -> None:
        self.arms: dict[int, Arm] = {action: Arm(value) for action, value in (priors or {}).items()}
        self.visits = 0.0
        self.legal = 0
        """The number of legal actions."""

    def choose(self, legal: Sequence[int], exploration: float, rng: core.Rng, hidden: bool) -> int:
        """An untried action while more may be tried, else the one with the highest upper confidence bound (UCB1)."""
        tried = self.arms
        if hidden:  # legal actions may depend on hidden information
            tried = {action: arm for action, arm in tried.items() if action in legal}
        self.legal = len(legal)
        if len(tried) < allowed_actions(legal, self.visits):
            return untried_action(legal, self.arms, rng)
        log_visits = log(self.visits + 1.0)
        best, best_bound = -1, -float("inf")
        for action, arm in tried.items():
            if arm.proven is not None:
                bound = arm.proven if arm.proven < 1.0 else 1e9  # a certain win is taken
            elif arm.prior is None:
                bound = arm.total / arm.visits + exploration * sqrt(log_visits / arm.visits)
            else:
                weight = arm.visits + PRIOR
                bound = (arm.total + PRIOR * arm.prior) / weight + exploration * sqrt(log_visits / weight)
            if bound > best_bound:
                best, best_bound = action, bound
        return best

    def has_tried(self, action: int) -> bool:
        """Whether *action* was tried."""
        arm = self.arms.get(action)
        return arm is not None and arm.visits > 0.0

    def learn(self, action: int, earned: float, others: Others) -> None:
        """Count what *action* earned."""
        arm = self.arms.get(action)
        if arm is None:
            arm = self.arms[action] = Arm()
        arm.visits += 1.0
        arm.total += earned
        self.visits += 1.0

    def scale_to(self, share: float) -> "Bandit":
        """A copy whose visits count *share* as much."""
        copied = Bandit()
        copied.arms = {action: arm.scale_to(share) for action, arm in self.arms.items()}
        copied.visits, copied.legal = self.visits * share, self.legal
        return copied

    def proven_value(self) -> float | None:
        """What the player earns here if everyone plays well, once that is certain: a win, or all actions are known."""
        known = [arm.proven for arm in self.arms.values() if arm.proven is not None]
        if not known or (max(known) < 1.0 and len(known) < self.legal):
            return None
        return max(known)


class RegretTable:
    """The actions one player tried in moves at once: regret matching+ with a linear average (Tammelin 2014).

    The regret of an action is what it would have earned more against what the others did: the mean of the simulations
    in which they met, or of all simulations of the action while there are none.
    """

    __slots__ = ("arms", "cells", "regrets", "sums", "visits")

    def __init__(self) -> None:
        self.arms: dict[int, Arm] = {}
        self.regrets: dict[int, float] = {}
        self.sums: dict[int, float] = {}
        """The sums of the probabilities with which each action was chosen, later ones weighing more."""
        self.cells: dict[tuple[int, Others], Arm] = {}
        self.visits = 0.0

    def choose(self, legal: Sequence[int], exploration: float, rng: core.Rng, hidden: bool) -> int:
        """An untried action while more may be tried, else by regret, and now and then any."""
        if len(self.arms) < allowed_actions(legal, self.visits):
            return untried_action(legal, self.arms, rng)
        known = [action for action in self.arms if action in legal] if hidden else list(self.arms)
        place = rng.random()
        if place < LOOSE:
            return known[int(place / LOOSE * len(known))]
        regrets = [self.regrets[action] for action in known]
        total = sum(regrets)
        place = (place - LOOSE) / (1.0 - LOOSE)
        if total <= 0.0:
            return known[int(place * len(known))]
        place *= total
        for action, regret in zip(known, regrets, strict=True):
            place -= regret
            if place < 0.0:
                return action
        return known[-1]

    def has_tried(self, action: int) -> bool:
        """Whether *action* was tried."""
        return action in self.arms

    def learn(self, action: int, earned: float, others: Others) -> None:
        """Count what *action* earned against *others*, and what every other action would have."""
        arm = self.arms.get(action)
        if arm is None:
            arm = self.arms[action] = Arm()
            self.regrets[action] = self.sums[action] = 0.0
        cell = self.cells.get((action, others))
        if cell is None:
            cell = self.cells[action, others] = Arm()
        for counted in (arm, cell):
            counted.visits += 1.0
            counted.total += earned
        self.visits += 1.0
        regrets, total = self.regrets, sum(self.regrets.values())
        weight = self.visits / total if total > 0.0 else self.visits / len(regrets)
        here = cell.total / cell.visits
        for each, own in self.arms.items():
            regret = regrets[each]
            self.sums[each] += weight * regret if total > 0.0 else weight
            found = self.cells.get((each, others), own)
            regret += found.total / found.visits - here
            regrets[each] = regret if regret > 0.0 else 0.0

    def average_shares(self) -> dict[int, float]:
        """The average of the probabilities: what the player learned to play."""
        total = sum(self.sums.values())
        return {action: weight / total for action, weight in self.sums.items()} if total > 0.0 else {}

    def scale_to(self, share: float) -> "RegretTable":
        """A copy whose visits count *share* as much."""
        copied = RegretTable()
        copied.arms = {action: arm.scale_to(share) for action, arm in self.arms.items()}
        copied.cells = {cell: arm.scale_to(share) for cell, arm in self.cells.items()}
        copied.regrets = {action: share * regret for action, regret in self.regrets.items()}
        copied.sums = {action: share * share * weight for action, weight in self.sums.items()}
        copied.visits = self.visits * share
        return copied


Decision = Bandit | RegretTable


def allowed_actions(legal: Sequence[int], visits: float) -> int:
    """How many of the legal actions may be tried after so many visits."""
    return len(legal) if len(legal) <= LISTED else min(len(legal), 1 + int(WIDENING * sqrt(visits)))


def untried_action(legal: Sequence[int], arms: Mapping[int, Arm], rng: core.Rng) -> int:
    """A uniformly drawn action without an arm. From a large set it draws until it finds one, which is soon."""
    if len(legal) <= LISTED:
        return drawn_action([action for action in legal if action not in arms], rng)
    while (action := drawn_action(legal, rng)) in arms:
        pass
    return action


def drawn_action(legal: Sequence[int], rng: core.Rng) -> int:
    """A uniformly drawn legal action; the actions are never listed."""
    return legal[int(rng.random() * len(legal))]
