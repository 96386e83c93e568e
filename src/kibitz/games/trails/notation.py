"""The notation of Colored Trails: the board in letters, and what a person means who types an offer or a transfer."""

from typing import TYPE_CHECKING

from kibitz import core
from kibitz.core.errors import NotUnderstood
from kibitz.games.trails.board import Board
from kibitz.games.trails.chip_phrases import excess_words, read_chips
from kibitz.games.trails.chips import Chips, colour_letters
from kibitz.games.trails.offers import Offers, read_offer, without_verb

if TYPE_CHECKING:
    from kibitz.games.trails.state import State

SHOWN = 9
"""How many legal actions an error names; all offers would be too many."""


def read_action(state: "State", legal: core.ProductActions, player: int, text: str) -> int:
    """The offer or transfer that *text* means; raises IllegalAction, which says why.

    The phrases that programs are told (`offer 2 red 1 for-gray`) are read as they are, others as people may mean them.
    """
    phrased = legal.from_phrase(" ".join(text.split()).casefold())
    if phrased is not None and phrased in legal:
        return phrased
    try:
        action, why = parse_action(state, legal, player, text)
    except NotUnderstood as error:
        action, why = -1, error.message
    if why or action not in legal:
        some = [legal.phrase(each) for each in legal[:SHOWN]]
        raise core.IllegalAction(player, text, some, why or "an offer gives something and asks for something")
    return action


def parse_action(state: "State", legal: core.ProductActions, player: int, text: str) -> tuple[int, str]:
    """The action that *text* means, and why it cannot be made; raises NotUnderstood."""
    colours = state.board.colours
    if isinstance(legal, Offers):
        given, asked = read_offer(text, colours)
        return legal.of(given, asked), offer_fault(state, player, given, asked)
    sent = read_chips(without_verb(text, "send"), colours)
    return legal.action(sent), excess_words(sent, state.most(player), colours, "you hold")


def offer_fault(state: "State", player: int, given: Chips, asked: Chips) -> str:
    """Why an offer cannot be made; empty if the chips are there."""
    other, colours = state.game.player_name(state.partner), state.board.colours
    faults = (
        excess_words(given, state.most(player), colours, "you hold"),
        excess_words(asked, state.askable(state.partner), colours, f"{other} holds"),
    )
    return ", ".join(fault for fault in faults if fault)


def board_lines(board: Board) -> list[str]:
    """The squares as letters, and what the letters mean."""
    letters = [letter.lower() for letter in colour_letters(board.colours)]
    cells = [f"{letters[colour]}{'*' if place == board.goal else ' '}" for place, colour in enumerate(board.grid)]
    rows = [f"{row:2} {' '.join(cells[row * board.cols : (row + 1) * board.cols])}" for row in range(board.rows)]
    named = ", ".join(f"{letter} {colour}" for letter, colour in zip(letters, board.colours, strict=True))
    row, column = divmod(board.goal, board.cols)
    files = " ".join(f"{number:<2}" for number in range(board.cols))
    return [f"   {files}".rstrip(), *(line.rstrip() for line in rows), f"{named}; * goal in row {row}, column {column}"]
