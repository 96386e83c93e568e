"""Bridges to other projects: their games, agents, shorthands and versions. Nothing of them is imported here."""

from kibitz.plugins import Bridge, GameKit

BRIDGES = {
    "openspiel": Bridge(
        package="open_spiel",
        least="2.0",
        games={
            "openspiel": GameKit(
                game="kibitz_lab.bridges.openspiel.rules:OpenSpiel",
                words="kibitz_lab.bridges.openspiel:words.toml",
                word_values="kibitz_lab.bridges.openspiel.about:word_values",
            ),
        },
        agents={
            "openspiel_bot": "kibitz_lab.bridges.openspiel.bots:OpenSpielBot",
            "roshambo": "kibitz_lab.bridges.openspiel.roshambo:Roshambo",
            "roshambo_population": "kibitz_lab.bridges.openspiel.population:RoshamboPopulation",
        },
        shorthands={"openspiel": "game", "roshambo": "bot"},
        request="kibitz_lab.bridges.openspiel.requests:check_game_request",
        catalogue="kibitz_lab.bridges.openspiel.about:catalogue",
    ),
    "pettingzoo": Bridge(package="pettingzoo", least="1.25"),
    "gymnasium": Bridge(package="gymnasium", least="1.0"),
    "axelrod": Bridge(
        package="axelrod",
        least="4.13",
        agents={"axelrod": "kibitz_lab.bridges.axelrod.agent:AxelrodStrategy"},
        shorthands={"axelrod": "strategy"},
    ),
    "gambit": Bridge(
        games={"gambit": GameKit(game="kibitz_lab.bridges.gambit.rules:Gambit")},
        shorthands={"gambit": "file"},
        request="kibitz_lab.bridges.gambit.rules:refuse_request",
    ),
}
