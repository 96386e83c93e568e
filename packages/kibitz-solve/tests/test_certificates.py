from fractions import Fraction

import numpy as np
import pytest
from exact_chains import worst_of_all_answers
from games_by_hand import SIGNS, guan, purgatory, random_game, right_turn
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.core.errors import BadGame, BadPolicy
from kibitz_solve import (
    best_response,
    build_game,
    expected_rounds,
    graph_sets,
    iterate,
    lower_expectations,
    lowerable,
    recursive_game,
    solve,
    survival_operator,
)
from kibitz_solve.recursive.proofs.intervals import simplest
from kibitz_solve.recursive.values.chains import mixes_at

seeds = st.integers(0, 10_000)
SURE = {(-3, 0): 2, (-2, 0): 1, (-2, 1): 2, (-1, -2): 2, (0, -3): 2, (0, -2): 1}
LIMIT_SURE = [(-5, 1), (-4, 1), (-3, -1), (-3, 1), (-3, 2), (-2, -3), (-2, -2), (-2, -1), (-2, 2), (-1, -5), (-1, -4)]
LIMIT_SURE += [(-1, -3), (-1, 2), (-1, 3)]
HALF = [(-5, 2), (-4, -1), (-4, 0), (-4, 2), (-3, -3), (-3, -2), (-3, 3), (-2, -5), (-2, -4), (-2, 3), (-1, 4), (0, 2)]
HALF += [(0, 3)]
GUARANTEES = {  # eta: worst over value-1 cells, (-2, -1), (-4, 0)
    1e-4: (0.97768782, 0.986104638, 0.496451856),
    1e-6: (0.997717553, 0.998588283, 0.499646321),
    1e-8: (0.999771234, 0.999858604, 0.499964643),
    1e-10: (0.999977118, 0.999985858, 0.499996464),
}


@pytest.fixture(scope="module")
def turned():
    return solve(right_turn(12), width=1e-5)


@pytest.mark.long
@settings(max_examples=15)
@given(seeds, st.sampled_from(SIGNS), st.sampled_from([0.0, 0.3]))
def test_both_strategies_hold_against_every_answer(seed: int, signs: tuple[float, ...], chance: float) -> None:
    """Brute force in rational numbers: all pure stationary answers, of which one is best."""
    game = random_game(np.random.default_rng(seed), signs, chance)
    solution = solve(game)
    for player in (0, 1):
        worst = worst_of_all_answers(game, solution.policy(player).shares, player)
        promised = [Fraction(float(bound)) for bound in solution.guarantee(player)[: game.live]]
        for state in range(game.choices):
            assert worst[state] >= promised[state] if player == 0 else worst[state] <= promised[state]
    assert (solution.low <= solution.high).all()


@pytest.mark.long
@settings(max_examples=25)
@given(seeds, st.sampled_from(SIGNS), st.sampled_from([0.0, 0.3]), st.sampled_from([0, 1]))
def test_best_responses_are_those_of_brute_force(
    seed: int, signs: tuple[float, ...], chance: float, player: int
) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng, signs, chance)
    counts = np.diff(game.mix_starts(player))
    shares = np.concatenate([rng.dirichlet(np.full(count, 0.5)).round(2) + 0.0 for count in counts])
    shares = np.where(np.repeat(np.add.reduceat(shares, game.mix_starts(player)[:-1]), counts) == 0.0, 1.0, shares)
    shares /= np.repeat(np.add.reduceat(shares, game.mix_starts(player)[:-1]), counts)
    found = best_response(game, shares, player)
    exact = [float(value) for value in worst_of_all_answers(game, shares, player)]
    assert found.values[: game.live] == pytest.approx(exact, abs=1e-9)
    assert found.guaranteed[: game.live] == pytest.approx(exact, abs=1e-7)
    side = 1.0 if player == 0 else -1.0
    assert (side * (np.array(exact) - found.guaranteed[: game.live]) >= 0.0).all()
    answer = np.zeros(game.mix_starts(1 - player)[-1])
    answer[game.mix_starts(1 - player)[:-1] + found.actions] = 1.0
    back = best_response(game, answer, 1 - player).values[: game.choices]
    assert (side * (back - np.array(exact[: game.choices])) >= -1e-9).all()  # the answer holds the owner down to it


@pytest.mark.long
def test_guan_is_certified_within_the_bar() -> None:
    for loss in (0.0, -1.0):
        solution = solve(guan(loss))
        low, high = solution.interval("S")
        assert low == high == 1.0
        assert 0.0 < solution.strategy("S", 0)["run"] <= 1e-6
        assert 1.0 - 2e-6 <= solution.guarantee(0)[0] < 1.0  # there is no optimal strategy


@pytest.mark.parametrize("eta", [1e-2, 1e-4, 1e-8])
def test_the_guarantee_of_guan_has_its_closed_form(eta: float) -> None:
    game = guan()
    values = iterate(game, survival_operator(1.0 - eta), method="newton").values
    rows, _ = mixes_at(game, values, np.zeros(game.nodes, np.uint8))
    found = best_response(game, rows, 0)
    assert found.values[0] == pytest.approx(1.0 / (1.0 + eta**0.5), abs=1e-9)
    assert found.guaranteed[0] <= found.values[0]
    assert found.guaranteed[0] == pytest.approx(found.values[0], abs=1e-9)


@pytest.mark.long
def test_the_classes_of_right_turn_are_exact(turned) -> None:
    game, sets = turned.game, turned.sets
    assert {
        cell: int(sets.ranks[game.states.node(cell)]) for cell in turned if sets.ranks[game.states.node(cell)] > 0
    } == SURE
    assert int(sets.almost_surely_won[: game.choices].sum()) == 6
    assert int(sets.positive[: game.choices].sum()) == 33
    worth = {**dict.fromkeys([*SURE, *LIMIT_SURE], 1.0), **dict.fromkeys(HALF, 0.5)}
    for cell in turned:
        low, high = turned.interval(cell)
        assert high == worth.get(cell, 0.0)
        assert high - low <= 1e-5
    assert all(turned.interval(cell)[0] == 1.0 for cell in SURE)


def test_right_turn_catches_with_the_strategies_delivered(turned) -> None:
    game = turned.game
    found = best_response(game, turned.policy(0).shares, 0)
    assert (found.values >= turned.guarantee(0) - 1e-12).all()
    assert turned.guarantee(0) == pytest.approx(turned.low, abs=1e-3)  # some cells have no optimal strategy
    conceded = best_response(game, turned.policy(1).shares, 1)
    assert (conceded.values <= turned.guarantee(1) + 1e-12).all()
    assert 0.0 < turned.strategy((-2, -1), 0)["1"] < 1e-3
    assert turned.strategy((-4, 0), 1) == {"0": 0.5, "1": 0.5, "2": 0.0, "3": 0.0}


@pytest.mark.parametrize("eta", GUARANTEES)
def test_right_turn_guarantees_what_the_facts_say(eta: float) -> None:
    game = right_turn(12)
    known = np.zeros(game.nodes, np.uint8)
    known[: game.live] = graph_sets(game).zero[: game.live]
    values = iterate(game, survival_operator(1.0 - eta), method="newton", fixed=known).values
    guaranteed = best_response(game, mixes_at(game, values, np.zeros(game.nodes, np.uint8))[0], 0).values
    cells = [guaranteed[game.states.node(cell)] for cell in ((-2, -1), (-4, 0))]
    worst = min(guaranteed[game.states.node(cell)] for cell in LIMIT_SURE)
    assert (worst, *cells) == pytest.approx(GUARANTEES[eta], abs=2e-8)


@pytest.mark.parametrize("levels", [1, 2, 3, 4, 8, 100])
def test_purgatory_is_worth_a_win_in_the_limit(levels: int) -> None:
    """The graph proves it, though no stationary strategy in floating point comes near to it for many levels."""
    solution = solve(purgatory(levels), seconds=20.0)
    assert solution.interval(1) == (1.0, 1.0)
    assert solution.guarantee(0)[0] >= (0.9999, 0.999, 0.96, 0.6, 0.0, 0.0, 0.0, 0.0)[min(levels, 8) - 1]
    assert not solution.sets.almost_surely_won[0]


def test_a_time_limit_returns_the_interval_reached() -> None:
    even = recursive_game({1: [[1, "won", "lost"], ["lost", 1, "won"], ["won", "lost", 1]]}, {"won": 1, "lost": 0})
    solution = solve(even, seconds=0.0)
    assert solution.interval(1) == (0.0, 1.0)
    assert "time limit" in solution.methods


def test_infinite_play_is_taken_off_and_added_back() -> None:
    matrices = {"stay": [["stay", "win"], ["lose", "stay"]], "stuck": [["stuck"]]}
    for worth in (-1.0, 0.0, 0.25):
        solution = solve(recursive_game(matrices, {"win": 1, "lose": -1}, infinite_play=worth))
        assert solution.value("stuck") == pytest.approx(worth, abs=1e-9)
        assert solution.interval("win") == (1.0, 1.0)


def test_games_that_always_end_are_solved_backwards() -> None:
    solution = solve("inspection")
    assert solution.methods == ("backward induction",)
    assert solution.width < 1e-13


@pytest.mark.parametrize("rate", [0.01, 0.3, 0.9])
def test_the_big_match_is_worth_one_half_at_every_discount(rate: float) -> None:
    stage = {"on": [[rate / (1.0 - rate), 0.0], [0.0, rate / (1.0 - rate)]]}
    game = recursive_game({"on": [["all", "nothing"], ["on", "on"]]}, {"all": 1.0, "nothing": 0.0}, stage=stage)
    low, high = solve(game, discount=1.0 - rate).interval("on")
    assert low <= 0.5 <= high
    assert high - low < 1e-10


def test_expected_rounds_are_those_of_the_best_play() -> None:
    coin = recursive_game({"toss": [["heads", "toss"], ["toss", "heads"]], "lost": [["lost"]]}, {"heads": 1})
    found = expected_rounds(coin)
    assert found.at("toss") == pytest.approx(2.0)
    assert found.at_most[coin.states.node("toss")] == pytest.approx(2.0, abs=1e-9)
    assert found.at("lost") == np.inf
    board = right_turn(8)
    timed = expected_rounds(board)
    assert {cell: timed.at(cell) for cell in SURE} == pytest.approx(SURE)
    assert timed.at((-2, -1)) == np.inf


def test_rounds_are_found_where_wins_take_long() -> None:
    """Sweeps would take millions; Newton's method begins with a strategy that does win."""
    slow, quick = {"won": 1e-6, "slow": 1.0 - 1e-6}, {"won": 1e-3, "quick": 1.0 - 1e-3}
    game = recursive_game(
        {"slow": [[slow]], "quick": [[quick]], "choice": [["slow", "slow"], ["slow", "quick"], ["quick", "quick"]]},
        {"won": 1.0},
    )
    found = expected_rounds(game)
    assert [found.at(state) for state in ("slow", "quick", "choice")] == pytest.approx([1e6, 1e3, 1e3 + 1.0], rel=1e-9)
    assert found.at_most[game.states.node("choice")] == pytest.approx(1e3 + 1.0, rel=1e-6)
    swept = iterate(game, survival_operator(1.0 - 1e-9), tolerance=1e-9, sweeps=100)
    assert not swept.finished
    assert swept.solves < 1_000_000


@pytest.mark.long
def test_answers_to_one_who_nearly_never_errs_are_found_and_exact() -> None:
    """Somebody else could wait for a mistake 1e16 rounds long, and a policy that does cannot be told from others."""
    game = lowerable(build_game("bear-brawl(hero_hp=3, bear_hp=3, radius=5)"))
    bear = lower_expectations(solve(game, width=1e-4), width=1e-4).policy(1).shares
    shares = np.diff(game.mix_starts(1))
    for blunder in (0.01, 0.1):
        found = best_response(game, (1.0 - blunder) * bear + blunder * np.repeat(1.0 / shares, shares), 1)
        assert found.values[: game.choices] == pytest.approx(np.ones(game.choices), abs=1e-9)
        assert found.iterations < 10


def test_almost_sure_is_more_than_sure() -> None:
    game = recursive_game(
        {"toss": [["win", "toss"], ["toss", "win"]], "risk": [["win", "lost"], ["lost", "win"]]}, {"win": 1, "lost": 0}
    )
    sets = graph_sets(game)
    assert sets.almost_surely_won[:2].tolist() == [True, False]
    assert not sets.surely_won[:2].any()
    solution = solve(game)
    assert solution.interval("toss") == (1.0, 1.0)
    assert solution.strategy("toss", 0) == {"0": 0.5, "1": 0.5}


@given(st.fractions(0, 3, max_denominator=400), st.fractions(Fraction(1, 1000), 1))
def test_the_simplest_fraction_lies_in_its_interval(low: Fraction, width: Fraction) -> None:
    found = simplest(low, low + width)
    assert low <= found <= low + width
    for denominator in range(1, found.denominator):
        assert -(-low.numerator * denominator // low.denominator) > (low + width) * denominator


def test_strategies_that_do_not_fit_are_refused() -> None:
    with pytest.raises(BadPolicy, match="3 shares"):
        best_response(guan(), np.ones(3), 0)
    endless = recursive_game({"a": [["a", "x"]]}, {"x": 0.0}, stage={"a": [[1.0, 0.0]]})
    with pytest.raises(BadGame, match="for ever"):
        best_response(endless, np.array([1.0]), 0)
