"""The asymmetric tree compiled, for models that offer their likelihood as a kernel. Twin of `AsymmetricSearch`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.agents.search.kernels import (
    ACTIONS,
    CHOSEN,
    HINTS,
    HISTORY,
    MATE,
    NOISE,
    OUTCOMES,
    PRUNE,
    SCORES,
    SORT,
    alpha_beta,
    order,
    tie_noise,
    words_hash,
)
from kibitz.agents.search.settings import WIN, WIN_SOONER
from kibitz.core import compiled
from kibitz.core.kernels import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LIKELY = 5
"""Where the lists say which children are likely, behind what `kernels` keeps in them."""
DEPTH, DEEPEST, UNLIKELY, SEARCHER, SWITCHES, HASHED, ROW, NODE_LIMIT, SEED = range(9)
"""What the plan of a search holds."""
NODES, ASKED, NAMED, GAVE_UP = range(4)
"""What a search counts."""
MARGIN, MASS = range(2)
"""The measures of a search; a mass of 0 leaves it to the table of ranks which children are likely."""


@kernel("int64(int64, int64, float64[:, ::1], boolean[:, ::1], float64, int64[:, :, ::1])")
def mark_likely(ply: int, count: int, shares: Floats, ranks: Any, mass: float, lists: Ints) -> int:
    """Write which of the children are likely; return how many. Twin of the rules in `models.likely`."""
    named = 0
    if mass > 0.0:
        ranked = np.sort(shares[ply, :count])
        total = 0.0
        for index in range(count):
            total += shares[ply, index]
        abstains = total <= 0.0 or ranked[0] == ranked[count - 1]
        reached = least = 0.0
        for place in range(count - 1, -1, -1):
            if reached >= mass * total:
                break
            reached, least = reached + ranked[place], ranked[place]
        for index in range(count):
            lists[ply, LIKELY, index] = not abstains and shares[ply, index] >= least
            named += lists[ply, LIKELY, index]
        return named
    for index in range(count):
        rank = 0
        for other in range(count):
            rank += shares[ply, other] >= shares[ply, index]
        lists[ply, LIKELY, index] = ranks[rank, count]
        named += lists[ply, LIKELY, index]
    return named


@kernel(
    f"float64(FunctionType({compiled.EXPAND}), FunctionType({compiled.TO_MOVE}), FunctionType({compiled.SCORES}),"
    f" FunctionType({compiled.LIKELIHOOD}), FunctionType({compiled.SETTLE}), uint64[:], int64, int64, int64, float64,"
    " float64, int64[::1], float64[::1], uint64[::1], float64[::1], boolean[:, ::1], int64[::1], float64[::1],"
    " float64[:, ::1], float64[::1], uint64[::1], int64[::1], float64[::1], int64[:, ::1], uint64[:, :, ::1],"
    " int64[:, :, ::1], float64[:, ::1], uint64[:, :, ::1], int64[:, :, ::1], float64[:, ::1], float64[:, ::1],"
    " float64[::1], float64[::1], int64[::1], int64[:, ::1], int64[::1])"
)
def foretold(
    expand: Any,
    to_move: Any,
    score: Any,
    likelihood: Any,
    settle: Any,
    state: NDArray[np.uint64],
    ply: int,
    limit: int,
    trying: int,
    alpha: float,
    beta: float,
    plan: Ints,
    measures: Floats,
    salts: NDArray[np.uint64],
    weights: Floats,
    ranks: Any,
    integers: Ints,
    numbers: Floats,
    path: Floats,
    scores: Floats,
    table_keys: NDArray[np.uint64],
    table_moves: Ints,
    table_values: Floats,
    history: Ints,
    below_children: NDArray[np.uint64],
    below_lists: Ints,
    below_values: Floats,
    children: NDArray[np.uint64],
    lists: Ints,
    values: Floats,
    shares: Floats,
    root_values: Floats,
    result: Floats,
    line: Ints,
    lines: Ints,
    counts: Ints,
) -> float:
    """The mover's value of a node within the window; its line goes to `lines[ply]`, the root's moves to *root_values*.

    The *plan* and the *measures* say what to do, *counts* what it took; where it gave up, the value means nothing.
    """
    mover, switches = to_move(state), plan[SWITCHES]
    seed: Any = np.uint64(plan[SEED])
    mine = mover == plan[SEARCHER]
    nearest = ply + 1 if mine else ply
    settled = not trying or nearest >= limit or nearest + 1 >= plan[DEEPEST]
    plain = settled and ply > 0
    count = 0
    if not plain:
        # 1. Make the children, and ask which of them are likely.
        everything = np.inf
        outcomes = lists[ply, OUTCOMES]
        count = expand(state, weights, everything, lists[ply, ACTIONS], children[ply], values[ply], outcomes)
        asking = not settled and not mine
        named = 0
        if asking:
            row = plan[ROW] + ply + 1
            for index in range(count):
                score(children[ply, index], scores)
                shares[ply, index] = likelihood(scores, mover, row, integers, numbers, path)
            named = mark_likely(ply, count, shares, ranks, measures[MASS], lists)
            counts[ASKED] += 1
            counts[NAMED] += named
        if asking and named == 0 and ply < plan[UNLIKELY]:  # the same as never having asked
            plain, limit = True, plan[UNLIKELY]
    if plain:
        # 2. Where nothing is left to predict, the rest is plain alpha-beta.
        taken = alpha_beta(
            expand,
            to_move,
            state,
            plan[HASHED],
            weights,
            limit - ply,
            switches,
            seed,
            salts[limit],
            ply,
            plan[DEPTH] - limit,
            alpha,
            beta,
            0.0,
            plan[NODE_LIMIT] - counts[NODES],
            table_keys,
            table_moves,
            table_values,
            history,
            below_children,
            below_lists,
            below_values,
            root_values,
            result,
            line,
        )
        if taken < 0:
            counts[GAVE_UP] = 1
            return 0.0
        counts[NODES] += taken
        for place in range(limit - ply + 1):
            lines[ply, place] = line[place]
            if line[place] < 0:
                break
        return float(result[0])
    # 3. What each child looks like, and the order in which they are tried.
    sign = 1.0 if mover == 0 else -1.0
    for index in range(count):
        value, outcome, action = values[ply, index], lists[ply, OUTCOMES, index], lists[ply, ACTIONS, index]
        if not asking:
            lists[ply, LIKELY, index] = 0
        ahead = limit if not asking else plan[DEEPEST] if lists[ply, LIKELY, index] else plan[UNLIKELY]
        if outcome or ply + 1 >= ahead:
            if switches & MATE and 0 < outcome < 3:
                value += (WIN + WIN_SOONER * (plan[DEPTH] - ply - 1)) * (1.0 if outcome == 1 else -1.0)
            if switches & NOISE:
                value += tie_noise(words_hash(children[ply, index], plan[HASHED]), seed)
        values[ply, index] = sign * value
        lists[ply, CHOSEN, index], lists[ply, HINTS, index] = index, 0
        lists[ply, SCORES, index] = history[ply, action] if switches & HISTORY else 0
    if switches & SORT:
        order(ply, count, lists, values)
    # 4. Visit them until one is too good for the other side to allow.
    best, lower = -np.inf, alpha
    lines[ply, 0] = -1
    for visited in range(count):
        index = lists[ply, CHOSEN, visited]
        action = lists[ply, ACTIONS, index]
        counts[NODES] += 1
        if counts[NODES] > plan[NODE_LIMIT]:
            counts[GAVE_UP] = 1
            return 0.0
        ahead, on = limit, trying
        if asking:
            on = lists[ply, LIKELY, index]
            ahead = plan[DEEPEST] if on else plan[UNLIKELY]
        lines[ply + 1, 0] = -1
        value = values[ply, index]
        if ply + 1 < ahead and not lists[ply, OUTCOMES, index]:
            if on:  # the model goes along
                score(children[ply, index], scores)
                likelihood(scores, mover, plan[ROW] + ply + 1, integers, numbers, path)
                settle(plan[ROW] + ply + 1, integers, numbers, path)
            floor = lower if switches & PRUNE else -np.inf
            same = to_move(children[ply, index]) == mover
            child_alpha, child_beta = (floor, beta) if same else (-beta, -floor)
            value = foretold(
                expand,
                to_move,
                score,
                likelihood,
                settle,
                children[ply, index],
                ply + 1,
                ahead,
                on,
                child_alpha,
                child_beta,
                plan,
                measures,
                salts,
                weights,
                ranks,
                integers,
                numbers,
                path,
                scores,
                table_keys,
                table_moves,
                table_values,
                history,
                below_children,
                below_lists,
                below_values,
                children,
                lists,
                values,
                shares,
                root_values,
                result,
                line,
                lines,
                counts,
            )
            if counts[GAVE_UP]:
                return 0.0
            value = value if same else -value
        if ply == 0:
            values[ply, index] = value
        if value > best:
            best = value
            lines[ply, 0] = action
            for place in range(lines.shape[1] - 1):
                lines[ply, place + 1] = lines[ply + 1, place]
                if lines[ply + 1, place] < 0:
                    break
            lower = max(lower, best - measures[MARGIN] if ply == 0 else best)
            if switches & PRUNE and lower >= beta:
                if switches & HISTORY:
                    history[ply, action] += (limit - ply) * (limit - ply)
                break
    return best
