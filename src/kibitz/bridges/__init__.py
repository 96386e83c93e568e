"""The registry of bridges to other packages: their agents, shorthands and versions. Nothing of them is imported here.

Bridged games are in `games.py`. Games and agents of bridges are found by name, but are not among the registry's
`entries`, which are kibitz's own.
"""

AGENTS = {
    "axelrod": "kibitz.bridges.axelrod.agent:AxelrodStrategy",
    "openspiel_bot": "kibitz.bridges.openspiel.bots:OpenSpielBot",
    "openspiel_policy": "kibitz.bridges.openspiel.bots:OpenSpielPolicy",
    "roshambo": "kibitz.bridges.openspiel.roshambo:Roshambo",
    "roshambo_population": "kibitz.bridges.openspiel.population:RoshamboPopulation",
}
SHORTHANDS = {"axelrod": "strategy", "gambit": "file", "openspiel": "game", "pettingzoo": "env", "roshambo": "bot"}
"""Names that may be written `name:text` in a spec; the text is the value of this parameter."""
REQUESTS = {
    "gambit": "kibitz.bridges.gambit.rules:refuse_request",
    "openspiel": "kibitz.bridges.openspiel.requests:check_game_request",
    "openspiel_policy": "kibitz.bridges.openspiel.requests:refuse_files",
}
"""Functions, as `"module:object"`, that raise BadSpec if a request to a server may not name this game or agent."""
CATALOGUES = {
    "openspiel": "kibitz.bridges.openspiel.about:catalogue",
    "pettingzoo": "kibitz.bridges.pettingzoo.classic:catalogue",
}
"""Functions, as `"module:object"`, that list the games of a bridge."""
PACKAGES = {
    "openspiel": ("open_spiel", "2.0"),
    "pettingzoo": ("pettingzoo", "1.25"),
    "gymnasium": ("gymnasium", "1.0"),
    "axelrod": ("axelrod", "4.13"),
    "gambit": ("", ""),
}
"""The package of each bridge, and the oldest version that it works with; empty if it reads files by itself."""
