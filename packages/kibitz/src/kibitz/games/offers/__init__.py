"""Two players divide a pool by offers; each player's preferences are hidden."""

from kibitz.plugins import GameKit

GAMES = {
    "offers": GameKit(
        game="kibitz.games.offers.rules:Offers",
        agents={
            "fair": "kibitz.games.offers.agents:Fair",
            "greedy": "kibitz.games.offers.agents:Greedy",
            "generous": "kibitz.games.offers.agents:Generous",
        },
        words="kibitz.games.offers:words.toml",
        word_values="kibitz.games.offers.view:word_values",
        fields="kibitz.games.offers.view:FIELDS",
        drawing="kibitz.games.offers.view:draw",
        plans="kibitz.games.offers.plan_library:PLANS",
    ),
}
