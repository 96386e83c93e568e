"""Senders, the parts of negotiators that keep or break promises; look here for what an agent sends."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from kibitz import core
from kibitz_trails.agents.negotiator import Sender, Sending
from kibitz_trails.agents.proposers import grudge
from kibitz_trails.board import Chips, all_parts, common, minus, plus, within
from kibitz_trails.situation import Situation, chip_share, first_of, kept_share, least_needed, recent

Removal = Literal["pairs", "largest_td_subset"]


class Keeps(Sender, frozen=True):
    """Sends what it promised, as far as it still has that."""

    def sends(self, situation: Situation) -> Sending:
        return {promise(situation): 1.0}


def promise(situation: Situation) -> Chips:
    """What the player has promised and can send; nothing where nothing is agreed."""
    promised = situation.promised_exchange()
    return common(promised[0], situation.own.chips) if promised else (0,) * len(situation.own.chips)


def nothing(situation: Situation) -> Chips:
    """No chips."""
    return (0,) * len(situation.own.chips)


def part_of(situation: Situation, share: float) -> Chips:
    """A share of what was promised, rounded to whole chips: those that the sender needs least."""
    promised = promise(situation)
    return least_needed(promised, situation.own.need, round(share * sum(promised)))


class Reneges(Sender, frozen=True):
    """Sends nothing."""

    honest = False

    def sends(self, situation: Situation) -> Sending:
        return {nothing(situation): 1.0}


class KeepsWhileDependent(Sender, frozen=True):
    """Keeps its promises until it is independent; with *last* it also breaks the one that would make it so."""

    honest = False

    last: bool = False

    def sends(self, situation: Situation) -> Sending:
        own, promised = situation.own, situation.promised_exchange()
        if own.independent or promised is None:
            return {nothing(situation): 1.0}
        given, received = promised
        if self.last and situation.sides_after(given, received)[0].independent:
            return {nothing(situation): 1.0}
        return {promise(situation): 1.0}


class Coin(Sender, frozen=True):
    """Keeps a promise with probability *keeps*, and sends nothing otherwise."""

    stochastic = True
    honest = False

    keeps: float = 0.5

    def sends(self, situation: Situation) -> Sending:
        return mixture([(self.keeps, promise(situation)), (1.0 - self.keeps, nothing(situation))])


def mixture(choices: list[tuple[float, Chips]]) -> Sending:
    """Sets of chips and how likely each is, equal ones together."""
    found: Counter[Chips] = Counter()
    for share, chips in choices:
        if share > 0.0:
            found[chips] += share  # type: ignore[assignment]
    return dict(found)


class Share(Sender, frozen=True):
    """Sends a fixed share of what was promised."""

    honest = False

    share: float = 0.5

    def sends(self, situation: Situation) -> Sending:
        return {part_of(situation, self.share): 1.0}


class Returns(Sender, frozen=True):
    """Keeps the share of its promise that the other kept of their last one; with *forgiveness* it sometimes keeps all.

    With *proof* it assumes before the first deal that the other keeps nothing.
    """

    memory = True
    honest = False

    forgiveness: float = 0.0
    proof: bool = False

    def sends(self, situation: Situation) -> Sending:
        kept = part_of(situation, self.last(situation))
        return mixture([(1.0 - self.forgiveness, kept), (self.forgiveness, promise(situation))])

    def last(self, situation: Situation) -> float:
        """The share of the promised chips that the other player sent in the last deal."""
        deal = next(situation.history.deals(situation.own.player, situation.other.player), None)
        return float(not self.proof) if deal is None else chip_share(deal, situation.other.player)

    def history_key(self, situation: Situation) -> core.Key:
        return repr(self.last(situation))


class Forgiving(Returns, frozen=True):
    """Tit for tat that now and then keeps a promise to a player who did not."""

    stochastic = True

    forgiveness: float = 0.2


class Reliable(Sender, frozen=True):
    """Sends the part of its promise that is as reliable as the other was in the last two rounds (Pozin 2010, 3.2.1)."""

    memory = True
    honest = False

    w: float = 0.7
    default_reliability: float = 1.0

    def sends(self, situation: Situation) -> Sending:
        promised, target, other = promise(situation), self.target(situation), situation.other

        def distance_to_target(sent: Chips) -> float:
            kept = kept_share(situation.board, other.place, other.chips, promised, sent, self.default_reliability)
            return abs(target - kept)

        return {min(all_parts(promised), key=distance_to_target): 1.0}

    def target(self, situation: Situation) -> float:
        """The reliability it aims at."""
        pair = situation.other.player, situation.own.player
        newest, older = recent(situation.board, situation.history, *pair, self.default_reliability)
        return self.w * newest + (1.0 - self.w) * older

    def history_key(self, situation: Situation) -> core.Key:
        pair = situation.other.player, situation.own.player
        return repr(recent(situation.board, situation.history, *pair, self.default_reliability))


class Grudge(Sender, frozen=True):
    """Sends what another sender sends, but nothing after being cheated, for *rounds* rounds or for ever."""

    memory = True
    honest = False

    rounds: int | None = None
    sender: Sender = Keeps()

    @property
    def stochastic(self) -> bool:  # type: ignore[override]
        return self.sender.stochastic

    def sends(self, situation: Situation) -> Sending:
        return {nothing(situation): 1.0} if grudge(situation, self.rounds) else self.sender.sends(situation)

    def history_key(self, situation: Situation) -> core.Key:
        return grudge(situation, self.rounds), self.sender.history_key(situation)


class Gift(Sender, frozen=True):
    """Keeps its promises, and where nothing is agreed sends a chip that the other lacks, if it can spare one."""

    def sends(self, situation: Situation) -> Sending:
        if situation.promised_exchange() is not None:
            return {promise(situation): 1.0}
        wanted = first_of(common(situation.own.spare, situation.other.lacking), 1)
        return {nothing(situation) if situation.frees_other(wanted) else wanted: 1.0}


class Feeding(Sender, frozen=True):
    """Once it is independent, it sends a dependent opponent the chip they cannot move without, and nothing else."""

    honest = False

    def sends(self, situation: Situation) -> Sending:
        own, other = situation.own, situation.other
        if not own.independent:
            return {promise(situation): 1.0}
        step = other.step_needed()
        fed = step if step is not None and any(common(own.chips, step)) else nothing(situation)
        return {nothing(situation) if situation.frees_other(fed) else fed: 1.0}


class Deceives(Sender, frozen=True):
    """Sends what another sender sends, but never makes a dependent opponent independent (Pozin 2010, Alg. 3.1).

    It removes chips in `pairs` at random, as the algorithm says, or as few as possible, which leaves the
    `largest_td_subset`.
    """

    honest = False

    sender: Sender = Keeps()
    removal: Removal = "largest_td_subset"

    @property
    def stochastic(self) -> bool:  # type: ignore[override]
        return self.removal == "pairs" or self.sender.stochastic

    @property
    def memory(self) -> bool:  # type: ignore[override]
        return self.sender.memory

    def sends(self, situation: Situation) -> Sending:
        choices = []
        for sent, share in self.sender.sends(situation).items():
            choices += [(share * part, kept) for kept, part in self.safe_part(situation, sent).items()]
        return mixture(choices)

    def safe_part(self, situation: Situation, sent: Chips) -> Sending:
        """What is left of *sent*."""
        if not situation.frees_other(sent):
            return {sent: 1.0}
        if self.removal == "pairs":
            return self.without_pairs(situation, sent)
        goals = situation.board.frontier(situation.other.place).to_goal
        return {max(harmless(goals, situation.other.chips, sent), key=lambda part: (sum(part), part)): 1.0}

    def without_pairs(self, situation: Situation, sent: Chips) -> Sending:
        """What is left after taking away two chips at a time at random, and how likely each result is."""
        choices: list[tuple[float, Chips]] = []
        for removed, share in draw_probabilities(sent, 2):
            left = minus(sent, removed)
            after = self.without_pairs(situation, left) if situation.frees_other(left) else {left: 1.0}
            choices += [(share * part, kept) for kept, part in after.items()]
        return mixture(choices)

    def history_key(self, situation: Situation) -> core.Key:
        return self.sender.history_key(situation)


def harmless(goals: Sequence[Chips], held: Chips, sent: Chips) -> set[Chips]:
    """The largest parts of *sent* that together with *held* pay none of *goals*: of each goal one colour is short.

    >>> sorted(harmless([(2, 0), (0, 2)], held=(1, 0), sent=(3, 3)))
    [(0, 1)]
    """
    found = {sent}
    for need in goals:
        paying = {part for part in found if within(need, plus(held, part))}
        found -= paying
        for part in paying:
            for colour, count in enumerate(need):
                if count > held[colour]:
                    found.add((*part[:colour], count - held[colour] - 1, *part[colour + 1 :]))
    return found


@lru_cache(maxsize=4096)
def draw_probabilities(chips: Chips, count: int) -> tuple[tuple[Chips, float], ...]:
    """The sets that *count* chips drawn at random from *chips* may be, and how likely each is."""
    if count == 0 or not any(chips):
        return (((0,) * len(chips), 1.0),)
    found: Counter[Chips] = Counter()
    for colour, held in enumerate(chips):
        if held:
            one = tuple(int(place == colour) for place in range(len(chips)))
            for rest, share in draw_probabilities(minus(chips, one), count - 1):
                found[plus(one, rest)] += share * held / sum(chips)  # type: ignore[assignment]
    return tuple(found.items())
