"""Cops and robber (Quilliot 1978; Nowakowski & Winkler 1983): several units against one on a graph."""

GAMES = {"cops": "kibitz.games.cops.rules:Cops"}
AGENTS = {
    "chaser": "kibitz.games.cops.agents:Chaser",
    "runner": "kibitz.games.cops.agents:Runner",
}
UNITS = "kibitz.games.cops.rules:UNITS"
EVALUATION = "kibitz.games.cops.rules:EVALUATION"
DRAWING = "kibitz.games.cops.view:draw"
