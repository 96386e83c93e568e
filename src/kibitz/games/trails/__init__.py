"""Colored Trails, Alternating Offers (Pozin 2010): chips, offers, promises that do not bind, and a goal to reach."""

GAMES = {"trails": "kibitz.games.trails.rules:Trails"}
AGENTS = {
    "perb": "kibitz.games.trails.agents.perb:Perb",
    "deception": "kibitz.games.trails.agents.versions:Deception",
    "reliability": "kibitz.games.trails.agents.versions:Reliability",
    "tree": "kibitz.games.trails.agents.tree:Tree",
    "kibitzer": "kibitz.games.trails.agents.kibitzer:Kibitzer",
    "parametric": "kibitz.games.trails.agents.parametric:Parametric",
    "talman": "kibitz.games.trails.agents.talman:Talman",
    "honest": "kibitz.games.trails.agents.population:Honest",
    "always_renege": "kibitz.games.trails.agents.population:AlwaysRenege",
    "renege_when_independent": "kibitz.games.trails.agents.population:RenegeWhenIndependent",
    "last_deal_betrayer": "kibitz.games.trails.agents.population:LastDealBetrayer",
    "deceiver": "kibitz.games.trails.agents.population:Deceiver",
    "tit_for_tat": "kibitz.games.trails.agents.population:TitForTat",
    "tit_for_tat_2": "kibitz.games.trails.agents.population:TitForTat2",
    "generous_tit_for_tat": "kibitz.games.trails.agents.population:GenerousTitForTat",
    "grudger": "kibitz.games.trails.agents.population:Grudger",
    "forgiver": "kibitz.games.trails.agents.population:Forgiver",
    "coin_keeper": "kibitz.games.trails.agents.population:CoinKeeper",
    "half_keeper": "kibitz.games.trails.agents.population:HalfKeeper",
    "proof_first": "kibitz.games.trails.agents.population:ProofFirst",
    "one_by_one": "kibitz.games.trails.agents.population:OneByOne",
    "one_by_one_tit_for_tat": "kibitz.games.trails.agents.population:OneByOneTitForTat",
    "all_at_once": "kibitz.games.trails.agents.population:AllAtOnce",
    "greedy": "kibitz.games.trails.agents.population:Greedy",
    "generous": "kibitz.games.trails.agents.population:Generous",
    "boulware": "kibitz.games.trails.agents.population:Boulware",
    "conceder": "kibitz.games.trails.agents.population:Conceder",
    "hardliner": "kibitz.games.trails.agents.population:Hardliner",
    "threshold_acceptor": "kibitz.games.trails.agents.population:ThresholdAcceptor",
    "accept_all": "kibitz.games.trails.agents.population:AcceptAll",
    "mute": "kibitz.games.trails.agents.population:Mute",
    "random_legal": "kibitz.games.trails.agents.population:RandomLegal",
    "path_planner": "kibitz.games.trails.agents.population:PathPlanner",
    "hoarder": "kibitz.games.trails.agents.population:Hoarder",
    "blackmailer": "kibitz.games.trails.agents.population:Blackmailer",
    "racing_reneger": "kibitz.games.trails.agents.population:RacingReneger",
    "sleeping_reneger": "kibitz.games.trails.agents.population:SleepingReneger",
    "gift_giver": "kibitz.games.trails.agents.population:GiftGiver",
    "nash_bargainer": "kibitz.games.trails.agents.population:NashBargainer",
    "fair_bargainer": "kibitz.games.trails.agents.population:FairBargainer",
    "rob": "kibitz.games.trails.lookahead.plans:Rob",
    "wait_and_trade": "kibitz.games.trails.lookahead.plans:WaitAndTrade",
}
MODELS = {
    "promises": "kibitz.games.trails.models.promises:Promises",
    "predictors": "kibitz.games.trails.models.predictors:Predictors",
    "types": "kibitz.games.trails.models.types:Types",
}
TRAIN = {"predictors": "kibitz.games.trails.models.training:train"}
DRAWING = "kibitz.games.trails.view:draw"
PREVIEW = "kibitz.games.trails.view:preview"
AWARE = "kibitz.games.trails.agents.kibitzer:aware_agent"
KIBITZER = "kibitz.games.trails.models.types:kibitzer"
MEASURES = "kibitz.games.trails.measures:measures"
SCENARIOS = "kibitz.games.trails.boards:BOARDS"
ABOUT = "kibitz.games.trails.about:about"
FIELDS = "kibitz.games.trails.fields:FIELDS"
