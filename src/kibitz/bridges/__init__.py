"""Bridges to other packages: their games, agents, shorthands and versions. Nothing of them is imported here.

Games and agents of bridges are found by name, but are not among the registry's `entries`, which are kibitz's own.
"""

from kibitz.core.kit import GameKit, Plugin

plugin = Plugin(
    games={
        "gambit": GameKit(game="kibitz.bridges.gambit.rules:Gambit"),
        "openspiel": GameKit(
            game="kibitz.bridges.openspiel.rules:OpenSpiel",
            words="kibitz.bridges.openspiel:words.toml",
            word_values="kibitz.bridges.openspiel.about:word_values",
        ),
    },
    agents={
        "axelrod": "kibitz.bridges.axelrod.agent:AxelrodStrategy",
        "openspiel_bot": "kibitz.bridges.openspiel.bots:OpenSpielBot",
        "roshambo": "kibitz.bridges.openspiel.roshambo:Roshambo",
        "roshambo_population": "kibitz.bridges.openspiel.population:RoshamboPopulation",
    },
)
SHORTHANDS = {"axelrod": "strategy", "gambit": "file", "openspiel": "game", "roshambo": "bot"}
"""Names that may be written `name:text` in a spec; the text is the value of this parameter."""
REQUESTS = {
    "gambit": "kibitz.bridges.gambit.rules:refuse_request",
    "openspiel": "kibitz.bridges.openspiel.requests:check_game_request",
}
"""Functions, as `"module:object"`, that raise BadSpec if a request to a server may not name this game or agent."""
CATALOGUES = {"openspiel": "kibitz.bridges.openspiel.about:catalogue"}
"""Functions, as `"module:object"`, that list the games of a bridge."""
PACKAGES = {
    "openspiel": ("open_spiel", "2.0"),
    "pettingzoo": ("pettingzoo", "1.25"),
    "gymnasium": ("gymnasium", "1.0"),
    "axelrod": ("axelrod", "4.13"),
    "gambit": ("", ""),
}
"""The package of each bridge, and the oldest version that it works with; empty if it reads files by itself."""
