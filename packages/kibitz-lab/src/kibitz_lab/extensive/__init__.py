"""Games with secrets as tables of information sets: regret minimisation, best and safe responses, exploitability.

>>> from kibitz_lab.extensive import build_table, solve_cfr
>>> table = build_table("kuhn(players=2)")
>>> found = solve_cfr(table, iterations=1000)
>>> round(found.returns[0], 3), found.exploitability < 0.001
(-0.056, True)
"""

from kibitz_lab.extensive.building import LIMIT as LIMIT
from kibitz_lab.extensive.building import build_table as build_table
from kibitz_lab.extensive.exploits import AgentExploit as AgentExploit
from kibitz_lab.extensive.exploits import Frontier as Frontier
from kibitz_lab.extensive.exploits import exploit_agent as exploit_agent
from kibitz_lab.extensive.exploits import exploitation_frontier as exploitation_frontier
from kibitz_lab.extensive.exploits import frontiers_of as frontiers_of
from kibitz_lab.extensive.exploits import mean_frontier as mean_frontier
from kibitz_lab.extensive.linear_programs import SequenceProgram as SequenceProgram
from kibitz_lab.extensive.linear_programs import data_biased as data_biased
from kibitz_lab.extensive.linear_programs import equilibrium as equilibrium
from kibitz_lab.extensive.linear_programs import restricted_nash as restricted_nash
from kibitz_lab.extensive.linear_programs import safe_response as safe_response
from kibitz_lab.extensive.policies import BehaviourPolicy as BehaviourPolicy
from kibitz_lab.extensive.policies import UnstatedPolicy as UnstatedPolicy
from kibitz_lab.extensive.policies import policy_by as policy_by
from kibitz_lab.extensive.policies import policy_of as policy_of
from kibitz_lab.extensive.policies import policy_of_plan as policy_of_plan
from kibitz_lab.extensive.policies import read_profile as read_profile
from kibitz_lab.extensive.policies import uniform_policy as uniform_policy
from kibitz_lab.extensive.policies import write_profile as write_profile
from kibitz_lab.extensive.regrets import RegretSolution as RegretSolution
from kibitz_lab.extensive.regrets import solve_cfr as solve_cfr
from kibitz_lab.extensive.regrets import solve_mccfr as solve_mccfr
from kibitz_lab.extensive.responses import ValuedPolicy as ValuedPolicy
from kibitz_lab.extensive.responses import best_response as best_response
from kibitz_lab.extensive.responses import expected_returns as expected_returns
from kibitz_lab.extensive.responses import exploitability as exploitability
from kibitz_lab.extensive.responses import nash_conv as nash_conv
from kibitz_lab.extensive.responses import worst_return as worst_return
from kibitz_lab.extensive.table import InformationTable as InformationTable
from kibitz_lab.extensive.table import InformationTracker as InformationTracker
