"""Graph sets as kernels: where player 0 can be kept out for ever, where they win for certain, and proofs."""

from typing import Any

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.solve.recursive.values.kernels import (
    ROUNDING,
    STRUCTURE,
    Floats,
    Int32,
    Int64,
    Marks,
    dequeue,
    enqueue,
    width_of,
)

NEVER = np.int32(-1)
"""The rank of a node from which the goal cannot be forced."""
FAR = np.int32(2**31 - 1)
"""The distance of a node from which even both players together cannot reach a goal."""


@kernel(f"int64({STRUCTURE}, int64, uint8[::1])")
def can_reach(structure: Any, node: int, inside: Marks) -> int:
    """Whether every column has a row that leads inside, or chance may go there."""
    first, columns, successors, chance_first, chance_successors, _, _ = structure
    if node >= len(columns):
        move = node - len(columns)
        for place in range(chance_first[move], chance_first[move + 1]):
            if inside[chance_successors[place]]:
                return 1
        return 0
    width = width_of(columns, node)
    for column in range(width):
        found = False
        for place in range(first[node] + column, first[node + 1], width):
            if inside[successors[place]]:
                found = True
                break
        if not found:
            return 0
    return 1


@kernel(f"int64({STRUCTURE}, int32[::1], int32[::1], uint8[::1], int32[::1], uint8[::1], int64[::1])")
def spread_reach(
    structure: Any,
    before_first: Int32,
    before: Int32,
    inside: Marks,
    queue: Int32,
    queued: Marks,
    worklist: Int64,
) -> int:
    """Mark all nodes from which player 0 has a chance of getting inside whatever player 1 does; return how many.

    The worklist holds nodes that may need a mark. From unmarked nodes player 1 can keep player 0 out for ever.
    """
    marked = 0
    while worklist[1] > 0:
        node = dequeue(queue, queued, worklist)
        if inside[node] or not can_reach(structure, node, inside):
            continue
        inside[node] = 1
        marked += 1
        for place in range(before_first[node], before_first[node + 1]):
            if not inside[before[place]]:
                enqueue(queue, queued, worklist, before[place])
    return marked


@kernel(f"int64({STRUCTURE}, int64, int32[::1])")
def sure_rank(structure: Any, node: int, ranks: Int32) -> int:
    """One more than the worst rank after the best row, or NEVER if every row may lead to a node without a rank."""
    first, columns, successors, chance_first, chance_successors, _, _ = structure
    if node >= len(columns):
        move, worst = node - len(columns), 0
        for place in range(chance_first[move], chance_first[move + 1]):
            rank = ranks[chance_successors[place]]
            if rank < 0:
                return -1
            worst = max(worst, rank)
        return worst + 1
    width, best = width_of(columns, node), -1
    for start in range(first[node], first[node + 1], width):
        worst = 0
        for place in range(start, start + width):
            rank = ranks[successors[place]]
            if rank < 0:
                worst = -1
                break
            worst = max(worst, rank)
        if worst >= 0 and (best < 0 or worst + 1 < best):
            best = worst + 1
    return best


@kernel(f"int64({STRUCTURE}, int32[::1], int32[::1], int32[::1], int32[::1], uint8[::1], int64[::1])")
def spread_sure(
    structure: Any,
    before_first: Int32,
    before: Int32,
    ranks: Int32,
    queue: Int32,
    queued: Marks,
    worklist: Int64,
) -> int:
    """Rank all nodes from which pure rows lead to a ranked node for certain; return how many.

    The list is processed in order, so a rank is the most rounds that optimal play needs.
    """
    ranked = 0
    while worklist[1] > 0:
        node = dequeue(queue, queued, worklist)
        if ranks[node] >= 0:
            continue
        rank = sure_rank(structure, node, ranks)
        if rank < 0:
            continue
        ranks[node] = rank
        ranked += 1
        for place in range(before_first[node], before_first[node + 1]):
            if ranks[before[place]] < 0:
                enqueue(queue, queued, worklist, before[place])
    return ranked


@kernel(f"int64({STRUCTURE}, uint8[::1], int32[::1], int64)")
def spread_almost(structure: Any, allowed: Marks, ranks: Int32, round_number: int) -> int:
    """Rank the allowed nodes that reach a ranked one with some probability in one round; return how many.

    Only rows after which play stays on allowed nodes, whatever player 1 does, count; against every column one of them
    must lead to a node ranked before.
    """
    first, columns, successors, chance_first, chance_successors, _, _ = structure
    choices, found = len(columns), 0
    for node in range(choices + len(chance_first) - 1):
        if not allowed[node] or ranks[node] >= 0:
            continue
        good = True
        if node >= choices:
            near = False
            for place in range(chance_first[node - choices], chance_first[node - choices + 1]):
                after = chance_successors[place]
                good = good and allowed[after] != 0
                near = near or (0 <= ranks[after] < round_number)
            good = good and near
        else:
            width = width_of(columns, node)
            for column in range(width):
                near = False
                for row in range((first[node + 1] - first[node]) // width):
                    after = successors[first[node] + row * width + column]
                    if 0 <= ranks[after] < round_number and row_stays(structure, node, row, allowed):
                        near = True
                        break
                if not near:
                    good = False
                    break
        if good:
            ranks[node] = round_number
            found += 1
    return found


@kernel(f"int64({STRUCTURE}, int64, int64, uint8[::1])")
def row_stays(structure: Any, state: int, row: int, allowed: Marks) -> int:
    """Whether every successor of a row is allowed."""
    first, columns, successors, _, _, _, _ = structure
    width = width_of(columns, state)
    for place in range(first[state] + row * width, first[state] + (row + 1) * width):
        if not allowed[successors[place]]:
            return 0
    return 1


@kernel(f"int64({STRUCTURE}, int64, int32[::1])")
def together_distance(structure: Any, node: int, distances: Int32) -> int:
    """One more than the least distance that any pair leads to; a chance move takes no round."""
    first, columns, successors, chance_first, chance_successors, _, _ = structure
    least = FAR
    if node >= len(columns):
        move = node - len(columns)
        for place in range(chance_first[move], chance_first[move + 1]):
            least = min(least, distances[chance_successors[place]])
        return int(least)
    for place in range(first[node], first[node + 1]):
        least = min(least, distances[successors[place]])
    return int(least + 1 if least < FAR else FAR)


@kernel(f"int64({STRUCTURE}, int32[::1], int32[::1], int32[::1], int32[::1], uint8[::1], int64[::1])")
def spread_distances(
    structure: Any,
    before_first: Int32,
    before: Int32,
    distances: Int32,
    queue: Int32,
    queued: Marks,
    worklist: Int64,
) -> int:
    """Lower the distances of all nodes to the rounds to a goal when both go there; return how often one fell."""
    fell = 0
    while worklist[1] > 0:
        node = dequeue(queue, queued, worklist)
        distance = together_distance(structure, node, distances)
        if distance >= distances[node]:
            continue
        distances[node] = distance
        fell += 1
        for place in range(before_first[node], before_first[node + 1]):
            if distances[before[place]] > distance:
                enqueue(queue, queued, worklist, before[place])
    return fell


@kernel(f"int64({STRUCTURE}, int32[::1], uint8[::1], float64[::1])")
def write_ranked_rows(structure: Any, ranks: Int32, allowed: Marks, row_mixes: Floats) -> int:
    """Write player 0's strategy for ranked nodes: the row that leads to lower ranks, else all rows that stay."""
    first, columns, successors, _, _, _, _ = structure
    row_at = written = 0
    for state in range(len(columns)):
        width = width_of(columns, state)
        rows = (first[state + 1] - first[state]) // width
        if ranks[state] > 0:
            written += 1
            sure, staying = -1, 0
            for row in range(rows):
                lower = True
                for place in range(first[state] + row * width, first[state] + (row + 1) * width):
                    rank = ranks[successors[place]]
                    lower = lower and 0 <= rank < ranks[state]
                if lower:
                    sure = row
                    break
                staying += row_stays(structure, state, row, allowed)
            for row in range(rows):
                if sure >= 0:
                    row_mixes[row_at + row] = 1.0 if row == sure else 0.0
                else:
                    row_mixes[row_at + row] = row_stays(structure, state, row, allowed) / staying
        row_at += rows
    return written


@kernel(f"int64({STRUCTURE}, uint8[::1], float64[::1])")
def write_keeping_columns(structure: Any, positive: Marks, column_mixes: Floats) -> int:
    """Write player 1's strategy where they can keep player 0 out for ever: the first column that does."""
    first, columns, successors, _, _, _, _ = structure
    column_at = written = 0
    for state in range(len(columns)):
        width = width_of(columns, state)
        if not positive[state]:
            written += 1
            for column in range(width):
                column_mixes[column_at + column] = 0.0
            for column in range(width):
                keeps = True
                for place in range(first[state] + column, first[state + 1], width):
                    keeps = keeps and not positive[successors[place]]
                if keeps:
                    column_mixes[column_at + column] = 1.0
                    break
        column_at += width
    return written


@kernel(f"int64({STRUCTURE}, float64[::1], float64[::1])")
def write_pure_columns(structure: Any, high: Floats, column_mixes: Floats) -> int:
    """Write a single column wherever one concedes no more than the upper bound; return in how many states.

    In a game with cycles, the small shares that rounding leaves on other columns could add up.
    """
    first, columns, successors, _, _, _, _ = structure
    column_at = written = 0
    for state in range(len(columns)):
        width = width_of(columns, state)
        for column in range(width):
            most = -np.inf
            for place in range(first[state] + column, first[state + 1], width):
                most = max(most, high[successors[place]])
            if most <= high[state]:
                for other in range(width):
                    column_mixes[column_at + other] = 1.0 if other == column else 0.0
                written += 1
                break
        column_at += width
    return written


@kernel(f"int64({STRUCTURE}, float64[::1], float64[::1], int64, uint8[::1], uint8[::1])")
def find_unproved(structure: Any, values: Floats, mixes: Floats, player: int, skipped: Marks, failed: Marks) -> int:
    """Mark the states where a strategy does not prove its value; return how many.

    The proof requires that, against every response, the value does not fall on average in one round, and rises where it
    is above 0 (both seen from *player*): then play cannot stay for ever where it is above 0. A margin covers rounding.
    """
    first, columns, successors, _, _, _, stage = structure
    sign = 1.0 if player == 0 else -1.0
    at = found = 0
    for state in range(len(columns)):
        width = width_of(columns, state)
        rows = (first[state + 1] - first[state]) // width
        own, answers = (rows, width) if player == 0 else (width, rows)
        failed[state] = 0
        if not skipped[state]:
            for answer in range(answers):
                total = size = least = 0.0
                for action in range(own):
                    place = first[state] + (action * width + answer if player == 0 else answer * width + action)
                    change = values[successors[place]] - values[state]
                    spread = abs(change)
                    if len(stage) > 0:
                        change += stage[place]
                        spread += abs(stage[place])
                    part = mixes[at + action] * sign * change
                    total += part
                    size += mixes[at + action] * spread
                    least = min(least, part)
                if least < 0.0:
                    total -= (own + 4) * ROUNDING * size
                if total < 0.0 or (total == 0.0 and sign * values[state] > 0.0):
                    failed[state] = 1
                    found += 1
                    break
        at += own
    return found
