"""Matching pennies in words (`ABOUT`), and who leads as named fields (`FIELDS`)."""

import msgspec

from kibitz import core
from kibitz.core.abilities.about import About, fixed_form
from kibitz.core.abilities.fields import Fields
from kibitz.games.pennies.rules import Pennies, State

STRATEGIES = {
    "heads": "always shows heads",
    "alternator": "shows heads and tails in turn",
    "copycat": "shows what the other player showed last",
    "biased": "shows heads more often than tails, and ignores what happened",
}


class PenniesBoard(msgspec.Struct, frozen=True):
    """How many rounds a player must be ahead to win."""

    lead: int


class PenniesView(msgspec.Struct, frozen=True):
    """How many rounds the matcher, player 0, is ahead; below 0 the mismatcher is."""

    ahead: int


def about(game: core.Game) -> About:
    """Matching pennies to any lead."""
    assert isinstance(game, Pennies)
    return About(
        title="Matching pennies",
        goal=f"Be the first to lead by {game.lead} {'round' if game.lead == 1 else 'rounds'}.",
        rules=(
            "In every round both players show a coin at the same time, heads or tails. If the coins are equal, the "
            "matcher wins the round; if they differ, the mismatcher wins it. A round won moves the score by one in "
            f"the winner's favour. The match ends when one player is {game.lead} ahead: that player earns 1, the other "
            f"−1. Play may go back and forth; a match that is not decided after {game.max_plies} rounds is a draw."
        ),
        players=("matcher, who wants the coins to be equal", "mismatcher, who wants them to differ"),
        actions=(
            fixed_form("heads", "show heads"),
            fixed_form("tails", "show tails"),
        ),
        secret="Only the other player's coin, until both have chosen.",
        strategies=STRATEGIES,
        minutes=3,
        glossary={"matcher": "wins a round if both coins are equal", "mismatcher": "wins a round if they differ"},
        colours={"blue": "the matcher", "orange": "the mismatcher"},
        opponents={
            "copycat": "Shows what you showed last.",
            "alternator": "Shows heads and tails in turn.",
            "biased": "Prefers one side.",
        },
    )


def board(game: Pennies) -> PenniesBoard:
    return PenniesBoard(game.lead)


def view(state: State) -> PenniesView:
    return PenniesView(state.ahead)


FIELDS = Fields(board, view)
