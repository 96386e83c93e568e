"""The registry of bridged games: their names and abilities."""

GAMES = {
    "openspiel": "kibitz.bridges.openspiel.rules:OpenSpiel",
    "gambit": "kibitz.bridges.gambit.rules:Gambit",
}
