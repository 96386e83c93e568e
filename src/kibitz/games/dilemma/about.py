"""The iterated prisoner's dilemma in words (`ABOUT`), and its payoffs and points as named fields (`FIELDS`)."""

import msgspec

from kibitz import core
from kibitz.core.abilities.about import About, ActionForm, numbered_players
from kibitz.core.abilities.fields import Fields
from kibitz.games.dilemma.rules import PAYOFFS, Dilemma, State

NAMES = ("cooperate", "defect")
STRATEGIES = {
    "tit_for_tat": "cooperates first, then does what the other did last",
    "defector": "always defects",
    "pavlov": "repeats what went well, and changes what went badly",
    "grim": "cooperates until the other defects once, and never again",
    "generous": "does what the other did last, but forgives some defections",
    "two_tats": "defects only after two defections in a row",
    "cooperator": "always cooperates",
}


class DilemmaBoard(msgspec.Struct, frozen=True):
    """How many rounds are played, and the points of both players by the action of player 0, then of player 1."""

    rounds: int
    payoffs: dict[str, dict[str, tuple[float, float]]]


class DilemmaView(msgspec.Struct, frozen=True):
    """The rounds played so far, and the points of each player."""

    played: int
    points: list[float]


def about(game: core.Game) -> About:
    """The dilemma for any number of rounds."""
    assert isinstance(game, Dilemma)
    return About(
        title="Iterated prisoner's dilemma",
        goal="Earn as many points as you can; it does not matter how many the other player earns.",
        rules=(
            f"Two players choose {game.rounds} times, both at once and without talking, whether to cooperate or to "
            "defect. If both cooperate, each earns 3 points. If both defect, each earns 1. If one defects while the "
            "other cooperates, the one who defects earns 5 and the other nothing. After each round both see what the "
            "other chose. Both know the number of rounds. The points of all rounds are added up."
        ),
        players=numbered_players(game),
        actions=(
            ActionForm("cooperate", "3 points if the other cooperates too, else none", ("cooperate",)),
            ActionForm("defect", "5 points if the other cooperates, else 1", ("defect",)),
        ),
        secret="Only the other player's choice, until both have chosen.",
        strategies=STRATEGIES,
    )


def board(game: Dilemma) -> DilemmaBoard:
    rows = (dict(zip(NAMES, row, strict=True)) for row in PAYOFFS)
    return DilemmaBoard(game.rounds, dict(zip(NAMES, rows, strict=True)))


def view(state: State) -> DilemmaView:
    return DilemmaView(state.played, list(state.points))


FIELDS = Fields(board, view)
