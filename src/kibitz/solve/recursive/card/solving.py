"""Solve a recursive game on a graphics card: what the graph decides first, then sweeps and proofs there."""

import numpy as np

from kibitz.core.errors import BadGame
from kibitz.solve.recursive.card.bounds import prove_bounds, strategy_at
from kibitz.solve.recursive.card.tables import CardTables, NoCard, Tables
from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.game.policies import Policy
from kibitz.solve.recursive.proofs.bounds import Bounds
from kibitz.solve.recursive.proofs.responses import best_response
from kibitz.solve.recursive.proofs.solution import ProvedPolicy, Solution
from kibitz.solve.recursive.values.operators import Deadline


def solve_on_card(
    game: RecursiveGame, discount: float, width: float, deadline: Deadline, graph: Bounds | None = None
) -> Solution:
    """Solve a game on the card; raises BadGame where there is none, or where the game does not fit.

    *graph* has the bounds that the graph alone proves. Without it, states that only the graph decides stay open.
    """
    if len(game.structure.stage) and discount == 1.0:
        raise BadGame("the game", "it pays on the way, which the card solves with --discount only; leave --device out")
    try:
        card = CardTables(Tables._make((*game.structure.arrays, game.low, game.high)))
    except NoCard as error:
        raise BadGame("the device", str(error)) from None
    known = None if graph is None else _known_values(graph)
    found = prove_bounds(
        card, width=width, discount=discount, known=known, out_of_time=deadline.has_passed, told=deadline.tell
    )
    low, high = (card.cupy.asnumpy(each) for each in (found.low, found.high))
    shares = [card.cupy.asnumpy(strategy_at(card, found.low, -1)), card.cupy.asnumpy(strategy_at(card, found.high, 1))]
    guarantees = [low, high]
    if graph is not None and known is not None:
        for player in (0, 1):
            decided = np.repeat(~np.isnan(known), np.diff(game.mix_starts(player)))
            shares[player][decided] = graph.mixes[player][decided]
            guarantees[player] = best_response(game, shares[player], player).guaranteed
    rows, columns = (
        ProvedPolicy(Policy(player, game.mix_starts(player), shares[player]), guarantees[player]) for player in (0, 1)
    )
    methods = (*(["graph sets"] if known is not None else []), "sweeps on the card", "proved strategies")
    if not found.finished:
        methods += ("time limit",) if deadline.has_passed() else ("sweeps that did not converge",)
    return Solution(game, low, high, given=(rows, columns), methods=methods, seconds=deadline.elapsed_seconds())


def _known_values(graph: Bounds) -> Floats | None:
    """The values of the states that the graph decides, NaN elsewhere; None if it decides nothing."""
    low, high = (each[: graph.game.choices] for each in (graph.low, graph.high))
    return np.where(low == high, low, np.nan) if (low == high).any() else None
