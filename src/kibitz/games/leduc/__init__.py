"""Leduc poker: a private card each, one card for all, and a round of betting before and after it."""

GAMES = {"leduc": "kibitz.games.leduc.rules:Leduc"}
AGENTS = {
    "solid": "kibitz.games.leduc.agents:Solid",
    "rock": "kibitz.games.leduc.agents:Rock",
    "caller": "kibitz.games.leduc.agents:Caller",
    "maniac": "kibitz.games.leduc.agents:Maniac",
    "bluffer": "kibitz.games.leduc.agents:Bluffer",
}
DRAWING = "kibitz.games.leduc.view:draw"
ABOUT = "kibitz.games.leduc.about:about"
FIELDS = "kibitz.games.leduc.about:FIELDS"
