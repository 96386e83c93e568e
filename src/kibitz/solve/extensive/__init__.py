"""Games with secrets as tables of information sets: regret minimisation, best and safe responses, exploitability.

>>> from kibitz.solve.extensive import build_table, solve_cfr
>>> table = build_table("kuhn(players=2)")
>>> found = solve_cfr(table, iterations=1000)
>>> round(found.returns[0], 3), found.exploitability < 0.001
(-0.056, True)
"""

from kibitz.solve.extensive.building import LIMIT as LIMIT
from kibitz.solve.extensive.building import build_table as build_table
from kibitz.solve.extensive.exploits import AgentExploit as AgentExploit
from kibitz.solve.extensive.exploits import Frontier as Frontier
from kibitz.solve.extensive.exploits import exploit_agent as exploit_agent
from kibitz.solve.extensive.exploits import exploitation_frontier as exploitation_frontier
from kibitz.solve.extensive.exploits import frontiers_of as frontiers_of
from kibitz.solve.extensive.exploits import mean_frontier as mean_frontier
from kibitz.solve.extensive.policies import BehaviourPolicy as BehaviourPolicy
from kibitz.solve.extensive.policies import UnstatedPolicy as UnstatedPolicy
from kibitz.solve.extensive.policies import policy_by as policy_by
from kibitz.solve.extensive.policies import policy_of as policy_of
from kibitz.solve.extensive.policies import policy_of_plan as policy_of_plan
from kibitz.solve.extensive.policies import read_profile as read_profile
from kibitz.solve.extensive.policies import uniform_policy as uniform_policy
from kibitz.solve.extensive.policies import write_profile as write_profile
from kibitz.solve.extensive.programs import SequenceProgram as SequenceProgram
from kibitz.solve.extensive.programs import data_biased as data_biased
from kibitz.solve.extensive.programs import equilibrium as equilibrium
from kibitz.solve.extensive.programs import restricted_nash as restricted_nash
from kibitz.solve.extensive.programs import safe_response as safe_response
from kibitz.solve.extensive.regrets import RegretSolution as RegretSolution
from kibitz.solve.extensive.regrets import solve_cfr as solve_cfr
from kibitz.solve.extensive.regrets import solve_mccfr as solve_mccfr
from kibitz.solve.extensive.responses import ValuedPolicy as ValuedPolicy
from kibitz.solve.extensive.responses import best_response as best_response
from kibitz.solve.extensive.responses import expected_returns as expected_returns
from kibitz.solve.extensive.responses import exploitability as exploitability
from kibitz.solve.extensive.responses import nash_conv as nash_conv
from kibitz.solve.extensive.responses import worst_return as worst_return
from kibitz.solve.extensive.table import InformationTable as InformationTable
from kibitz.solve.extensive.table import InformationTracker as InformationTracker
