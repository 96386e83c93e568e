"""Draws the pool, the offer on the table, and a counter per kind to make an offer."""

from kibitz import core
from kibitz.core import drawing
from kibitz.games.offers.rules import KINDS, State


def draw(state: core.State) -> drawing.Drawing:
    """A row per kind: what there is, and how the offer on the table divides it."""
    assert isinstance(state, State)
    shares = [state.share(player) for player in (0, 1)] if state.offer is not None else None
    shapes: list[drawing.AnyShape] = [
        drawing.Label(id="head-0", x=3.5, y=0.5, text="player 0", fill="player0"),
        drawing.Label(id="head-1", x=6.5, y=0.5, text="player 1", fill="player1"),
    ]
    for row, (kind, count) in enumerate(zip(KINDS, state.game.pool, strict=True), 1):
        shapes.append(drawing.Label(id=f"pool-{kind}", x=1.0, y=row + 0.5, text=f"{count} {kind}"))
        for player in (0, 1):
            liked = "*" if state.favourites[player : player + 1] == (row - 1,) else ""
            shown = f"{shares[player][row - 1] if shares else '-'}{liked}"
            shapes.append(drawing.Label(id=f"share-{player}-{kind}", x=3.5 + 3 * player, y=row + 0.5, text=shown))
    legal = state.legal_actions()
    inputs: list[drawing.Input] = []
    if isinstance(legal, core.ProductActions):
        inputs.append(drawing.counters(legal.factors, legal.bases))
    for action in legal if state.offer is not None else ():
        words = state.action_to_string(state.current_player(), action)
        shapes += drawing.button(words, words, 2.0 + 3 * action, 4.0, width=3.0)
        inputs.append(drawing.Click(words, action))
    caption = f"offer {state.made} of {state.game.rounds}; * marks a favourite"
    return drawing.Drawing(8.0, 5.0, tuple(shapes), tuple(inputs), caption)
