"""The registry of bridged games: their names and abilities."""

GAMES = {
    "gambit": "kibitz.bridges.gambit.rules:Gambit",
    "openspiel": "kibitz.bridges.openspiel.rules:OpenSpiel",
    "pettingzoo": "kibitz.bridges.pettingzoo.classic:Classic",
}
ABOUT = {"openspiel": "kibitz.bridges.openspiel.about:about"}
DRAWING = {"openspiel": "kibitz.bridges.openspiel.pictures:draw"}
SCENARIOS = {"openspiel": "kibitz.bridges.openspiel.about:GAME_NAMES"}
STAGE = {"openspiel": "kibitz.bridges.openspiel.rules:stage"}
