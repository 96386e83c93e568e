"""Fields of the games that are rounds of choices, bids or messages."""

from typing import Literal

import msgspec

from kibitz.core.kit.positions import Fields
from kibitz.games.recursive.big_match import ON, BigMatch
from kibitz.games.recursive.fields.position import Position, chosen_actions
from kibitz.games.recursive.goofspiel import Goofspiel, cards_in
from kibitz.games.recursive.guan import SESSION, Guan
from kibitz.games.recursive.inspection import Inspection
from kibitz.games.recursive.matrix import Matrix
from kibitz.games.recursive.purgatory import Purgatory
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


MATRIX = Fields(matrix_board, matrix_view)
GUAN = Fields(guan_board, guan_view)
PURGATORY = Fields(purgatory_board, purgatory_view)
BIG_MATCH = Fields(big_match_board, big_match_view)
INSPECTION = Fields(inspection_board, inspection_view)
GOOFSPIEL = Fields(goofspiel_board, goofspiel_view)
