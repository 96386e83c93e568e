"""Colored Trails, Alternating Offers (Pozin 2010): chips, offers, promises that bind nobody, and a goal to reach."""

GAMES = {"trails": "kibitz.games.trails.rules:Trails"}
AGENTS: dict[str, str] = {}
DRAWING = "kibitz.games.trails.view:draw"
SCENARIOS = "kibitz.games.trails.boards:BOARDS"
