"""The notation of Colored Trails: positions and actions in words, and what a person means who types an offer."""

from typing import TYPE_CHECKING

from kibitz import core
from kibitz.core.errors import NotUnderstood
from kibitz_trails.board import STEPS, Board, Chips, colour_letters, excess_words, in_words, read_chips
from kibitz_trails.offers import Offers, read_offer, without_verb

if TYPE_CHECKING:
    from kibitz_trails.rules import State

SHOWN = 9
"""How many legal actions an error names; all offers would be too many."""


def action_words(state: "State", player: int, action: int) -> str:
    """An action in words; those of the player are read again by `read_action`."""
    if player == core.CHANCE:
        return f"deal {in_words(state.board.colours, state.board.hands[len(state.chips)][action])}"
    match state.phase:
        case "offer":
            return state.offers().phrase(action)
        case "answer":
            return ("reject", "accept")[action]
        case "exchange":
            return f"send {in_words(state.board.colours, core.digits(action, state.game.bases))}"
        case "movement":
            return ("stay", *STEPS)[action]
    return "ready"


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
    if " for " in f" {text.casefold()} ":
        raise NotUnderstood(text, "for", "offers are over; say what you send, such as 3 yellow, or nothing")
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


def state_lines(state: "State") -> list[str]:
    """A position in lines: what happens now, the board, and each player."""
    players = [player_line(state, player) for player in range(state.board.players)]
    return [f"{state.phase}: {phase_words(state)}", *board_lines(state.board), *players]


def phase_words(state: "State") -> str:
    """Who talks, and what is on the table."""
    name = state.game.player_name
    match state.phase:
        case "over":
            return "the game is over"
        case "preparation" | "deal":
            return "before the first round"
        case "offer":
            number = f"proposal {state.proposals + 1} of 2"
            return f"{name(state.proposer)} proposes to {name(state.partner)}, {number}"
        case "movement":
            return "all players move"
    if state.offer is None:
        return f"nothing is agreed between {name(state.proposer)} and {name(state.partner)}"
    given, asked = (in_words(state.board.colours, side) for side in state.offer)
    told = f"{name(state.proposer)} gives {given}, {name(state.partner)} gives {asked}"
    return f"{'agreed' if state.phase == 'exchange' else 'on the table'}: {told}"


def player_line(state: "State", player: int) -> str:
    """Where a player stands, what they hold, and how long they have not moved."""
    row, column = divmod(state.positions[player], state.board.cols)
    chips = state.chips[player] if player < len(state.chips) else None
    held = "hidden chips" if chips is None else in_words(state.board.colours, chips)
    still = f"; {state.dormant[player]} of {state.game.dormancy_limit} rounds without a step"
    return f"{state.game.player_name(player)} in row {row}, column {column}: {held}{still}"


def board_lines(board: Board) -> list[str]:
    """The squares as letters, and what the letters mean."""
    letters = [letter.lower() for letter in colour_letters(board.colours)]
    cells = [f"{letters[colour]}{'*' if place == board.goal else ' '}" for place, colour in enumerate(board.grid)]
    rows = [f"{row:2} {' '.join(cells[row * board.cols : (row + 1) * board.cols])}" for row in range(board.rows)]
    named = ", ".join(f"{letter} {colour}" for letter, colour in zip(letters, board.colours, strict=True))
    row, column = divmod(board.goal, board.cols)
    files = " ".join(f"{number:<2}" for number in range(board.cols))
    return [f"   {files}".rstrip(), *(line.rstrip() for line in rows), f"{named}; * goal in row {row}, column {column}"]
