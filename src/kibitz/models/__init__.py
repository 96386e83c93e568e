"""Opponent models that know no game in particular. A new one is one line here."""

MODELS = {
    "dbn": "kibitz.models.dbn.model:Dbn",
    "lots": "kibitz.models.lots:RandomLikelihoods",
    "plans": "kibitz.models.plans.model:Plans",
    "rehearsal": "kibitz.models.rehearsal:Rehearsal",
    "strategy_filter": "kibitz.models.strategy_filter:StrategyFilter",
}
TRAIN = {
    "dbn": "kibitz.models.dbn.training:train",
    "strategy_filter": "kibitz.models.strategy_training:train",
}
