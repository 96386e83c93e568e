"""Proved bounds of a game on a card, by sweeps alone. Needs CuPy and NumPy alone.

For a small *eta*, player 0's vector is a fixed point of an operator that lessens values above 0 by the factor
1 - eta and leaves all others, except for what rounding needs. So it rises in every round where it is above 0, and falls
nowhere: the strategy at the vector earns what the vector says (see `proofs.certificates`). It lies below the game's
value by about eta times the rounds that play takes. Player 1's vector is its mirror image. Sweeps start at 0, the worth
of play without end, and stop once the proof succeeds at every state. Where it fails when the time is over, the state
falls back to the least (most) payoff, and all states are tested again.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from kibitz.solve.recursive.card.tables import DISCOUNTED, LOWER, UPPER, CardOperator, CardTables, Side

LADDER = (1e-4, 1e-6, 1e-8, 1e-10)
"""The values of eta, used one after another while an interval is too wide."""
SWEEPS = 20_000
"""The most sweeps for one eta."""
TEST_EVERY = 64
"""Sweeps from one test of the proof to the next."""
DUST = 2.0**-50
"""The part of the largest payoff by which values are lessened in every sweep, for rounding."""
ROUNDS = 1000
"""How often states with an unproved bound are put back before the attempt is given up."""


class CardBounds(NamedTuple):
    """The bounds of all nodes, as arrays on the card, and the work they took."""

    low: Any
    high: Any
    sweeps: int
    finished: bool
    """Whether all sweeps for the last eta converged."""


def prove_bounds(
    game: CardTables,
    *,
    width: float,
    discount: float = 1.0,
    known: Any = None,
    out_of_time: Callable[[], bool] = lambda: False,
    told: Callable[[str], None] | None = None,
) -> CardBounds:
    """Lower and upper bounds, until every interval is at most *width* wide, the time is over, or no eta is left.

    *known* has the values of the states that are known, and NaN elsewhere.
    """
    solver = _Solver(game, discount, known, out_of_time)
    best = solver.trivial_bounds()
    if _widest(game, best) <= width:
        return best._replace(finished=True)
    for found in solver.rungs() if discount == 1.0 else solver.discounted_bounds(width):
        narrower = float((found.high - found.low).sum()) < float((best.high - best.low).sum())
        best = found if narrower else best._replace(sweeps=found.sweeps)
        widest = _widest(game, best)
        if told is not None:
            told(f"{game.choices:,} states, {best.sweeps:,} sweeps, widest {widest:.3g}")
        if widest <= width or out_of_time():
            break
    return best


def _widest(game: CardTables, bounds: CardBounds) -> float:
    """The widest interval of any node."""
    return float((bounds.high - bounds.low)[: game.live].max()) if game.live else 0.0


def strategy_at(game: CardTables, bound: Any, side: Side) -> Any:
    """The strategy that proves a bound, state after state, as an array on the card."""
    mixes = game.cupy.zeros(int(game.mix_starts(side)[-1]), "float64")
    game.test_bound(bound.copy(), bound.copy(), 0.0, 1.0, side, mixes=mixes)
    return mixes


class _Solver:
    def __init__(self, game: CardTables, discount: float, known: Any, out_of_time: Callable[[], bool]) -> None:
        self.game, self.discount, self.out_of_time = game, discount, out_of_time
        self.sweeps = 0
        cupy, tables = game.cupy, game.tables
        self.values = None if known is None else cupy.asarray(known)
        self.fixed = None if known is None else (~cupy.isnan(self.values)).astype("uint8")
        ends = cupy.concatenate([tables.low, tables.high, cupy.zeros(1)])
        self.least, self.most = float(ends.min()), float(ends.max())
        if len(tables.stage):
            paid = cupy.abs(tables.stage).max() / (1.0 - discount)
            self.least, self.most = self.least - float(paid), self.most + float(paid)
        self.unit = max(abs(self.least), abs(self.most)) or 1.0

    def trivial_bounds(self) -> CardBounds:
        """The least and the most payoff everywhere."""
        low, high = self._start(self.game.tables.low, self.least), self._start(self.game.tables.high, self.most)
        return CardBounds(low, high, 0, False)

    def _start(self, ends: Any, value: float) -> Any:
        """A vector with these ends, the known values, and one value everywhere else."""
        vector = self.game.start(ends, value)
        if self.values is not None:
            where = self.game.cupy.where
            vector[: self.game.choices] = where(self.fixed, self.values, vector[: self.game.choices])
        return vector

    def rungs(self) -> Iterator[CardBounds]:
        """Bounds for smaller and smaller eta, each from where the last one ended."""
        low, high = (self._start(ends, 0.0) for ends in (self.game.tables.low, self.game.tables.high))
        for eta in LADDER:
            low, low_ends = self._iterate(low, self._operator(LOWER, eta), -1)
            high, high_ends = self._iterate(high, self._operator(UPPER, eta), 1)
            yield CardBounds(self._prove(low, -1), self._prove(high, 1), self.sweeps, low_ends and high_ends)

    def _operator(self, kind: int, eta: float) -> CardOperator:
        return CardOperator(kind, 1.0 - eta, DUST * self.unit, eta * self.unit, self.least, self.most)

    def discounted_bounds(self, width: float) -> Iterator[CardBounds]:
        """Bounds of a discounted game: vectors around its fixed point, so far from it that the proof succeeds."""
        rounding = 8.0 * DUST * self.unit / (1.0 - self.discount)
        middle = self._start((self.game.tables.low + self.game.tables.high) / 2.0, 0.0)
        error = max(0.4 * width, rounding)
        operator = CardOperator(DISCOUNTED, self.discount)
        middle, ends = self._iterate(middle, operator, near=error * (1.0 - self.discount))
        low, high = middle.copy(), middle.copy()
        low[: self.game.live] -= error
        high[: self.game.live] += error
        yield CardBounds(self._prove(low, -1), self._prove(high, 1), self.sweeps, ends)

    def _iterate(
        self, values: Any, operator: CardOperator, side: Side | None = None, near: float = 0.0
    ) -> tuple[Any, bool]:
        """Sweep until the proof for one *side* succeeds everywhere, or no value changes by more than *near*.

        Returns the last vector, and whether it came to that.
        """
        values = values.copy()
        other = values.copy()
        for sweep in range(1, SWEEPS + 1):
            change = self.game.sweep(values, other, operator, self.fixed)
            self.sweeps += 1
            values, other = other, values
            if change <= near:
                return values, True
            if side is not None and sweep % TEST_EVERY == 0 and not self._test(values, other, side):
                return values, True
            if self.out_of_time():
                break
        return values, False

    def _test(self, vector: Any, other: Any, side: Side) -> int:
        """At how many states the proof fails; *other* receives the vector with the trivial bound there."""
        trivial = self.least if side < 0 else self.most
        return self.game.test_bound(vector, other, trivial, self.discount, side, self.fixed)

    def _prove(self, vector: Any, side: Side) -> Any:
        """The vector, with the trivial bound wherever its proof fails."""
        vector = vector.copy()
        other = vector.copy()
        for _ in range(ROUNDS):
            if not self._test(vector, other, side):
                return vector
            vector, other = other, vector
        return self.trivial_bounds()[0 if side < 0 else 1]
