"""The right answers in every state of a solved game for one player: programs are learned from them and judged by them.

The *potential* of a state is what simple mixtures earn there although every round costs a little. An answer, which is
an action or a mixture of actions, is right in a state if its worst case is at least the potential; a worst case above
0 is first reduced by a part of that cost. A player who gives a right answer in every state earns at least the
potential, against any opponent and for any choice among right answers: the potential never falls on average, and where
it is above 0 it rises, so that play cannot go on for ever there. So an answer that keeps a win within reach without
ever winning is not right.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.errors import BadGame, BadSpec
from kibitz.core.kit.numbers import variables_of
from kibitz.core.registry import make_game
from kibitz_solve import Operator, RecursiveGame, Solution, best_response, build_game, iterate, mirror_game, solve
from kibitz_solve.recursive.building.enumeration import action_names
from kibitz_solve.recursive.proofs.responses import BestResponse
from kibitz_solve.recursive.proofs.solving import BACKWARD_INDUCTION
from kibitz_solve.recursive.values.chains import mixes_at

Floats: TypeAlias = NDArray[np.float64]

WHOLES = (*range(2, 17), 20, 25, 50, *(base * 10**power for power in range(2, 7) for base in (1, 2, 5)))
"""The denominators to try for shares, small ones first."""
PLAIN = 16
"""The largest denominator with which a share is shown as a fraction."""


def round_shares(shares: Floats, whole: int) -> tuple[Floats, Floats]:
    """Shares rounded to parts of a whole; then the same with at least one part for each share.

    >>> [mix.tolist() for mix in round_shares(np.array([0.96, 0.04]), 10)]
    [[1.0, 0.0], [0.9, 0.1]]
    """
    parts = np.floor(shares * whole + 1e-9)
    missing = int(whole - parts.sum())
    parts[np.argsort(parts - shares * whole, kind="stable")[:missing]] += 1
    lost = (parts == 0) & (shares > 0.0)
    raised = np.where(lost, 1.0, parts)
    raised[parts.argmax()] -= lost.sum()
    return parts / whole, (raised if raised.min() >= 0.0 else parts) / whole


def share_text(share: float) -> str:
    """A share as people write it.

    >>> share_text(0.999), share_text(2 / 3)
    ('99.9 %', '2/3')
    """
    fraction = plain_fraction(share)
    return f"{100.0 * share:.10g} %" if fraction is None else str(fraction)


def plain_fraction(number: float) -> Fraction | None:
    """A number as a fraction with a small denominator, if it is one."""
    fraction = Fraction(number).limit_denominator(PLAIN)
    return fraction if float(fraction) == number else None


Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Report: TypeAlias = Callable[[str], None]
Columns: TypeAlias = dict[str, list[int | float | str]]
Kind: TypeAlias = tuple[tuple[str, ...], int]

ETA = 1e-6
"""Default cost of a round."""
TOLERANCE = 1e-3
"""Default for the most that simpler mixtures may cost."""
LIMIT = 500_000
"""Default for the most states: a program is learned on a small board, and tried on a larger one."""
CHECKED = 0.1
"""The part of that cost that an answer must make good; below 1, so that not only the very best answers are right."""
ROUNDING = 1e-12
MOST_SWEEPS = 1000
EVERY = 20_000
"""States between two lines of progress."""


class Situation(NamedTuple):
    """States in which a player has the same actions against the same number of replies."""

    actions: tuple[str, ...]
    nodes: Ints
    matrices: Floats
    """By state, own action and reply: the potential that follows, for the player."""

    def only(self, indices: Ints) -> "Situation":
        """Some of the states."""
        return Situation(self.actions, self.nodes[indices], self.matrices[indices])

    def worst(self, shares: Floats) -> Floats:
        """What mixtures, one for all states or one for each, earn against the best reply."""
        mixed = np.einsum("...m,smn->...sn" if shares.ndim == 1 else "sm,smn->sn", shares, self.matrices)
        return np.asarray(mixed.min(axis=-1), np.float64)


class Lesson:
    """A solved game as one player sees it; all values are that player's."""

    def __init__(
        self,
        game: core.Game,
        player: int,
        solution: Solution,
        *,
        eta: float = ETA,
        tolerance: float = TOLERANCE,
        report: Report | None = None,
    ) -> None:
        """*eta* is what a round costs, *tolerance* what simpler mixtures may cost."""
        self.game, self.player, self.solution, self.tolerance = game, player, solution, tolerance
        self.ends = BACKWARD_INDUCTION in solution.methods
        self.eta = 0.0 if self.ends else eta  # where play must end, there is no need to hurry
        self.tell: Report = report or (lambda words: None)
        self.own: RecursiveGame = solution.game if player == 0 else mirror_game(solution.game)
        self.low, self.high = (solution.low, solution.high) if player == 0 else (-solution.high, -solution.low)

    def __len__(self) -> int:
        return self.own.choices

    @cached_property
    def start(self) -> int | None:
        """The node of the first state; None if no table holds that state."""
        try:
            return self.own.states.node(self.game.new_initial_state())
        except KeyError:
            return None

    @cached_property
    def potential(self) -> Floats:
        """The potential of every node: what simple mixtures earn although every round costs `eta` of what is above 0.

        All mixtures are rounded to parts of the same whole, which grows until no state loses more than `tolerance`.
        If payoffs have both signs and play may go on for ever, nothing is rounded.
        """
        best = self._best()
        least, most = self.own.bounds
        mixes = mixes_at(self.own, best, np.zeros(self.own.nodes, np.uint8))[0]
        mixed = np.flatnonzero((mixes > 0.0) & (mixes < 1.0))
        if (least < 0.0 < most and not self.ends) or not len(mixed):
            return best
        kept = 1.0 - self.eta if least >= 0.0 else 1.0
        for simple in self._simpler(mixes, mixed):
            earned = self.response_to(simple, kept=kept).values
            if (earned >= best - self.tolerance)[: len(self)].all():
                return np.minimum(earned, best)
        return best

    def _simpler(self, mixes: Floats, mixed: Ints) -> Iterator[Floats]:
        """A strategy with its mixtures rounded, the simplest first; *mixed* are the indices of shares in mixtures."""
        starts = self.own.mix_starts(0)
        nodes = np.unique(np.searchsorted(starts, mixed, side="right") - 1).tolist()
        for whole in WHOLES:
            self.tell(f"rounding {len(nodes):,} mixtures to parts of {whole:,}")
            both = mixes.copy(), mixes.copy()
            for node in nodes:
                here = slice(starts[node], starts[node + 1])
                both[0][here], both[1][here] = round_shares(mixes[here], whole)
            yield from both

    def _best(self) -> Floats:
        """What the best mixtures earn although every round costs something."""
        if self.ends:
            return self.low
        operator = Operator(1.0 - self.eta)
        least, most = self.own.bounds
        if least >= 0.0:
            return iterate(self.own, operator).values
        started = self.low
        if most > 0.0:
            started = np.minimum(started, iterate(self.own, operator, method="newton").values)
        return self._lower_values(started)

    def _lower_values(self, values: Floats) -> Floats:
        """The largest potential that is nowhere above *values* nor above what one round earns of it."""
        for _ in range(MOST_SWEEPS):
            after = iterate(self.own, Operator(), method="jacobi", start=values, sweeps=1).values
            after[: len(self)] = after_cost(after[: len(self)], self.eta)  # chance and ends cost nothing
            lower = np.minimum(values, after)
            if (values - lower).max() <= ROUNDING:
                break
            values = lower
        return values

    @property
    def columns(self) -> Columns:
        """Every variable, state by state."""
        return self._state_columns[0]

    @cached_property
    def _state_columns(self) -> tuple[Columns, dict[Kind, list[int]]]:
        """Every variable; and the states with a choice, grouped by their actions and the number of replies."""
        variables, several = variables_of(self.game), np.diff(self.own.mix_starts(0)) > 1
        columns: Columns = {}
        choosing: dict[Kind, list[int]] = {}
        for node in range(len(self)):
            if node % EVERY == 0:
                self.tell(f"reading states: {node:,} of {len(self):,}")
            state = self.own.states.state(node)
            values = variables(state)
            columns = columns or {name: [] for name in values}
            if values.keys() != columns.keys():
                raise BadGame(self.game, f"states have different variables: {', '.join(values)}; {', '.join(columns)}")
            for name, value in values.items():
                columns[name].append(value)
            if several[node]:
                actions = tuple(action_names(self.game, state, self.player))
                choosing.setdefault((actions, self.own.shape(node)[1]), []).append(node)
        for name, column in columns.items():
            if any(isinstance(value, str) for value in column):  # then the whole column is words
                columns[name] = [str(value) for value in column]
        return columns, choosing

    @cached_property
    def situations(self) -> list[Situation]:
        """All states in which the player has a choice."""
        return [self._situation(*kind, np.array(nodes)) for kind, nodes in self._state_columns[1].items()]

    def _situation(self, actions: tuple[str, ...], answers: int, nodes: Ints) -> Situation:
        structure = self.own.structure
        indices = structure.first[nodes][:, None].astype(np.int64) + np.arange(len(actions) * answers)
        entries = self.potential[structure.successors[indices]]
        if len(structure.stage):
            entries = entries + structure.stage[indices]
        return Situation(actions, nodes, entries.reshape(len(nodes), len(actions), answers))

    def right(self, situation: Situation, shares: Floats) -> Flags:
        """Whether mixtures, one for all states of a situation or one for each, are right there."""
        left = after_cost(situation.worst(shares), CHECKED * self.eta)
        wanted = self.potential[situation.nodes]
        return np.asarray(left >= wanted - ROUNDING * np.maximum(1.0, np.abs(wanted)), np.bool_)

    def response_to(self, mixes: Floats, *, kept: float = 1.0) -> BestResponse:
        """What a strategy earns in every state against its best response; every round only a share is *kept*.

        It skips states in which no strategy earns more than the worst payoff.
        """
        least = self.own.bounds[0]
        hopeless = np.zeros(self.own.nodes, np.uint8)
        hopeless[: self.own.live] = self.high[: self.own.live] <= least
        payoffs = self.own.start(self.own.low, least)
        return best_response(self.own, kept * mixes, 0, fixed=hopeless, payoffs=payoffs)


def lesson_of(
    game: str | core.Game,
    player: int = 0,
    *,
    eta: float = ETA,
    tolerance: float = TOLERANCE,
    limit: int = LIMIT,
    report: Report | None = None,
) -> Lesson:
    """Solve a game, and make a lesson for *player*; *limit* is the most states."""
    if not 0.0 < eta < 0.5:
        raise BadSpec(f"eta={eta}", "the cost of a round must lie between 0 and 0.5")
    if not 0.0 <= tolerance < 1.0:
        raise BadSpec(f"tolerance={tolerance}", "the cost of simpler mixtures must lie between 0 and 1")
    made = make_game(game)
    model = build_game(made, limit=limit)
    if not (np.diff(model.mix_starts(player)) > 1).any():
        raise BadGame(made, f"{made.player_name(player)} has no choice in it, so there is nothing to learn")
    return Lesson(made, player, solve(model, report=report), eta=eta, tolerance=tolerance, report=report)


def after_cost(values: Floats, eta: float) -> Floats:
    """Values after the cost of a round."""
    return np.where(values > 0.0, (1.0 - eta) * values, values)
