"""What these games say of positions is never wrong: held against certified values, state by state."""

import numpy as np
import pytest

from kibitz import make_game
from kibitz_solve import best_response, build_game, heuristics_of, solve

GAMES = (
    "matrix",
    "macwiggins",
    "guan(payoffs=signed)",
    "right-turn",
    "chauffeur(radius=8)",
    "bear-brawl(radius=3)",
    "bear-brawl(endless=-1.0, radius=3, payoffs=signed)",
    "bear-brawl(radius=2, bears=2, hero_hp=2, bear_hp=1)",
    "bear-brawl(radius=2, heroes=2, powder=[[1], [-1]], hero_hp=2, bear_hp=1)",
    "purgatory(levels=2, payoffs=signed)",
    "big-match",
    "rps(wins=2, rounds=4)",
    "rps(goal=tie, rounds=3)",
    "rps(goal=points, rounds=3)",
    "inspection",
    "goofspiel(cards=3, head_start=1, order=descending)",
    "goofspiel(points=winner, head_start=1, cards=3)",
    "oshi-zumo(coins=[4, 4], size=1, least=0)",
    "soccer",
    "duel",
)
ROUNDING = 1e-9


@pytest.mark.long
@pytest.mark.parametrize("spec", GAMES)
def test_heuristics_are_admissible_and_the_first_dominates(spec: str) -> None:
    game = make_game(spec)
    solution = solve(game, width=0.05)
    states = [solution.game.states.state(node) for node in range(len(solution))]
    low, high = (vector[: len(states)] + solution.game.infinite_play for vector in (solution.low, solution.high))
    bounds = {
        name: np.array([heuristic.bounds(state) for state in states])
        for name, heuristic in heuristics_of(game).items()
        if heuristic.admissible
    }
    for name, found in bounds.items():
        assert (found[:, 0] <= high + ROUNDING).all(), f"{name} promises player 0 too much"
        assert (found[:, 1] >= low - ROUNDING).all(), f"{name} promises player 1 too much"
    first, widest = next(iter(bounds.values())), bounds["range"]
    assert (first[:, 0] >= widest[:, 0]).all()
    assert (first[:, 1] <= widest[:, 1]).all()
    assert (bounds["forced"][:, 0] >= first[:, 0]).all()
    assert (bounds["forced"][:, 1] <= first[:, 1]).all()


@pytest.mark.parametrize("order", ["random", "descending"])
def test_shuffled_is_what_the_best_answer_to_cards_in_any_order_earns(order: str) -> None:
    spec = f"goofspiel(cards=3, head_start=1, order={order})"
    game, shuffled = build_game(spec), heuristics_of(make_game(spec))["shuffled"]
    bounds = np.array([shuffled.bounds(game.states.state(node)) for node in range(game.choices)])
    for player in (0, 1):
        actions = np.diff(game.mix_starts(player))
        earned = best_response(game, np.repeat(1.0 / actions, actions), player).values[: game.choices]
        assert bounds[:, player] == pytest.approx(earned, abs=1e-9)


def test_a_game_with_an_evaluation_alone_is_estimated() -> None:
    game = make_game("breakthrough")
    found = heuristics_of(game)
    assert next(iter(found)) == "estimate"
    assert not found["estimate"].admissible
    start = game.new_initial_state()
    least, most = found["range"].bounds(start)
    assert least < found["estimate"].bounds(start)[0] < most
