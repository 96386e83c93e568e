"""Draws a track with a coin on it: a player who gets it to their end has won."""

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing.buttons import button_rows
from kibitz.games.pennies.rules import State

LONGEST = 12
"""Ends farther away than this many squares are not drawn."""
TOP = 1.0


def draw(state: core.State) -> drawing.Drawing:
    """The matcher wins on the left, the mismatcher on the right; the coin shows who is ahead, and by how much."""
    assert isinstance(state, State)
    reach = min(state.game.lead, LONGEST)
    squares = 2 * reach + 1
    rows = button_rows(state.game, state, TOP + 1.0)
    width = max(float(squares), rows.width, 7.0)
    shapes: list[drawing.AnyShape] = []
    for place in range(squares):
        ahead = reach - place
        end = abs(ahead) == state.game.lead
        fill = f"land{int(ahead < 0)}" if end else ("board", "shade")[place % 2]
        title = f"{state.game.player_name(int(ahead < 0))} wins" if end else f"{abs(ahead)} ahead" if ahead else "even"
        shapes.append(drawing.Rect(id=f"square-{place}", x=float(place), y=TOP, fill=fill, title=title, symbol="·"))
    for player, x in ((0, 1.5), (1, width - 1.7)):
        name = state.game.player_name(player)
        shapes.append(drawing.Label(id=f"end-{player}", x=x, y=TOP / 2, text=name, fill=drawing.ink_of(player)))
    x = reach + 0.5 - max(-reach, min(reach, state.ahead))
    shapes.append(drawing.Circle(id="coin", x=x, y=TOP + 0.5, fill="mark", stroke="ink", symbol="o", title="the coin"))
    shapes.append(drawing.Label(id="ahead", x=x, y=TOP + 0.5, text=str(abs(state.ahead)), symbol="o"))
    return drawing.Drawing(width, TOP + 1.0 + rows.height, (*shapes, *rows.shapes), rows.inputs, str(state))
