"""The payoffs and points of repeated games as named fields, and what the words about them leave open."""

from typing import Any

import msgspec

from kibitz.core.kit.about import ActionForm, read_texts
from kibitz.core.kit.positions import Fields
from kibitz.games.dilemma.repeated import Repeated
from kibitz.games.dilemma.rules import UNKNOWN, Dilemma, RepeatedStage, State


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


def dilemma_values(game: Dilemma) -> dict[str, str]:
    """What the words about the dilemma leave open."""
    names = ("reward", "sucker", "temptation", "punishment")
    return {f"{name}_points": f"{points:g}" for name, points in zip(names, game.payoffs, strict=True)}


def repeated_values(game: Repeated) -> dict[str, Any]:
    """What the words about a repeated stage leave open."""
    texts = read_texts("kibitz.games.dilemma:repeated.toml")["texts"]
    rows, columns = game.names

    def amount(points: float) -> str:
        return f"{points:g}" if points else str(texts["nothing"])

    cells = [
        texts["cell"].format(one=one, other=other, first=amount(first), second=amount(second))
        for one, row in zip(rows, game.table, strict=True)
        for other, (first, second) in zip(columns, row, strict=True)
    ]
    actions = [
        ActionForm(name, texts["action"].format(name=name), (name,)) for name in dict.fromkeys((*rows, *columns))
    ]
    return {"cells": "; ".join(cells), "actions": actions}


def board(game: RepeatedStage) -> DilemmaBoard:
    first, second = game.names
    rows = (dict(zip(second, row, strict=True)) for row in game.table)
    return DilemmaBoard(game.rounds, dict(zip(first, rows, strict=True)), game.noise)


def view(state: State) -> DilemmaView:
    pairs = zip(state.chosen or (), state.game.names, strict=False)
    chosen = [None if choice == UNKNOWN else names[choice] for choice, names in pairs]
    return DilemmaView(state.played, list(state.points), chosen)


FIELDS = Fields(board, view)
