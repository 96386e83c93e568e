"""Opponent models that know no game in particular. A new one is one line here."""

MODELS = {
    "dbn": "kibitz.models.dbn.model:Dbn",
    "plans": "kibitz.models.plans.model:Plans",
    "strategy_filter": "kibitz.models.strategy_filter:StrategyFilter",
}
TRAIN = {
    "strategy_filter": "kibitz.models.strategy_training:train",
}
