"""Games with secrets as tables of information sets: regret minimisation, best and safe responses, exploitability.

>>> from kibitz.solve.extensive import build_table, solve_cfr
>>> table = build_table("kuhn(players=2)")
>>> found = solve_cfr(table, iterations=1000)
>>> round(found.returns[0], 3), found.exploitability < 0.001
(-0.056, True)
"""

from kibitz.solve.extensive.building import LIMIT, build_table
from kibitz.solve.extensive.exploits import (
    AgentExploit,
    Frontier,
    exploit_agent,
    exploitation_frontier,
    frontiers_of,
    mean_frontier,
)
from kibitz.solve.extensive.policies import (
    BehaviourPolicy,
    UnstatedPolicy,
    mixture_policy,
    policy_by,
    policy_of,
    policy_of_plan,
    read_profile,
    uniform_policy,
    write_profile,
)
from kibitz.solve.extensive.programs import (
    ModelResponse,
    SequenceProgram,
    data_biased,
    equilibrium,
    restricted_nash,
    safe_response,
)
from kibitz.solve.extensive.regrets import RegretSolution, solve_cfr, solve_mccfr
from kibitz.solve.extensive.responses import (
    ValuedPolicy,
    best_response,
    expected_returns,
    exploitability,
    nash_conv,
    worst_return,
)
from kibitz.solve.extensive.table import InformationTable, InformationTracker

__all__ = [
    "LIMIT",
    "AgentExploit",
    "BehaviourPolicy",
    "Frontier",
    "InformationTable",
    "InformationTracker",
    "ModelResponse",
    "RegretSolution",
    "SequenceProgram",
    "UnstatedPolicy",
    "ValuedPolicy",
    "best_response",
    "build_table",
    "data_biased",
    "equilibrium",
    "expected_returns",
    "exploit_agent",
    "exploitability",
    "exploitation_frontier",
    "frontiers_of",
    "mean_frontier",
    "mixture_policy",
    "nash_conv",
    "policy_by",
    "policy_of",
    "policy_of_plan",
    "read_profile",
    "restricted_nash",
    "safe_response",
    "solve_cfr",
    "solve_mccfr",
    "uniform_policy",
    "worst_return",
    "write_profile",
]
