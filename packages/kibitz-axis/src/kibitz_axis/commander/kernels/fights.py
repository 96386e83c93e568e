"""Odds of a battle from counts of units by kind: exact for small armies, an approximation for large or expected ones.

Armies are rows of counts, one for each kind of unit. Losses are the cheapest units first, and two-hit units take their
first hit for nothing. Submarines fire with the others here; guns cost a sixth of the aircraft.
"""

from math import erf, exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz_axis.battle.kernels import hit_chances
from kibitz_axis.commander.kernels.layout import (
    ATTACK,
    DEFENCE,
    DOMAIN,
    FIGHTS,
    HITS,
    IN_AIR,
    KINDS,
    ON_LAND,
    PRICE,
    SUPPORTED,
    SUPPORTS,
    Words,
    trait,
)

Counts = NDArray[np.float64]
WIN, TAKE, LOST, KILLED, LEFT, STANDING = range(6)
"""What is known of a battle: the chances to win and to take the area, the price of what both sides lose, and the
share of the hits both sides can still take: the attacker where it wins, the defender where it does not."""
RESULTS = 6
MOST_HITS = 24
"""Armies that can take more hits than this are never worked out exactly."""
MOST_CELLS = 160
SHARPNESS = 0.62
"""How sharply the odds follow the ratio of strengths: fitted to exact battles."""
ATTRITION = 0.85
"""Winners keep less than the square law says, because dice come in rounds: fitted to exact battles."""
NOISE = np.array([-1.6, -0.8, 0.0, 0.8, 1.6])
NOISE_WEIGHTS = np.array([0.09, 0.24, 0.34, 0.24, 0.09])
NOBODY_LEFT = 1e-9


@kernel("float64(int64[::1], float64[::1], int64, int64)")
def total_strength(board: Words, army: Counts, field: int, sea: int) -> float:
    """The strength of an army, with support where it attacks."""
    total, supports, supported = 0.0, 0.0, 0.0
    for kind in range(board[KINDS]):
        if army[kind] > 0.0:
            total += army[kind] * trait(board, kind, field)
            supports += army[kind] if trait(board, kind, SUPPORTS) else 0.0
            supported += army[kind] if trait(board, kind, SUPPORTED) else 0.0
    return total + (min(supports, supported) if field == ATTACK else 0.0)


@kernel("float64(int64[::1], float64[::1])")
def total_hits(board: Words, army: Counts) -> float:
    """The hits that an army can take."""
    total = 0.0
    for kind in range(board[KINDS]):
        if army[kind] > 0.0 and trait(board, kind, FIGHTS):
            total += army[kind] * trait(board, kind, HITS)
    return total


@kernel("float64(int64[::1], float64[::1])")
def total_price(board: Words, army: Counts) -> float:
    """What an army costs."""
    total = 0.0
    for kind in range(board[KINDS]):
        if army[kind] > 0.0:
            total += army[kind] * trait(board, kind, PRICE)
    return total


@kernel("int64(int64[::1], float64[::1], int64)")
def cheapest_left(board: Words, army: Counts, field: int) -> int:
    """The kind that is lost next: the cheapest, of equal ones the weakest; -1 if none is left."""
    found, least = -1, 1e9
    for kind in range(board[KINDS]):
        if army[kind] > NOBODY_LEFT and trait(board, kind, FIGHTS):
            price = trait(board, kind, PRICE) + 0.01 * trait(board, kind, field)
            if price < least:
                found, least = kind, price
    return found


@kernel("void(int64[::1], float64[::1], int64, float64)")
def take_hits(board: Words, army: Counts, field: int, hits: float) -> None:
    """Take so many hits off an army: first what two-hit units take for nothing, then the cheapest units."""
    for kind in range(board[KINDS]):
        if army[kind] > 0.0 and trait(board, kind, FIGHTS):
            hits -= army[kind] * (trait(board, kind, HITS) - 1)
    while hits > NOBODY_LEFT:
        kind = cheapest_left(board, army, field)
        if kind < 0:
            return
        gone = min(hits, army[kind])
        army[kind] -= gone
        hits -= gone


@kernel("void(int64[::1], float64[::1], int64, int64, float64[:, ::1], float64[::1], float64[::1])")
def tabulate_losses(
    board: Words, army: Counts, field: int, hits: int, chances: Counts, prices: Counts, landed: Counts
) -> None:
    """Of an army after 0, 1, 2 … hits: how likely its hits are, what it has cost so far, and its land units."""
    left = army.copy()
    free = 0
    for kind in range(board[KINDS]):
        if left[kind] > 0.0 and trait(board, kind, FIGHTS):
            free += int(left[kind]) * (trait(board, kind, HITS) - 1)
    strengths = np.zeros(7, dtype=np.int64)
    lost = 0.0
    for taken in range(hits + 1):
        strengths[:] = 0
        supports, on_land = 0, 0.0
        for kind in range(board[KINDS]):
            number = int(left[kind])
            if number == 0 or not trait(board, kind, FIGHTS):
                continue
            supports += number if trait(board, kind, SUPPORTS) else 0
            on_land += number if trait(board, kind, DOMAIN) == ON_LAND else 0
        for kind in range(board[KINDS]):
            number = int(left[kind])
            if number == 0 or not trait(board, kind, FIGHTS):
                continue
            each = min(6, trait(board, kind, field))
            lifted = min(number, supports) if field == ATTACK and trait(board, kind, SUPPORTED) else 0
            supports -= lifted
            strengths[min(6, each + 1)] += lifted
            strengths[each] += number - lifted
        strengths[0] = 0
        hit_chances(strengths, False, chances[taken])
        prices[taken], landed[taken] = lost, on_land
        if free > 0:
            free -= 1
            continue
        kind = cheapest_left(board, left, field)
        if kind >= 0:
            left[kind] -= 1.0
            lost += trait(board, kind, PRICE)


@kernel("void(int64[::1], float64[::1], float64[::1], float64[::1])")
def solve_battle(board: Words, attack: Counts, defence: Counts, results: Counts) -> None:
    """Work out a battle of whole numbers of units exactly, to its end; every cell of hits taken is passed once."""
    own_hits, their_hits = int(total_hits(board, attack)), int(total_hits(board, defence))
    own, their = np.zeros((own_hits + 1, own_hits + 2)), np.zeros((their_hits + 1, their_hits + 2))
    prices, other_prices = np.zeros(own_hits + 1), np.zeros(their_hits + 1)
    landed, unused = np.zeros(own_hits + 1), np.zeros(their_hits + 1)
    tabulate_losses(board, attack, ATTACK, own_hits, own, prices, landed)
    tabulate_losses(board, defence, DEFENCE, their_hits, their, other_prices, unused)
    mass = np.zeros((own_hits + 1, their_hits + 1))
    mass[0, 0] = 1.0
    for i in range(own_hits):
        for j in range(their_hits):
            no_hit = own[i, 0] * their[j, 0]
            if mass[i, j] < 1e-12 or no_hit > 1.0 - 1e-9:
                continue
            leaving = mass[i, j] / (1.0 - no_hit)
            mass[i, j] = 0.0
            for scored in range(len(own[i])):
                if own[i, scored] == 0.0:
                    continue
                to = min(their_hits, j + scored)
                for taken in range(len(their[j])):
                    if scored + taken > 0:
                        mass[min(own_hits, i + taken), to] += leaving * own[i, scored] * their[j, taken]
    results[:] = 0.0
    not_won = 0.0
    for i in range(own_hits + 1):
        for j in range(their_hits + 1):
            chance = mass[i, j]
            results[LOST] += chance * prices[i]
            results[KILLED] += chance * other_prices[j]
            if j == their_hits and i < own_hits:
                results[WIN] += chance
                results[TAKE] += chance if landed[i] > 0.0 else 0.0
                results[LEFT] += chance * (own_hits - i) / own_hits
            else:
                not_won += chance
                results[STANDING] += chance * (their_hits - j) / their_hits
    results[LEFT] /= max(NOBODY_LEFT, results[WIN])
    results[STANDING] /= max(NOBODY_LEFT, not_won)


@kernel("void(int64[::1], float64[::1], float64[::1], float64[::1])")
def estimate(board: Words, attack: Counts, defence: Counts, results: Counts) -> None:
    """Estimate a battle by the square law of strengths times hits, with noise that falls with the number of hits."""
    a, d = total_hits(board, attack), total_hits(board, defence)
    own = total_strength(board, attack, ATTACK, 0) * a
    their = total_strength(board, defence, DEFENCE, 0) * d
    ratio = log(max(own, 1e-3) / max(their, 1e-3))
    spread = 1.0 / (SHARPNESS * sqrt(a + d))
    results[:] = 0.0
    results[WIN] = 0.5 + 0.5 * erf(ratio / spread / sqrt(2.0))
    left, standing = 0.0, 0.0
    for place in range(len(NOISE)):
        shifted = ratio + NOISE[place] * spread
        if shifted > 0.0:
            left += ATTRITION * NOISE_WEIGHTS[place] * sqrt(1.0 - exp(-shifted))
        else:
            standing += ATTRITION * NOISE_WEIGHTS[place] * sqrt(1.0 - exp(shifted))
    results[LEFT] = min(1.0, left / max(results[WIN], 0.05))
    results[STANDING] = min(1.0, standing / max(1.0 - results[WIN], 0.05))
    rest = attack.copy()
    take_hits(board, rest, ATTACK, a * (1.0 - left))
    results[LOST] = total_price(board, attack) - total_price(board, rest)
    on_land = 0.0
    for kind in range(board[KINDS]):
        on_land += rest[kind] if trait(board, kind, DOMAIN) == ON_LAND else 0.0
    results[TAKE] = results[WIN] * min(1.0, on_land)
    rest = defence.copy()
    take_hits(board, rest, DEFENCE, d * (1.0 - standing))
    results[KILLED] = total_price(board, defence) - total_price(board, rest)


@kernel("void(int64[::1], float64[::1], float64[::1], int64, int64, float64[::1])", entry=True)
def fight(board: Words, attack: Counts, defence: Counts, guns: int, whole: int, results: Counts) -> None:
    """What is known of a battle; *whole* says that counts are whole numbers, so that small ones are worked out."""
    a, d = total_hits(board, attack), total_hits(board, defence)
    if d < 1e-6:
        results[:] = 0.0
        results[WIN], results[LEFT] = 1.0, 1.0
        for kind in range(board[KINDS]):
            if attack[kind] > 0.0 and trait(board, kind, DOMAIN) == ON_LAND:
                results[TAKE] = min(1.0, results[TAKE] + attack[kind])
    elif a < 1e-6:
        results[:] = 0.0
        results[STANDING] = 1.0
    elif whole and a * d <= MOST_CELLS and a <= MOST_HITS and d <= MOST_HITS:
        solve_battle(board, attack, defence, results)
    else:
        estimate(board, attack, defence, results)
    if guns:
        for kind in range(board[KINDS]):
            if attack[kind] > 0.0 and trait(board, kind, DOMAIN) == IN_AIR:
                results[LOST] += attack[kind] * trait(board, kind, PRICE) / 6.0 * results[LEFT]
