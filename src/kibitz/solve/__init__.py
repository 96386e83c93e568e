"""Solvers for any game: matrix games, recursive games with proved bounds, backward induction.

    >>> from kibitz.solve import recursive_game, solve
    >>> guan = recursive_game({"S": [["S", "X"], ["X", "D"]]}, {"X": 1, "D": 0})
    >>> low, high = solve(guan).interval("S")

Modules are loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kibitz.solve.matrices import MatrixSolution as MatrixSolution
    from kibitz.solve.matrices import expected_utility as expected_utility
    from kibitz.solve.matrices import is_nash as is_nash
    from kibitz.solve.matrices import matrix_game as matrix_game
    from kibitz.solve.matrices import matrix_games as matrix_games
    from kibitz.solve.matrices import nash_gap as nash_gap
    from kibitz.solve.recursive.backward_generation import grown_backward as grown_backward
    from kibitz.solve.recursive.building import build_game as build_game
    from kibitz.solve.recursive.building import check_solvable as check_solvable
    from kibitz.solve.recursive.building import complement as complement
    from kibitz.solve.recursive.building import survival as survival
    from kibitz.solve.recursive.by_name import recursive_game as recursive_game
    from kibitz.solve.recursive.chains import held_values as held_values
    from kibitz.solve.recursive.cooperation import cooperation as cooperation
    from kibitz.solve.recursive.expansions import brink as brink
    from kibitz.solve.recursive.expansions import expand_game as expand_game
    from kibitz.solve.recursive.forward_generation import PartialGame as PartialGame
    from kibitz.solve.recursive.game import RecursiveGame as RecursiveGame
    from kibitz.solve.recursive.game import mirror_game as mirror_game
    from kibitz.solve.recursive.graph import graph_sets as graph_sets
    from kibitz.solve.recursive.heuristics import heuristics_of as heuristics_of
    from kibitz.solve.recursive.iteration import discounted_values as discounted_values
    from kibitz.solve.recursive.iteration import iterate as iterate
    from kibitz.solve.recursive.lowered import LoweredSolution as LoweredSolution
    from kibitz.solve.recursive.lowered import lower_expectations as lower_expectations
    from kibitz.solve.recursive.lowered import lowerable as lowerable
    from kibitz.solve.recursive.operators import Operator as Operator
    from kibitz.solve.recursive.operators import speed_operator as speed_operator
    from kibitz.solve.recursive.operators import survival_operator as survival_operator
    from kibitz.solve.recursive.picture import draw_solution as draw_solution
    from kibitz.solve.recursive.policies import PolicyTable as PolicyTable
    from kibitz.solve.recursive.policies import forecast_shares as forecast_shares
    from kibitz.solve.recursive.policies import read_policies as read_policies
    from kibitz.solve.recursive.policies import state_name as state_name
    from kibitz.solve.recursive.policies import strategy_shares as strategy_shares
    from kibitz.solve.recursive.responses import best_response as best_response
    from kibitz.solve.recursive.restricted import restricted_game as restricted_game
    from kibitz.solve.recursive.restricted import safe_response as safe_response
    from kibitz.solve.recursive.rounds import expected_rounds as expected_rounds
    from kibitz.solve.recursive.solution import Solution as Solution
    from kibitz.solve.recursive.solving import solve as solve

_NAMES = {
    "matrices": (
        "MatrixSolution",
        "expected_utility",
        "is_nash",
        "matrix_game",
        "matrix_games",
        "nash_gap",
    ),
    "recursive.building": (
        "build_game",
        "check_solvable",
        "complement",
        "survival",
    ),
    "recursive.chains": ("held_values",),
    "recursive.cooperation": ("cooperation",),
    "recursive.by_name": ("recursive_game",),
    "recursive.expansions": (
        "brink",
        "expand_game",
    ),
    "recursive.forward_generation": ("PartialGame",),
    "recursive.graph": ("graph_sets",),
    "recursive.backward_generation": ("grown_backward",),
    "recursive.heuristics": ("heuristics_of",),
    "recursive.iteration": (
        "discounted_values",
        "iterate",
    ),
    "recursive.lowered": (
        "LoweredSolution",
        "lower_expectations",
        "lowerable",
    ),
    "recursive.game": (
        "RecursiveGame",
        "mirror_game",
    ),
    "recursive.operators": (
        "Operator",
        "speed_operator",
        "survival_operator",
    ),
    "recursive.picture": ("draw_solution",),
    "recursive.policies": (
        "PolicyTable",
        "forecast_shares",
        "read_policies",
        "state_name",
        "strategy_shares",
    ),
    "recursive.responses": ("best_response",),
    "recursive.restricted": (
        "restricted_game",
        "safe_response",
    ),
    "recursive.rounds": ("expected_rounds",),
    "recursive.solution": ("Solution",),
    "recursive.solving": ("solve",),
}
_HOME = {name: f"kibitz.solve.{module}" for module, names in _NAMES.items() for name in names}

__all__ = [*_HOME]  # noqa: PLE0604, RUF100


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'kibitz.solve' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
