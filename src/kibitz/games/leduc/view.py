"""Draws the table: a card and a stake per player, and the public card."""

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing.buttons import button_rows
from kibitz.games.leduc.rules import UNKNOWN, State, card_name


def draw(state: core.State) -> drawing.Drawing:
    """Cards face up where the viewer knows them, chips below, and the player to move framed."""
    assert isinstance(state, State)
    shapes: list[drawing.AnyShape] = []
    for player, chips in enumerate(state.stakes):
        x = 2.0 * player + 0.5
        card = state.cards[player] if player < len(state.cards) else None
        name = "  " if card is None else "??" if card == UNKNOWN else card_name(card, state.game)
        to_move = player == state.current_player()
        marks = "*" if to_move else "-" if state.folded[player] else ""
        shapes += [
            drawing.Label(id=f"name-{player}", x=x + 0.5, y=0.5, text=f"P{player}{marks}"),
            drawing.Rect(
                id=f"card-{player}",
                x=x,
                y=1.0,
                fill="mark" if to_move else "board",
                stroke=f"player{player}",
                symbol=f"[{name}]",
                title=f"card of player {player}: {name}",
            ),
            drawing.Label(id=f"rank-{player}", x=x + 0.5, y=1.5, text=name),
            drawing.Label(id=f"stake-{player}", x=x + 0.5, y=2.5, text=str(chips), fill=f"player{player}"),
        ]
    x = 2.0 * state.game.players + 0.5
    public = "  " if state.public is None else card_name(state.public, state.game)
    shapes += [
        drawing.Label(id="public-name", x=x + 0.5, y=0.5, text="all"),
        drawing.Rect(id="public", x=x, y=1.0, fill="board", symbol=f"[{public}]", title=f"public card: {public}"),
        drawing.Label(id="public-rank", x=x + 0.5, y=1.5, text=public),
        drawing.Label(id="pot", x=x + 0.5, y=2.5, text=str(sum(state.stakes))),
    ]
    rows = button_rows(state.game, state, 3.0)
    width = max(2.0 * state.game.players + 2.0, rows.width)
    return drawing.Drawing(width, 3.0 + rows.height, (*shapes, *rows.shapes), rows.inputs)
