"""Fields of the recursive games: what bots and pages read of boards and positions."""

from collections.abc import Callable
from typing import Literal, TypeVar

import msgspec

from kibitz.core.kit.positions import Fields
from kibitz_solve.games.bear_brawl import BEAR, HERO, BearBrawl
from kibitz_solve.games.big_match import ON
from kibitz_solve.games.goofspiel import cards_in
from kibitz_solve.games.guan import SESSION, Guan
from kibitz_solve.games.pursuit import REACH, SPEED, Pursuit
from kibitz_solve.games.rules import BEFORE, Recursive, State
from kibitz_solve.games.soccer import COLUMNS, GOAL_ROWS, ROWS, Soccer

_Board = TypeVar("_Board", bound=msgspec.Struct)


class Position(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A position; *chosen*: what the players chose, as long as chance has not drawn what follows."""

    chosen: list[str] = []


def options_as(kind: type[_Board]) -> Callable[[Recursive], _Board]:
    """The board of a game that shows some of the game's options, under their names."""

    def board(game: Recursive) -> _Board:
        return kind(*(getattr(game, name) for name in kind.__struct_fields__))

    board.__annotations__["return"] = kind
    return board


def chosen_actions(state: State) -> list[str]:
    """What the players chose and chance has not settled."""
    return [state.game.action_name(player, action) for player, action in enumerate(state.chosen or ())]


Place = list[int]
"""A column and a row, or one coordinate on a line."""


class PursuitBoard(msgspec.Struct, frozen=True):
    """Beyond *radius* squares the evader is safe; the pursuer makes *speed* steps, and catches within *reach*."""

    radius: int
    speed: int
    reach: int


class PursuitView(Position, frozen=True):
    """Where the pursuer stands, seen from the evader at (0, 0), turned so that the pursuer faces north (up).

    *player*: who moves; null if both do at once.
    """

    x: int
    y: int
    player: int | None = None


def pursuit_board(game: Pursuit) -> PursuitBoard:
    return PursuitBoard(game.radius, SPEED, REACH)


def pursuit_view(state: State) -> PursuitView:
    x, y, *mover = state.position
    return PursuitView(x=x, y=y, player=mover[0] if mover else None)


class BearBrawlBoard(msgspec.Struct, frozen=True):
    """Places run from -*radius* to *radius* along each of *dimensions*; *powder* lists the places to stand on.

    *edge*: a step into the wall stays put (`clip`) or is `illegal`, or there is no wall (`unbounded`).
    """

    dimensions: int
    radius: int
    powder: list[Place]
    edge: str


class Fighter(msgspec.Struct, frozen=True):
    """A hero or bear: hit points (0: dead), and where it is."""

    hp: int
    place: Place


class BearBrawlView(Position, frozen=True):
    """All heroes and bears."""

    heroes: list[Fighter]
    bears: list[Fighter]


def bear_brawl_board(game: BearBrawl) -> BearBrawlBoard:
    return BearBrawlBoard(game.dimensions, game.radius, [list(cell) for cell in game.cells], game.edge)


def bear_brawl_view(state: State) -> BearBrawlView:
    game, position = state.game, state.position
    assert isinstance(game, BearBrawl)
    sides = [
        [
            Fighter(hp, list(place))
            for hp, place in zip(game.hit_points(position, side), game.places(position, side), strict=True)
        ]
        for side in (HERO, BEAR)
    ]
    return BearBrawlView(heroes=sides[HERO], bears=sides[BEAR])


class OshiZumoBoard(msgspec.Struct, frozen=True):
    """The steps from the middle to either edge, and the least bid."""

    size: int
    least: int


class OshiZumoView(Position, frozen=True):
    """The coins of both, and where the wrestler stands: from the middle, 0, towards player 1 counts up."""

    coins: tuple[int, int]
    place: int


def oshi_zumo_view(state: State) -> OshiZumoView:
    own, others, place = state.position
    return OshiZumoView(coins=(own, others), place=place)


class SoccerBoard(msgspec.Struct, frozen=True):
    """The field, columns from 0 in the west and rows from 0 in the south; the rows of the goals at both ends.

    *draw*: the probability that a round ends the match without a goal.
    """

    columns: int
    rows: int
    goal_rows: list[int]
    draw: float


class SoccerView(Position, frozen=True):
    """Where west and east stand (empty before the kick-off and at the end), who has the ball, and the result.

    *result*: `west`, `east` or `draw`; null while the match goes on.
    """

    places: list[Place]
    ball: int | None
    result: Literal["west", "east", "draw"] | None


def soccer_board(game: Soccer) -> SoccerBoard:
    return SoccerBoard(COLUMNS, ROWS, list(GOAL_ROWS), game.draw)


def soccer_view(state: State) -> SoccerView:
    position, chosen = state.position, chosen_actions(state)
    if len(position) < 2:
        ends: dict[int, Literal["west", "east", "draw"]] = {1: "west", -1: "east", 0: "draw"}
        return SoccerView(places=[], ball=None, result=ends[position[0]] if position else None, chosen=chosen)
    return SoccerView(places=[[*position[:2]], [*position[2:4]]], ball=position[4], result=None, chosen=chosen)


class DuelBoard(msgspec.Struct, frozen=True):
    """The largest distance, and the distance from which on no shell hits."""

    distance: int
    reach: int


class DuelView(Position, frozen=True):
    """The distance, and of west and east the shells left and whether they are alive."""

    distance: int
    shells: tuple[int, int]
    alive: tuple[bool, bool]


def duel_view(state: State) -> DuelView:
    distance, shells, other_shells, alive, other_alive = state.position
    return DuelView(
        distance=distance,
        shells=(shells, other_shells),
        alive=(bool(alive), bool(other_alive)),
        chosen=chosen_actions(state),
    )


RIGHT_TURN = CHAUFFEUR = Fields(pursuit_board, pursuit_view)
BEAR_BRAWL = Fields(bear_brawl_board, bear_brawl_view)
OSHI_ZUMO = Fields(options_as(OshiZumoBoard), oshi_zumo_view)
SOCCER = Fields(soccer_board, soccer_view)
DUEL = Fields(options_as(DuelBoard), duel_view)


class MatrixBoard(msgspec.Struct, frozen=True):
    """The actions of player 0 (rows) and player 1 (columns), and what each pair is worth to player 0."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    payoffs: tuple[tuple[float, ...], ...]


class MatrixView(Position, frozen=True):
    """The two choices; none before they are made."""

    choices: list[str]


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


def purgatory_view(state: State) -> PurgatoryView:
    return PurgatoryView(level=state.position[0])


class BigMatchBoard(msgspec.Struct, frozen=True):
    """The probability that the match ends after a round without a stop."""

    discount: float


class BigMatchView(Position, frozen=True):
    """What the guesser has earned; null while the match goes on."""

    earned: int | None


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


MACWIGGINS = MATRIX = Fields(options_as(MatrixBoard), matrix_view)
GUAN = Fields(guan_board, guan_view)
PURGATORY = Fields(options_as(PurgatoryBoard), purgatory_view)
BIG_MATCH = Fields(options_as(BigMatchBoard), big_match_view)
INSPECTION = Fields(options_as(InspectionBoard), inspection_view)
GOOFSPIEL = Fields(options_as(GoofspielBoard), goofspiel_view)
