"""The game of offers in words (`ABOUT`), and its pool and offers as named fields (`FIELDS`)."""

import msgspec

from kibitz import core
from kibitz.core.abilities.about import About, ActionForm, fixed_form, numbered_players
from kibitz.core.abilities.fields import Fields
from kibitz.games.offers.rules import KINDS, UNKNOWN, Offers, State

STRATEGIES = {
    "fair": "asks for a little more than half, and accepts half",
    "greedy": "wants nearly everything, and accepts only what is better than half",
    "generous": "asks for little, and accepts almost anything",
}


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


def about(game: core.Game) -> About:
    """The game of offers with any pool."""
    assert isinstance(game, Offers)
    pool = ", ".join(
        f"{count} {kind if count != 1 else kind[:-1]}" for kind, count in zip(KINDS, game.pool, strict=True)
    )
    given = " ".join(f"1 {kind}" for kind, count in zip(KINDS, game.pool, strict=True) if count) or "nothing"
    return About(
        title="Offers",
        goal="Get the things that you like best, and agree soon.",
        rules=(
            f"Two players divide {pool}. Each has a favourite kind, drawn at random, that the other does not know: "
            "a thing of that kind is worth 3 points to them, any other thing 1. Beginning with player 0 they offer in "
            "turn how many of each kind to give to the other and keep the rest. The other accepts, which ends the "
            f"game, or rejects and makes the next offer. Each further offer makes everything worth {game.discount:g} "
            f"times as much as before. After {game.rounds} offers without an agreement both get nothing."
        ),
        players=numbered_players(game),
        actions=(
            ActionForm(
                "give <n> <kind>",
                f"offer to give so many things, of {', '.join(KINDS)} in this order, leaving out kinds of which you "
                "give none",
                (f"give {given}",) if given != "nothing" else (),
                "offer",
            ),
            fixed_form("give nothing", "offer to keep everything", "offer"),
            fixed_form("accept", "take the offer", "answer"),
            fixed_form("reject", "refuse the offer", "answer"),
        ),
        phases={"offer": "a player makes an offer", "answer": "the other accepts or rejects it"},
        secret="The other player's favourite kind.",
        labels={kind: f"likes {kind} best" for kind in KINDS},
        strategies=STRATEGIES,
        minutes=3,
        glossary={"favourite": "the kind of thing that is worth 3 points to a player instead of 1"},
        colours={"blue": "what player 0 gets", "orange": "what player 1 gets"},
        opponents={
            "fair": "Asks for a little more than half, and takes half.",
            "greedy": "Wants nearly everything: hold out, or give in?",
            "generous": "Asks for little, and takes almost anything.",
        },
    )


def board(game: Offers) -> OffersBoard:
    return OffersBoard(dict(zip(KINDS, game.pool, strict=True)), game.rounds, game.discount, 3, 1)


def view(state: State) -> OffersView:
    shares = None
    if state.offer is not None:
        shares = [dict(zip(KINDS, state.share(player), strict=True)) for player in (0, 1)]
    liked = [None if kind == UNKNOWN else KINDS[kind] for kind in state.favourites]
    return OffersView(liked, state.made, shares, state.accepted)


FIELDS = Fields(board, view)
