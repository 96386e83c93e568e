"""Fields of the games that are rounds of choices, bids or messages."""

from typing import Literal

import msgspec

from kibitz.core.abilities.fields import Fields
from kibitz.games.recursive.aloha import MOST_WAITS, SENT, Aloha, user
from kibitz.games.recursive.big_match import ON, BigMatch
from kibitz.games.recursive.fields.position import Position, chosen_actions
from kibitz.games.recursive.goofspiel import Goofspiel, cards_in
from kibitz.games.recursive.guan import SESSION, Guan
from kibitz.games.recursive.inspection import Inspection
from kibitz.games.recursive.intrusion import STATES, Intrusion
from kibitz.games.recursive.investors import MOST, Investors
from kibitz.games.recursive.jamming import BUSY, Jamming
from kibitz.games.recursive.matrix import Matrix
from kibitz.games.recursive.purgatory import Purgatory
from kibitz.games.recursive.rps import UNLIMITED, RockPaperScissors
from kibitz.games.recursive.rules import BEFORE, State


class MatrixBoard(msgspec.Struct, frozen=True):
    """The actions of player 0 (rows) and player 1 (columns), and what each pair is worth to player 0."""

    rows: list[str]
    columns: list[str]
    payoffs: list[list[float]]


class MatrixView(Position, frozen=True):
    """The two choices; none before they are made."""

    choices: list[str]


def matrix_board(game: Matrix) -> MatrixBoard:
    return MatrixBoard(list(game.rows), list(game.columns), [list(row) for row in game.payoffs])


def matrix_view(state: State) -> MatrixView:
    names = zip(state.game.names, state.position[1:], strict=False)
    return MatrixView(choices=[actions[chosen] for actions, chosen in names])


class GuanBoard(msgspec.Struct, frozen=True):
    """What it is worth to Xiaomei to be hit, to win, and if nothing ever happens."""

    hit: float
    won: float
    endless: float


class GuanView(Position, frozen=True):
    """How it ended: `hit`, `won` by Xiaomei, or `open` as long as it goes on."""

    outcome: Literal["open", "hit", "won"]


def guan_board(game: Guan) -> GuanBoard:
    return GuanBoard(0.0 if game.payoffs == "survival" else -1.0, 1.0, game.endless)


def guan_view(state: State) -> GuanView:
    ends: tuple[Literal["open", "hit", "won"], ...] = ("open", "hit", "won")
    return GuanView(outcome=ends[state.position[0] - SESSION[0]])


class PurgatoryBoard(msgspec.Struct, frozen=True):
    """The number of levels."""

    levels: int


class PurgatoryView(Position, frozen=True):
    """The level of the soul, from 1; 0: lost; one above the last: out."""

    level: int


def purgatory_board(game: Purgatory) -> PurgatoryBoard:
    return PurgatoryBoard(game.levels)


def purgatory_view(state: State) -> PurgatoryView:
    return PurgatoryView(level=state.position[0])


class BigMatchBoard(msgspec.Struct, frozen=True):
    """The probability that the match ends after a round without a stop."""

    discount: float


class BigMatchView(Position, frozen=True):
    """What the guesser has earned; null while the match goes on."""

    earned: int | None


def big_match_board(game: BigMatch) -> BigMatchBoard:
    return BigMatchBoard(game.discount)


def big_match_view(state: State) -> BigMatchView:
    earned = None if state.position == ON else state.position[0]
    return BigMatchView(earned=earned, chosen=chosen_actions(state))


class RpsBoard(msgspec.Struct, frozen=True):
    """The rounds to win, the goal of player 0, and the rounds that are played (null: no limit)."""

    wins: int
    goal: str
    rounds: int | None


class RpsView(Position, frozen=True):
    """The rounds each player has won, as far as they count, and the rounds left (null: no limit)."""

    won: tuple[int, int]
    left: int | None


def rps_board(game: RockPaperScissors) -> RpsBoard:
    return RpsBoard(game.wins, game.goal, game.rounds or None)


def rps_view(state: State) -> RpsView:
    own, others, left = state.position
    return RpsView(won=(own, others), left=None if left == UNLIMITED else left)


class InspectionBoard(msgspec.Struct, frozen=True):
    """The periods and the inspections at the start."""

    periods: int
    inspections: int


class InspectionView(Position, frozen=True):
    """The periods and inspections left; *violation*: `caught`, `missed`, or null if there was none yet."""

    periods: int
    inspections: int
    violation: Literal["caught", "missed"] | None


def inspection_board(game: Inspection) -> InspectionBoard:
    return InspectionBoard(game.periods, game.inspections)


def inspection_view(state: State) -> InspectionView:
    periods, inspections, caught = state.position
    violation: Literal["caught", "missed"] | None = None if not caught else "caught" if caught == 1 else "missed"
    return InspectionView(periods=periods, inspections=inspections, violation=violation)


class GoofspielBoard(msgspec.Struct, frozen=True):
    """The number of prizes, from 1 up; *head_start* is added to each card of player 0.

    *order*: prizes come at `random` or `descending`. *points*: the `difference` counts, or only who is the `winner`.
    """

    cards: int
    head_start: int
    order: str
    points: str


class GoofspielView(Position, frozen=True):
    """The cards both players hold, the prizes to come, the prize turned up (null: none), and player 0's lead.

    Nothing is there before the first prize is turned up.
    """

    hands: list[list[int]]
    prizes: list[int]
    prize: int | None
    ahead: int


def goofspiel_board(game: Goofspiel) -> GoofspielBoard:
    return GoofspielBoard(game.cards, game.head_start, game.order, game.points)


def goofspiel_view(state: State) -> GoofspielView:
    if state.position == BEFORE:
        return GoofspielView(hands=[], prizes=[], prize=None, ahead=0)
    own, others, prizes, prize, ahead = state.position
    return GoofspielView(
        hands=[cards_in(own), cards_in(others)],
        prizes=cards_in(prizes),
        prize=prize or None,
        ahead=ahead,
        chosen=chosen_actions(state),
    )


class JammingBoard(msgspec.Struct, frozen=True):
    """The channels of the user and of the jammer, the slots, and how likely a channel changes.

    *goal* of the user: as many `messages` as possible, or to send in `half` of the slots.
    """

    user: list[int]
    jammer: list[int]
    slots: int
    change: float
    goal: str


class JammingView(Position, frozen=True):
    """Which channels, from 1 on, are busy now; the slots played, and the messages sent."""

    busy: list[bool]
    slot: int
    sent: int


def jamming_board(game: Jamming) -> JammingBoard:
    return JammingBoard(list(game.user_channels), list(game.jammer_channels), game.slots, game.change, game.goal)


def jamming_view(state: State) -> JammingView:
    game = state.game
    assert isinstance(game, Jamming)
    busy = [channel == BUSY for channel in state.position[: game.channels]]
    slot, sent = state.position[game.channels :]
    return JammingView(busy=busy, slot=slot, sent=sent, chosen=chosen_actions(state))


class AlohaBoard(msgspec.Struct, frozen=True):
    """The slots until user 1's deadline, the probability *q* of getting through, and the limits.

    *backoff*: after this many failures the range of slots to sit out stops growing; *waits*: the most waits in a row.
    """

    deadline: int
    q: float
    backoff: int
    waits: int


class AlohaUser(msgspec.Struct, frozen=True):
    """A user: failed tries, slots to sit out, waits left, and whether the message is through."""

    failures: int
    out: int
    waits: int
    sent: bool


class AlohaView(Position, frozen=True):
    """Both users, and the slots that are over."""

    users: list[AlohaUser]
    slot: int


def aloha_board(game: Aloha) -> AlohaBoard:
    return AlohaBoard(game.deadline, game.q, game.backoff, MOST_WAITS)


def aloha_view(state: State) -> AlohaView:
    users = []
    for player in (0, 1):
        failures, out, waits = user(state.position, player)
        users.append(AlohaUser(failures, max(0, out), waits, out == SENT))
    return AlohaView(users=users, slot=state.position[-1], chosen=chosen_actions(state))


class IntrusionBoard(msgspec.Struct, frozen=True):
    """The rounds, and what kind of system it is: `simple`, `sturdy` or `fragile`."""

    rounds: int
    system: str


class IntrusionView(Position, frozen=True):
    """The state of the system (`healthy`, `compromised` or `failed`), the rounds played, and the damage so far."""

    system: str
    round: int
    damage: float


def intrusion_board(game: Intrusion) -> IntrusionBoard:
    return IntrusionBoard(game.rounds, game.system)


def intrusion_view(state: State) -> IntrusionView:
    system, played, damage = state.position
    return IntrusionView(system=STATES[system], round=played, damage=damage / 2.0, chosen=chosen_actions(state))


class InvestorsBoard(msgspec.Struct, frozen=True):
    """The investors who act together, the months they have, and the highest price."""

    investors: int
    months: int
    highest: int


class InvestorsView(Position, frozen=True):
    """The price, the probability in tenths that it rises, who still looks for a share, and what was earned.

    *barred*: whether the market was closed last month, so that it cannot be this month.
    """

    price: int
    trend: int
    looking: int
    earned: int
    barred: bool
    month: int


def investors_board(game: Investors) -> InvestorsBoard:
    return InvestorsBoard(game.investors, game.months, MOST)


def investors_view(state: State) -> InvestorsView:
    price, trend, looking, earned, barred, month = state.position
    return InvestorsView(
        price=price,
        trend=trend,
        looking=looking,
        earned=earned,
        barred=bool(barred),
        month=month,
        chosen=chosen_actions(state),
    )


MATRIX = Fields(matrix_board, matrix_view)
GUAN = Fields(guan_board, guan_view)
PURGATORY = Fields(purgatory_board, purgatory_view)
BIG_MATCH = Fields(big_match_board, big_match_view)
RPS = Fields(rps_board, rps_view)
INSPECTION = Fields(inspection_board, inspection_view)
GOOFSPIEL = Fields(goofspiel_board, goofspiel_view)
JAMMING = Fields(jamming_board, jamming_view)
ALOHA = Fields(aloha_board, aloha_view)
INTRUSION = Fields(intrusion_board, intrusion_view)
INVESTORS = Fields(investors_board, investors_view)
