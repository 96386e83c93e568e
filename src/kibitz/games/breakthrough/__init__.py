"""Breakthrough (Troyka 2000): two rows of pieces each, and the first across wins."""

from kibitz.plugins import GameKit

GAMES = {
    "breakthrough": GameKit(
        game="kibitz.games.breakthrough.rules:Breakthrough",
        agents={
            "runner": "kibitz.games.breakthrough.agents:Runner",
            "hoarder": "kibitz.games.breakthrough.agents:Hoarder",
            "wall": "kibitz.games.breakthrough.agents:Wall",
        },
        words="kibitz.games.breakthrough:words.toml",
        word_values="kibitz.games.breakthrough.view:word_values",
        fields="kibitz.games.breakthrough.view:FIELDS",
        drawing="kibitz.games.breakthrough.view:draw",
        kernels="kibitz.games.breakthrough.kernels:KERNELS",
        features="kibitz.games.breakthrough.features:FEATURES",
        evaluation="kibitz.games.breakthrough.features:EVALUATION",
        plans="kibitz.games.breakthrough.plan_library:PLANS",
    ),
}
