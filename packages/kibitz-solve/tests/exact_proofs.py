"""Bounds judged in rational numbers, state by state: does the strategy beside a bound prove it?

For player 0, a lower bound holds if, against every column, it does not fall on average in one round, and play cannot
stay for ever where it is above 0. Bounds with more digits than a double are also proved by their matrices alone, whose
values are above them. Limit-sure sets are judged by their ranks and layers alone.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kibitz_lab.equilibria.matrices import solve_exactly
from kibitz_solve import Solution, mirror_game

Way = tuple[Fraction, list[int]]
"""What a choice of the opponent changes on average, and where it may lead."""


def unproved_states(solution: Solution, player: int) -> list[int]:
    """The nodes whose bound is not proved by the player's strategy; all of them if play could last for ever."""
    game = solution.game if player == 0 else mirror_game(solution.game)
    sign = 1 - 2 * player
    bound = [sign * Fraction(float(number)) for number in (solution.low, solution.high)[player]]
    for node, rest in solution.rests[player].items():
        bound[node] += sign * sum(Fraction(each) for each in rest)
    shares, sure = solution.policy(player).shares, solution.limit_sure[player]
    ranks = np.full(game.nodes, -1) if sure is None else sure.ranks
    top = max(game.low.max(initial=0.0), 0.0)
    failed = [] if sure is None else [node for node in range(game.live) if not is_ranked(game, sure, node)]
    failed += [node for node in range(game.live) if ranks[node] >= 0 and bound[node] > top]
    ways = {node: list(ways_from(game, bound, shares, node)) for node in range(game.live) if ranks[node] < 0}
    for node in solution.rests[player].keys() & ways.keys() & set(range(game.choices)):
        if rises(game, bound, node):
            ways[node] = [(Fraction(1), list(range(game.nodes)))]
    failed += [node for node, listed in ways.items() if any(change < 0 for change, _ in listed)]
    return failed + endless(ways, {node for node in ways if bound[node] > 0.0})


def rises(game, bound, node: int) -> bool:
    """Whether the value of a state's matrix is above its bound."""
    rows, columns = game.shape(node)
    entries = game.structure.successors[game.structure.first[node] : game.structure.first[node + 1]]
    matrix = [[bound[after] for after in row] for row in entries.reshape(rows, columns)]
    return solve_exactly(matrix)[0] > bound[node]


def ways_from(game, bound, shares, node: int) -> Iterator[Way]:
    structure = game.structure
    if node >= game.choices:
        first, last = structure.chance_first[node - game.choices : node - game.choices + 2]
        yield change(bound, node, structure.chance_odds[first:last], structure.chance_successors[first:last])
        return
    (rows, columns), (start, end) = game.shape(node), game.mix_starts(0)[node : node + 2]
    entries = structure.successors[structure.first[node] : structure.first[node + 1]].reshape(rows, columns)
    for column in range(columns):
        yield change(bound, node, shares[start:end], entries[:, column])


def change(bound, node: int, odds, after) -> Way:
    exact = [(Fraction(float(each)), int(where)) for each, where in zip(odds, after, strict=True) if each > 0.0]
    here = bound[node]
    return sum((each * (bound[where] - here) for each, where in exact), Fraction(0)), [where for _, where in exact]


def endless(ways: dict[int, list[Way]], inside: set[int]) -> list[int]:
    """The nodes where the opponent can keep play for ever without a change of the bound."""
    while True:
        kept = {
            node for node in inside if any(change == 0 and inside.issuperset(after) for change, after in ways[node])
        }
        if kept == inside:
            return sorted(inside)
        inside = kept


def is_ranked(game, sure, node: int) -> bool:
    """Whether play comes nearer to the goal from a node of the set, almost without risk."""
    rank, inside = sure.ranks[node], sure.ranks >= 0
    if rank < 0:
        return True
    structure = game.structure
    if node >= game.choices:
        first, last = structure.chance_first[node - game.choices : node - game.choices + 2]
        after = structure.chance_successors[first:last]
        return bool(inside[after].all() and (sure.ranks[after] < rank).any())
    (rows, columns), (start, end) = game.shape(node), game.mix_starts(0)[node : node + 2]
    entries = structure.successors[structure.first[node] : structure.first[node + 1]].reshape(rows, columns)
    layers, left = sure.layers[start:end], set(range(columns))
    nearer = inside & (sure.ranks < rank)
    for layer in range(1, int(layers.max(initial=0)) + 1):
        if not all(inside[entries[row, column]] for row in np.flatnonzero(layers == layer) for column in left):
            return False
        used = entries[(layers > 0) & (layers <= layer)]
        left -= {column for column in left if nearer[used[:, column]].any()}
    return not left
