"""The notation of Colored Trails: positions and actions in words, and what a person means who types an offer.

The offers a player may make, and what they may send, are sets of actions that are never listed.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kibitz import core
from kibitz.core.errors import NotUnderstood
from kibitz_trails.board import STEPS, Board, Chips, colour_letters, excess_words, in_words, read_chips

if TYPE_CHECKING:
    from kibitz_trails.state import State

PASS = 0
"""The offer of nothing for nothing."""


def sendings(colours: Sequence[str], held: Chips, bases: Sequence[int]) -> core.ProductActions:
    """Everything that a player who holds *held* may send: any part of it."""
    return core.ProductActions({name: range(most + 1) for name, most in zip(colours, held, strict=True)}, bases, "send")


class Offers(core.ProductActions):
    """All offers: any part of what is held for any part of what may be asked for.

    The offer of nothing for nothing is a pass. An action's digits are the chips given, then those asked for.

    >>> offers = Offers(("red", "gray"), (1, 0), (0, 1), (3, 3))
    >>> [offers.phrase(action) for action in offers]
    ['pass', 'offer nothing for 1 gray', 'offer 1 red for nothing', 'offer 1 red for 1 gray']
    """

    __slots__ = ("colours",)

    def __init__(self, colours: Sequence[str], given: Chips, asked: Chips, bases: Sequence[int]) -> None:
        names = [*colours, *(f"for-{colour}" for colour in colours)]
        factors = {name: range(most + 1) for name, most in zip(names, (*given, *asked), strict=True)}
        super().__init__(factors, (*bases, *bases), "offer")
        self.colours = colours

    def allows(self, given: Chips, asked: Chips) -> bool:
        """Whether *given* may be offered for *asked*."""
        return all(value in allowed for value, allowed in zip((*given, *asked), self._allowed, strict=True))

    def sides(self, action: int) -> tuple[Chips, Chips]:
        """What is given and what is asked for."""
        values = self.values(action)
        return values[: len(self.colours)], values[len(self.colours) :]

    def of(self, given: Chips, asked: Chips) -> int:
        """The offer of *given* for *asked*."""
        return self.action((*given, *asked))

    def phrase(self, action: int) -> str:
        if action == PASS:
            return "pass"
        given, asked = self.sides(action)
        return f"offer {in_words(self.colours, given)} for {in_words(self.colours, asked)}"

    def from_phrase(self, text: str) -> int | None:
        try:
            given, asked = read_offer(text, self.colours)
        except NotUnderstood:
            phrased = (
                super().from_phrase(text) if "for-" in text else None
            )  # as programs put numbers and names together
            return phrased if phrased is not None and phrased in self else None
        return self.of(given, asked) if self.allows(given, asked) else None


def read_offer(text: str, colours: Sequence[str]) -> tuple[Chips, Chips]:
    """What an offer in words gives and asks for: `3 yellow for 3 gray`, `pass`; raises NotUnderstood.

    >>> read_offer("offer 3y for two grey", ("yellow", "gray"))
    ((3, 0), (0, 2))
    """
    words = " ".join(text.casefold().split())
    if words in ("pass", "nothing", "offer nothing"):
        return (0,) * len(colours), (0,) * len(colours)
    given, found, asked = without_verb(words, "offer").partition(" for ")
    if not found:
        raise NotUnderstood(text, text, "an offer is what you give for what you ask: 3 yellow for 3 gray; or pass")
    return read_chips(given, colours), read_chips(asked, colours)


def without_verb(text: str, *verbs: str) -> str:
    """A phrase without the verb that it may begin with."""
    first, _, rest = " ".join(text.casefold().split()).partition(" ")
    return rest if first in (*verbs, "give") else text


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
