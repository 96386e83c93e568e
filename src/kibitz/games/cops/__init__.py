"""Cops and robber (Quilliot 1978; Nowakowski & Winkler 1983): several units against one on a graph."""

from kibitz.plugins import GameKit

GAMES = {
    "cops": GameKit(
        game="kibitz.games.cops.rules:Cops",
        agents={
            "pursuit": "kibitz.games.cops.agents:Pursuit",
            "runner": "kibitz.games.cops.agents:Runner",
            "chaser": "kibitz.games.cops.agents:Chaser",
        },
        words="kibitz.games.cops:words.toml",
        word_values="kibitz.games.cops.view:word_values",
        fields="kibitz.games.cops.view:FIELDS",
        drawing="kibitz.games.cops.view:draw",
        evaluation="kibitz.games.cops.rules:EVALUATION",
        units="kibitz.games.cops.rules:UNITS",
    ),
}
