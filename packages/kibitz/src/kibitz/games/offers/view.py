"""Draws the pool, the offer on the table, and trays to make an offer; all of it as named fields, too."""

from collections.abc import Iterator

import msgspec

from kibitz import core
from kibitz.core import drawing
from kibitz.core.kit.positions import Fields
from kibitz.games.offers.rules import KINDS, UNKNOWN, Offers, State

PAINT = {"books": "#0072b2", "hats": "#cc79a7", "balls": "#e69f00"}
LOOKS = {kind: drawing.Chip(PAINT[kind], kind[:2].title(), kind) for kind in KINDS}


def draw(state: core.State) -> drawing.Drawing:
    """A row per kind: what there is, and how the offer on the table divides it."""
    assert isinstance(state, State)
    shapes: list[drawing.AnyShape] = [
        drawing.Rect(id="table", x=0.0, y=0.0, width=9.0, height=4.0, corner=0.2, fill="board"),
        drawing.Label(id="head", x=1.5, y=0.5, text="to divide", size=0.34),
    ]
    for player in (0, 1):
        name = state.game.player_name(player)
        shapes.append(drawing.Label(id=f"head-{player}", x=4.5 + 3 * player, y=0.5, text=name, size=0.34, bold=True))
    for row, kind in enumerate(KINDS, 1):
        shapes += _row(state, row, kind)
    caption = f"offer {state.made} of {state.game.rounds}"
    notes = tuple(_note(state, player) for player in (0, 1))
    return drawing.Drawing(9.0, 4.0, tuple(shapes), tuple(_inputs(state)), caption, notes)


def _row(state: State, row: int, kind: str) -> Iterator[drawing.AnyShape]:
    """What there is of a kind, and what each player would get."""
    count, y = state.game.pool[row - 1], row + 0.5
    yield drawing.Circle(id=f"kind-{kind}", x=0.6, y=y, radius=0.34, fill=PAINT[kind], stroke="ink", title=kind)
    yield drawing.Label(id=f"letter-{kind}", x=0.6, y=y, text=LOOKS[kind].letter, size=0.32, fill="#ffffff", symbol=" ")
    yield drawing.Label(id=f"pool-{kind}", x=1.9, y=y, text=f"{count} {kind}", size=0.36)
    for player in (0, 1):
        shown = str(state.share(player)[row - 1]) if state.offer is not None else "–"
        name = f"share-{player}-{kind}"
        yield drawing.Label(id=name, x=4.5 + 3 * player, y=y, text=shown, size=0.44, fill=drawing.ink_of(player))


def _inputs(state: State) -> Iterator[drawing.Input]:
    legal = state.legal_actions()
    if isinstance(legal, core.ProductActions) and state.current_player() >= 0:
        tray = drawing.Tray("You give", LOOKS)
        yield drawing.counters(legal.factors, legal.bases, trays=(tray,), done="Offer")


def _note(state: State, player: int) -> drawing.PlayerNote:
    liked = state.favourites[player] if player < len(state.favourites) else UNKNOWN
    secret = f"You like {KINDS[liked]} most." if liked != UNKNOWN else ""
    progress = f"3 points for each of the {KINDS[liked]}, 1 for anything else" if secret else ""
    if state.current_player() != player:
        return drawing.PlayerNote(player, "", secret, progress)
    if state.offer is None:
        prompt = "Make an offer: put what you give into the tray; you keep the rest."
    else:
        prompt = "Accept what is offered to you, or reject it and offer something else."
        if secret:
            prompt += f" It is worth {state.worth(player, state.share(player)):g} points to you."
    return drawing.PlayerNote(player, prompt, secret, progress)


class OffersBoard(msgspec.Struct, frozen=True):
    """The things to divide, how many offers there are, and what a thing is worth.

    Each offer after the first multiplies what the things are worth by *discount*.
    """

    pool: dict[str, int]
    rounds: int
    discount: float
    favourite_worth: int
    other_worth: int


class OffersView(msgspec.Struct, frozen=True):
    """The favourite kind of each player (null: hidden), the offers made so far, and the offer on the table.

    *shares*: what each player gets if the offer is accepted, or has got; null without an offer.
    """

    favourites: list[str | None]
    made: int
    shares: list[dict[str, int]] | None
    accepted: bool


def word_values(game: Offers) -> dict[str, int]:
    """What the words leave open."""
    return {f"number_of_{kind}": count for kind, count in zip(KINDS, game.pool, strict=True)}


def board(game: Offers) -> OffersBoard:
    return OffersBoard(dict(zip(KINDS, game.pool, strict=True)), game.rounds, game.discount, 3, 1)


def view(state: State) -> OffersView:
    shares = None
    if state.offer is not None:
        shares = [dict(zip(KINDS, state.share(player), strict=True)) for player in (0, 1)]
    liked = [None if kind == UNKNOWN else KINDS[kind] for kind in state.favourites]
    return OffersView(liked, state.made, shares, state.accepted)


FIELDS = Fields(board, view)
