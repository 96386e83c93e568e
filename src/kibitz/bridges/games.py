"""The registry of bridged games: their names and abilities."""

GAMES = {"openspiel": "kibitz.bridges.openspiel.rules:OpenSpiel"}
