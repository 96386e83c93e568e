"""Breakthrough (Troyka 2000): two rows of pieces each, and the first across wins."""

from kibitz.plugins import GameKit

GAMES = {
    "breakthrough": GameKit(
        game="kibitz_lab.games.breakthrough.rules:Breakthrough",
        agents={
            "runner": "kibitz_lab.games.breakthrough.agents:Runner",
            "hoarder": "kibitz_lab.games.breakthrough.agents:Hoarder",
            "wall": "kibitz_lab.games.breakthrough.agents:Wall",
        },
        words="kibitz_lab.games.breakthrough:words.toml",
        word_values="kibitz_lab.games.breakthrough.view:word_values",
        fields="kibitz_lab.games.breakthrough.view:FIELDS",
        drawing="kibitz_lab.games.breakthrough.view:draw",
        kernels="kibitz_lab.games.breakthrough.kernels:KERNELS",
        features="kibitz_lab.games.breakthrough.features:FEATURES",
        evaluation="kibitz_lab.games.breakthrough.features:EVALUATION",
        plans="kibitz_lab.games.breakthrough.plan_library:PLANS",
    ),
}
