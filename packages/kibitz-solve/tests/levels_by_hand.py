"""Lowered expectations as their definition says, with sets, one state at a time."""

from kibitz_solve import RecursiveGame

Nodes = set[int]


def outcomes(game: RecursiveGame, node: int) -> Nodes:
    """Where chance may lead."""
    first, last = game.structure.chance_first[node - game.choices : node - game.choices + 2]
    return {int(after) for after in game.structure.chance_successors[first:last]}


def matrix(game: RecursiveGame, node: int) -> list[list[int]]:
    """Where every pair of actions leads, row by row."""
    rows, columns = game.shape(node)
    first = game.structure.first[node]
    return [
        [int(game.structure.successors[first + row * columns + column]) for column in range(columns)]
        for row in range(rows)
    ]


def forced(game: RecursiveGame, goals: Nodes) -> Nodes:
    """All nodes from which player 0 has a chance of getting to a goal, whatever player 1 does."""
    inside = set(goals)
    while True:
        more = {node for node in range(game.live) if node not in inside and has_chance(game, node, inside)}
        if not more:
            return inside
        inside |= more


def has_chance(game: RecursiveGame, node: int, inside: Nodes) -> bool:
    if node >= game.choices:
        return bool(outcomes(game, node) & inside)
    return all(set(column) & inside for column in zip(*matrix(game, node), strict=True))


def next_to(game: RecursiveGame, inside: Nodes) -> Nodes:
    """The states outside from which some pair of actions leads inside."""
    outside = (node for node in range(game.choices) if node not in inside)
    return {node for node in outside if any(set(row) & inside for row in matrix(game, node))}


def levels(game: RecursiveGame) -> dict[int, int]:
    """The level of every state with a choice that is on one."""
    covered = forced(game, {game.live + place for place, payoff in enumerate(game.high) if payoff > 0.0})
    found, level = dict.fromkeys(covered, 0), 0
    while True:
        brink = next_to(game, covered)
        if not brink:
            return {node: level for node, level in found.items() if node < game.choices}
        level += 1
        more = forced(game, covered | brink) - covered
        found |= dict.fromkeys(more, level)
        covered |= more


def rounds_together(game: RecursiveGame) -> dict[int, int]:
    """How many rounds every node is from level 0 if both go there."""
    near = forced(game, {game.live + place for place, payoff in enumerate(game.high) if payoff > 0.0})
    found, rounds = dict.fromkeys(near, 0), 0
    while near:
        rounds += 1
        near = {
            node
            for node in range(game.choices)
            if node not in found and any(set(row) & set(found) for row in matrix(game, node))
        }
        found |= dict.fromkeys(near, rounds)
        while more := {n for n in range(game.choices, game.live) if n not in found and outcomes(game, n) & set(found)}:
            found |= dict.fromkeys(more, rounds)
    return found
