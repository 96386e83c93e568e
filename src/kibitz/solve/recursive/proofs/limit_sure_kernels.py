"""Limit-sure sets as kernels: where a goal is reached with a probability as near to 1 as one likes."""

from typing import Any

from kibitz.core.kernels import kernel
from kibitz.solve.recursive.values.kernels import STRUCTURE, Floats, Int32, Marks, width_of


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
    choices, found, row_at = len(columns), 0, 0
    for move in range(len(chance_first) - 1):
        node = choices + move
        if allowed[node] and ranks[node] < 0:
            for place in range(chance_first[move], chance_first[move + 1]):
                if 0 <= ranks[chance_successors[place]] < round_number:
                    ranks[node] = round_number
                    found += 1
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
                found += 1
        row_at += rows
    return found


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
            for place in range(chance_first[move], chance_first[move + 1]):
                if not allowed[chance_successors[place]]:
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
