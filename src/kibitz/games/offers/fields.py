"""The pool and offers of the game of offers as named fields, and what its words leave open."""

import msgspec

from kibitz.core.kit.positions import Fields
from kibitz.games.offers.rules import KINDS, UNKNOWN, Offers, State


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
