"""The registry of bridged games: their names and abilities."""

GAMES = {
    "openspiel": "kibitz.bridges.openspiel.rules:OpenSpiel",
    "pettingzoo": "kibitz.bridges.pettingzoo.classic:Classic",
    "gambit": "kibitz.bridges.gambit.rules:Gambit",
}
