"""Learning automata as kernels: one automaton is a small table of numbers, and its kind says what they mean.

It chooses an option, learns how well that went, and chooses better. *status* is a number from 0 to 1; *reward* is a coin
that shows True with probability *status*.

| kind | |
|---|---|
| `tsetlin` | Tsetlin (1961), with the limiter of Lie (2009, algorithm 3): holds an action c at depth d in 1..D. Reward: d = min(d + 1, D). Penalty, with probability L: d = d - 1 where d > 1, else c is drawn again from all actions. L = 1 is the classic automaton |
| `lri` | L_RI (Lie 2009, algorithm 4). Reward: p = (1 - a) p + a e_c. Penalty: nothing |
| `bla` | the Bayesian automaton for numbers (Lie 2009, algorithms 6 and 7, corrected). Belief about option i: precision l ~ Gamma(alpha, rate beta), mean ~ N(mu, 1 / (tau l)). It chooses the argmax of a mean drawn for each, which is mu + sqrt(beta / (alpha tau)) t with t of Student's law of 2 alpha degrees. Then beta += tau (s - mu)² / (2 (tau + 1)), mu = (tau mu + s) / (tau + 1), tau += 1, alpha += 1/2 |

An automaton is a *slot* of `memory`: rows with a number for each option, the row HELD, and its tier's parameters in the
row SETTINGS. Everything lies in one array, and slots are indices, not views: Numba counts the references of every array
that is passed on, which takes longer than learning.
"""  # noqa: E501

from math import erf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.core.kernels.random import draw_below, draw_student, draw_unit
from kibitz_lab.automata.tier import KINDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Memory = NDArray[np.float64]
    Words = NDArray[np.uint64]

TSETLIN, LRI, BLA = range(3)
assert KINDS == ("tsetlin", "lri", "bla"), "the kinds here must be those of `tier.KINDS`, in their order"
RATE, LIMITER, STATES, ALPHA, SPREAD, MU, TAU, SURE = range(8)
"""The columns of SETTINGS, in the order of `Tier.numbers`."""
OPTION, DEPTH, PICK, COUNT = range(4)
"""The columns of HELD: the option held and how deep it has settled, the option chosen last, and how many there are."""
WIDTH = 8
"""The least width of a row."""
ROWS = 6
BELIEF_MU, BELIEF_TAU, BELIEF_ALPHA, BELIEF_BETA, HELD, SETTINGS = range(ROWS)
"""The rows of Normal-Gamma beliefs, and those of all kinds."""
P = 0
"""The row of L_RI."""


@kernel("int64(int64)", lean=True)
def coin_kind(kind: int) -> int:
    """0 where an automaton learns from the status, 1 where the team shares a coin, 2 where it coin_kind its own."""
    if kind == TSETLIN:
        return 2
    return 1 if kind == LRI else 0


@kernel("void(int64, int64, int64, float64[:, :, ::1], uint64[:])", lean=True, entry=True)
def begin(kind: int, options: int, slot: int, memory: "Memory", words: "Words") -> None:
    """Forget everything."""
    memory[slot, HELD, OPTION], memory[slot, HELD, DEPTH] = 0.0, 0.0
    if kind == TSETLIN:
        memory[slot, HELD, OPTION], memory[slot, HELD, DEPTH] = draw_below(words, options), 1.0
    elif kind == BLA:
        for option in range(options):
            memory[slot, BELIEF_MU, option] = memory[slot, SETTINGS, MU]
            memory[slot, BELIEF_TAU, option] = memory[slot, SETTINGS, TAU]
            memory[slot, BELIEF_ALPHA, option] = memory[slot, SETTINGS, ALPHA]
            memory[slot, BELIEF_BETA, option] = memory[slot, SETTINGS, SPREAD]
    else:
        for option in range(options):
            memory[slot, P, option] = 1.0 / options


@kernel("int64(int64, int64, int64, float64[:, :, ::1], uint64[:])", lean=True)
def choose(kind: int, options: int, slot: int, memory: "Memory", words: "Words") -> int:
    """The option tried next."""
    if kind == TSETLIN:
        chosen = int(memory[slot, HELD, OPTION])
    elif kind == LRI:
        drawn, chosen = draw_unit(words) - memory[slot, P, 0], 0
        while drawn >= 0.0 and chosen < options - 1:
            chosen += 1
            drawn -= memory[slot, P, chosen]
    else:
        chosen = choose_by_belief(options, slot, memory, words)
    return chosen


@kernel("int64(int64, int64, float64[:, :, ::1], uint64[:])", lean=True)
def choose_by_belief(options: int, slot: int, memory: "Memory", words: "Words") -> int:
    """The option that looks best after a draw from the belief about each."""
    best, most = 0, -np.inf
    for option in range(options):
        drawn = draw_student(words, 2.0 * memory[slot, BELIEF_ALPHA, option])
        value = memory[slot, BELIEF_MU, option] + drawn * sqrt(belief_variance(option, slot, memory))
        if value > most:
            best, most = option, value
    return best


@kernel("float64(int64, int64, float64[:, :, ::1])", lean=True)
def belief_variance(option: int, slot: int, memory: "Memory") -> float:
    """The squared scale of a Normal-Gamma belief about a mean."""
    precision = memory[slot, BELIEF_ALPHA, option] * memory[slot, BELIEF_TAU, option]
    return memory[slot, BELIEF_BETA, option] / precision  # type: ignore[no-any-return]


@kernel("void(int64, int64, int64, float64[:, :, ::1], int64, float64, boolean, uint64[:])", lean=True)
def learn(
    kind: int,
    options: int,
    slot: int,
    memory: "Memory",
    chosen: int,
    status: float,
    reward: bool,
    words: "Words",
) -> None:
    """Learn how well an option went."""
    if kind == TSETLIN:
        settle(options, slot, memory, reward, words)
    elif kind == BLA:
        learn_belief(slot, memory, chosen, status)
    elif reward:
        for each in range(options):
            memory[slot, P, each] *= 1.0 - memory[slot, SETTINGS, RATE]
        memory[slot, P, chosen] += memory[slot, SETTINGS, RATE]


@kernel("void(int64, int64, float64[:, :, ::1], boolean, uint64[:])", lean=True)
def settle(options: int, slot: int, memory: "Memory", reward: bool, words: "Words") -> None:
    """Tsetlin's automaton goes deeper, or comes up."""
    if reward:
        memory[slot, HELD, DEPTH] = min(memory[slot, HELD, DEPTH] + 1.0, memory[slot, SETTINGS, STATES])
    elif draw_unit(words) < memory[slot, SETTINGS, LIMITER]:
        if memory[slot, HELD, DEPTH] > 1:
            memory[slot, HELD, DEPTH] -= 1
        else:
            memory[slot, HELD, OPTION] = draw_below(words, options)


@kernel("void(int64, float64[:, :, ::1], int64, float64)", lean=True)
def learn_belief(slot: int, memory: "Memory", chosen: int, status: float) -> None:
    """The Normal-Gamma belief after one more status."""
    tau, mu = memory[slot, BELIEF_TAU, chosen], memory[slot, BELIEF_MU, chosen]
    memory[slot, BELIEF_BETA, chosen] += tau * (status - mu) ** 2 / (2.0 * (tau + 1.0))
    memory[slot, BELIEF_MU, chosen] = (tau * mu + status) / (tau + 1.0)
    memory[slot, BELIEF_TAU, chosen] = tau + 1.0
    memory[slot, BELIEF_ALPHA, chosen] += 0.5


@kernel("int64(int64, int64, int64, float64[:, :, ::1])", lean=True, entry=True)
def top(kind: int, options: int, slot: int, memory: "Memory") -> int:
    """The option believed to be best."""
    if kind == TSETLIN:
        return int(memory[slot, HELD, OPTION])
    best = 0
    for option in range(options):
        if memory[slot, 0, option] > memory[slot, 0, best]:  # its share, or its mean
            best = option
    return best


@kernel("float64(int64, int64, int64, float64[:, :, ::1])", lean=True)
def certainty(kind: int, options: int, slot: int, memory: "Memory") -> float:
    """How sure it is of its top option; 0 for kinds that cannot say. Beliefs are taken for normal ones."""
    if kind == TSETLIN:
        return 0.0
    best = top(kind, options, slot, memory)
    if kind == LRI:
        return memory[slot, P, best]  # type: ignore[no-any-return]
    if options == 1:
        return 1.0
    second = 1 if best == 0 else 0
    for option in range(options):
        if option != best and memory[slot, BELIEF_MU, option] > memory[slot, BELIEF_MU, second]:
            second = option
    spread = sqrt(belief_variance(best, slot, memory) + belief_variance(second, slot, memory))
    lead = memory[slot, BELIEF_MU, best] - memory[slot, BELIEF_MU, second]
    return 0.5 + 0.5 * erf(lead / (spread * sqrt(2.0))) if spread > 0.0 else 1.0
