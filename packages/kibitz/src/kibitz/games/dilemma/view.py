"""What each pair of choices earns, the points so far, and the rounds that are left; all of it as named fields, too."""

from typing import Any

import msgspec

from kibitz import core
from kibitz.core import drawing
from kibitz.core.kit.about import ActionForm, read_texts
from kibitz.core.kit.positions import Fields
from kibitz.games.dilemma.repeated import Repeated
from kibitz.games.dilemma.rules import UNKNOWN, Dilemma, RepeatedStage, State

SIDE, TOP, WIDE = 3.0, 1.0, 3.0
"""Cells left of the payoffs and above them, and how wide each of them is."""


def draw(state: core.State) -> drawing.Drawing:
    """The payoffs as a table, whose points stand where, and a bar that fills round by round."""
    assert isinstance(state, State)
    shapes: list[drawing.AnyShape] = []
    rows, columns = state.game.names
    for place, name in enumerate(rows):
        shapes.append(
            drawing.Label(id=f"row-{name}", x=SIDE / 2, y=TOP + place + 0.5, text=name, fill="player0"),
        )
    for place, name in enumerate(columns):
        across = SIDE + WIDE * (place + 0.5)
        shapes.append(drawing.Label(id=f"column-{name}", x=across, y=TOP / 2, text=name, fill="player1"))
    for own, row in enumerate(state.game.table):
        for other, (first, second) in enumerate(row):
            x, y = SIDE + WIDE * other, TOP + own
            words = f"{rows[own]} against {columns[other]}: {first:g} and {second:g} points"
            shade = "board" if own == other else "shade"
            shapes.append(drawing.Rect(id=f"pair-{own}-{other}", x=x, y=y, width=WIDE, fill=shade, title=words))
            for player, points in enumerate((first, second)):
                at = x + WIDE * (player + 1) / 3
                name = f"earned-{own}-{other}-{player}"
                shapes.append(drawing.Label(id=name, x=at, y=y + 0.5, text=f"{points:g}", fill=drawing.ink_of(player)))
    width, below = SIDE + len(columns) * WIDE, TOP + len(rows)
    shapes += _progress(state, below, width)
    notes = tuple(_note(state, player) for player in (0, 1))
    return drawing.Drawing(width, below + 2.0, tuple(shapes), (), str(state), notes)


def _note(state: State, player: int) -> drawing.PlayerNote:
    prompt = f"Choose {' or '.join(state.game.names[player])}; both choose at once. Your points are in your colour."
    return drawing.PlayerNote(
        player, "" if state.is_terminal() else prompt, standing=f"{state.points[player]:g} points"
    )


def _progress(state: State, y: float, width: float) -> list[drawing.AnyShape]:
    """How many rounds have been played, and the points of both."""
    rounds = f"round {state.played} of {state.game.rounds}"
    done = width * state.played / state.game.rounds
    shapes: list[drawing.AnyShape] = [
        drawing.Rect(id="rounds", x=0.0, y=y + 0.8, width=width, height=0.2, fill="shade", title=rounds),
        drawing.Rect(id="played", x=0.0, y=y + 0.8, width=done, height=0.2, fill="ink"),
        drawing.Label(id="round", x=width / 2, y=y + 0.5, text=rounds),
    ]
    for player, points in enumerate(state.points):
        words = f"{state.game.player_name(player)}: {points:g}"
        x, ink = width * (0.25 + 0.5 * player), drawing.ink_of(player)
        shapes.append(drawing.Label(id=f"points-{player}", x=x, y=y + 1.5, text=words, fill=ink, size=0.5))
    return shapes


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
