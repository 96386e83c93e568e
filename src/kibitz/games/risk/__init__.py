"""Risk (Khan 2013): armies, dice, cards and secret missions for two to six."""

GAMES = {"risk": "kibitz.games.risk.game:Risk"}
AGENTS = {
    "heuristic": "kibitz.games.risk.agents:Heuristic",
    "mission": "kibitz.games.risk.agents:OnMission",
    "constrained": "kibitz.games.risk.agents:Constrained",
    "deceptive": "kibitz.games.risk.agents:Deceptive",
    "campaigner": "kibitz.games.risk.campaigns.campaigner:Campaigner",
    "aware": "kibitz.games.risk.aware:Aware",
    "passive": "kibitz.games.risk.agents:Passive",
}
MODELS = {
    "explanations": "kibitz.games.risk.models.recogniser:Explanations",
    "choice": "kibitz.games.risk.models.choice:Choice",
}
TRAIN = {"choice": "kibitz.games.risk.models.choice_training:train"}
POLICIES = "kibitz.games.risk.compiled_matches:POLICIES"
DRAWING = "kibitz.games.risk.view:draw"
PREVIEW = "kibitz.games.risk.view:preview"
ODDS = "kibitz.games.risk.odds:BattleOdds"
IMPORT = "kibitz.games.risk.domination.importer:Domination"
CONSTRAINT = "kibitz.games.risk.consistency:consistent_actions"
AWARE = "kibitz.games.risk.aware:aware_agent"
KIBITZER = "kibitz.games.risk.models.mission_model:kibitzer"
PLANS = "kibitz.games.risk.plan_library:plans"
ABOUT = "kibitz.games.risk.about:about"
FIELDS = "kibitz.games.risk.fields:FIELDS"
