"""Equilibria and responses to a model of the opponent, exactly, by linear programs over sequences.

For two players who play for the same points (von Stengel 1996). In each program the opponent's choice is dual: one
variable per information set of theirs bounds what they leave us. Restricted Nash responses: Johanson, Zinkevich &
Bowling (2007); data-biased ones: Johanson & Bowling (2009); ε-safe ones: McCracken & Bowling (2004).
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import BadGame
from kibitz_lab.extensive.policies import BehaviourPolicy, policy_of_plan
from kibitz_lab.extensive.responses import ValuedPolicy, check_zero_sum_pair, expected_returns, worst_return
from kibitz_lab.extensive.table import Floats, InformationTable

EXACT = 1e-9
"""How far the solver's answer may fall short of a bound before it is mixed with an equilibrium."""
MOST_SEQUENCES = 100_000
"""Larger programs take hours."""

Confidence = float | Sequence[float] | Floats | Callable[[int], float]
"""How sure a model is of the opponent in each of their information sets, from 0 to 1: one number for all, one for each
in order, or a function of the information set."""


class ModelResponse(msgspec.Struct, frozen=True):
    """A response to a model of the opponent: what it earns against the model, and at least against anyone."""

    policy: BehaviourPolicy
    value: float
    worst: float


class SequenceProgram:
    """The linear programs of one player over one table; make it once if several are solved."""

    def __init__(self, table: InformationTable, player: int) -> None:
        check_zero_sum_pair(table)
        self.table, self.player, self.other = table, player, 1 - player
        if int(table.sets.empty[-1]) > MOST_SEQUENCES:
            found = f"it has {int(table.sets.empty[-1]):,} sequences, more than {MOST_SEQUENCES:,}"
            raise BadGame(table.game, f"{found}, too many for a linear program; use solve_cfr and best_response")
        from scipy.sparse import coo_array

        own, theirs = table.sequences_of(player), table.sequences_of(self.other)
        self.own, self.theirs = own.stop - own.start, theirs.stop - theirs.start
        rows = table.ends.sequences[:, player] - own.start
        columns = table.ends.sequences[:, self.other] - theirs.start
        self.payoffs: Any = coo_array((table.ends.payoffs[:, player], (rows, columns)), (self.own, self.theirs)).tocsr()
        """What we earn for each pair of sequences."""
        self.balance: Any = self._flow(player)
        """Each of our information sets, after the start: what comes out less what goes in."""
        self.bounds: Any = self._flow(self.other)

    def _flow(self, player: int) -> Any:
        """The matrix of sequence form: a row for the start and for each information set, a column per sequence."""
        from scipy.sparse import coo_array

        sets, numbers = self.table.sets, np.array(self.table.sets_of(player), np.int64)
        counts = sets.last[numbers] - sets.first[numbers]
        empty = int(sets.empty[player])
        rows = np.concatenate([[0], np.repeat(np.arange(len(numbers)) + 1, counts), np.arange(len(numbers)) + 1])
        out = np.concatenate(
            [np.arange(first, last) for first, last in zip(sets.first[numbers], sets.last[numbers], strict=True)]
            or [np.zeros(0, np.int64)]
        )
        columns = np.concatenate([[empty], out, sets.parents[numbers]]) - empty
        entries = np.concatenate([np.ones(1 + len(out)), -np.ones(len(numbers))])
        return coo_array((entries, (rows, columns)), (len(numbers) + 1, int(sets.empty[player + 1]) - empty)).tocsr()

    def against(self, opponent: BehaviourPolicy) -> Floats:
        """What each of our sequences earns against a strategy of the opponent."""
        if opponent.player != self.other:
            raise BadGame(self.table.game, f"the opponent of player {self.player} is player {self.other}")
        found: Floats = self.payoffs @ opponent.plan()
        return found

    def solve(self, earned: Floats | None, weight: float, floor: float | None = None) -> BehaviourPolicy:
        """The most *earned* plus *weight* times what no opponent can prevent, which must be at least *floor*."""
        from scipy.sparse import hstack

        held = self.bounds.shape[0]
        objective = np.concatenate([np.zeros(self.own) if earned is None else earned, [weight], np.zeros(held - 1)])
        # A sequence of the opponent leaves us at least what their information set, less those behind it, promises.
        promised = hstack([-self.payoffs.T, self.bounds.T], format="csr")
        return self._optimum(objective, promised, hstack([self.balance, zeros(self.balance.shape[0], held)]), floor)

    def solve_biased(self, opponent: BehaviourPolicy, confidence: Floats) -> BehaviourPolicy:
        """The most against an opponent who follows the model with the *confidence* of each information set."""
        from scipy.sparse import coo_array, diags_array, hstack, vstack

        held, sets = self.bounds.shape[0], self.table.sets
        numbers = np.array(self.table.sets_of(self.other), np.int64)
        rows = np.repeat(np.arange(len(numbers)) + 1, sets.last[numbers] - sets.first[numbers])
        chosen = coo_array((opponent.shares[1:], (rows, np.arange(self.theirs - 1) + 1)), (held, self.theirs)).tocsr()
        inside = self.bounds.maximum(0.0)  # which sequences an information set holds
        behind = (inside - self.bounds).T  # which information sets follow a sequence
        # Variables: our plan, the value of each information set, and the least value of its actions.
        left = hstack([self.payoffs.T, behind], format="csr")  # the value of each sequence
        least = hstack([-left, inside.T], format="csr")
        sure = np.concatenate([[0.0], confidence])
        mean = diags_array(sure) @ chosen @ left
        set_values = hstack([zeros(held, self.own), diags_array(np.ones(held))], format="csr")
        equal = hstack([set_values - mean, -diags_array(1.0 - sure)], format="csr")
        ours = hstack([self.balance, zeros(self.balance.shape[0], 2 * held)])
        objective = np.zeros(self.own + 2 * held)
        objective[self.own] = 1.0
        return self._optimum(objective, least, vstack([ours, equal]), None)

    def _optimum(self, objective: Floats, most: Any, equal: Any, floor: float | None) -> BehaviourPolicy:
        """The plan that maximises the objective with `most` of it at most 0 and `equal` 0 but for the start."""
        from scipy.optimize import linprog

        unit = max(1.0, float(np.abs(self.payoffs.data).max(initial=0.0)))
        ends = np.zeros(equal.shape[0])
        ends[0] = 1.0
        limits: Any = np.full((len(objective), 2), (-np.inf, np.inf))
        limits[: self.own, 0] = 0.0
        if floor is not None:
            limits[self.own, 0] = floor
        options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        found = linprog(
            -objective / unit, most, np.zeros(most.shape[0]), equal, ends, limits, method="highs", options=options
        )
        if found.x is None:
            raise BadGame(self.table.game, f"the linear program has no answer: {found.message}")
        return policy_of_plan(self.table, self.player, found.x[: self.own])


def zeros(rows: int, columns: int) -> Any:
    """A matrix of zeros."""
    from scipy.sparse import csr_array

    return csr_array((rows, columns))


def equilibrium(table: InformationTable, player: int, program: SequenceProgram | None = None) -> ValuedPolicy:
    """A strategy of *player* that earns the value of the game whatever the opponent does."""
    policy = (program or SequenceProgram(table, player)).solve(None, 1.0)
    return ValuedPolicy(worst_return(table, policy), policy)


def restricted_nash(
    table: InformationTable, player: int, opponent: BehaviourPolicy, p: float, program: SequenceProgram | None = None
) -> ModelResponse:
    """The best strategy if the opponent follows the model in a share *p* of matches, and replies best in the others."""
    if not 0.0 <= p <= 1.0:
        raise BadGame("the weight p", f"give a number from 0 to 1, not {p:g}")
    made = program or SequenceProgram(table, player)
    return model_response(table, made.solve(p * made.against(opponent), 1.0 - p), opponent)


def data_biased(
    table: InformationTable,
    player: int,
    opponent: BehaviourPolicy,
    confidence: Confidence,
    program: SequenceProgram | None = None,
) -> ModelResponse:
    """The best strategy if the opponent follows the model in each information set as often as its *confidence*."""
    made = program or SequenceProgram(table, player)
    numbers = table.sets_of(1 - player)
    if callable(confidence):
        sure = np.array([confidence(number) for number in numbers], np.float64)
    else:
        sure = np.broadcast_to(np.asarray(confidence, np.float64), (len(numbers),))
    if not ((sure >= 0.0) & (sure <= 1.0)).all():
        raise BadGame("confidence", "give numbers from 0 to 1")
    return model_response(table, made.solve_biased(opponent, sure), opponent)


def safe_response(
    table: InformationTable,
    player: int,
    opponent: BehaviourPolicy,
    epsilon: float,
    safe: ValuedPolicy | None = None,
    program: SequenceProgram | None = None,
) -> ModelResponse:
    """The most that can be earned against *opponent* by a strategy that gives up at most *epsilon* against anyone.

    It gives up what the value of the game exceeds its worst return. *safe* is an equilibrium strategy, if you have it.
    """
    if not epsilon >= 0.0:
        raise BadGame("epsilon", f"give a number of at least 0, not {epsilon:g}")
    made = program or SequenceProgram(table, player)
    held = safe or equilibrium(table, player, made)
    floor = held.value - epsilon
    policy = made.solve(made.against(opponent), 0.0, floor)
    worst = worst_return(table, policy)
    if worst < floor - EXACT:  # the solver's tolerance: what is worst is concave, so that a mixture is within the bound
        share = (floor - worst) / (held.value - worst)
        mixed = (1.0 - share) * policy.plan() + share * held.policy.plan()
        policy = policy_of_plan(table, player, mixed)
    return model_response(table, policy, opponent)


def model_response(table: InformationTable, policy: BehaviourPolicy, opponent: BehaviourPolicy) -> ModelResponse:
    """What a strategy earns against a model and at worst."""
    profile = (policy, opponent) if policy.player == 0 else (opponent, policy)
    return ModelResponse(policy, expected_returns(table, profile)[policy.player], worst_return(table, policy))
