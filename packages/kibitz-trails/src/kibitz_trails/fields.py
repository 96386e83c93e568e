"""The board and the positions of Colored Trails as named fields."""

import msgspec

from kibitz.core.kit.positions import Fields
from kibitz_trails.board import Board, Chips
from kibitz_trails.rules import State, Trails

Square = tuple[int, int]
"""Row and column, from 0 in the upper left."""
ChipCounts = dict[str, int]
"""Numbers of chips by colour, without those that are 0."""


class TrailsScoring(msgspec.Struct, frozen=True):
    """Points at the end: for the goal, for each chip left, and (below 0) for each step still to go."""

    goal: int
    chip: int
    distance: int


class TrailsBoard(msgspec.Struct, frozen=True):
    """The colours of all squares row by row, the goal, where players start and the chips they start with.

    *hands*: what each player may have been dealt, if chips are hidden. *options*: the rules that can be switched.
    """

    name: str
    grid: list[list[str]]
    colours: list[str]
    goal: Square
    starts: list[Square]
    chips: list[ChipCounts]
    hands: list[list[ChipCounts]]
    scoring: TrailsScoring
    options: dict[str, bool | int | str | None]


class TrailsOffer(msgspec.Struct, frozen=True):
    """What the proposer gives and what they ask for."""

    given: ChipCounts
    asked: ChipCounts


class TrailsView(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A position. Chips are null where they are hidden.

    *proposer* and *partner* talk in this round; *proposals*: how many there were; *offer*: on the table, or agreed.
    *dormant*: rounds in which each player has not moved. *turn*: the number of the round, counted from 0 again when
    every pair has talked. *changed* and *proved*, if chips are hidden: what came and went since the deal, and the least
    that each player must have been dealt.
    """

    phase: str
    proposer: int
    partner: int
    positions: list[Square]
    chips: list[ChipCounts | None]
    offer: TrailsOffer | None = None
    proposals: int = 0
    dormant: list[int]
    turn: int
    changed: list[ChipCounts] = []
    proved: list[ChipCounts] = []


def board(game: Trails) -> TrailsBoard:
    layout = game.layout
    rows = range(layout.rows)
    names = [layout.colours[colour] for colour in layout.grid]
    options = {name: value for name, value in game.parameters().items() if name != "board"}
    return TrailsBoard(
        name=layout.name,
        grid=[names[row * layout.cols : (row + 1) * layout.cols] for row in rows],
        colours=list(layout.colours),
        goal=square(layout, layout.goal),
        starts=[square(layout, start) for start in layout.starts],
        chips=[] if game.hidden else [counts(layout, chips) for chips in layout.chips],
        hands=[[counts(layout, hand) for hand in hands] for hands in layout.hands] if game.hidden else [],
        scoring=TrailsScoring(layout.scoring.goal, layout.scoring.chip, layout.scoring.distance),
        options=options,
    )


def view(state: State) -> TrailsView:
    layout, game = state.board, state.game
    seen = (state.changed, state.proved) if game.hidden else ((), ())
    return TrailsView(
        phase=state.phase,
        proposer=state.proposer,
        partner=state.partner,
        positions=[square(layout, place) for place in state.positions],
        chips=[None if chips is None else counts(layout, chips) for chips in state.chips],
        offer=None if state.offer is None else TrailsOffer(*(counts(layout, side) for side in state.offer)),
        proposals=state.proposals,
        dormant=list(state.dormant),
        turn=state.turn,
        changed=[counts(layout, chips) for chips in seen[0]],
        proved=[counts(layout, chips) for chips in seen[1]],
    )


def square(layout: Board, place: int) -> Square:
    """A square by its row and column."""
    return divmod(place, layout.cols)


def counts(layout: Board, chips: Chips) -> ChipCounts:
    """Chips by colour."""
    return {colour: count for colour, count in zip(layout.colours, chips, strict=True) if count}


FIELDS = Fields(board, view)
