"""How a team learns a turn (Lie 2009, algorithm 1), in a game too large for a table.

At a position one automaton per unit chooses, all choices make a turn, the others reply, and the next tier learns what
the value of that; every automaton gets the same status. A tier forgets everything when it is entered.
"""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from kibitz_lab.automata import kernels
from kibitz_lab.automata.kernels import COUNT, HELD, PICK, ROWS, SETTINGS, WIDTH
from kibitz_lab.automata.look_ahead import NOBODY
from kibitz_lab.automata.team_kernels import LATE, choose_turn, is_done, learn_turn
from kibitz_lab.automata.tier import KINDS, Tier

Words = NDArray[np.uint64]
"""The state of random numbers in kernels."""
Node = TypeVar("Node")
Statuses = Sequence[float]
"""How well every player does, as numbers from 0 to 1."""


class Turns(Protocol[Node]):
    """What a team learns on: positions, and turns that lead from one to the next."""

    def mover(self, node: Node) -> int:
        """The player who learns here; NOBODY where the look-ahead ends."""

    def tier(self, node: Node) -> int:
        """The number of the tier that learns here."""

    def counts(self, node: Node) -> Sequence[int]:
        """How many options every unit has."""

    def statuses(self, node: Node) -> Statuses:
        """How well every player does if it ends here."""

    def outcome(self, node: Node, picks: Sequence[int]) -> Node:
        """The position after a turn."""


class Team:
    """One automaton per unit, each a slot of `memory`."""

    def __init__(self, counts: Sequence[int], tier: Tier, words: Words) -> None:
        self.counts, self.tier, self.words, self.kind = counts, tier, words, KINDS.index(tier.kind)
        self.memory = np.zeros((len(counts), ROWS, max(WIDTH, *counts)))
        numbers = tier.numbers()
        for slot, count in enumerate(counts):
            self.memory[slot, HELD, COUNT] = count
            self.memory[slot, SETTINGS, : len(numbers)] = numbers
            kernels.begin(self.kind, count, slot, self.memory, words)

    def choose(self) -> list[int]:
        """An option for every unit."""
        choose_turn(self.kind, len(self.counts), 0, self.memory, self.words)
        return self.memory[:, HELD, PICK].astype(int).tolist()  # type: ignore[no-any-return]

    def learn(self, status: float) -> None:
        """Give every automaton the same status of what it chose, and one coin to those that share it."""
        learn_turn(self.kind, len(self.counts), 0, self.memory, status, self.words)

    def top(self) -> tuple[int, ...]:
        """The option each unit holds for best."""
        return tuple(int(kernels.top(self.kind, count, slot, self.memory)) for slot, count in enumerate(self.counts))

    def is_done(self, rounds: int) -> bool:
        """Whether it has learned enough: all rounds are played, or every automaton is sure."""
        return bool(is_done(self.kind, len(self.counts), rounds, self.tier.rounds, 0, self.memory))


class TeamResult(NamedTuple):
    """What a team has learned."""

    top: tuple[int, ...]
    """The option each unit holds for best."""
    statuses: tuple[float, ...]
    """The mean status of every player over the last rounds; by exact odds the value of the top turn to everybody."""
    tried: tuple[tuple[tuple[int, ...], float], ...]
    """Every turn that was tried, and the status it brought."""


class Learning(Generic[Node]):
    """The recursion over tiers.

    Once *enough* says that the time is spent, every team stops after its current round.
    """

    def __init__(
        self,
        turns: Turns[Node],
        tiers: Sequence[Tier],
        words: Words,
        enough: Callable[[], bool] = lambda: False,
    ) -> None:
        self.turns, self.tiers, self.words, self.enough = turns, tiers, words, enough

    def learn_turn(self, node: Node) -> TeamResult:
        """What the team to move at a position learns to do."""
        mover, tier = self.turns.mover(node), self.tiers[self.turns.tier(node)]
        team = Team(self.turns.counts(node), tier, self.words)
        tried: list[tuple[tuple[int, ...], float]] = []
        seen: list[Statuses] = []
        while not (team.is_done(len(seen)) or (seen and self.enough())):
            picks = team.choose()
            statuses = self.statuses_from(self.turns.outcome(node, picks))
            team.learn(statuses[mover])
            tried.append((tuple(picks), statuses[mover]))
            seen.append(statuses)
        return TeamResult(team.top(), late_mean(seen), tuple(tried))

    def statuses_from(self, node: Node) -> Statuses:
        """How well every player does from a position on."""
        if self.turns.mover(node) == NOBODY:
            return self.turns.statuses(node)
        return self.learn_turn(node).statuses


def late_mean(seen: Sequence[Statuses]) -> tuple[float, ...]:
    """Every player's mean status over the last rounds."""
    late = seen[-max(1, int(LATE * len(seen) + 0.5)) :]
    return tuple(sum(each) / len(late) for each in zip(*late, strict=True))
