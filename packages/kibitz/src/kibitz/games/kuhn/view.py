"""Draws the table: a card and the chips of every player, and the pot; all of it as named fields, too."""

from collections.abc import Iterator
from typing import Any

import msgspec

from kibitz import core
from kibitz.core import drawing
from kibitz.core.kit.about import read_texts
from kibitz.core.kit.positions import Fields
from kibitz.core.pictures.figures import CARD_WIDTH, card, chip_stack
from kibitz.games.kuhn.rules import BET, RANKS, UNKNOWN, Kuhn, State

WIDE = 3.2
"""Cells that a player takes."""
NAMES = {"T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}


def draw(state: core.State) -> drawing.Drawing:
    """Cards face up where the viewer knows them, chips below, and the player to move framed."""
    assert isinstance(state, State)
    width, stakes = WIDE * state.game.players, state.stakes()
    cloth = drawing.Rect(id="cloth", x=0.0, y=0.0, width=width, height=4.9, corner=0.4, fill="land2")
    shapes: list[drawing.AnyShape] = [cloth]
    for player, chips in enumerate(stakes):
        shapes += _place(state, player, chips)
    pot = f"{sum(stakes)} chips in the pot"
    shapes.append(drawing.Label(id="pot", x=width / 2, y=4.6, text=pot, size=0.34))
    notes = tuple(_note(state, player) for player in range(state.game.players))
    return drawing.Drawing(width, 4.9, tuple(shapes), (), pot, notes)


def _place(state: State, player: int, chips: int) -> Iterator[drawing.AnyShape]:
    """The name, the card and the chips of a player."""
    x = WIDE * (player + 0.5)
    held = state.cards[player] if player < len(state.cards) else None
    face = "" if held is None or held == UNKNOWN else RANKS[held]
    name, to_move = state.game.player_name(player), player == state.current_player()
    yield drawing.Label(id=f"name-{player}", x=x, y=0.4, text=name, size=0.36, bold=to_move)
    frame = "mark" if to_move else drawing.ink_of(player)
    if held is not None:
        title = f"card of player {player}: {face or '?'}"
        yield from card(f"card-{player}", x - CARD_WIDTH / 2, 0.8, face, title=title, frame=frame)
    title = f"{name} has put in {chips} {'chip' if chips == 1 else 'chips'}"
    yield from chip_stack(f"stake-{player}", x - 0.2, 3.65, chips, fill=drawing.ink_of(player), title=title)


def _note(state: State, player: int) -> drawing.PlayerNote:
    done = state.moves[player :: state.game.players]
    words = ["passed", "bet"][done[-1]] if done else "to choose"
    standing = f"{state.stakes()[player]} in, {words}"
    return drawing.PlayerNote(player, _prompt(state, player), *_secret(state, player), standing)


def _secret(state: State, player: int) -> tuple[str, str]:
    """The card in words, and how many beat it."""
    held = state.cards[player] if player < len(state.cards) else UNKNOWN
    if held == UNKNOWN:
        return "", ""
    above = [NAMES.get(RANKS[card], RANKS[card]) for card in sorted(state.game.deck) if card > held]
    beaten = f"beaten by {' and '.join(above)}" if above else "nothing beats it"
    return f"Your card is the {NAMES.get(RANKS[held], RANKS[held])}.", beaten


def _prompt(state: State, player: int) -> str:
    if state.current_player() != player:
        return ""
    if BET in state.moves:
        return "There is a bet. Bet a second chip to compare cards, or pass and lose the first."
    return "Bet a second chip, or pass; the highest card wins the pot."


class KuhnBoard(msgspec.Struct, frozen=True):
    """The deck, lowest card first, and the chips of the ante and of a bet."""

    deck: list[str]
    ante: int
    bet: int


class KuhnView(msgspec.Struct, frozen=True):
    """The card of each player dealt so far (null: hidden), all passes and bets in order, and the chips each put in."""

    cards: list[str | None]
    moves: list[str]
    stakes: list[int]


def word_values(game: Kuhn) -> dict[str, Any]:
    """What the words leave open."""
    ranks = [RANKS[card] for card in sorted(game.deck)]
    names = read_texts("kibitz.games.kuhn:words.toml")["cards"]
    return {
        "cards": len(ranks),
        "deck": f"{', '.join(ranks[:-1])} and {ranks[-1]}",
        "labels": {rank: names[rank] for rank in ranks},
    }


def board(game: Kuhn) -> KuhnBoard:
    return KuhnBoard([RANKS[card] for card in sorted(game.deck)], 1, 1)


def view(state: State) -> KuhnView:
    cards = [None if card == UNKNOWN else RANKS[card] for card in state.cards]
    return KuhnView(cards, [("pass", "bet")[move] for move in state.moves], state.stakes())


FIELDS = Fields(board, view)
