"""Axis & Allies Revised (Lie 2009): areas, armies and dice; battles are exact, and a turn is one order per unit."""

GAMES = {"axis": "kibitz.games.axis.rules:Axis"}
AGENTS = {
    "greedy": "kibitz.games.axis.agents:Greedy",
    "defender": "kibitz.games.axis.agents:Defender",
    "scripted": "kibitz.games.axis.agents:Script",
    "exact": "kibitz.games.axis.agents:Exact",
    "greedy_full": "kibitz.games.axis.commander.players:GreedyFull",
    "commander": "kibitz.games.axis.commander.commander:Commander",
    "sensible_full": "kibitz.games.axis.commander.players:SensibleFull",
}
FAST = "kibitz.games.axis.full.fast:ArrayAxis"
DRAWING = "kibitz.games.axis.view:draw"
PREVIEW = "kibitz.games.axis.preview:preview"
UNITS = "kibitz.games.axis.unit_orders:UNITS"
SCENARIOS = "kibitz.games.axis.scenarios:SCENARIOS"
ODDS = "kibitz.games.axis.odds:BattleOdds"
ABOUT = "kibitz.games.axis.about:about"
FIELDS = "kibitz.games.axis.about:FIELDS"
