"""Matching pennies, repeated until one player leads by enough."""

GAMES = {"pennies": "kibitz.games.pennies.rules:Pennies"}
AGENTS = {
    "heads": "kibitz.games.pennies.agents:Heads",
    "alternator": "kibitz.games.pennies.agents:Alternator",
    "copycat": "kibitz.games.pennies.agents:Copycat",
    "biased": "kibitz.games.pennies.agents:Biased",
}
PLANS = "kibitz.games.pennies.plan_library:PLANS"
DRAWING = "kibitz.games.pennies.view:draw"
ABOUT = "kibitz.games.pennies.about:about"
FIELDS = "kibitz.games.pennies.about:FIELDS"
