"""Pawns, the game of Pedersen's thesis (2008)."""

from kibitz.plugins import GameKit

GAMES = {
    "pawns": GameKit(
        game="kibitz_lab.games.pawns.rules:Pawns",
        agents={
            "s4": "kibitz_lab.games.pawns.agents:S4",
            "s3": "kibitz_lab.games.pawns.agents:S3",
            "s2": "kibitz_lab.games.pawns.agents:S2",
            "s1": "kibitz_lab.games.pawns.agents:S1",
        },
        words="kibitz_lab.games.pawns:words.toml",
        word_values="kibitz_lab.games.pawns.view:word_values",
        fields="kibitz_lab.games.pawns.view:FIELDS",
        drawing="kibitz_lab.games.pawns.view:draw",
        kernels="kibitz_lab.games.pawns.kernels:KERNELS",
        features="kibitz_lab.games.pawns.features:FEATURES",
        evaluation="kibitz_lab.games.pawns.features:EVALUATION",
        plans="kibitz_lab.games.pawns.plan_library:PLANS",
    ),
}
