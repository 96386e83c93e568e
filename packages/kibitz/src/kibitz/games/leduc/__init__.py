"""Leduc poker: a private card each, one card for all, and a round of betting before and after it."""

from kibitz.plugins import GameKit

GAMES = {
    "leduc": GameKit(
        game="kibitz.games.leduc.rules:Leduc",
        agents={
            "solid": "kibitz.games.leduc.agents:Solid",
            "rock": "kibitz.games.leduc.agents:Rock",
            "caller": "kibitz.games.leduc.agents:Caller",
            "maniac": "kibitz.games.leduc.agents:Maniac",
            "bluffer": "kibitz.games.leduc.agents:Bluffer",
        },
        words="kibitz.games.leduc:words.toml",
        word_values="kibitz.games.leduc.view:word_values",
        fields="kibitz.games.leduc.view:FIELDS",
        drawing="kibitz.games.leduc.view:draw",
    ),
}
