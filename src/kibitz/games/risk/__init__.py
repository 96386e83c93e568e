"""Risk (Khan 2013): armies, dice, cards and secret missions for two to six."""

from kibitz.plugins import GameKit, Plugin

plugin = Plugin(
    games={
        "risk": GameKit(
            game="kibitz.games.risk.game:Risk",
            agents={
                "heuristic": "kibitz.games.risk.agents:Heuristic",
                "mission": "kibitz.games.risk.agents:OnMission",
                "constrained": "kibitz.games.risk.agents:Constrained",
                "deceptive": "kibitz.games.risk.agents:Deceptive",
                "campaigner": "kibitz.games.risk.campaigns.campaigner:Campaigner",
                "aware": "kibitz.games.risk.aware:Aware",
                "passive": "kibitz.games.risk.agents:Passive",
            },
            models={
                "explanations": "kibitz.games.risk.models.khan:Explanations",
                "choice": "kibitz.games.risk.models.choice:Choice",
            },
            words="kibitz.games.risk:words.toml",
            word_values="kibitz.games.risk.view:word_values",
            fields="kibitz.games.risk.fields:FIELDS",
            drawing="kibitz.games.risk.view:draw",
            preview="kibitz.games.risk.view:preview",
            odds="kibitz.games.risk.odds:BattleOdds",
            importer="kibitz.games.risk.domination.logs:Domination",
            batches="kibitz.games.risk.simulation:BATCHES",
            plans="kibitz.games.risk.plan_library:plans",
            constraint="kibitz.games.risk.agents:consistent_actions",
            aware="kibitz.games.risk.aware:aware_agent",
        ),
    },
    studies={"risk": "kibitz.studies.risk:STUDY"},
)
