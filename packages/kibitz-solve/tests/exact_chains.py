"""Recursive games judged by brute force in rational numbers: every stationary answer to a strategy, one by one."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from kibitz_solve import RecursiveGame

Mixes = Sequence[Sequence[Fraction]]


def worst_of_all_answers(game: RecursiveGame, shares: np.ndarray, player: int) -> list[Fraction]:
    """What a strategy is worth at every live node against the best pure stationary answer."""
    held = mixes_of(game, shares, player)
    starts = game.mix_starts(1 - player)
    options = [range(count) for count in np.diff(starts)]
    found = []
    for answer in product(*options):
        pure = [
            [Fraction(int(each == action)) for each in option] for option, action in zip(options, answer, strict=True)
        ]
        found.append(chain_values(game, *((held, pure) if player == 0 else (pure, held))))
    best = min if player == 0 else max
    return [best(values) for values in zip(*found, strict=True)]


def mixes_of(game: RecursiveGame, shares: np.ndarray, player: int) -> Mixes:
    starts = game.mix_starts(player)
    return [normalised(shares[starts[state] : starts[state + 1]]) for state in range(game.choices)]


def normalised(shares: np.ndarray) -> list[Fraction]:
    exact = [Fraction(float(share)) for share in shares]
    return [share / sum(exact) for share in exact]


def chain_values(game: RecursiveGame, rows: Mixes, columns: Mixes) -> list[Fraction]:
    """What both strategies earn on average; play that never ends earns 0."""
    live, ways = game.live, [ways_from(game, node, rows, columns) for node in range(game.live)]
    ending = set(range(live, game.nodes))
    while more := {node for node in range(live) if node not in ending and ending & set(ways[node])}:
        ending |= more
    active = [node for node in range(live) if node in ending]
    equations = [
        [Fraction(int(node == other)) - ways[node].get(other, 0) for other in active]
        + [sum((odds * payoff(game, end) for end, odds in ways[node].items() if end >= live), Fraction(0))]
        for node in active
    ]
    solved = dict(zip(active, solution(equations), strict=True))
    return [solved.get(node, Fraction(0)) for node in range(live)]


def ways_from(game: RecursiveGame, node: int, rows: Mixes, columns: Mixes) -> dict[int, Fraction]:
    structure, ways = game.structure, {}
    if node >= game.choices:
        first, last = structure.chance_first[node - game.choices : node - game.choices + 2]
        after, odds = structure.chance_successors[first:last], normalised(structure.chance_odds[first:last])
    else:
        first, last = structure.first[node : node + 2]
        after = structure.successors[first:last]
        odds = [row * column for row in rows[node] for column in columns[node]]
    for successor, chance in zip(after, odds, strict=True):
        if chance:
            ways[int(successor)] = ways.get(int(successor), Fraction(0)) + chance
    return ways


def payoff(game: RecursiveGame, end: int) -> Fraction:
    return Fraction(float(game.low[end - game.live]))


def solution(equations: list[list[Fraction]]) -> list[Fraction]:
    """Gauss and Jordan's elimination."""
    for place in range(len(equations)):
        pivot = next(row for row in range(place, len(equations)) if equations[row][place])
        equations[place], equations[pivot] = equations[pivot], equations[place]
        equations[place] = [entry / equations[place][place] for entry in equations[place]]
        for row, entries in enumerate(equations):
            if row != place and entries[place]:
                factor = entries[place]
                equations[row] = [one - factor * other for one, other in zip(entries, equations[place], strict=True)]
    return [row[-1] for row in equations]
