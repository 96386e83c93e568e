"""The dilemma and other repeated games in words (`ABOUT`), and their payoffs and points as named fields (`FIELDS`)."""

import msgspec

from kibitz import core
from kibitz.core.abilities.about import About, ActionForm, numbered_players
from kibitz.core.abilities.fields import Fields
from kibitz.games.dilemma.repeated import Repeated
from kibitz.games.dilemma.rules import UNKNOWN, Dilemma, RepeatedStage, State

STRATEGIES = {
    "tit_for_tat": "cooperates first, then does what the other did last",
    "defector": "always defects",
    "pavlov": "repeats what went well, and changes what went badly",
    "grim": "cooperates until the other defects once, and never again",
    "generous": "does what the other did last, but forgives some defections",
    "two_tats": "defects only after two defections in a row",
    "cooperator": "always cooperates",
    "finite_state": "is a machine whose next state depends on what the other did",
    "memory_one": "cooperates with a probability that depends on the last round",
}
MACHINES = {"finite_state": STRATEGIES["finite_state"]}


class DilemmaBoard(msgspec.Struct, frozen=True, omit_defaults=True):
    """How many rounds are played, and the points of both players by the action of player 0, then of player 1.

    *noise*: how likely a choice turns into the other one.
    """

    rounds: int
    payoffs: dict[str, dict[str, tuple[float, float]]]
    noise: float = 0.0


class DilemmaView(msgspec.Struct, frozen=True, omit_defaults=True):
    """The rounds played so far, and the points of each player.

    *chosen*: in a round with noise, what each chose (null: hidden) before chance settles it.
    """

    played: int
    points: list[float]
    chosen: list[str | None] = []


def about(game: core.Game) -> About:
    """The dilemma for any number of rounds."""
    assert isinstance(game, Dilemma)
    reward, sucker, temptation, punishment = (amount(each) for each in game.payoffs)
    lone = "none" if sucker == "nothing" else sucker
    slips = f"With probability {game.noise:g} a choice turns into the other one; what was done is seen, not what was "
    slips = f"{slips}meant. " if game.noise else ""
    return About(
        title="Iterated prisoner's dilemma",
        goal="Earn as many points as you can; it does not matter how many the other player earns.",
        rules=(
            f"Two players choose {game.rounds} times, both at once and without talking, whether to cooperate or to "
            f"defect. If both cooperate, each earns {reward} points. If both defect, each earns {punishment}. If one "
            f"defects while the other cooperates, the one who defects earns {temptation} and the other {sucker}. "
            f"{slips}After each round both see what the other {'did' if game.noise else 'chose'}. Both know the number "
            "of rounds. The points of all rounds are added up."
        ),
        players=numbered_players(game),
        actions=(
            ActionForm("cooperate", f"{reward} points if the other cooperates too, else {lone}", ("cooperate",)),
            ActionForm("defect", f"{temptation} points if the other cooperates, else {punishment}", ("defect",)),
        ),
        secret="Only the other player's choice, until both have chosen.",
        strategies=STRATEGIES,
        minutes=3,
        glossary={
            "cooperate": "help the other player, at a cost to you",
            "defect": "take what you can in this round",
        },
        colours={"blue": "player 0", "orange": "player 1"},
        opponents={
            "tit_for_tat": "Cooperates first, then does to you what you did to it.",
            "grim": "Friendly until you defect once; it never forgives.",
            "pavlov": "Repeats what went well, and changes what went badly.",
        },
        first_game="dilemma(rounds=12)",
    )


def about_repeated(game: core.Game) -> About:
    """A repeated stage in words."""
    assert isinstance(game, Repeated)
    rows, columns = game.names
    cells = [
        f"{one} against {other}: {amount(pair[0])} and {amount(pair[1])}"
        for one, row in zip(rows, game.table, strict=True)
        for other, pair in zip(columns, row, strict=True)
    ]
    slips = f"With probability {game.noise:g} a choice turns into another one. " if game.noise else ""
    both = dict.fromkeys((*rows, *columns))
    return About(
        title="Repeated game",
        goal="Earn as many points as you can; it does not matter how many the other player earns.",
        rules=(
            f"Two players choose an action {game.rounds} times, both at once. What player 0 and player 1 earn: "
            f"{'; '.join(cells)}. {slips}After each round both see what was done. Both know the number of rounds. The "
            "points of all rounds are added up."
        ),
        players=numbered_players(game),
        actions=tuple(ActionForm(name, f"choose {name} in this round", (name,)) for name in both),
        secret="Only the other player's choice, until both have chosen.",
        strategies={"finite_state": "plays by a small machine that you choose"},
        minutes=3,
    )


def amount(points: float) -> str:
    """Points in words."""
    return f"{points:g}" if points else "nothing"


def board(game: RepeatedStage) -> DilemmaBoard:
    first, second = game.names
    rows = (dict(zip(second, row, strict=True)) for row in game.table)
    return DilemmaBoard(game.rounds, dict(zip(first, rows, strict=True)), game.noise)


def view(state: State) -> DilemmaView:
    pairs = zip(state.chosen or (), state.game.names, strict=False)
    chosen = [None if choice == UNKNOWN else names[choice] for choice, names in pairs]
    return DilemmaView(state.played, list(state.points), chosen)


FIELDS = Fields(board, view)
