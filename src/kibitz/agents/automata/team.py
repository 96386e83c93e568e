"""How a team learns a turn (Lie 2009, algorithm 1): the readable reference, on a table or by playing.

At a position one automaton per unit chooses, all choices make a turn, the others reply, and the next tier learns what
that is worth; every automaton gets the same status. A tier forgets everything when it is entered.
"""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from kibitz.agents.automata.family import FAMILY
from kibitz.agents.automata.outlook import NOBODY, Others
from kibitz.agents.automata.tier import Tier
from kibitz.core.kernels.random import Draws

Node = TypeVar("Node")
Statuses = Sequence[float]
"""How well every player does, as numbers from 0 to 1."""
LATE = 0.2
"""A tier answers with the mean status of this share of its rounds, counted from the end."""
ASKED_EVERY = 10
"""A team checks whether it is sure every so many rounds."""


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

    def outcome(self, node: Node, picks: Sequence[int], draws: Draws) -> Node:
        """The position after a turn."""


class Team:
    """One automaton per unit."""

    def __init__(self, counts: Sequence[int], tier: Tier, draws: Draws) -> None:
        self.tier, self.draws, self.feedback = tier, draws, FAMILY[tier.kind].feedback
        self.members = [FAMILY[tier.kind](count, tier, draws) for count in counts]

    def choose(self) -> list[int]:
        """An option for every unit."""
        return [member.choose() for member in self.members]

    def learn(self, picks: Sequence[int], status: float) -> None:
        """Give every automaton the same status, and one coin to those that share it."""
        shared = self.feedback == "shared" and self.draws.unit() < status
        for member, pick in zip(self.members, picks, strict=True):
            reward = self.draws.unit() < status if self.feedback == "own" else shared
            member.learn(pick, status, reward)

    def top(self) -> list[int]:
        """The option each unit holds for best."""
        return [member.top() for member in self.members]

    def is_done(self, rounds: int) -> bool:
        """Whether it has learned enough: all rounds are played, or every automaton is sure."""
        if rounds >= self.tier.rounds:
            return True
        asked = self.tier.sure < 1.0 and rounds and rounds % ASKED_EVERY == 0
        return bool(asked) and all(member.surety() >= self.tier.sure for member in self.members)


class TeamResult(NamedTuple):
    """What a team has learned."""

    top: tuple[int, ...]
    """The option each unit holds for best."""
    statuses: tuple[float, ...]
    """The mean status of every player over the last rounds; by exact odds what the top turn is worth to everybody."""
    tried: tuple[tuple[tuple[int, ...], float], ...]
    """Every turn that was tried, and the status it brought."""


class Learning(Generic[Node]):
    """The recursion over tiers. *player* looks ahead; others learn on their own turn only, or look ahead too.

    Once *enough* says that the time is spent, every team stops after its current round.
    """

    def __init__(
        self,
        turns: Turns[Node],
        player: int,
        tiers: Sequence[Tier],
        draws: Draws,
        others: Others,
        enough: Callable[[], bool] = lambda: False,
    ) -> None:
        self.turns, self.player, self.tiers, self.draws, self.others = turns, player, tiers, draws, others
        self.enough = enough

    def learn_turn(self, node: Node) -> TeamResult:
        """What the team to move at a position learns to do."""
        mover, tier = self.turns.mover(node), self.tiers[self.turns.tier(node)]
        team = Team(self.turns.counts(node), tier, self.draws)
        tried: list[tuple[tuple[int, ...], float]] = []
        seen: list[Statuses] = []
        while not (team.is_done(len(seen)) or (seen and self.enough())):
            picks = team.choose()
            statuses = self.worth(self.play_replies(self.turns.outcome(node, picks, self.draws)))
            team.learn(picks, statuses[mover])
            tried.append((tuple(picks), statuses[mover]))
            seen.append(statuses)
        return TeamResult(tuple(team.top()), late_mean(seen), tuple(tried))

    def worth(self, node: Node) -> Statuses:
        """How well every player does from a position on."""
        if self.turns.mover(node) == NOBODY:
            return self.turns.statuses(node)
        return self.learn_turn(node).statuses

    def play_replies(self, node: Node) -> Node:
        """The position after the replies of others who look at their own turn only."""
        while self.others == "learning" and self.turns.mover(node) not in (self.player, NOBODY):
            node = self.turns.outcome(node, self.reply(node), self.draws)
        return node

    def reply(self, node: Node) -> list[int]:
        """The turn learned by a player who looks no further than its end."""
        mover, tier = self.turns.mover(node), self.tiers[self.turns.tier(node)]
        team, rounds = Team(self.turns.counts(node), tier, self.draws), 0
        while not (team.is_done(rounds) or (rounds and self.enough())):
            picks = team.choose()
            team.learn(picks, self.turns.statuses(self.turns.outcome(node, picks, self.draws))[mover])
            rounds += 1
        return team.top()


def late_mean(seen: Sequence[Statuses]) -> tuple[float, ...]:
    """Every player's mean status over the last rounds."""
    late = seen[-max(1, int(LATE * len(seen) + 0.5)) :]
    return tuple(sum(each) / len(late) for each in zip(*late, strict=True))
