"""Graph sets as kernels: where player 0 can be kept out for ever, where they win for certain or limit-surely."""

from typing import Any

import numpy as np

from kibitz.core.kernels import kernel
from kibitz_solve.recursive.values.kernels import (
    STRUCTURE,
    Floats,
    Int32,
    Int64,
    Marks,
    dequeue,
    enqueue,
    width_of,
)

FAR = np.int32(2**31 - 1)
"""The distance of a node from which a goal cannot be reached."""
REACH, SURE, TOGETHER = range(3)
"""What distances count: nothing, if player 0 has a chance of reaching a goal; the rounds in which they force it; or
those in which both together may come there."""


@kernel(f"int64({STRUCTURE}, int64, int32[::1])")
def reach_distance(structure: Any, node: int, distances: Int32) -> int:
    """0 if every column has a row that leads to a node with a distance, or chance may go there."""
    first, columns, successors, chance_first, chance_successors, _, _ = structure
    if node >= len(columns):
        move = node - len(columns)
        for entry in range(chance_first[move], chance_first[move + 1]):
            if distances[chance_successors[entry]] < FAR:
                return 0
        return int(FAR)
    width = width_of(columns, node)
    for column in range(width):
        has_row = False
        for entry in range(first[node] + column, first[node + 1], width):
            if distances[successors[entry]] < FAR:
                has_row = True
                break
        if not has_row:
            return int(FAR)
    return 0


@kernel(f"int64({STRUCTURE}, int64, int32[::1])")
def sure_distance(structure: Any, node: int, distances: Int32) -> int:
    """One more than the worst distance after the best row, or after chance."""
    first, columns, successors, chance_first, chance_successors, _, _ = structure
    best = 0
    if node >= len(columns):
        move = node - len(columns)
        for entry in range(chance_first[move], chance_first[move + 1]):
            best = max(best, distances[chance_successors[entry]])
    else:
        width, best = width_of(columns, node), int(FAR)
        for start in range(first[node], first[node + 1], width):
            worst = 0
            for entry in range(start, start + width):
                worst = max(worst, distances[successors[entry]])
                if worst == FAR:
                    break
            best = min(best, worst)
    return int(best + 1 if best < FAR else FAR)


@kernel(f"int64({STRUCTURE}, int64, int32[::1])")
def together_distance(structure: Any, node: int, distances: Int32) -> int:
    """One more than the least distance that any pair leads to; a chance move takes no round."""
    first, columns, successors, chance_first, chance_successors, _, _ = structure
    least = FAR
    if node >= len(columns):
        move = node - len(columns)
        for entry in range(chance_first[move], chance_first[move + 1]):
            least = min(least, distances[chance_successors[entry]])
        return int(least)
    for entry in range(first[node], first[node + 1]):
        least = min(least, distances[successors[entry]])
    return int(least + 1 if least < FAR else FAR)


@kernel(f"int64({STRUCTURE}, int32[::1], int32[::1], int32[::1], int64, int32[::1], uint8[::1], int64[::1])")
def spread_distances(
    structure: Any,
    before_first: Int32,
    before: Int32,
    distances: Int32,
    kind: int,
    queue: Int32,
    queued: Marks,
    worklist: Int64,
) -> int:
    """Lower the distances of all nodes on the worklist, and of those before them; return how often one fell.

    The list is processed in order, so the distance of a sure win is the most rounds that optimal play needs.
    """
    fell, step = 0, 1 if kind == SURE else 0  # with both together, chance takes no round
    while worklist[1] > 0:
        node = dequeue(queue, queued, worklist)
        if kind == REACH:
            distance = reach_distance(structure, node, distances)
        elif kind == SURE:
            distance = sure_distance(structure, node, distances)
        else:
            distance = together_distance(structure, node, distances)
        if distance >= distances[node]:
            continue
        distances[node] = distance
        fell += 1
        for entry in range(before_first[node], before_first[node + 1]):
            if distances[before[entry]] > distance + step:
                enqueue(queue, queued, worklist, before[entry])
    return fell


@kernel(f"int64({STRUCTURE}, int64, int64, uint8[::1])")
def row_stays(structure: Any, state: int, row: int, allowed: Marks) -> int:
    """Whether every successor of a row is allowed."""
    first, columns, successors, _, _, _, _ = structure
    width = width_of(columns, state)
    for entry in range(first[state] + row * width, first[state] + (row + 1) * width):
        if not allowed[successors[entry]]:
            return 0
    return 1


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
                for entry in range(first[state] + row * width, first[state] + (row + 1) * width):
                    rank = ranks[successors[entry]]
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
                for entry in range(first[state] + column, first[state + 1], width):
                    keeps = keeps and not positive[successors[entry]]
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
            for entry in range(first[state] + column, first[state + 1], width):
                most = max(most, high[successors[entry]])
            if most <= high[state]:
                for other in range(width):
                    column_mixes[column_at + other] = 1.0 if other == column else 0.0
                written += 1
                break
        column_at += width
    return written


@kernel(f"int64({STRUCTURE}, uint8[::1], int32[::1], int64, uint8[::1], uint8[::1], int64)")
def spread_limit_sure(
    structure: Any, allowed: Marks, ranks: Int32, round_number: int, layers: Marks, beaten: Marks, most_layers: int
) -> int:
    """Rank the allowed nodes from which play comes nearer to a ranked one, almost without risk; return how many.

    A row may be used once play stays on allowed nodes against all columns that are not *beaten*; a column is beaten
    once a row in use may lead to a node ranked before. A state gets a rank when all columns are beaten. *layers* gets
    the order of the rows: those of a later layer get shares of a smaller order, those of layer 0 none.
    """
    first, columns, _, chance_first, chance_successors, _, _ = structure
    choices, newly_ranked, row_at = len(columns), 0, 0
    for move in range(len(chance_first) - 1):
        node = choices + move
        if allowed[node] and ranks[node] < 0:
            for entry in range(chance_first[move], chance_first[move + 1]):
                if 0 <= ranks[chance_successors[entry]] < round_number:
                    ranks[node] = round_number
                    newly_ranked += 1
                    break
    for state in range(choices):
        width = width_of(columns, state)
        rows = (first[state + 1] - first[state]) // width
        if allowed[state] and ranks[state] < 0:
            for row in range(rows):
                layers[row_at + row] = 0
            for column in range(width):
                beaten[column] = 0
            left, layer = width, 0
            while left > 0 and layer < most_layers:
                layer += 1
                if use_rows(structure, state, layer, allowed, layers[row_at : row_at + rows], beaten) == 0:
                    break
                newly = beat_columns(structure, state, ranks, round_number, layers[row_at : row_at + rows], beaten)
                left -= newly
                if newly == 0:
                    break
            if left == 0:
                ranks[state] = round_number
                newly_ranked += 1
        row_at += rows
    return newly_ranked


@kernel(f"int64({STRUCTURE}, int64, int64, uint8[::1], uint8[::1], uint8[::1])")
def use_rows(structure: Any, state: int, layer: int, allowed: Marks, layers: Marks, beaten: Marks) -> int:
    """Give a layer to all rows that stay on allowed nodes against the columns not yet beaten; return how many."""
    first, columns, successors, _, _, _, _ = structure
    width, used = width_of(columns, state), 0
    for row in range(len(layers)):
        if layers[row]:
            continue
        stays = True
        for column in range(width):
            if not beaten[column] and not allowed[successors[first[state] + row * width + column]]:
                stays = False
                break
        if stays:
            layers[row] = layer
            used += 1
    return used


@kernel(f"int64({STRUCTURE}, int64, int32[::1], int64, uint8[::1], uint8[::1])")
def beat_columns(structure: Any, state: int, ranks: Int32, round_number: int, layers: Marks, beaten: Marks) -> int:
    """Mark all columns against which a row in use may lead to a node ranked before; return how many are new."""
    first, columns, successors, _, _, _, _ = structure
    width, newly = width_of(columns, state), 0
    for column in range(width):
        if beaten[column]:
            continue
        for row in range(len(layers)):
            if layers[row] and 0 <= ranks[successors[first[state] + row * width + column]] < round_number:
                beaten[column] = 1
                newly += 1
                break
    return newly


@kernel(f"int64({STRUCTURE}, uint8[::1], uint8[::1])")
def drop_risky_chance(structure: Any, goals: Marks, allowed: Marks) -> int:
    """Take the mark from chance moves that may lead to a node that is not allowed; return how many lost it."""
    _, columns, _, chance_first, chance_successors, _, _ = structure
    choices, dropped = len(columns), 0
    for move in range(len(chance_first) - 1):
        node = choices + move
        if allowed[node] and not goals[node]:
            for entry in range(chance_first[move], chance_first[move + 1]):
                if not allowed[chance_successors[entry]]:
                    allowed[node] = 0
                    dropped += 1
                    break
    return dropped


@kernel(f"int64({STRUCTURE}, float64[::1], uint8[::1], float64[::1])")
def write_layered_rows(structure: Any, steps: Floats, layers: Marks, row_mixes: Floats) -> int:
    """Write a strategy at all states of a positive step: a row of layer k gets step**(k - 1); return how many."""
    first, columns, _, _, _, _, _ = structure
    row_at = written = 0
    for state in range(len(columns)):
        rows = (first[state + 1] - first[state]) // width_of(columns, state)
        if steps[state] > 0.0:
            total = 0.0
            for row in range(row_at, row_at + rows):
                row_mixes[row] = steps[state] ** (layers[row] - 1) if layers[row] else 0.0
                total += row_mixes[row]
            for row in range(row_at, row_at + rows):
                row_mixes[row] /= total
            written += 1
        row_at += rows
    return written
