"""Axis & Allies Revised (Lie 2009): areas, armies and dice; battles are exact, and a turn is one order per unit."""

from kibitz.plugins import GameKit, Plugin

plugin = Plugin(
    games={
        "axis": GameKit(
            game="kibitz.games.axis.rules:Axis",
            agents={
                "greedy": "kibitz.games.axis.agents:Greedy",
                "defender": "kibitz.games.axis.agents:Defender",
                "scripted": "kibitz.games.axis.agents:Script",
                "exact": "kibitz.games.axis.agents:Exact",
                "greedy_full": "kibitz.games.axis.commander.players:GreedyFull",
                "commander": "kibitz.games.axis.commander.commander:Commander",
                "sensible_full": "kibitz.games.axis.commander.players:SensibleFull",
            },
            words="kibitz.games.axis:words.toml",
            word_values="kibitz.games.axis.view:word_values",
            fields="kibitz.games.axis.fields:FIELDS",
            drawing="kibitz.games.axis.view:draw",
            preview="kibitz.games.axis.view:preview",
            odds="kibitz.games.axis.odds:BattleOdds",
            units="kibitz.games.axis.unit_orders:UNITS",
        ),
    },
    studies={"axis": "kibitz.studies.axis:STUDY"},
)
