"""Recursive games: solved with proved bounds, verified, planned online, and turned into programs; PRISM models.

    >>> from kibitz_solve import recursive_game, solve
    >>> guan = recursive_game({"S": [["S", "X"], ["X", "D"]]}, {"X": 1, "D": 0})
    >>> low, high = solve(guan).interval("S")

Modules are loaded on first use. Matrix games are solved by `kibitz_lab.equilibria`, whose names are repeated here.
"""

from typing import TYPE_CHECKING, Any

from kibitz.lazy_names import lazy_name
from kibitz.plugins import NamedCommand, Plugin
from kibitz_solve.games import GAMES

if TYPE_CHECKING:
    from kibitz_lab.equilibria.matrices import MatrixSolution as MatrixSolution
    from kibitz_lab.equilibria.matrices import matrix_game as matrix_game
    from kibitz_lab.equilibria.matrices import matrix_games as matrix_games
    from kibitz_lab.equilibria.matrices import nash_gap as nash_gap
    from kibitz_solve.agents.program_player import ProgramPlayer as ProgramPlayer
    from kibitz_solve.agents.solved_games import Equilibrium as Equilibrium
    from kibitz_solve.recursive.building.backward_generation import grown_backward as grown_backward
    from kibitz_solve.recursive.building.by_name import recursive_game as recursive_game
    from kibitz_solve.recursive.building.forward_generation import PartialGame as PartialGame
    from kibitz_solve.recursive.building.forward_generation import heuristics_of as heuristics_of
    from kibitz_solve.recursive.building.policies import PolicyTable as PolicyTable
    from kibitz_solve.recursive.building.policies import forecast_shares as forecast_shares
    from kibitz_solve.recursive.building.policies import read_policies as read_policies
    from kibitz_solve.recursive.building.policies import state_name as state_name
    from kibitz_solve.recursive.building.policies import strategy_shares as strategy_shares
    from kibitz_solve.recursive.building.recursive_game import RecursiveGame as RecursiveGame
    from kibitz_solve.recursive.building.recursive_game import mirror_game as mirror_game
    from kibitz_solve.recursive.proofs.graph import graph_sets as graph_sets
    from kibitz_solve.recursive.proofs.responses import best_response as best_response
    from kibitz_solve.recursive.proofs.solution import Solution as Solution
    from kibitz_solve.recursive.proofs.solving import build_game as build_game
    from kibitz_solve.recursive.proofs.solving import check_solvable as check_solvable
    from kibitz_solve.recursive.proofs.solving import complement as complement
    from kibitz_solve.recursive.proofs.solving import solve as solve
    from kibitz_solve.recursive.proofs.solving import survival as survival
    from kibitz_solve.recursive.strategies.fastest import expected_rounds as expected_rounds
    from kibitz_solve.recursive.strategies.lowered import LoweredSolution as LoweredSolution
    from kibitz_solve.recursive.strategies.lowered import brink as brink
    from kibitz_solve.recursive.strategies.lowered import cooperation as cooperation
    from kibitz_solve.recursive.strategies.lowered import expand_game as expand_game
    from kibitz_solve.recursive.strategies.lowered import lower_expectations as lower_expectations
    from kibitz_solve.recursive.strategies.lowered import lowerable as lowerable
    from kibitz_solve.recursive.strategies.picture import draw_solution as draw_solution
    from kibitz_solve.recursive.strategies.restricted import restricted_game as restricted_game
    from kibitz_solve.recursive.strategies.restricted import safe_response as safe_response
    from kibitz_solve.recursive.values.chains import policy_values as policy_values
    from kibitz_solve.recursive.values.iteration import discounted_values as discounted_values
    from kibitz_solve.recursive.values.iteration import iterate as iterate
    from kibitz_solve.recursive.values.operators import Operator as Operator
    from kibitz_solve.recursive.values.operators import speed_operator as speed_operator
    from kibitz_solve.recursive.values.operators import survival_operator as survival_operator

plugin = Plugin(
    games=GAMES,
    agents={
        "equilibrium": "kibitz_solve.agents.solved_games:Equilibrium",
        "thwart": "kibitz_solve.agents.solved_games:Thwart",
        "program": "kibitz_solve.agents.program_player:ProgramPlayer",
        "planner": "kibitz_solve.agents.planner:Planner",
        "lookahead": "kibitz_solve.agents.planner:Lookahead",
    },
    commands={
        "solve": NamedCommand(
            "Solve a game with simultaneous moves: certified values, and strategies that guarantee them.",
            "kibitz_solve.cli.solve:SolveCommand",
            "Work things out",
        ),
        "verify": NamedCommand(
            "Check a saved solution without the solver: its tables, its strategies, and every bound.",
            "kibitz_solve.cli.verify:VerifyCommand",
            "Work things out",
        ),
        "program": NamedCommand(
            "Turn a solved game into a readable program, and prove what that program is worth.",
            "kibitz_solve.cli.program:ProgramCommand",
            "Work things out",
        ),
    },
    studies={"recursive": "kibitz_solve.study:STUDY"},
    aware=("kibitz_solve.agents.opponent_aware:aware_agent",),
)

_NAMES = {
    "recursive.strategies.fastest": "expected_rounds",
    "recursive.strategies.lowered": "LoweredSolution brink cooperation expand_game lower_expectations lowerable",
    "recursive.strategies.picture": "draw_solution",
    "recursive.strategies.restricted": "restricted_game safe_response",
    "recursive.building.backward_generation": "grown_backward",
    "recursive.building.by_name": "recursive_game",
    "recursive.building.forward_generation": "PartialGame heuristics_of",
    "recursive.building.recursive_game": "RecursiveGame mirror_game",
    "recursive.building.policies": "PolicyTable forecast_shares read_policies state_name strategy_shares",
    "recursive.proofs.graph": "graph_sets",
    "recursive.proofs.responses": "best_response",
    "recursive.proofs.solution": "Solution",
    "recursive.proofs.solving": "build_game check_solvable complement solve survival",
    "recursive.values.chains": "policy_values",
    "recursive.values.iteration": "discounted_values iterate",
    "recursive.values.operators": "Operator speed_operator survival_operator",
}
_HOME = {name: f"kibitz_solve.{module}" for module, names in _NAMES.items() for name in names.split()}
_HOME |= dict.fromkeys(("MatrixSolution", "matrix_game", "matrix_games", "nash_gap"), "kibitz_lab.equilibria.matrices")
_HOME |= {"Equilibrium": "kibitz_solve.agents.solved_games", "ProgramPlayer": "kibitz_solve.agents.program_player"}

__all__ = ["plugin", *_HOME]  # noqa: PLE0604, RUF100


def __getattr__(name: str) -> Any:
    return lazy_name(__name__, _HOME, name)
