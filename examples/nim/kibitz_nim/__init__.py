"""Nim for kibitz. This module names what the package adds, and imports nothing of it."""

from kibitz import GameKit, NamedCommand, Plugin

plugin = Plugin(
    games={"nim": GameKit(game="kibitz_nim.rules:Nim", agents={"perfect": "kibitz_nim.players:Perfect"})},
    models={"favourites": "kibitz_nim.players:Favourites"},
    commands={"nim-table": NamedCommand("List what to take from each heap of nim.", "kibitz_nim.command:NimTable")},
)
