"""Axis & Allies Revised (Lie 2009): areas, armies and dice; battles are exact, and a turn is one order per unit."""

from kibitz.plugins import GameKit, Plugin

plugin = Plugin(
    games={
        "axis": GameKit(
            game="kibitz_axis.game:Axis",
            agents={
                "greedy": "kibitz_axis.land.agents:Greedy",
                "defender": "kibitz_axis.land.agents:Defender",
                "scripted": "kibitz_axis.land.agents:Script",
                "exact": "kibitz_axis.land.agents:Exact",
                "greedy_full": "kibitz_axis.commander.players:GreedyFull",
                "commander": "kibitz_axis.commander.commander:Commander",
                "sensible_full": "kibitz_axis.commander.players:SensibleFull",
            },
            words="kibitz_axis:words.toml",
            word_values="kibitz_axis.land.view:word_values",
            fields="kibitz_axis.fields:FIELDS",
            drawing="kibitz_axis.land.view:draw",
            preview="kibitz_axis.land.view:preview",
            odds="kibitz_axis.odds:BattleOdds",
            units="kibitz_axis.land.unit_orders:UNITS",
        ),
    },
    studies={"axis": "kibitz_axis.study:STUDY"},
)
