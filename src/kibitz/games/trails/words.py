"""What the words about Colored Trails leave open."""

from typing import Any

from kibitz.core.kit.about import read_texts
from kibitz.games.trails.board import in_words
from kibitz.games.trails.rules import Trails
from kibitz.games.trails.state import MOST_PROPOSALS


def word_values(game: Trails) -> dict[str, Any]:
    """The places and hands of the board, and colours that the first two players hold."""
    layout, texts = game.layout, read_texts("kibitz.games.trails:words.toml")["texts"]
    places = (divmod(start, layout.cols) for start in layout.starts)
    hands = {in_words(layout.colours, hand): None for dealt in layout.hands for hand in dealt} if game.hidden else {}
    give, ask = (
        next((colour for colour, count in zip(layout.colours, chips, strict=True) if count), "")
        for chips in layout.chips[:2]
    )
    return {
        "players": [
            texts["player"].format(name=name, row=row, column=column)
            for name, (row, column) in zip(layout.names, places, strict=True)
        ],
        "labels": {hand: texts["hand"].format(hand=hand) for hand in hands},
        "seats": layout.players,
        "most_proposals": MOST_PROPOSALS,
        "colour_names": ", ".join(layout.colours),
        "give": give,
        "ask": ask,
    }
