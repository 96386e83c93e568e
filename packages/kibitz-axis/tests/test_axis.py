"""The study of Lie (2009): its numbers are recomputed, and runs are judged by the exact solution."""

from fractions import Fraction
from typing import Any

import pytest

from kibitz_axis.study import battles, variations, whole_games
from kibitz_axis.study.trials import run

pytestmark = pytest.mark.long


def test_average_gains_are_the_exact_ones() -> None:
    """The fractions that the thesis's own scoring gives, whatever it prints."""
    found = {line.what: line.here for line in battles.lines()}
    exact = {
        "infantry together, tank attacks": Fraction(31, 14),
        "infantry split, tank attacks twice": Fraction(3, 8),
        "infantry split, tank attacks once": Fraction(1, 4),
        "second fight after a lost first": Fraction(-15, 4),
        "both infantry attack": Fraction(-257, 329),
        "one attacks, tank replies": Fraction(-39, 28),
        "one attacks, tank takes the empty area": Fraction(-11, 7),
        "three infantry defend": Fraction(-19151, 4600),
        "two infantry defend": Fraction(-19811, 1120),
    }
    for what, value in exact.items():
        assert found[what] == pytest.approx(float(value), abs=1e-12)
    assert found["all attack in the second turn"] == pytest.approx(11.650692, abs=1e-6)
    assert found["all attack in the first turn"] == pytest.approx(-10.220019, abs=1e-6)


def test_battles_are_right_within_their_samples() -> None:
    assert battles.odds("2i2a1t vs 3i1a")[battles.TAKES] == pytest.approx(83.14758357)
    assert battles.odds("1i2a1t vs 3i1a or 2i1a1t vs 3i1a")[battles.TAKES] == pytest.approx(56.875617, abs=1e-5)
    assert battles.odds("2t vs 3i")[battles.KEEPS] == pytest.approx(72.588, abs=1e-3)


def right(runs: int, **case: Any) -> float:
    """The share of runs in which every turn is as good as any."""
    return sum(run({**case, "seed": seed})["all right"] for seed in range(runs)) / runs


@pytest.mark.parametrize("scenario", ["s1", "s2", "s3"])
def test_the_best_automaton_finds_every_plan_by_odds(scenario: str) -> None:
    assert right(20, scenario=scenario, team="BLA", outcomes="odds", sure=0.999) == 1.0


def test_bayesian_automata_find_the_third_plan_with_dice() -> None:
    assert right(6, scenario="s3", team="BLA") >= 0.8


def test_tsetlin_does_not() -> None:
    assert right(15, scenario="s3", team="Tsetlin") <= 0.5


def test_a_run_is_judged_unit_by_unit() -> None:
    """One round is no learning: what comes out is anything, and how far off it is counted."""
    row = run({"scenario": "s3", "team": "Tsetlin", "rounds": [1, 1], "seed": 5})
    attacking = row["first"].count("> M")
    assert row["first_off"] == attacking
    assert row["first_right"] == (attacking == 0)
    assert (row["first_lost"] == 0.0) == (attacking == 0)


def test_whole_games_change_sides() -> None:
    case = {"scenario": "front", "team": "one turn", "opponent": "axis.greedy", "strength": 0.01, "seed": 3}
    gains = [whole_games.whole_game({**case, "repeat": repeat})["gain"] for repeat in range(2)]
    assert all(abs(gain) < 200.0 for gain in gains)


def test_the_sweep_has_every_range() -> None:
    sweep = variations.parts({**variations.SETTINGS, "scale": 1.0}, 0)[0]
    assert len(sweep.cases) > 2500
