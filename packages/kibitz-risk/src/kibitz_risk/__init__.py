"""Risk (Khan 2013): armies, dice, cards and secret missions for two to six."""

from kibitz.plugins import GameKit, Plugin

plugin = Plugin(
    games={
        "risk": GameKit(
            game="kibitz_risk.game:Risk",
            agents={
                "heuristic": "kibitz_risk.agents:Heuristic",
                "mission": "kibitz_risk.agents:OnMission",
                "constrained": "kibitz_risk.agents:Constrained",
                "deceptive": "kibitz_risk.agents:Deceptive",
                "campaigner": "kibitz_risk.campaigns.campaigner:Campaigner",
                "aware": "kibitz_risk.aware:Aware",
                "passive": "kibitz_risk.agents:Passive",
            },
            models={
                "explanations": "kibitz_risk.models.explanations:Explanations",
                "choice": "kibitz_risk.models.choice:Choice",
            },
            words="kibitz_risk:words.toml",
            word_values="kibitz_risk.view:word_values",
            fields="kibitz_risk.fields:FIELDS",
            drawing="kibitz_risk.view:draw",
            preview="kibitz_risk.view:preview",
            odds="kibitz_risk.odds:BattleOdds",
            importer="kibitz_risk.domination_logs:Domination",
            batches="kibitz_risk.simulation:BATCHES",
            plans="kibitz_risk.plan_library:plans",
            constraint="kibitz_risk.agents:consistent_actions",
            aware="kibitz_risk.aware:aware_agent",
        ),
    },
    studies={"risk": "kibitz_risk.study:STUDY"},
)
