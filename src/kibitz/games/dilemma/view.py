"""What each pair of choices earns, the points so far, and the rounds that are left."""

from kibitz import core
from kibitz.core import drawing
from kibitz.games.dilemma.rules import State

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
