"""Draws the table: a card and the chips of every player, and the public card; all of it as named fields, too."""

from collections.abc import Iterator
from typing import Any

import msgspec

from kibitz import core
from kibitz.core import drawing
from kibitz.core.kit.about import read_texts
from kibitz.core.kit.positions import Fields
from kibitz.core.pictures.figures import CARD_WIDTH, card, chip_stack
from kibitz.games.leduc.rules import ANTE, BETS, MOST_RAISES, NAMES, UNKNOWN, Leduc, State, card_name

WIDE = 3.2
"""Cells that a player takes."""
SUITS = {"s": "♠", "h": "♥"}


def draw(state: core.State) -> drawing.Drawing:
    """Cards face up where the viewer knows them, chips below, and the player to move framed."""
    assert isinstance(state, State)
    width = WIDE * (state.game.players + 1)
    cloth = drawing.Rect(id="cloth", x=0.0, y=0.0, width=width, height=4.9, corner=0.4, fill="land2")
    shapes: list[drawing.AnyShape] = [cloth]
    for player, chips in enumerate(state.stakes):
        shapes += _place(state, player, chips)
    x, public = width - WIDE / 2, face_of(state, state.public)
    shapes.append(drawing.Label(id="public-name", x=x, y=0.4, text="for all", size=0.36))
    shapes += card("public", x - CARD_WIDTH / 2, 0.8, public, title=f"public card: {public or 'not dealt yet'}")
    pot = f"{sum(state.stakes)} chips in the pot"
    shapes.append(drawing.Label(id="pot", x=x, y=3.6, text=f"pot {sum(state.stakes)}", size=0.4))
    notes = tuple(_note(state, player) for player in range(state.game.players))
    return drawing.Drawing(width, 4.9, tuple(shapes), (), pot, notes)


def face_of(state: State, held: int | None) -> str:
    """What is on a card; empty where that is not known."""
    if held is None or held == UNKNOWN:
        return ""
    name = card_name(held, state.game)
    return name[:-1] + SUITS.get(name[-1], name[-1])


def _place(state: State, player: int, chips: int) -> Iterator[drawing.AnyShape]:
    x = WIDE * (player + 0.5)
    held = state.cards[player] if player < len(state.cards) else None
    name, to_move = state.game.player_name(player), player == state.current_player()
    yield drawing.Label(id=f"name-{player}", x=x, y=0.4, text=name, size=0.36, bold=to_move)
    if held is not None:
        face = face_of(state, held)
        title = f"card of player {player}: {face or '??'}" + (", folded" if state.folded[player] else "")
        frame = "mark" if to_move else drawing.ink_of(player)
        yield from card(f"card-{player}", x - CARD_WIDTH / 2, 0.8, face, title=title, frame=frame)
    title = f"{name} has put in {chips} chips"
    yield from chip_stack(f"stake-{player}", x - 0.2, 3.9, chips, fill=drawing.ink_of(player), title=title)


def _note(state: State, player: int) -> drawing.PlayerNote:
    mine = face_of(state, state.cards[player]) if player < len(state.cards) else ""
    public = face_of(state, state.public)
    progress = ""
    if mine and public:
        progress = "a pair with the public card" if mine[:-1] == public[:-1] else "no pair with the public card"
    behind = max(state.stakes) - state.stakes[player]
    prompt = f"Call {behind} chips, raise, or fold." if behind else "Call to stay in without a bet, or raise."
    standing = f"{state.stakes[player]} in" + (", folded" if state.folded[player] else "")
    secret = f"Your card is {mine}." if mine else ""
    return drawing.PlayerNote(player, prompt if state.mover == player else "", secret, progress, standing)


class LeducBoard(msgspec.Struct, frozen=True):
    """The deck, lowest card first, the chips of the ante and of a raise in each round, and the most raises a round."""

    deck: list[str]
    ante: int
    raises: list[int]
    most_raises: int


class LeducView(msgspec.Struct, frozen=True):
    """The private card of each player dealt so far (null: hidden), the public card (null: not dealt yet), the moves of
    each round in order, and the chips each put in."""

    cards: list[str | None]
    public: str | None
    rounds: list[list[str]]
    stakes: list[int]


def word_values(game: Leduc) -> dict[str, Any]:
    """What the words leave open."""
    deck, texts = deck_of(game), read_texts("kibitz.games.leduc:words.toml")
    return {
        "cards": len(deck),
        "deck": f"{', '.join(deck[:-1])} and {deck[-1]}",
        "bets": BETS,
        "most_raises": MOST_RAISES,
        "labels": {card: f"{texts['ranks'][card[0]]} {texts['suits'][card[1]]}" for card in deck},
    }


def deck_of(game: Leduc) -> list[str]:
    """The names of all cards."""
    return [card_name(card, game) for card in range(game.deck)]


def board(game: Leduc) -> LeducBoard:
    return LeducBoard(deck_of(game), ANTE, list(BETS), MOST_RAISES)


def view(state: State) -> LeducView:
    cards = [None if card == UNKNOWN else card_name(card, state.game) for card in state.cards]
    public = None if state.public is None else card_name(state.public, state.game)
    return LeducView(cards, public, [[NAMES[move] for move in moves] for moves in state.moves], list(state.stakes))


FIELDS = Fields(board, view)
