"""Cops and robber (Quilliot 1978; Nowakowski & Winkler 1983): several units against one on a graph."""

from kibitz.plugins import GameKit

GAMES = {
    "cops": GameKit(
        game="kibitz_lab.games.cops.rules:Cops",
        agents={
            "pursuit": "kibitz_lab.games.cops.agents:Pursuit",
            "runner": "kibitz_lab.games.cops.agents:Runner",
            "chaser": "kibitz_lab.games.cops.agents:Chaser",
        },
        words="kibitz_lab.games.cops:words.toml",
        word_values="kibitz_lab.games.cops.view:word_values",
        fields="kibitz_lab.games.cops.view:FIELDS",
        drawing="kibitz_lab.games.cops.view:draw",
        evaluation="kibitz_lab.games.cops.rules:EVALUATION",
        units="kibitz_lab.games.cops.rules:UNITS",
    ),
}
