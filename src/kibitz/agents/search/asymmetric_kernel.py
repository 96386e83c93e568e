"""The asymmetric search as a kernel, for models that offer their likelihood as one. Twin of `AsymmetricSearch`."""

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
from kibitz.core.abilities import compiled
from kibitz.core.kernels import kernel
from kibitz.models.likely import ROUNDING

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LIKELY = 5
"""The index in the lists of which children are likely, after those that `kernels` uses."""
DEPTH, DEEPEST, UNLIKELY, SEARCHER, SWITCHES, HASHED, ROW, NODE_LIMIT, SEED = range(9)
"""The entries of a search's plan."""
NODES, ASKED, NAMED, GAVE_UP = range(4)
"""The entries of a search's counters."""
MARGIN, MASS = range(2)
"""The entries of a search's measures; with a mass of 0, the table of ranks says which children are likely."""


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
            if reached >= mass * total * (1.0 - ROUNDING):
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
    f" FunctionType({compiled.LIKELIHOODS}), FunctionType({compiled.SETTLE}), uint64[:], int64[::1], float64[::1],"
    " uint64[::1], float64[::1], boolean[:, ::1], int64[::1], float64[::1], float64[:, ::1], uint64[::1], int64[::1],"
    " float64[::1], int64[:, ::1], uint64[:, :, ::1], int64[:, :, ::1], float64[:, ::1], uint64[:, ::1], uint64[::1],"
    " float64[:, ::1], int64[:, ::1], int64[:, ::1], uint64[:, :, ::1], int64[:, :, ::1], float64[:, ::1],"
    " float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], int64[::1], int64[:, ::1], int64[::1])"
)
def asymmetric(
    expand: Any,
    to_move: Any,
    score: Any,
    likelihoods: Any,
    settle: Any,
    root: NDArray[np.uint64],
    plan: Ints,
    measures: Floats,
    salts: NDArray[np.uint64],
    weights: Floats,
    ranks: Any,
    integers: Ints,
    numbers: Floats,
    path: Floats,
    table_keys: NDArray[np.uint64],
    table_moves: Ints,
    table_values: Floats,
    history: Ints,
    below_children: NDArray[np.uint64],
    below_lists: Ints,
    below_values: Floats,
    below_states: NDArray[np.uint64],
    below_kept: NDArray[np.uint64],
    below_windows: Floats,
    below_counters: Ints,
    below_lines: Ints,
    children: NDArray[np.uint64],
    lists: Ints,
    values: Floats,
    shares: Floats,
    scores: Floats,
    root_values: Floats,
    result: Floats,
    line: Ints,
    lines: Ints,
    counted: Ints,
) -> float:
    """Search an asymmetric tree; return the root's value. The root's moves and their values stay in the buffers.

    The *plan* and the *measures* say what to do; *counted* says what it took and whether it gave up. The buffers called
    below are those of `alpha_beta`, which searches settled subtrees; lines end with -1.
    """
    # Not recursive: a recursive kernel that passes other kernels on breaks when it is loaded from the disk cache.
    plies = len(lines) - 1
    switches, searcher, row, depth = plan[SWITCHES], plan[SEARCHER], plan[ROW], plan[DEPTH]
    seed: Any = np.uint64(plan[SEED])
    states = np.empty((plies, len(root)), np.uint64)
    states[0] = root
    alphas, betas, lowers, bests = np.empty(plies), np.empty(plies), np.empty(plies), np.empty(plies)
    counts, visited = np.zeros(plies, np.int64), np.zeros(plies, np.int64)
    movers, limits = np.empty(plies, np.int64), np.empty(plies, np.int64)
    trying, asking = np.zeros(plies, np.bool_), np.zeros(plies, np.bool_)
    alphas[0], betas[0], movers[0], limits[0], trying[0] = -np.inf, np.inf, to_move(root), depth, True
    ply, entering, returned = 0, True, 0.0
    while True:
        answered = False
        if entering:
            entering = False
            limit = limits[ply]
            nearest = ply + 1 if movers[ply] == searcher else ply
            settled = not trying[ply] or nearest >= limit or nearest + 1 >= plan[DEEPEST]
            plain = settled and ply > 0
            if not plain:
                # 1. Make the children, and ask which of them are likely.
                actions, outcomes = lists[ply, ACTIONS], lists[ply, OUTCOMES]
                count = expand(states[ply], weights, np.inf, actions, children[ply], values[ply], outcomes)
                asking[ply] = not settled and movers[ply] != searcher
                if asking[ply]:
                    for index in range(count):
                        score(children[ply, index], scores[index])
                    likelihoods(scores, count, movers[ply], row + ply + 1, integers, numbers, path, shares[ply])
                    named = mark_likely(ply, count, shares, ranks, measures[MASS], lists)
                    counted[ASKED] += 1
                    counted[NAMED] += named
                    if named == 0 and ply < plan[UNLIKELY]:  # the same as without a prediction
                        plain, limit = True, plan[UNLIKELY]
            if plain:
                # 2. Where no prediction can matter any more, the rest is plain alpha-beta.
                taken = alpha_beta(
                    expand,
                    to_move,
                    states[ply],
                    plan[HASHED],
                    weights,
                    limit - ply,
                    switches,
                    seed,
                    salts[limit],
                    ply,
                    depth - limit,
                    alphas[ply],
                    betas[ply],
                    0.0,
                    plan[NODE_LIMIT] - counted[NODES],
                    table_keys,
                    table_moves,
                    table_values,
                    history,
                    below_children,
                    below_lists,
                    below_values,
                    below_states,
                    below_kept,
                    below_windows,
                    below_counters,
                    below_lines,
                    root_values,
                    result,
                    line,
                )
                if taken < 0:
                    counted[GAVE_UP] = 1
                    return 0.0
                counted[NODES] += taken
                bests[ply], answered = result[0], True
                for place in range(limit - ply + 1):
                    lines[ply, place] = line[place]
                    if line[place] < 0:
                        break
            else:
                # 3. Evaluate the children, and order them.
                sign = 1.0 if movers[ply] == 0 else -1.0
                for index in range(count):
                    value, outcome = values[ply, index], lists[ply, OUTCOMES, index]
                    ahead = limit
                    if asking[ply]:
                        ahead = plan[DEEPEST] if lists[ply, LIKELY, index] else plan[UNLIKELY]
                    if outcome or ply + 1 >= ahead:
                        if switches & MATE and 0 < outcome < 3:
                            value += (WIN + WIN_SOONER * (depth - ply - 1)) * (1.0 if outcome == 1 else -1.0)
                        if switches & NOISE:
                            value += tie_noise(words_hash(children[ply, index], plan[HASHED]), seed)
                    values[ply, index] = sign * value
                    lists[ply, CHOSEN, index], lists[ply, HINTS, index] = index, 0
                    action = lists[ply, ACTIONS, index]
                    lists[ply, SCORES, index] = history[ply, action] if switches & HISTORY else 0
                if switches & SORT:
                    order(ply, count, lists, values)
                counts[ply], visited[ply], bests[ply], lowers[ply] = count, 0, -np.inf, alphas[ply]
        else:
            # 4. A child has answered, or was a leaf.
            index = lists[ply, CHOSEN, visited[ply]]
            visited[ply] += 1
            if ply == 0:
                values[ply, index] = returned
            if returned > bests[ply]:
                bests[ply] = returned
                lines[ply, 0] = lists[ply, ACTIONS, index]
                for place in range(plies):
                    lines[ply, place + 1] = lines[ply + 1, place]
                    if lines[ply + 1, place] < 0:
                        break
                lowers[ply] = max(lowers[ply], returned - measures[MARGIN] if ply == 0 else returned)
                if switches & PRUNE and lowers[ply] >= betas[ply]:
                    if switches & HISTORY:
                        left = limits[ply] - ply
                        history[ply, lists[ply, ACTIONS, index]] += left * left
                    counts[ply] = visited[ply]  # too good for the other side to allow
        if not answered and visited[ply] < counts[ply]:
            # 5. Visit the next child, and step the model along if it may be asked again.
            index = lists[ply, CHOSEN, visited[ply]]
            counted[NODES] += 1
            if counted[NODES] > plan[NODE_LIMIT]:
                counted[GAVE_UP] = 1
                return 0.0
            ahead, goes_on = limits[ply], trying[ply]
            if asking[ply]:
                goes_on = lists[ply, LIKELY, index] != 0
                ahead = plan[DEEPEST] if goes_on else plan[UNLIKELY]
            if ply + 1 >= ahead or lists[ply, OUTCOMES, index]:
                returned = values[ply, index]
                lines[ply + 1, 0] = -1
                continue
            for word in range(len(root)):
                states[ply + 1, word] = children[ply, index, word]
            if goes_on and ply + 2 < plan[DEEPEST]:
                score(children[ply, index], scores[0])
                settle(scores[0], movers[ply], row + ply + 1, integers, numbers, path)
            movers[ply + 1], limits[ply + 1], trying[ply + 1] = to_move(states[ply + 1]), ahead, goes_on
            lower = lowers[ply] if switches & PRUNE else -np.inf
            same = movers[ply + 1] == movers[ply]
            alphas[ply + 1], betas[ply + 1] = (lower, betas[ply]) if same else (-betas[ply], -lower)
            ply += 1
            entering = True
            continue
        # 6. Answer.
        if ply == 0:
            break
        returned = bests[ply] if movers[ply] == movers[ply - 1] else -bests[ply]
        ply -= 1
    return float(bests[0])
