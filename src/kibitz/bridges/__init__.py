"""The registry of bridges to other packages: their agents, shorthands and versions. Nothing of them is imported here.

Bridged games are in `games.py`. Games and agents of bridges are found by name, but are not among the registry's
`entries`, which are kibitz's own.
"""

AGENTS = {"axelrod": "kibitz.bridges.axelrod.agent:AxelrodStrategy"}
SHORTHANDS = {"openspiel": "game", "axelrod": "strategy", "gambit": "file", "pettingzoo": "env"}
"""Names that may be written `name:text` in a spec; the text is the value of this parameter."""
REQUESTS = {"gambit": "kibitz.bridges.gambit.rules:refuse_request"}
"""Functions, as `"module:object"`, that raise BadSpec if a request to a server may not name this game or agent."""
PACKAGES = {
    "openspiel": ("open_spiel", "2.0"),
    "pettingzoo": ("pettingzoo", "1.25"),
    "gymnasium": ("gymnasium", "1.0"),
    "axelrod": ("axelrod", "4.13"),
    "gambit": ("", ""),
}
"""The package of each bridge, and the oldest version that it works with; empty if it reads files by itself."""
