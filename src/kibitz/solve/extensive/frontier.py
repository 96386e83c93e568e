"""The frontier of exploitation: how much responses to a model earn, against how much they give up if it is wrong."""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from kibitz.solve.extensive.policies import BehaviourPolicy
from kibitz.solve.extensive.programs import (
    ModelResponse,
    SequenceProgram,
    data_biased,
    equilibrium,
    restricted_nash,
    safe_response,
)
from kibitz.solve.extensive.responses import ValuedPolicy
from kibitz.solve.extensive.table import InformationTable

WEIGHTS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)
"""The weights p of restricted Nash responses, and the confidences of data-biased ones."""
RISKS = (0.0, 0.003, 0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 0.35, 0.6, 1.0)
"""The ε of safe responses, as parts of what a best response gives up."""
METHODS = ("restricted Nash", "data-biased", "ε-safe")


class FrontierPoint(msgspec.Struct, frozen=True):
    """One response: its parameter, what it earns against the model, and what it gives up against anyone."""

    parameter: float
    earned: float
    given_up: float


class Frontier(msgspec.Struct, frozen=True):
    """The responses of one player, or the mean over several seats, to one opponent, by method."""

    opponent: str
    value: float
    """What an equilibrium earns at least."""
    points: dict[str, list[FrontierPoint]]


def exploitation_frontier(
    table: InformationTable,
    player: int,
    opponent: BehaviourPolicy,
    name: str = "the opponent",
    told: Callable[[str], None] | None = None,
) -> Frontier:
    """Responses of *player* to *opponent* by each method, from an equilibrium to a best response."""
    program = SequenceProgram(table, player)
    safe = equilibrium(table, player, program)
    best = restricted_nash(table, player, opponent, 1.0, program)
    most = max(safe.value - best.worst, 0.0)
    makers: dict[str, tuple[Iterable[float], Callable[[float], ModelResponse]]] = {
        METHODS[0]: (WEIGHTS, lambda p: restricted_nash(table, player, opponent, p, program)),
        METHODS[1]: (WEIGHTS, lambda sure: data_biased(table, player, opponent, sure, program)),
        METHODS[2]: (
            [most * part for part in RISKS],
            lambda risk: safe_response(table, player, opponent, risk, safe, program),
        ),
    }
    points = {}
    for method, (parameters, respond) in makers.items():
        if told is not None:
            told(f"{method} responses to {name}")
        points[method] = [_point(parameter, respond(parameter), safe) for parameter in parameters]
    return Frontier(name, safe.value, points)


def _point(parameter: float, response: ModelResponse, safe: ValuedPolicy) -> FrontierPoint:
    return FrontierPoint(parameter, response.value, max(safe.value - response.worst, 0.0))


def mean_frontier(frontiers: Sequence[Frontier]) -> Frontier:
    """The mean over the seats of one opponent, point by point."""
    count, first = len(frontiers), frontiers[0]
    points = {
        method: [
            FrontierPoint(
                *(sum(getattr(each, name) for each in same) / count for name in FrontierPoint.__struct_fields__)
            )
            for same in zip(*(frontier.points[method] for frontier in frontiers), strict=True)
        ]
        for method in first.points
    }
    return Frontier(first.opponent, sum(each.value for each in frontiers) / count, points)
