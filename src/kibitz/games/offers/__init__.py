"""Two players divide a pool by offers; each player's preferences are hidden."""

GAMES = {"offers": "kibitz.games.offers.rules:Offers"}
AGENTS = {
    "fair": "kibitz.games.offers.agents:Fair",
    "greedy": "kibitz.games.offers.agents:Greedy",
    "generous": "kibitz.games.offers.agents:Generous",
}
DRAWING = "kibitz.games.offers.view:draw"
PLANS = "kibitz.games.offers.plan_library:PLANS"
ABOUT = "kibitz.games.offers.about:about"
FIELDS = "kibitz.games.offers.about:FIELDS"
