"""Draws the table: a card and a stake per player."""

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing.buttons import button_rows
from kibitz.games.kuhn.rules import RANKS, UNKNOWN, State


def draw(state: core.State) -> drawing.Drawing:
    """Cards face up where the viewer knows them, chips below, and the player to move framed."""
    assert isinstance(state, State)
    shapes: list[drawing.AnyShape] = []
    for player, chips in enumerate(state.stakes()):
        x = 2.0 * player + 0.5
        card = state.cards[player] if player < len(state.cards) else None
        rank = " " if card is None else "?" if card == UNKNOWN else RANKS[card]
        to_move = player == state.current_player()
        shapes += [
            drawing.Label(id=f"name-{player}", x=x + 0.5, y=0.5, text=f"P{player}{'*' if to_move else ''}"),
            drawing.Rect(
                id=f"card-{player}",
                x=x,
                y=1.0,
                fill="mark" if to_move else "board",
                stroke=f"player{player}",
                symbol=f"[{rank}]",
                title=f"card of player {player}: {rank}",
            ),
            drawing.Label(id=f"rank-{player}", x=x + 0.5, y=1.5, text=f"[{rank}]"),
            drawing.Label(id=f"stake-{player}", x=x + 0.5, y=2.5, text="o" * chips, fill=f"player{player}"),
        ]
    rows = button_rows(state.game, state, 3.0)
    width = max(2.0 * state.game.players, rows.width)
    return drawing.Drawing(width, 3.0 + rows.height, (*shapes, *rows.shapes), rows.inputs)
