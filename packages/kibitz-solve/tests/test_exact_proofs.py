"""Every bound comes with the strategy that proves it: judged in rational numbers, on random games of every sign."""

import numpy as np
import pytest
from exact_proofs import unproved_states
from games_by_hand import SIGNS, guan, purgatory, random_game

from kibitz_solve import RecursiveGame, solve

MORE_SIGNS = (*SIGNS, (-1.0, 1.0, -0.4), (1.0, -0.3))


def small_game(seed: int) -> RecursiveGame:
    rng = np.random.default_rng(seed)
    chance = (0.0, 0.3)[seed // len(MORE_SIGNS) % 2]
    return random_game(rng, MORE_SIGNS[seed % len(MORE_SIGNS)], chance, states=int(rng.integers(1, 6)))


def wide_games(seeds: range) -> list[int]:
    """The games with an interval wider than a millionth; fails where a bound is not proved."""
    wide = []
    for seed in seeds:
        solution = solve(small_game(seed), seconds=20.0)
        for player in (0, 1):
            assert unproved_states(solution, player) == [], (seed, player)
        wide += [seed] if solution.width > 1e-6 else []
    return wide


@pytest.mark.long
def test_bounds_of_small_games_are_proved_and_close() -> None:
    assert wide_games(range(1010, 1040)) == []


def test_a_bound_beyond_the_proof_is_noticed() -> None:
    solution = solve(small_game(1018))
    for player, bound in enumerate((solution.low, solution.high)):
        node = int(np.argmin(np.abs(bound[: solution.game.choices])))
        bound[node] += (1e-9, -1e-9)[player]
        assert node in unproved_states(solution, player)


@pytest.mark.long
def test_limit_sure_sets_are_proved_by_ranks_and_layers() -> None:
    for game in (guan(), guan(-1.0), purgatory(3)):
        solution = solve(game)
        assert unproved_states(solution, 0) == []
        sure = solution.limit_sure[0]
        assert sure is not None
        sure.layers[:] = 1  # all rows at once: the risky one is no longer rare
        assert unproved_states(solution, 0)
