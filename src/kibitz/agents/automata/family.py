"""The automata by the names of their kinds."""

from kibitz.agents.automata.automaton import Automaton
from kibitz.agents.automata.fixed_structure import Krinsky, Krylov, Tsetlin
from kibitz.agents.automata.linear import (
    DiscretisedRewardInaction,
    RewardInaction,
    RewardPenalty,
    RewardSlightPenalty,
    StatusRewardInaction,
)
from kibitz.agents.automata.pursuit import (
    BayesianPursuit,
    DiscretisedBayesianPursuit,
    DiscretisedPursuit,
    Pursuit,
    PursuitInaction,
    StochasticEstimator,
)
from kibitz.agents.automata.sampling import (
    BetaBayes,
    ChapterBayes,
    ExponentialWeights,
    LiteralBayes,
    NormalGammaBayes,
    UpperBound,
)
from kibitz.agents.automata.tier import Kind

FAMILY: dict[Kind, type[Automaton]] = {
    "tsetlin": Tsetlin,
    "krinsky": Krinsky,
    "krylov": Krylov,
    "lri": RewardInaction,
    "slri": StatusRewardInaction,
    "lrp": RewardPenalty,
    "lrep": RewardSlightPenalty,
    "dlri": DiscretisedRewardInaction,
    "cprp": Pursuit,
    "cpri": PursuitInaction,
    "dpri": DiscretisedPursuit,
    "seri": StochasticEstimator,
    "bpa": BayesianPursuit,
    "dbpa": DiscretisedBayesianPursuit,
    "exp3": ExponentialWeights,
    "beta": BetaBayes,
    "bla": NormalGammaBayes,
    "bla6": LiteralBayes,
    "bla2": ChapterBayes,
    "ucb1": UpperBound,
}
