"""What players of each strategy choose, and how to learn that from games: a softmax over the positions after the moves.

The network says how likely a position is, not how likely a choice is: a position that no strategy seeks may be due to
moves that nobody chose, or to the other player. So what counts is how a position compares with the others that the
player could have reached. The probability of a move is proportional to exp(w · x), where x are the logarithm of the
network's likelihood, the features and a win at once after the move, and what the other can make of these by one reply;
and a part of the moves, the slip, may be any. The weights and the slip of every strategy are fitted to games by maximum
likelihood (McFadden 1974, by EM for the slip).
"""

from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np

from kibitz_lab.learn.slices import Floats

ROUNDS, STEPS = 30, 3
"""Rounds of EM, and Newton steps in each."""
RIDGE = 1.0
"""The precision of the prior of a weight, for numbers in their usual differences."""
SLIP, SLIP_CHOICES = 0.05, 20.0
"""The mean of the prior of a slip, and its weight in choices: who never slipped in a few games may still do so."""
CLEAREST = 50.0
"""The largest size of a weight, in usual differences: wins that were never passed up would give any weight."""


class ChoiceWeights(msgspec.Struct, frozen=True):
    """How players of one strategy choose."""

    network: float
    """The weight of the logarithm of the network's likelihood."""
    features: tuple[float, ...]
    """The weights of the features, as player 0 likes them; player 1 likes the opposite."""
    win: float = 0.0
    """The weight of a win at once."""
    slip: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] = 0.0
    """The share of moves that may be any."""
    least: tuple[float, ...] = ()
    most: tuple[float, ...] = ()
    """The weights of the least and the most that the other can leave of each feature by one reply, for the mover.

    Without any, replies are not looked at.
    """
    loss: float = 0.0
    """The weight of no win at once for the other."""

    @property
    def looks_at_replies(self) -> bool:
        """Whether it weighs what the other can reply."""
        return bool(self.least)

    def vector(self) -> Floats:
        """All weights, in the order of `choice_numbers`."""
        after = (*self.least, *self.most, self.loss) if self.looks_at_replies else ()
        return np.array([self.network, *self.features, self.win, *after])


class SeenChoice(msgspec.Struct, frozen=True):
    """A choice among moves: their numbers, a row for each, and which was chosen."""

    numbers: Floats
    chosen: int


def choice_numbers(likelihoods: Floats, successors: Floats, player: int) -> Floats:
    """The numbers of each move, a row for each: of the network, then those of the position after it, then of replies.

    *likelihoods* are logarithms for one strategy; *successors* are the features and wins as player 0 sees them, with
    what follows replies if that counts.
    """
    return np.column_stack([likelihoods, successors if player == 0 else -successors])


def choice_shares(weights: ChoiceWeights, numbers: Floats) -> Floats:
    """The probability of each move; *numbers* may hold those of replies for strategies that do not weigh them."""
    weighed = weights.vector()
    values = numbers[:, : len(weighed)] @ weighed
    shares: Floats = np.exp(values - values.max())
    shares *= (1.0 - weights.slip) / shares.sum()
    shares += weights.slip / len(shares)
    return shares


def fit_choices(seen: Sequence[SeenChoice], features: int) -> ChoiceWeights:
    """The likeliest weights and slip of the players who made these choices, in a game of so many *features*."""
    longest = max(len(each.numbers) for each in seen)
    apart = np.zeros((len(seen), longest, seen[0].numbers.shape[1]))
    there = np.zeros((len(seen), longest), dtype=bool)
    for place, each in enumerate(seen):
        apart[place, : len(each.numbers)] = each.numbers - each.numbers.mean(axis=0)
        there[place, : len(each.numbers)] = True
    usual = np.sqrt((apart**2).sum(axis=(0, 1)) / there.sum())
    apart /= np.where(usual > 0.0, usual, 1.0)
    chosen = apart[np.arange(len(seen)), [each.chosen for each in seen]]
    slip, weights, meant = SLIP, np.zeros(apart.shape[2]), np.ones(len(seen))
    for _ in range(ROUNDS):
        for _ in range(STEPS):
            weights = np.clip(newton_step(weights, apart, there, chosen, meant), -CLEAREST, CLEAREST)
        shares = (1.0 - slip) * chosen_shares(weights, apart, there, chosen)
        meant = shares / (shares + slip / there.sum(axis=1))
        slip = float((1.0 - meant).sum() + SLIP * SLIP_CHOICES) / (len(seen) + SLIP_CHOICES)
    found = [round_weight(weight) for weight in (weights / np.where(usual > 0.0, usual, 1.0)).tolist()]
    first, win, least = found[1 : features + 1], found[features + 1], features + 2
    most = least + features
    plain = ChoiceWeights(found[0], tuple(first), win, round_weight(slip))
    if len(found) == least:
        return plain
    return msgspec.structs.replace(plain, least=tuple(found[least:most]), most=tuple(found[most:-1]), loss=found[-1])


def newton_step(weights: Floats, apart: Floats, there: Floats, chosen: Floats, meant: Floats) -> Floats:
    """The weights after one step towards the likeliest ones, where each choice counts as much as it was *meant*."""
    values = np.where(there, apart @ weights, -np.inf)
    shares = np.exp(values - values.max(axis=1, keepdims=True))
    shares *= (meant / shares.sum(axis=1))[:, None]
    centre = np.einsum("ca,caf->cf", shares, apart)
    slope = (meant[:, None] * chosen - centre).sum(axis=0) - RIDGE * weights
    curvature = np.einsum("ca,caf,cag->fg", shares, apart, apart)
    curvature -= np.einsum("cf,cg->fg", centre, centre / np.maximum(meant, 1e-12)[:, None])
    found: Floats = weights + np.linalg.solve(curvature + RIDGE * np.eye(len(weights)), slope)
    return found


def chosen_shares(weights: Floats, apart: Floats, there: Floats, chosen: Floats) -> Floats:
    """The probability of each choice, without slips."""
    values = np.where(there, apart @ weights, -np.inf)
    most = values.max(axis=1)
    found: Floats = np.exp(chosen @ weights - most) / np.exp(values - most[:, None]).sum(axis=1)
    return found


def round_weight(weight: float) -> float:
    """A number rounded to the digits worth writing."""
    return float(f"{weight:.4g}")
