"""Pawns, the game of Pedersen's thesis (2008)."""

GAMES = {"pawns": "kibitz.games.pawns.rules:Pawns"}
AGENTS = {
    "s4": "kibitz.games.pawns.agents:S4",
    "s3": "kibitz.games.pawns.agents:S3",
    "s2": "kibitz.games.pawns.agents:S2",
    "s1": "kibitz.games.pawns.agents:S1",
}
DRAWING = "kibitz.games.pawns.view:draw"
FAST = "kibitz.games.pawns.fast:Pawns"
KERNELS = "kibitz.games.pawns.kernels:KERNELS"
EVALUATION = "kibitz.games.pawns.features:EVALUATION"
FEATURES = "kibitz.games.pawns.features:FEATURES"
PLANS = "kibitz.games.pawns.plan_library:PLANS"
ABOUT = "kibitz.games.pawns.about:about"
FIELDS = "kibitz.games.pawns.about:FIELDS"
