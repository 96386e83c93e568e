"""Pawns, the game of Pedersen's thesis (2008)."""

from kibitz.plugins import GameKit

GAMES = {
    "pawns": GameKit(
        game="kibitz.games.pawns.rules:Pawns",
        agents={
            "s4": "kibitz.games.pawns.agents:S4",
            "s3": "kibitz.games.pawns.agents:S3",
            "s2": "kibitz.games.pawns.agents:S2",
            "s1": "kibitz.games.pawns.agents:S1",
        },
        words="kibitz.games.pawns:words.toml",
        word_values="kibitz.games.pawns.view:word_values",
        fields="kibitz.games.pawns.view:FIELDS",
        drawing="kibitz.games.pawns.view:draw",
        kernels="kibitz.games.pawns.kernels:KERNELS",
        features="kibitz.games.pawns.features:FEATURES",
        evaluation="kibitz.games.pawns.features:EVALUATION",
        plans="kibitz.games.pawns.plan_library:PLANS",
    ),
}
