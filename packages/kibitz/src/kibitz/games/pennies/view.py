"""Draws a track with a coin on it: a player who gets it to their end has won; all of it as named fields, too."""

import msgspec

from kibitz import core
from kibitz.core import drawing
from kibitz.core.kit.positions import Fields
from kibitz.core.pictures.figures import PRINT, disc
from kibitz.games.pennies.rules import Pennies, State

LONGEST = 12
"""Ends farther away than this many squares are not drawn."""
TOP = 1.0
COIN = drawing.Art(
    "coin",
    (
        drawing.Path(disc(0.0, 0.04, 0.42), "#b8860b"),
        drawing.Path(disc(0.0, 0.0, 0.42)),
        drawing.Path(disc(0.0, 0.0, 0.3), "none"),
    ),
)


def draw(state: core.State) -> drawing.Drawing:
    """The matcher wins on the left, the mismatcher on the right; the coin shows who is ahead, and by how much."""
    assert isinstance(state, State)
    reach = min(state.game.lead, LONGEST)
    squares = 2 * reach + 1
    width = max(float(squares), 7.0)
    left = (width - squares) / 2
    shapes: list[drawing.AnyShape] = []
    for place in range(squares):
        ahead = reach - place
        end = abs(ahead) == state.game.lead
        fill = f"land{int(ahead < 0)}" if end else ("board", "shade")[place % 2]
        title = f"{state.game.player_name(int(ahead < 0))} wins" if end else f"{abs(ahead)} ahead" if ahead else "even"
        x = left + place
        shapes.append(drawing.Rect(id=f"square-{place}", x=x, y=TOP, fill=fill, title=title, symbol="·", corner=0.0))
    for player, x in ((0, 1.75), (1, width - 1.75)):
        words, ink = f"{state.game.player_name(player)} {('matches', 'differs')[player]}", drawing.ink_of(player)
        shapes.append(drawing.Label(id=f"end-{player}", x=x, y=0.5, text=words, fill=ink, size=0.36))
    x = left + reach + 0.5 - max(-reach, min(reach, state.ahead))
    shapes.append(
        drawing.Piece(
            id="coin",
            x=x,
            y=TOP + 0.5,
            art=COIN,
            size=0.9,
            fill="#f0c030",
            stroke=PRINT,
            symbol="o",
            title="the coin",
        )
    )
    number = drawing.Label(id="ahead", x=x, y=TOP + 0.5, text=str(abs(state.ahead)), symbol="o", fill=PRINT)
    shapes.append(number)
    notes = tuple(_note(state, player) for player in (0, 1))
    return drawing.Drawing(width, TOP + 1.0, tuple(shapes), (), str(state), notes)


def _note(state: State, player: int) -> drawing.PlayerNote:
    """The matcher wants the same side up, the other one different sides."""
    prompt = f"Choose heads or tails: you win the round if both choose {('the same', 'different sides')[player]}."
    ahead = state.ahead if player == 0 else -state.ahead
    standing = f"{ahead} ahead" if ahead > 0 else f"{-ahead} behind" if ahead else "even"
    return drawing.PlayerNote(player, "" if state.is_terminal() else prompt, standing=standing)


class PenniesBoard(msgspec.Struct, frozen=True):
    """How many rounds a player must be ahead to win."""

    lead: int


class PenniesView(msgspec.Struct, frozen=True):
    """How many rounds the matcher, player 0, is ahead; below 0 the mismatcher is."""

    ahead: int


def board(game: Pennies) -> PenniesBoard:
    return PenniesBoard(game.lead)


def view(state: State) -> PenniesView:
    return PenniesView(state.ahead)


FIELDS = Fields(board, view)
