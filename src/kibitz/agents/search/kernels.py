"""Alpha-beta as a kernel, for games that offer KERNELS. Twin of `reference.search`: same values, nodes and lines."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.agents.search.settings import WIN, WIN_SOONER
from kibitz.core.abilities import compiled
from kibitz.core.kernels import kernel

U = np.uint64
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
PRUNE, SORT, TABLE, HISTORY, MATE, NOISE = 1, 2, 4, 8, 16, 32
"""The switches of `Settings` as bits."""
ACTIONS, OUTCOMES, CHOSEN, HINTS, SCORES = range(5)
"""The indices of the search's lists. It indexes them in full: making a view of a row takes longer than using it."""


@kernel("uint64(uint64[:], int64)")
def words_hash(words: NDArray[np.uint64], count: int) -> Any:
    """64 bits of the first *count* words. Twin of `reference.words_hash`."""
    found = U(0x9E3779B97F4A7C15)
    for index in range(count):
        found = (found ^ words[index]) * U(0xBF58476D1CE4E5B9)
        found ^= found >> U(29)
    return found


@kernel("float64(uint64, uint64)")
def tie_noise(position: Any, seed: Any) -> float:
    """A number in ]-.5, .5[ that depends only on the position and the seed. Twin of `reference.tie_noise`."""
    word = position ^ seed * U(0x9E3779B97F4A7C15)
    word = (word ^ word >> U(30)) * U(0xBF58476D1CE4E5B9)
    word = (word ^ word >> U(27)) * U(0x94D049BB133111EB)
    word ^= word >> U(31)
    return (float(word >> U(12)) + 0.5) * (1.0 / 4503599627370496.0) - 0.5


@kernel("int64(int64, int64, int64[:, :, ::1], float64[:, ::1])")
def order(ply: int, count: int, lists: Any, values: Any) -> int:
    """Order the children of *ply*, best first: hint, then score, then value; ties keep their order."""
    for place in range(count):
        slot = place
        while slot > 0:
            other = lists[ply, CHOSEN, slot - 1]
            if lists[ply, HINTS, place] != lists[ply, HINTS, other]:
                before = lists[ply, HINTS, place] > lists[ply, HINTS, other]
            elif lists[ply, SCORES, place] != lists[ply, SCORES, other]:
                before = lists[ply, SCORES, place] > lists[ply, SCORES, other]
            else:
                before = values[ply, place] > values[ply, other]
            if not before:
                break
            lists[ply, CHOSEN, slot] = other
            slot -= 1
        lists[ply, CHOSEN, slot] = place
    return count


@kernel(
    f"int64(FunctionType({compiled.EXPAND}), FunctionType({compiled.TO_MOVE}), uint64[:], int64, float64[:], int64,"
    " int64, uint64, uint64, int64, int64, float64, float64, float64, int64, uint64[::1], int64[::1], float64[::1],"
    " int64[:, ::1], uint64[:, :, ::1], int64[:, :, ::1], float64[:, ::1], uint64[:, ::1], uint64[::1],"
    " float64[:, ::1], int64[:, ::1], int64[:, ::1], float64[::1], float64[::1], int64[::1])"
)
def alpha_beta(
    expand: Any,
    to_move: Any,
    root: NDArray[np.uint64],
    hashed: int,
    weights: NDArray[np.float64],
    depth: int,
    switches: int,
    seed: int,
    salt: int,
    first: int,
    sooner: int,
    alpha: float,
    beta: float,
    margin: float,
    node_limit: int,
    table_keys: NDArray[np.uint64],
    table_moves: NDArray[np.int64],
    table_values: NDArray[np.float64],
    history: NDArray[np.int64],
    children: NDArray[np.uint64],
    lists: NDArray[np.int64],
    values: NDArray[np.float64],
    states: NDArray[np.uint64],
    kept: NDArray[np.uint64],
    windows: NDArray[np.float64],
    counters: NDArray[np.int64],
    lines: NDArray[np.int64],
    root_values: NDArray[np.float64],
    result: NDArray[np.float64],
    line: NDArray[np.int64],
) -> int:
    """Search *depth* plies from *root*; return the number of nodes, or -1 if it gave up.

    *salt* marks this search's entries in the table, so that the table need not be emptied first. A search that is part
    of a larger one begins at its ply *first*, within the window from *alpha* to *beta*, and counts wins as if *sooner*
    more plies were left. *lists* holds per ply the actions, outcomes, order, hints and scores of the children; the
    arguments between *values* and *root_values* are working space. The root's actions stay in `lists[0, 0]`; their
    values go to *root_values*, the value to *result*, the line to *line* (-1 after its end).
    """
    prune, sort, use_table, use_history = switches & PRUNE, switches & SORT, switches & TABLE, switches & HISTORY
    mask = U(len(table_keys) - 1)
    alphas, betas, lowers, bests = windows[0], windows[1], windows[2], windows[3]
    counts, visited, movers = counters[0], counters[1], counters[2]
    for word in range(len(root)):
        states[0, word] = root[word]
    counts[0] = visited[0] = 0
    alphas[0], betas[0], movers[0] = alpha, beta, to_move(root)
    ply, nodes, entering, returned = 0, 0, True, 0.0
    while True:
        left = depth - ply
        answered = False
        if entering:
            entering = False
            # 1. Was this position searched to the same depth already? The root is never answered from the table.
            hint = -1
            if use_table and left > 1:
                kept[ply] = words_hash(states[ply], hashed) ^ salt
                slot = kept[ply] & mask
                if table_keys[slot] == kept[ply]:
                    packed, value = table_moves[slot], table_values[slot]
                    hint = packed >> 16
                    kind = packed & 3
                    exact = kind == EXACT or (kind == AT_LEAST and value >= betas[ply])
                    exact = exact or (kind == AT_MOST and value <= alphas[ply])
                    if ply + first and (packed >> 2) & 0x3FFF == left and exact:
                        bests[ply], answered = value, True
                        lines[ply, 0], lines[ply, 1] = hint, -1
            if not answered:
                # 2. Make the children, and order them.
                sign = 1.0 if movers[ply] == 0 else -1.0
                frontier = left == 1 and sort and ply + first > 0
                enough = betas[ply] + 0.5 if frontier and prune else np.inf  # noise takes less than .5 away
                actions, outcomes = lists[ply, ACTIONS], lists[ply, OUTCOMES]
                count = expand(states[ply], weights, enough, actions, children[ply], values[ply], outcomes)
                top = 0
                for index in range(count):
                    value, outcome = values[ply, index], lists[ply, OUTCOMES, index]
                    if outcome or left == 1:
                        if switches & MATE and 0 < outcome < 3:
                            value += (WIN + WIN_SOONER * (left - 1 + sooner)) * (1.0 if outcome == 1 else -1.0)
                        if switches & NOISE:
                            value += tie_noise(words_hash(children[ply, index], hashed), seed)
                    values[ply, index] = sign * value
                    if values[ply, index] > values[ply, top]:
                        top = index
                if frontier:  # leaves are ordered by their values: either the best one cuts, or all are visited
                    bests[ply], answered = values[ply, top], True
                    lines[ply, 0], lines[ply, 1] = lists[ply, ACTIONS, top], -1
                    nodes += 1 if prune and bests[ply] >= betas[ply] else count
                    if nodes > node_limit:
                        return -1
                else:
                    for index in range(count):
                        action = lists[ply, ACTIONS, index]
                        lists[ply, CHOSEN, index], lists[ply, HINTS, index] = index, action == hint
                        lists[ply, SCORES, index] = history[ply + first, action] if use_history else 0
                    if sort:
                        order(ply, count, lists, values)
                    counts[ply], visited[ply], bests[ply], lowers[ply] = count, 0, -np.inf, alphas[ply]
        else:
            # 3. A child has answered, or was a leaf.
            index = lists[ply, CHOSEN, visited[ply]]
            visited[ply] += 1
            if ply == 0:
                root_values[index] = returned
            if returned > bests[ply]:
                bests[ply] = returned
                lines[ply, 0] = lists[ply, ACTIONS, index]
                for place in range(depth + 1):
                    lines[ply, place + 1] = lines[ply + 1, place]
                    if lines[ply + 1, place] < 0:
                        break
                lowers[ply] = max(lowers[ply], returned - margin if ply == 0 else returned)
                if prune and lowers[ply] >= betas[ply]:
                    if use_history:
                        history[ply + first, lists[ply, ACTIONS, index]] += left * left
                    counts[ply] = visited[ply]  # too good for the other side to allow
        if not answered and visited[ply] < counts[ply]:
            # 4. Visit the next child.
            index = lists[ply, CHOSEN, visited[ply]]
            nodes += 1
            if nodes > node_limit:
                return -1
            if left == 1 or lists[ply, OUTCOMES, index]:
                returned = values[ply, index]
                lines[ply + 1, 0] = -1
            else:
                for word in range(len(root)):
                    states[ply + 1, word] = children[ply, index, word]
                movers[ply + 1] = to_move(states[ply + 1])
                same = movers[ply + 1] == movers[ply]
                lower = lowers[ply] if prune else -np.inf
                alphas[ply + 1], betas[ply + 1] = (lower, betas[ply]) if same else (-betas[ply], -lower)
                ply += 1
                entering = True
            continue
        # 5. Remember, and answer.
        if not answered and use_table and left > 1:
            slot = kept[ply] & mask
            kind = AT_LEAST if bests[ply] >= betas[ply] else AT_MOST if bests[ply] <= alphas[ply] else EXACT
            table_keys[slot], table_values[slot] = kept[ply], bests[ply]
            table_moves[slot] = lines[ply, 0] << 16 | left << 2 | kind
        if ply == 0:
            break
        returned = bests[ply] if movers[ply] == movers[ply - 1] else -bests[ply]
        ply -= 1
    result[0] = bests[0]
    for place in range(depth + 1):
        line[place] = lines[0, place]
    return nodes


@kernel(
    f"int64(FunctionType({compiled.EXPAND}), FunctionType({compiled.TO_MOVE}), uint64[:], int64, float64[:, ::1],"
    " int64, int64, uint64[::1], float64, uint64[::1], int64[::1], float64[::1], int64[:, ::1], uint64[:, :, ::1],"
    " int64[:, :, ::1], float64[:, ::1], uint64[:, ::1], uint64[::1], float64[:, ::1], int64[:, ::1], int64[:, ::1],"
    " float64[::1], float64[::1], int64[::1], float64[:, ::1], int64[::1])"
)
def alpha_beta_each(
    expand: Any,
    to_move: Any,
    root: NDArray[np.uint64],
    hashed: int,
    weights: NDArray[np.float64],
    depth: int,
    switches: int,
    salts: NDArray[np.uint64],
    margin: float,
    table_keys: NDArray[np.uint64],
    table_moves: NDArray[np.int64],
    table_values: NDArray[np.float64],
    history: NDArray[np.int64],
    children: NDArray[np.uint64],
    lists: NDArray[np.int64],
    values: NDArray[np.float64],
    states: NDArray[np.uint64],
    kept: NDArray[np.uint64],
    windows: NDArray[np.float64],
    counters: NDArray[np.int64],
    lines: NDArray[np.int64],
    root_values: NDArray[np.float64],
    result: NDArray[np.float64],
    line: NDArray[np.int64],
    found: NDArray[np.float64],
    nodes: NDArray[np.int64],
) -> int:
    """A whole search for every row of *weights*, each as `alpha_beta` does it alone: root values and nodes by row."""
    for row in range(len(weights)):
        history[:depth] = 0
        nodes[row] = alpha_beta(
            expand,
            to_move,
            root,
            hashed,
            weights[row],
            depth,
            switches,
            0,
            salts[row],
            0,
            0,
            -np.inf,
            np.inf,
            margin,
            1 << 62,
            table_keys,
            table_moves,
            table_values,
            history,
            children,
            lists,
            values,
            states,
            kept,
            windows,
            counters,
            lines,
            root_values,
            result,
            line,
        )
        found[row] = root_values
    return len(weights)
