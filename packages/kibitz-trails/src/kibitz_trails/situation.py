"""`Situation`, what a negotiator decides by: what both hold, need and lack, and the `History` of the game so far.

How well promises are kept, and what else a player's personality shows: how reliable and how cooperative they are.
Promises are weighed by what they were worth to the receiver (Pozin 2010, 3.2.1), or by counting chips; personality is
low, medium or high (Talman et al. 2005).
"""

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, Literal

import msgspec

from kibitz import core
from kibitz_trails.board import Board, Chips, common, minus, plus, short, zeros
from kibitz_trails.offers import Offer
from kibitz_trails.rules import ACCEPT, ANSWER, MOVEMENT, STAY, State


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
    """The offer on the table of *state*, or an empty one."""
    offer = state.offer or Offer(zeros(state.board), zeros(state.board))
    chips = tuple(map(state.assumed_chips, range(state.board.players)))
    return Proposal(state.round, state.proposer, state.partner, offer, state.positions, chips)


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


class Side:
    """One of two players: where they stand, what they hold, and what they lack of what the other holds."""

    def __init__(self, board: Board, player: int, place: int, chips: Chips, others: Chips) -> None:
        self.board, self.player, self.place, self.chips, self.others = board, player, place, chips, others

    def holding(self, chips: Chips, others: Chips) -> "Side":
        """The same player if both held something else."""
        return Side(self.board, self.player, self.place, chips, others)

    @cached_property
    def best_use(self) -> int:
        """The best score that the player's chips can reach."""
        return self.board.best_use(self.place, self.chips)

    @cached_property
    def need(self) -> Chips:
        """The chips of the cheapest way to the goal, of those that the other can supply if there are any; or none."""
        supplied = self.board.need(self.place, self.chips, self.others)
        return supplied or self.board.need(self.place, self.chips) or (0,) * len(self.chips)

    @cached_property
    def lacking(self) -> Chips:
        """What the player lacks for that way."""
        return short(self.need, self.chips)

    @cached_property
    def spare(self) -> Chips:
        """What the player does not need for that way."""
        return minus(self.chips, common(self.chips, self.need))

    @cached_property
    def missing(self) -> int:
        """How many chips the player lacks."""
        return sum(self.lacking)

    @property
    def independent(self) -> bool:
        """Whether the player can reach the goal with what they hold (TI)."""
        return self.board.independent(self.place, self.chips)

    def step_needed(self) -> Chips | None:
        """The chip that lets a player move who cannot pay any step now: the first that leads nearer to the goal."""
        board = self.board
        near = [target for target in board.neighbours[self.place] if target is not None]
        if self.place == board.goal or any(self.chips[board.grid[target]] for target in near):
            return None
        best = min(near, key=lambda target: board.distances[target])
        return tuple(int(colour == board.grid[best]) for colour in range(len(self.chips)))


class Situation:
    """A decision of *player*: their view, both sides, and what they remember."""

    def __init__(self, view: State, player: int, history: History) -> None:
        self.view, self.history, self.board = view, history, view.board
        pair = view.proposer, view.partner
        talking = player in pair
        other = pair[1 - pair.index(player)] if talking else next(each for each in pair if each != player)
        held, theirs = view.assumed_chips(player), view.assumed_chips(other)
        self.own = Side(self.board, player, view.positions[player], held, theirs)
        self.other = Side(self.board, other, view.positions[other], theirs, held)

    def with_history(self, history: History) -> "Situation":
        """The same decision after another past; both share what was worked out about the position."""
        found = object.__new__(Situation)
        found.__dict__.update(self.__dict__)
        found.history = history
        return found

    @cached_property
    def legal(self) -> Sequence[int]:
        """What the player may do."""
        return self.view.legal_actions(self.own.player)

    def sides_after(self, given: Chips, received: Chips) -> tuple[Side, Side]:
        """Both sides after an exchange; where chips are hidden, an offer may ask for more than the other has."""
        given, received = common(given, self.own.chips), common(received, self.other.chips)
        own = plus(minus(self.own.chips, given), received)
        other = plus(minus(self.other.chips, received), given)
        return self.own.holding(own, other), self.other.holding(other, own)

    def use_after(self, given: Chips, received: Chips) -> int:
        """The player's own BestUse after an exchange."""
        left = minus(self.own.chips, common(given, self.own.chips))
        return self.board.best_use(self.own.place, plus(left, received))

    def gain(self, given: Chips, received: Chips) -> int:
        """What an exchange adds to the player's own BestUse."""
        return self.use_after(given, received) - self.own.best_use

    def other_gain(self, given: Chips, received: Chips) -> int:
        """What an exchange adds to the other's BestUse."""
        return self.sides_after(given, received)[1].best_use - self.other.best_use

    def proposed_exchange(self) -> tuple[Chips, Chips]:
        """What the player gives and receives by the offer on the table."""
        offer = self.view.offer
        assert offer is not None
        return (offer.asked, offer.given) if self.own.player == self.view.partner else (offer.given, offer.asked)

    def promised_exchange(self) -> tuple[Chips, Chips] | None:
        """What the player has promised to send, and what they were promised; None where nothing is agreed."""
        return None if self.view.offer is None else self.proposed_exchange()

    def frees_other(self, sent: Chips) -> bool:
        """Whether sending this makes a dependent opponent independent, whatever they send."""
        other = self.other
        return not other.independent and self.board.independent(other.place, plus(other.chips, sent))

    def must_move(self, player: int) -> bool:
        """Whether the game ends if *player* does not move in this round."""
        return self.view.dormant[player] >= self.view.game.dormancy_limit - 1

    @property
    def counter(self) -> bool:
        """Whether the offer on the table is a counter-offer."""
        return self.view.proposals > 1

    def steps(self) -> list[int]:
        """The steps that the player can pay for."""
        assert self.view.phase == MOVEMENT
        return [step for step in self.view.legal_actions(self.own.player) if step != STAY]

    def side_after_step(self, step: int) -> Side:
        """The player's own side after a step."""
        target = self.view.target(self.own.player, step)
        paid = tuple(int(colour == self.board.grid[target]) for colour in range(len(self.own.chips)))
        return Side(self.board, self.own.player, target, minus(self.own.chips, paid), self.own.others)


def first_of(chips: Chips, most: int) -> Chips:
    """At most *most* of *chips*, in the order of the colours."""
    found = []
    for held in chips:
        found.append(min(held, most))
        most -= found[-1]
    return tuple(found)


def least_needed(chips: Chips, needed: Chips, most: int) -> Chips:
    """At most *most* of *chips*: first those that are not *needed*, then the others, in the order of the colours."""
    free = first_of(minus(chips, common(chips, needed)), most)
    return plus(free, first_of(minus(chips, free), most - sum(free)))


TransferClass = Literal["none", "some", "all"]
DEFAULT = 1.0
"""The reliability of a player before anything is known."""


BASE_RATES = {"accept": 0.468, "none": 0.578, "some": 0.037, "all": 0.385}
"""How often peer-designed agents accepted and paid (Pozin 2010, Table 5.4): what is expected of one nobody has seen."""


def kept_share(board: Board, place: int, chips: Chips, promised: Chips, sent: Chips, default: float = DEFAULT) -> float:
    """What was *sent* to a receiver at *place* with *chips*, as a share of *promised*, by the receiver's BestUse."""
    before = board.best_use(place, chips)
    gain = board.best_use(place, plus(chips, promised)) - before
    got = board.best_use(place, plus(chips, sent)) - before
    if gain == 0:
        return default if got == 0 else 1.0
    return got / gain


def reliability(board: Board, exchange: Exchange, sender: int, default: float = DEFAULT) -> float:
    """The myopic reliability of *sender* in one round; without a deal a gift counts as kept, no gift as the default."""
    receiver = exchange.pair[1 - exchange.pair.index(sender)]
    promised = exchange.promise_of(sender) or (0,) * len(board.colours)
    place, chips = exchange.positions[receiver], exchange.chips[receiver]
    return kept_share(board, place, chips, promised, exchange.sent_by(sender), default)


def transfer_class(share: float) -> TransferClass:
    """A reliability in words."""
    return "none" if share <= 0.0 else "some" if share < 1.0 else "all"


def chip_share(exchange: Exchange, sender: int) -> float:
    """The share of the promised chips that *sender* sent; 1 where none were promised."""
    promised = exchange.promise_of(sender)
    if promised is None or not any(promised):
        return 1.0
    return sum(common(promised, exchange.sent_by(sender))) / sum(promised)


def recent(board: Board, history: History, sender: int, receiver: int, default: float = DEFAULT) -> tuple[float, float]:
    """The reliability of *sender* in the last round and in the one before; the default where nothing was agreed."""
    past = history.between(sender, receiver)
    found = [reliability(board, each, sender, default) for each, _ in zip(past, range(2), strict=False)]
    newest, older = [*found, default, default][:2]
    return newest, older


Level = Literal["low", "medium", "high"]
LEVELS: tuple[Level, ...] = ("low", "medium", "high")
NEWEST = 0.5
"""What the newest deal counts."""


def level(value: float | None) -> Level:
    """A number from 0 to 1 in words; medium where nothing is known."""
    if value is None:
        return "medium"
    return LEVELS[sum(value > bound for bound in (1 / 3, 2 / 3))]


def kept_promises(history: History, sender: int, receiver: int) -> float | None:
    """How well *sender* has kept their promises so far, counted in chips; None before the first deal."""
    value = None
    for deal in reversed(list(history.deals(sender, receiver))):
        share = chip_share(deal, sender)
        value = share if value is None else NEWEST * share + (1.0 - NEWEST) * value
    return value


def cooperation(board: Board, history: History, player: int, other: int) -> float | None:
    """How cooperative *player* is to *other*: the mean of the offers they accept and of what theirs leave the other."""
    found = []
    answered = [each for each in history.proposed_by(other, player) if each.accepted is not None]
    if answered:
        found.append(sum(bool(each.accepted) for each in answered) / len(answered))
    made = history.proposed_by(player, other)
    if made:
        found.append(sum(left_share(board, each) for each in made) / len(made))
    return sum(found) / len(found) if found else None


@lru_cache(maxsize=4096)
def left_share(board: Board, proposal: Proposal) -> float:
    """The share of what both would gain by an offer that it leaves to the partner."""
    proposer, partner = proposal.proposer, proposal.partner
    gains = []
    for player, other in ((proposer, partner), (partner, proposer)):
        held, place = proposal.chips[player], proposal.positions[player]
        kept = minus(held, common(held, proposal.sends(player)))
        gains.append(max(0, board.best_use(place, plus(kept, proposal.sends(other))) - board.best_use(place, held)))
    return gains[1] / sum(gains) if any(gains) else 0.0
