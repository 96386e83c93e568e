"""What to expect of an unknown player of a repeated stage, and what each action is worth then, by value iteration.

Both follow from the stage's payoffs alone. The pair of actions that both players can gain most from, measured by the
product of what they earn above what each can be sure of (Nash 1950), is what one hopes to agree on. Before anything
was seen the other is taken for somebody who keeps to that pair while one does, does not always forgive, and punishes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz_lab.models.rounds.experts import chain_share
from kibitz_lab.models.rounds.tables import FloatRows, Floats, RoundTables

Matrix = NDArray[np.float64]

KEEPS, FORGIVES, YIELDS, OPTIMISM = 0.97, 0.6, 0.1, 0.8
"""How likely the other does their part: after both did, after they alone did not, after I did not; and, if they were
the first not to do it, how likely they do what I like best after things I have not tried yet."""
EVEN = 0.02
"""The part of every expectation that is spread over all actions: nothing is impossible."""
CLOSE = 0.003
"""Values of states that change by less of the payoffs' range are settled."""


class Agreement(NamedTuple):
    """What both may agree on, and what to expect of the other after every pair of actions."""

    mine: int
    theirs: int
    prior: Matrix
    optimistic: Matrix
    """The same if the other seems to follow a rule of their own."""


def agreement_of(own: Matrix, other: Matrix, sure: tuple[float, float]) -> Agreement:
    """The agreement of a stage in which I earn *own* and they *other*, and both can be *sure* of something."""
    gains = np.maximum(own - sure[0], 0.0) * np.maximum(other - sure[1], 0.0)
    mine, theirs = (int(each) for each in np.unravel_index(gains.round(9).argmax(), gains.shape))
    rows, columns = own.shape
    prior = np.full((rows, columns, columns), 1.0 / columns)
    optimistic = prior.copy()
    if gains.max() > 0.0 and columns > 1:
        punishment, kindest = int(own.max(axis=0).argmin()), int(own.max(axis=0).argmax())
        tempting = own.max() > own[mine, theirs]  # else nothing is won by leaving the agreement
        for one in range(rows):
            for two in range(columns):
                if one == mine:
                    kept = KEEPS if two == theirs else FORGIVES
                    prior[one, two] = optimistic[one, two] = expectation(columns, theirs, kept, two)
                else:
                    kept = YIELDS if punishment != theirs else KEEPS
                    prior[one, two] = expectation(columns, theirs, kept, punishment)
                    optimistic[one, two] = prior[one, two]
                    if tempting:
                        optimistic[one, two] = expectation(columns, kindest, OPTIMISM, punishment)
    return Agreement(mine, theirs, prior.reshape(-1, columns), optimistic.reshape(-1, columns))


def expectation(count: int, action: int, share: float, otherwise: int) -> NDArray[np.float64]:
    """Shares of actions: *action* has one, and the rest goes to *otherwise*, or to all if that is the same."""
    shares = np.zeros(count)
    if otherwise == action:
        shares[:] = (1.0 - share) / (count - 1)
    else:
        shares[otherwise] = 1.0 - share
    shares[action] = share
    return (1.0 - EVEN) * shares + EVEN / count


@kernel("int64(RoundTables, float64[:, ::1])", lean=True)
def write_chain(tables: RoundTables, policy: FloatRows) -> int:
    """Write what the other does after each series of rounds."""
    for state in range(len(policy)):
        for action in range(tables.their_count):
            policy[state, action] = chain_share(tables, state, tables.depth, action)
    return len(policy)


@kernel("float64(float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], float64, float64, int64)", lean=True)
def iterate_values(
    policy: FloatRows, own: FloatRows, execution: FloatRows, values: Floats, patience: float, close: float, sweeps: int
) -> float:
    """Improve the *values* of the states in place until they change by less than *close*; return the last change.

    A state is the last rounds as a number. Values are those of the best action, if the other follows *policy* and
    *execution* says what a choice becomes; later rounds count less by the factor *patience*.
    """
    states, mine, theirs = len(values), own.shape[0], own.shape[1]
    change = 0.0
    for _ in range(sweeps):
        change = 0.0
        for state in range(states):
            after, best = (state * mine * theirs) % states, -np.inf
            for action in range(mine):
                value = 0.0
                for played in range(mine):
                    if execution[action, played] > 0.0:
                        for reply in range(theirs):
                            later = own[played, reply] + patience * values[after + played * theirs + reply]
                            value += execution[action, played] * policy[state, reply] * later
                best = max(best, value)
            change = max(change, abs(best - values[state]))
            values[state] = best
        if change < close:
            break
    return change


@kernel("float64(float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], float64[::1])", lean=True)
def step_values(policy: FloatRows, own: FloatRows, execution: FloatRows, values: Floats, later: Floats) -> float:
    """The values with one round more to play than in *later*; return the first."""
    states, mine, theirs = len(values), own.shape[0], own.shape[1]
    for state in range(states):
        after, best = (state * mine * theirs) % states, -np.inf
        for action in range(mine):
            value = 0.0
            for played in range(mine):
                for reply in range(theirs):
                    share = execution[action, played] * policy[state, reply]
                    value += share * (own[played, reply] + later[after + played * theirs + reply])
            best = max(best, value)
        values[state] = best
    return float(values[0])
