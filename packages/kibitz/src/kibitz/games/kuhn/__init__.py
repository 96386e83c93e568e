"""Kuhn poker for two to six: hidden cards, dealt without replacement."""

from kibitz.plugins import GameKit

GAMES = {
    "kuhn": GameKit(
        game="kibitz.games.kuhn.rules:Kuhn",
        agents={
            "solid": "kibitz.games.kuhn.agents:Solid",
            "rock": "kibitz.games.kuhn.agents:Rock",
            "maniac": "kibitz.games.kuhn.agents:Maniac",
            "bluffer": "kibitz.games.kuhn.agents:Bluffer",
        },
        words="kibitz.games.kuhn:words.toml",
        word_values="kibitz.games.kuhn.view:word_values",
        fields="kibitz.games.kuhn.view:FIELDS",
        drawing="kibitz.games.kuhn.view:draw",
        plans="kibitz.games.kuhn.plan_library:PLANS",
    ),
}
