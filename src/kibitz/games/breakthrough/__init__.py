"""Breakthrough (Troyka 2000): two rows of pieces each, and the first across wins."""

GAMES = {"breakthrough": "kibitz.games.breakthrough.rules:Breakthrough"}
AGENTS = {
    "runner": "kibitz.games.breakthrough.agents:Runner",
    "hoarder": "kibitz.games.breakthrough.agents:Hoarder",
    "wall": "kibitz.games.breakthrough.agents:Wall",
}
FAST = "kibitz.games.breakthrough.fast:Breakthrough"
KERNELS = "kibitz.games.breakthrough.kernels:KERNELS"
EVALUATION = "kibitz.games.breakthrough.features:EVALUATION"
FEATURES = "kibitz.games.breakthrough.features:FEATURES"
DRAWING = "kibitz.games.breakthrough.view:draw"
PLANS = "kibitz.games.breakthrough.plan_library:PLANS"
ABOUT = "kibitz.games.breakthrough.about:about"
FIELDS = "kibitz.games.breakthrough.about:FIELDS"
