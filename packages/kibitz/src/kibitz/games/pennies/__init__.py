"""Matching pennies, repeated until one player leads by enough."""

from kibitz.plugins import GameKit

GAMES = {
    "pennies": GameKit(
        game="kibitz.games.pennies.rules:Pennies",
        agents={
            "heads": "kibitz.games.pennies.agents:Heads",
            "alternator": "kibitz.games.pennies.agents:Alternator",
            "copycat": "kibitz.games.pennies.agents:Copycat",
            "biased": "kibitz.games.pennies.agents:Biased",
        },
        words="kibitz.games.pennies:words.toml",
        fields="kibitz.games.pennies.view:FIELDS",
        drawing="kibitz.games.pennies.view:draw",
        plans="kibitz.games.pennies.plan_library:PLANS",
    ),
}
