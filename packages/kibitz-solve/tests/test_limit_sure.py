"""Limit-sure sets against a second reading of their definition, and intervals that close on games of every sign."""

import numpy as np
from games_by_hand import guan, purgatory, random_game
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz_solve import RecursiveGame, best_response, mirror_game
from kibitz_solve.recursive.proofs.graph import LimitSure, limit_sure

seeds = st.integers(0, 10_000)


def goals_of(game: RecursiveGame) -> np.ndarray:
    goals = np.zeros(game.nodes, np.uint8)
    goals[game.live :] = game.low == game.low.max()
    return goals


def by_definition(game: RecursiveGame) -> set[int]:
    """The greatest set of which every state can be ranked: sets of Python, and layers counted from the goal anew."""
    goals = set(np.flatnonzero(goals_of(game)).tolist())
    structure = game.structure

    def after(move: int) -> set[int]:
        first, last = structure.chance_first[move : move + 2]
        return set(structure.chance_successors[first:last].tolist())

    inside = set(range(game.live)) | goals
    while True:
        near = set(goals)
        grown = True
        while grown:
            grown = False
            for node in sorted(inside - near):
                if node >= game.choices:
                    passes = after(node - game.choices) <= inside and after(node - game.choices) & near
                else:
                    rows, columns = game.shape(node)
                    entries = structure.successors[structure.first[node] : structure.first[node + 1]]
                    passes = beats_all(entries.reshape(rows, columns).tolist(), inside, near)
                if passes:
                    near.add(node)
                    grown = True
        if near == inside:
            return inside
        inside = near


def beats_all(matrix: list[list[int]], inside: set[int], near: set[int]) -> bool:
    left = set(range(len(matrix[0])))
    while left:
        used = [row for row in matrix if all(row[column] in inside for column in left)]
        beaten = {column for column in left if any(row[column] in near for row in used)}
        if not beaten:
            return False
        left -= beaten
    return True


@settings(max_examples=60)
@given(seeds, st.sampled_from([0.0, 0.4]))
def test_limit_sure_sets_are_those_of_the_definition(seed: int, chance: float) -> None:
    game = random_game(np.random.default_rng(seed), (0.0, 1.0, 1.0), chance, states=5)
    for each in (game, mirror_game(game)):
        assert set(np.flatnonzero(limit_sure(each, goals_of(each)).marks).tolist()) == by_definition(each)


def test_layered_strategies_come_as_near_to_the_goal_as_wanted() -> None:
    for game in (guan(), guan(-1.0), purgatory(2)):
        found: LimitSure = limit_sure(game, goals_of(game))
        assert found.marks[: game.choices].all()
        reached = []
        for step in (1e-1, 1e-2, 1e-3):
            rows = np.zeros(game.mix_starts(0)[-1])
            found.write_rows(game, step, rows)
            reached.append(float(best_response(game, rows, 0).guaranteed[: game.choices].min()))
        assert reached == sorted(reached)
        assert reached[-1] > 0.99
