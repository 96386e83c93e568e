"""Cops and robber (Quilliot 1978; Nowakowski & Winkler 1983): several units against one on a graph."""

GAMES = {"cops": "kibitz.games.cops.rules:Cops"}
AGENTS = {
    "pursuit": "kibitz.games.cops.agents:Pursuit",
    "runner": "kibitz.games.cops.agents:Runner",
    "chaser": "kibitz.games.cops.agents:Chaser",
}
UNITS = "kibitz.games.cops.rules:UNITS"
EVALUATION = "kibitz.games.cops.rules:EVALUATION"
DRAWING = "kibitz.games.cops.view:draw"
ABOUT = "kibitz.games.cops.about:about"
FIELDS = "kibitz.games.cops.about:FIELDS"
