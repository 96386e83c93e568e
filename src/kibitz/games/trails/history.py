"""`History`: every proposal and every exchange of a game so far, as one observer saw them."""

from collections.abc import Iterator
from typing import Any

import msgspec

from kibitz import core
from kibitz.games.trails.chips import Chips
from kibitz.games.trails.state import ACCEPT, ANSWER, Offer, State


class Proposal(msgspec.Struct, frozen=True):
    """An offer that was made, and its answer: None while it is on the table. A pass is no proposal."""

    round: int
    proposer: int
    partner: int
    offer: Offer
    positions: tuple[int, ...]
    chips: tuple[Chips, ...]
    """What each player held, as far as the observer could know."""
    accepted: bool | None = None
    chosen: tuple[bool, bool] = (True, True)
    """Whether the proposer chose to make it, and the partner the answer."""

    @property
    def unchosen_by(self) -> tuple[int, ...]:
        """Those of the two who did not choose their part."""
        return tuple(player for player, own in zip((self.proposer, self.partner), self.chosen, strict=True) if not own)

    def sends(self, player: int) -> Chips:
        """What *player* would send by it."""
        return self.offer.given if player == self.proposer else self.offer.asked


class Exchange(msgspec.Struct, frozen=True):
    """What two players promised (None: nothing was agreed), what they sent, and the position before."""

    round: int
    pair: tuple[int, int]
    promised: tuple[Chips, Chips] | None
    sent: tuple[Chips, Chips]
    positions: tuple[int, ...]
    chips: tuple[Chips, ...]
    chosen: tuple[bool, bool] = (True, True)
    """Whether each of the pair chose what they sent."""

    @property
    def unchosen_by(self) -> tuple[int, ...]:
        """Those of the pair who did not choose what they sent."""
        return tuple(player for player, own in zip(self.pair, self.chosen, strict=True) if not own)

    def promise_of(self, player: int) -> Chips | None:
        """What *player* had promised to send."""
        return None if self.promised is None else self.promised[self.pair.index(player)]

    def sent_by(self, player: int) -> Chips:
        """What *player* sent."""
        return self.sent[self.pair.index(player)]

    def has_cheated(self, player: int) -> bool:
        """Whether *player* sent less than they had promised."""
        promised = self.promise_of(player)
        sent = self.sent_by(player)
        return promised is not None and any(one > other for one, other in zip(promised, sent, strict=True))


class History:
    """The proposals and exchanges of one game. Copies share what is past."""

    def __init__(self) -> None:
        self.proposals: tuple[Proposal, ...] = ()
        self.exchanges: tuple[Exchange, ...] = ()
        self.all_chosen = True
        """Whether the players chose all they did."""
        self.counted: dict[tuple[int, int], tuple[int, int]] = {}
        """How many promises were kept and broken, as far as somebody asked."""

    def observe(self, transition: core.Transition) -> None:
        """Add an event."""
        before = transition.before
        assert isinstance(before, State)
        self.all_chosen = self.all_chosen and all(map(transition.chose, transition.movers))
        match before.phase:
            case "offer":
                after = transition.after
                assert isinstance(after, State)
                if after.phase == ANSWER and after.offer is not None:
                    chosen = transition.chose(before.proposer), True
                    self.proposals += (msgspec.structs.replace(proposal_on_table(after), chosen=chosen),)
            case "answer":
                offer, accepted = self.proposals[-1], transition.actions[0] == ACCEPT
                chosen = offer.chosen[0], transition.chose(before.partner)
                last = msgspec.structs.replace(offer, accepted=accepted, chosen=chosen)
                self.proposals = (*self.proposals[:-1], last)
            case "exchange":
                self.exchanges += (observed_exchange(before, transition),)
                self.counted = {}

    def between(self, player: int, other: int) -> Iterator[Exchange]:
        """The exchanges of two players, the newest first."""
        return (each for each in reversed(self.exchanges) if {player, other} == set(each.pair))

    def deals(self, player: int, other: int) -> Iterator[Exchange]:
        """The exchanges of two players that they had agreed on, the newest first."""
        return (each for each in self.between(player, other) if each.promised is not None)

    def promises_kept(self, player: int, to: int) -> tuple[int, int]:
        """How many promises *player* kept to another, and how many they broke."""
        found = self.counted.get((player, to))
        if found is None:
            broken = [deal.has_cheated(player) for deal in self.deals(player, to)]
            found = self.counted[player, to] = len(broken) - sum(broken), sum(broken)
        return found

    def proposed_by(self, player: int, other: int) -> list[Proposal]:
        """What *player* has offered to *other*."""
        return [each for each in self.proposals if (each.proposer, each.partner) == (player, other)]

    def without_unchosen(self, player: int) -> "History":
        """The same, without the offers, answers and transfers that *player* did not choose."""
        if self.all_chosen:
            return self
        found = History()
        found.proposals = tuple(each for each in self.proposals if player not in each.unchosen_by)
        found.exchanges = tuple(each for each in self.exchanges if player not in each.unchosen_by)
        return found

    def __deepcopy__(self, memo: dict[int, Any]) -> "History":
        copied = History()
        copied.proposals, copied.exchanges, copied.all_chosen = self.proposals, self.exchanges, self.all_chosen
        copied.counted = self.counted  # replaced when a deal is added
        return copied


def proposal_on_table(state: State) -> Proposal:
    """The offer on the table of *state*."""
    assert state.offer is not None
    chips = tuple(map(state.assumed_chips, range(state.board.players)))
    return Proposal(state.round, state.proposer, state.partner, state.offer, state.positions, chips)


def observed_exchange(before: State, transition: core.Transition) -> Exchange:
    """The exchange of an event: what was sent, and what was promised."""
    pair = before.proposer, before.partner
    actions = [transition.action_of(player) or 0 for player in pair]
    given, asked = (core.digits(action, before.game.bases) for action in actions)
    chips = tuple(map(before.assumed_chips, range(before.board.players)))
    offer = before.offer
    promised = None if offer is None else (offer.given, offer.asked)
    chosen = transition.chose(pair[0]), transition.chose(pair[1])
    return Exchange(before.round, pair, promised, (given, asked), before.positions, chips, chosen)
