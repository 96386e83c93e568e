"""The automata of `family` as kernels: one automaton is a small table of numbers, and its kind says what they mean.

An automaton is a *slot* of `memory`: rows with a number for each option, the row HELD, and its tier's parameters in the
row SETTINGS. Random numbers are drawn in the same order as in the references. Everything lies in one array, and slots
are indices, not views: Numba counts the references of every array that is passed on, which takes longer than learning.
"""

from math import erf, exp, lgamma, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from kibitz.agents.automata.tier import KINDS
from kibitz.core.kernels import kernel
from kibitz.core.kernels.random import draw_below, draw_gamma, draw_student, draw_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Memory = NDArray[np.float64]
    Words = NDArray[np.uint64]

TSETLIN, KRINSKY, KRYLOV, LRI, SLRI, LRP, LREP, DLRI = range(8)
CPRP, CPRI, DPRI, SERI, BPA, DBPA, EXP3, BETA, BLA, BLA6, BLA2, UCB1 = range(8, 20)
assert len(KINDS) == 20, "the kinds here must be those of `tier.KINDS`, in their order"
RATE, LIMITER, STATES, STEPS, TRIES, ALPHA, SPREAD, MU, TAU, SURE = range(10)
"""The columns of SETTINGS, in the order of `Tier.numbers`."""
OPTION, DEPTH, PICK, COUNT = range(4)
"""The columns of HELD: the option held and how deep it has settled (other kinds count there how often they have
learned), the option chosen last, and how many there are."""
WIDTH = 10
"""The least width of a row."""
ROWS = 6
P, PULLS, WINS, BOUND, HELD, SETTINGS = range(ROWS)
"""The rows of kinds with probabilities; EXP3 keeps logarithms of weights in PULLS, UCB1 means in P."""
BELIEF_MU, BELIEF_TAU, BELIEF_ALPHA, BELIEF_BETA = range(4)
"""The rows of Normal-Gamma beliefs; Beta beliefs have wins and losses in the first two."""


@kernel("int64(int64)", lean=True)
def tosses(kind: int) -> int:
    """0 where an automaton learns from the status, 1 where the team shares a coin, 2 where it tosses its own."""
    if kind <= KRYLOV:
        return 2
    if kind in (SLRI, EXP3) or kind >= BLA:
        return 0
    return 1


@kernel("void(int64, int64, int64, float64[:, :, ::1], uint64[:])", lean=True)
def begin(kind: int, options: int, slot: int, memory: "Memory", words: "Words") -> None:
    """Forget everything. Twin of the constructors."""
    memory[slot, HELD, OPTION], memory[slot, HELD, DEPTH] = 0.0, 0.0
    if kind <= KRYLOV:
        memory[slot, HELD, OPTION], memory[slot, HELD, DEPTH] = draw_below(words, options), 1.0
    elif kind == BETA:
        for option in range(options):
            memory[slot, 0, option] = memory[slot, 1, option] = 1.0
    elif BLA <= kind <= BLA2:
        for option in range(options):
            memory[slot, BELIEF_MU, option] = memory[slot, SETTINGS, MU]
            memory[slot, BELIEF_TAU, option] = memory[slot, SETTINGS, TAU]
            memory[slot, BELIEF_ALPHA, option] = memory[slot, SETTINGS, ALPHA]
            memory[slot, BELIEF_BETA, option] = memory[slot, SETTINGS, SPREAD]
    else:
        for option in range(options):
            memory[slot, P, option] = 0.0 if kind == UCB1 else 1.0 / options
            memory[slot, PULLS, option] = memory[slot, WINS, option] = memory[slot, BOUND, option] = 0.0


@kernel("int64(int64, int64, int64, float64[:, :, ::1], uint64[:])", lean=True)
def choose(kind: int, options: int, slot: int, memory: "Memory", words: "Words") -> int:
    """The option tried next. Twin of `Automaton.choose`."""
    if kind <= KRYLOV:
        chosen = int(memory[slot, HELD, OPTION])
    elif kind >= BETA:
        chosen = choose_by_belief(kind, options, slot, memory, words)
    elif CPRP <= kind <= DBPA and memory[slot, HELD, DEPTH] < memory[slot, SETTINGS, TRIES] * options:
        chosen = int(memory[slot, HELD, DEPTH]) % options
    else:
        drawn, chosen = draw_unit(words) - memory[slot, P, 0], 0
        while drawn >= 0.0 and chosen < options - 1:
            chosen += 1
            drawn -= memory[slot, P, chosen]
    return chosen


@kernel("int64(int64, int64, int64, float64[:, :, ::1], uint64[:])", lean=True)
def choose_by_belief(kind: int, options: int, slot: int, memory: "Memory", words: "Words") -> int:
    """The option that looks best after a draw from the belief about each, or by its upper bound."""
    best, most = 0, -np.inf
    for option in range(options):
        if kind == BETA:
            won = draw_gamma(words, memory[slot, 0, option])
            worth = won / (won + draw_gamma(words, memory[slot, 1, option]))
        elif kind == UCB1:
            pulls = memory[slot, PULLS, option]
            worth = memory[slot, P, option] + sqrt(2.0 * log(memory[slot, HELD, DEPTH]) / pulls) if pulls else np.inf
        else:
            drawn = draw_student(words, 2.0 * memory[slot, BELIEF_ALPHA, option])
            worth = memory[slot, BELIEF_MU, option] + drawn * sqrt(belief_variance(kind, option, slot, memory))
        if worth > most:
            best, most = option, worth
    return best


@kernel("float64(int64, int64, int64, float64[:, :, ::1])", lean=True)
def belief_variance(kind: int, option: int, slot: int, memory: "Memory") -> float:
    """The squared scale of a Normal-Gamma belief about a mean. Twin of `NormalGammaBayes.variance`."""
    spread = 1.0 / memory[slot, BELIEF_BETA, option] if kind == BLA6 else memory[slot, BELIEF_BETA, option]
    return spread / (memory[slot, BELIEF_ALPHA, option] * memory[slot, BELIEF_TAU, option])  # type: ignore[no-any-return]


@kernel(
    "void(int64, int64, int64, float64[:, :, ::1], int64, float64, boolean, uint64[:])",
    lean=True,
)
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
    """Learn how well an option went. Twin of `Automaton.learn`."""
    if kind <= KRYLOV:
        settle(kind, options, slot, memory, reward, words)
    elif kind == BETA:
        memory[slot, 0 if reward else 1, chosen] += 1.0
    elif kind == UCB1:
        memory[slot, PULLS, chosen] += 1.0
        memory[slot, P, chosen] += (status - memory[slot, P, chosen]) / memory[slot, PULLS, chosen]
        memory[slot, HELD, DEPTH] += 1
    elif kind >= BLA:
        learn_belief(kind, slot, memory, chosen, status)
    elif kind == EXP3:
        learn_weights(options, memory[slot, SETTINGS, RATE], slot, memory, chosen, status)
    elif kind >= CPRP:
        pursue(kind, options, slot, memory, chosen, reward, words)
    elif kind == SLRI:
        move_towards(options, slot, memory, chosen, memory[slot, SETTINGS, RATE] * status)
    elif reward:
        if kind == DLRI:
            step_towards(options, memory[slot, SETTINGS, STEPS], slot, memory, chosen)
        else:
            move_towards(options, slot, memory, chosen, memory[slot, SETTINGS, RATE])
    elif options > 1 and kind in (LRP, LREP):
        penalise(options, slot, memory, chosen, memory[slot, SETTINGS, RATE] * (0.1 if kind == LREP else 1.0))


@kernel("void(int64, int64, int64, float64[:, :, ::1], boolean, uint64[:])", lean=True)
def settle(kind: int, options: int, slot: int, memory: "Memory", reward: bool, words: "Words") -> None:
    """Twin of `Tsetlin.learn` and its subclasses."""
    if reward or (kind == KRYLOV and draw_unit(words) < 0.5):
        deepest = memory[slot, SETTINGS, STATES]
        memory[slot, HELD, DEPTH] = deepest if kind == KRINSKY else min(memory[slot, HELD, DEPTH] + 1.0, deepest)
    elif draw_unit(words) < memory[slot, SETTINGS, LIMITER]:
        if memory[slot, HELD, DEPTH] > 1:
            memory[slot, HELD, DEPTH] -= 1
        else:
            memory[slot, HELD, OPTION] = draw_below(words, options)


@kernel("void(int64, int64, float64[:, :, ::1], int64, float64)", lean=True)
def move_towards(options: int, slot: int, memory: "Memory", option: int, rate: float) -> None:
    """Twin of `WeightedAutomaton.move_towards`."""
    for each in range(options):
        memory[slot, P, each] *= 1.0 - rate
    memory[slot, P, option] += rate


@kernel("void(int64, float64, int64, float64[:, :, ::1], int64)", lean=True)
def step_towards(options: int, steps: float, slot: int, memory: "Memory", option: int) -> None:
    """Twin of `WeightedAutomaton.step_towards`."""
    step, total = 1.0 / (options * steps), 0.0
    for each in range(options):
        if each != option:
            memory[slot, P, each] = max(memory[slot, P, each] - step, 0.0)
            total += memory[slot, P, each]
    memory[slot, P, option] = 1.0 - total


@kernel("void(int64, int64, float64[:, :, ::1], int64, float64)", lean=True)
def penalise(options: int, slot: int, memory: "Memory", chosen: int, rate: float) -> None:
    """Twin of the penalty of `RewardPenalty`."""
    share = rate / (options - 1)
    for each in range(options):
        memory[slot, P, each] = (1.0 - rate) * memory[slot, P, each] + (0.0 if each == chosen else share)


@kernel("void(int64, float64, int64, float64[:, :, ::1], int64, float64)", lean=True)
def learn_weights(options: int, rate: float, slot: int, memory: "Memory", chosen: int, status: float) -> None:
    """Twin of `ExponentialWeights.learn`."""
    memory[slot, PULLS, chosen] += rate * status / (memory[slot, P, chosen] * options)
    most, total = memory[slot, PULLS, 0], 0.0
    for each in range(1, options):
        most = max(most, memory[slot, PULLS, each])
    for each in range(options):
        memory[slot, PULLS, each] -= most
        memory[slot, P, each] = exp(memory[slot, PULLS, each])
        total += memory[slot, P, each]
    for each in range(options):
        memory[slot, P, each] = (1.0 - rate) * memory[slot, P, each] / total + rate / options


@kernel("void(int64, int64, float64[:, :, ::1], int64, float64)", lean=True)
def learn_belief(kind: int, slot: int, memory: "Memory", chosen: int, status: float) -> None:
    """Twin of `NormalGammaBayes.learn`."""
    tau, mu = memory[slot, BELIEF_TAU, chosen], memory[slot, BELIEF_MU, chosen]
    surprise = tau * (status - mu) ** 2
    if kind == BLA2:
        memory[slot, BELIEF_BETA, chosen] = (memory[slot, BELIEF_BETA, chosen] + surprise) / (2.0 * (tau + 1.0))
    else:
        memory[slot, BELIEF_BETA, chosen] += surprise / (2.0 * (tau + 1.0))
    memory[slot, BELIEF_MU, chosen] = (tau * mu + status) / (tau + 1.0)
    memory[slot, BELIEF_TAU, chosen] = tau + 1.0
    memory[slot, BELIEF_ALPHA, chosen] += 0.5


@kernel(
    "void(int64, int64, int64, float64[:, :, ::1], int64, boolean, uint64[:])",
    lean=True,
)
def pursue(
    kind: int,
    options: int,
    slot: int,
    memory: "Memory",
    chosen: int,
    reward: bool,
    words: "Words",
) -> None:
    """Twin of `Pursuit.learn`."""
    memory[slot, HELD, DEPTH] += 1
    memory[slot, PULLS, chosen] += 1.0
    memory[slot, WINS, chosen] += 1.0 if reward else 0.0
    pulls, wins = memory[slot, PULLS, chosen], memory[slot, WINS, chosen]
    memory[slot, BOUND, chosen] = beta_95(1.0 + wins, 1.0 + pulls - wins) if kind in (BPA, DBPA) else wins / pulls
    if memory[slot, HELD, DEPTH] >= memory[slot, SETTINGS, TRIES] * options and (kind == CPRP or reward):
        pursued, most = 0, -np.inf
        for option in range(options):
            worth = memory[slot, BOUND, option]
            if kind == SERI:
                worth += (2.0 * draw_unit(words) - 1.0) / memory[slot, PULLS, option]
            if worth > most:
                pursued, most = option, worth
        if kind in (CPRP, CPRI, BPA):
            move_towards(options, slot, memory, pursued, memory[slot, SETTINGS, RATE])
        else:
            step_towards(options, memory[slot, SETTINGS, STEPS], slot, memory, pursued)


@kernel("float64(float64, float64)", lean=True)
def beta_95(a: float, b: float) -> float:
    """The 95 % quantile of Beta(a, b): Newton's method from the normal approximation, bisection where it diverges."""
    low, high, mean = 0.0, 1.0, a / (a + b)
    found = min(mean + 1.645 * sqrt(mean * (1.0 - mean) / (a + b + 1.0)), 0.5 + 0.5 * mean)
    scale = lgamma(a + b) - lgamma(a) - lgamma(b)
    for _ in range(60):
        over = beta_below(a, b, found) - 0.95
        if over < 0.0:
            low = found
        else:
            high = found
        after = found - over / exp(scale + (a - 1.0) * log(found) + (b - 1.0) * log(1.0 - found))
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - found) < 1e-13:
            break
        found = after
    return found


@kernel("float64(float64, float64, float64)", lean=True)
def beta_below(a: float, b: float, x: float) -> float:
    """The probability that Beta(a, b) is below *x*: its continued fraction (Lentz's method)."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1.0 - x))
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    return front * beta_fraction(a, b, x) / a


@kernel("float64(float64, float64, float64)", lean=True)
def beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (Abramowitz & Stegun 26.5.8)."""
    above, below = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    value = below
    for m in range(1, 400):
        for odd in range(2):
            if odd == 0:
                term = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
            else:
                term = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
            below = 1.0 / (1.0 + term * below)
            above = 1.0 + term / above
            value *= above * below
        if abs(above * below - 1.0) < 1e-14:
            break
    return value


@kernel("int64(int64, int64, int64, float64[:, :, ::1])", lean=True)
def top(kind: int, options: int, slot: int, memory: "Memory") -> int:
    """The option believed to be best. Twin of `Automaton.top`."""
    if kind <= KRYLOV:
        return int(memory[slot, HELD, OPTION])
    best, most = 0, -np.inf
    for option in range(options):
        worth = top_worth(kind, option, slot, memory)
        if worth > most:
            best, most = option, worth
    return best


@kernel("float64(int64, int64, int64, float64[:, :, ::1])", lean=True)
def top_worth(kind: int, option: int, slot: int, memory: "Memory") -> float:
    """The number that ranks options: probability, expected status, or pulls."""
    if kind == BETA:
        return memory[slot, 0, option] / (memory[slot, 0, option] + memory[slot, 1, option])  # type: ignore[no-any-return]
    return memory[slot, PULLS if kind == UCB1 else 0, option]  # type: ignore[no-any-return]


@kernel("float64(int64, int64, int64, float64[:, :, ::1])", lean=True)
def surety(kind: int, options: int, slot: int, memory: "Memory") -> float:
    """How sure it is of its top option. Twin of `Automaton.surety`."""
    if kind <= KRYLOV or kind == UCB1:
        return 0.0
    best = top(kind, options, slot, memory)
    if kind < BETA:
        return memory[slot, P, best]  # type: ignore[no-any-return]
    if options == 1:
        return 1.0
    second, most = -1, -np.inf
    for option in range(options):
        if option != best and top_worth(kind, option, slot, memory) > most:
            second, most = option, top_worth(kind, option, slot, memory)
    spread = sqrt(variance_of(kind, best, slot, memory) + variance_of(kind, second, slot, memory))
    return 0.5 + 0.5 * erf((top_worth(kind, best, slot, memory) - most) / (spread * sqrt(2.0))) if spread > 0.0 else 1.0


@kernel("float64(int64, int64, int64, float64[:, :, ::1])", lean=True)
def variance_of(kind: int, option: int, slot: int, memory: "Memory") -> float:
    """The variance of the belief about an option's mean."""
    if kind != BETA:
        return belief_variance(kind, option, slot, memory)
    total = memory[slot, 0, option] + memory[slot, 1, option]
    mean = memory[slot, 0, option] / total
    return mean * (1.0 - mean) / (total + 1.0)  # type: ignore[no-any-return]
