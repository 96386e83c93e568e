"""Kuhn poker for two to six: hidden cards, dealt without replacement."""

GAMES = {"kuhn": "kibitz.games.kuhn.rules:Kuhn"}
AGENTS = {
    "solid": "kibitz.games.kuhn.agents:Solid",
    "rock": "kibitz.games.kuhn.agents:Rock",
    "maniac": "kibitz.games.kuhn.agents:Maniac",
    "bluffer": "kibitz.games.kuhn.agents:Bluffer",
}
DRAWING = "kibitz.games.kuhn.view:draw"
PLANS = "kibitz.games.kuhn.plan_library:PLANS"
ABOUT = "kibitz.games.kuhn.about:about"
FIELDS = "kibitz.games.kuhn.about:FIELDS"
