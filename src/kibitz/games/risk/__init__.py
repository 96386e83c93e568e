"""Risk (Khan 2013): armies, dice, cards and secret missions for two to six."""

GAMES = {"risk": "kibitz.games.risk.rules:Risk"}
FAST = "kibitz.games.risk.fast:Risk"
DRAWING = "kibitz.games.risk.view:draw"
ODDS = "kibitz.games.risk.odds:BattleOdds"
IMPORT = "kibitz.games.risk.domination.importing:Domination"
