"""The registry of opponent models that watch any game. To add a model, write its file and add a line here."""

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
