"""Sweeps on a graphics card in place of those on the processor: they improve a game's bounds."""

from time import perf_counter

import numpy as np

from kibitz.core.errors import BadGame
from kibitz.solve.recursive.card import tables
from kibitz.solve.recursive.card.bounds import CardBounds, prove_bounds, strategy_at
from kibitz.solve.recursive.card.tables import CardTables, NoCard, Tables
from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.game.policies import Policy
from kibitz.solve.recursive.proofs.bounds import Bounds
from kibitz.solve.recursive.proofs.solution import ProvedPolicy, Solution
from kibitz.solve.recursive.values.operators import Deadline


def check_card() -> None:
    """Raise BadGame if there is no card to sweep on."""
    try:
        tables.load_cupy()
    except NoCard as error:
        raise BadGame("the device", str(error)) from None


def sweep_on_card(game: RecursiveGame, bounds: Bounds, width: float, deadline: Deadline) -> None:
    """Improve the bounds by sweeps and proofs on the card, in at most half of the time that is left.

    Raises BadGame where there is no card, or where the game does not fit.
    """
    if len(game.structure.stage):
        raise BadGame("the game", "it pays on the way, which the card solves with --discount only; leave --device out")
    left, began = deadline.seconds_left(), perf_counter()
    half = np.inf if left is None else left / 2.0
    card = _tables_on_card(game)
    found = prove_bounds(
        card,
        width=width,
        known=_known_values(bounds),
        out_of_time=lambda: deadline.has_passed() or perf_counter() - began > half,
        told=deadline.tell,
    )
    for player, (bound, shares) in enumerate(_bounds_and_shares(card, found)):
        bounds.improve(player, bound, shares)


def solve_discounted_on_card(game: RecursiveGame, discount: float, width: float, deadline: Deadline) -> Solution:
    """Solve a discounted game on the card."""
    card = _tables_on_card(game)
    found = prove_bounds(card, width=width, discount=discount, out_of_time=deadline.has_passed, told=deadline.tell)
    (low, rows), (high, columns) = _bounds_and_shares(card, found)
    policies = (
        ProvedPolicy(Policy(0, game.mix_starts(0), rows), low),
        ProvedPolicy(Policy(1, game.mix_starts(1), columns), high),
    )
    methods = ("discounted values", "sweeps on the card", *(() if found.finished else ("time limit",)))
    seconds = deadline.elapsed_seconds()
    return Solution(game, low, high, given=lambda: policies, discount=discount, methods=methods, seconds=seconds)


def _tables_on_card(game: RecursiveGame) -> CardTables:
    try:
        return CardTables(Tables._make((*game.structure.arrays, game.low, game.high)))
    except NoCard as error:
        raise BadGame("the device", str(error)) from None


def _bounds_and_shares(card: CardTables, found: CardBounds) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """For both players the bound that their strategy proves, and the strategy."""
    host = card.cupy.asnumpy
    rows, columns = host(strategy_at(card, found.low, -1)), host(strategy_at(card, found.high, 1))
    return (host(found.low), rows), (host(found.high), columns)


def _known_values(bounds: Bounds) -> Floats | None:
    """The values of the states that are decided, NaN elsewhere; None if none is."""
    low, high = (each[: bounds.game.choices] for each in (bounds.low, bounds.high))
    return np.where(low == high, low, np.nan) if (low == high).any() else None
