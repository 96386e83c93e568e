from collections.abc import Callable
from itertools import pairwise
from math import log

import numpy as np
import pytest

from kibitz.core.errors import BadDefinition
from kibitz.core.seeds import stream
from kibitz_lab.arena.statistics import Sequential, mean_interval
from kibitz_lab.arena.statistics.sequential import gaps

Draw = Callable[[np.random.Generator, int], np.ndarray]


def decided(scores: np.ndarray, **options: float) -> Sequential:
    """A test that takes scores until they suffice."""
    test = Sequential(0.2, bounds=(-2.0, 2.0), **options)
    for score in scores.tolist():
        test.add(score)
        if test.is_decided:
            break
    return test


def two_matches(share: float) -> Draw:
    """Blocks of two matches, each won by A with the given probability; a difference is 2 or -2."""
    return lambda rng, count: 2.0 * (2.0 * (rng.random((count, 2)) < share) - 1.0).mean(axis=1)


def rare_losses(rng: np.random.Generator, count: int) -> np.ndarray:
    """Small gains and now and then a large loss, 0 in the mean."""
    return np.where(rng.random(count) < 0.05, -1.9, 0.1)


def test_the_first_steps_by_hand() -> None:
    test = Sequential(0.5, bounds=(-1.0, 1.0))
    assert test.gaps.tolist() == [0.125, 0.25, 0.5]
    test.add(1.0)
    # before the first block the variance is taken for the largest possible, 1
    bets = [gap / (1.0 + gap**2) for gap in test.gaps]
    weights = (0.25, 0.25, 0.5)
    more = sum(weight * (1.0 + bet) for weight, bet in zip(weights, bets, strict=True))
    less = sum(weight * (1.0 - bet) for weight, bet in zip(weights, bets, strict=True))
    under = sum(weight * (1.0 - 0.5 * bet) for weight, bet in zip(weights, bets, strict=True))
    over = sum(weight * (1.0 + 1.5 * bet) for weight, bet in zip(weights, bets, strict=True))
    assert test.ratios == pytest.approx(np.log([more, less, under, over]))
    assert test.limit == pytest.approx(log(40))


def test_nothing_is_decided_in_a_few_blocks() -> None:
    best = decided(np.full(100, 2.0))
    assert best.above
    assert 7 <= best.blocks <= 12
    assert decided(np.full(100, -2.0)).blocks == best.blocks


@pytest.mark.parametrize("draw", [two_matches(0.5), two_matches(0.6), rare_losses])
def test_claims_are_what_the_interval_shows(draw: Draw) -> None:
    for number in range(20):
        test = decided(draw(stream(number, "claims"), 400))
        low, high = test.interval()
        assert test.above == (low > 0.0)
        assert test.below == (high < 0.0)
        assert test.alike == (low > -0.2 and high < 0.2)
        assert low <= test.mean <= high


def test_the_interval_only_shrinks_and_turns_with_the_scores() -> None:
    scores = two_matches(0.55)(stream(1, "shrinks"), 300)
    there, back = (decided(sign * scores, alpha=1e-12) for sign in (1.0, -1.0))
    intervals = [there.interval(count) for count in range(0, 301, 20)]
    assert all(a[0] <= b[0] and b[1] <= a[1] for a, b in pairwise(intervals))
    low, high = there.interval()
    assert back.interval() == pytest.approx((-high, -low), abs=1e-6)
    assert intervals[0] == (-2.0, 2.0)


def test_a_half_width_that_is_asked_for_is_staked_on() -> None:
    assert gaps(0.2, (-2.0, 2.0), None).tolist() == pytest.approx([0.05, 0.1, 0.2, 0.4, 0.8, 1.6])
    assert gaps(0.2, (-2.0, 2.0), 0.02)[0] <= 0.02
    test = Sequential(0.2, bounds=(-2.0, 2.0), width=0.02)
    for _ in range(3000):
        test.add(0.3)
    low, high = test.interval()
    assert (high - low) / 2.0 <= 0.02


@pytest.mark.parametrize("options", [{"least": 0.0}, {"least": 3.0}, {"alpha": 0.0}, {"width": 0.0}, {"width": 9.0}])
def test_what_makes_no_sense_is_refused(options: dict[str, float]) -> None:
    with pytest.raises(BadDefinition):
        Sequential(**{"least": 0.2, "bounds": (-2.0, 2.0), **options})  # type: ignore[arg-type]
    with pytest.raises(BadDefinition, match="not within"):
        Sequential(0.2).add(1.5)


def rates(draw: Draw, truth: float, runs: int, blocks: int = 1000) -> dict[str, float]:
    """How often what was claimed, and how often the two intervals held the truth when the test stopped."""
    counts = dict.fromkeys(("above", "below", "alike", "undecided", "held", "fixed", "blocks"), 0.0)
    for number in range(runs):
        test = decided(draw(stream(number, "rates"), blocks))
        verdict = "above" if test.above else "below" if test.below else "alike" if test.alike else "undecided"
        counts[verdict] += 1
        low, high = test.interval()
        counts["held"] += low <= truth <= high
        plain = mean_interval(test.scores, bounds=test.bounds)
        counts["fixed"] += plain.low <= truth <= plain.high
        counts["blocks"] += test.blocks
    return {key: value / runs for key, value in counts.items()}


@pytest.mark.long
def test_strength_is_found_in_the_right_direction_and_seldom_in_the_wrong_one() -> None:
    strong = rates(two_matches(0.65), 0.6, 40)
    assert strong["above"] == 1.0
    assert strong["blocks"] < 80
    even = rates(rare_losses, 0.0, 40, 300)
    assert even["above"] + even["below"] <= 0.125  # 5 of 40 come with probability 0.05 even if the rate is 5 %
    assert even["held"] >= 0.875


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "draw", "truth"),
    [
        ("even", two_matches(0.5), 0.0),
        ("half the least", two_matches(0.525), 0.1),
        ("the least", two_matches(0.55), 0.2),
        ("twice the least", two_matches(0.6), 0.4),
        ("five times the least", two_matches(0.75), 1.0),
        ("rare losses", rare_losses, 0.0),
    ],
)
def test_error_rates_and_coverage_are_as_promised(name: str, draw: Draw, truth: float) -> None:
    found = rates(draw, truth, 2000)
    print(f"\n{name}: " + ", ".join(f"{key} {value:.3g}" for key, value in found.items()))
    slack = 0.05 + 3.0 * (0.05 * 0.95 / 2000) ** 0.5
    wrong = found["below"] + (found["above"] if truth <= 0.0 else 0.0) + (found["alike"] if truth >= 0.2 else 0.0)
    assert wrong <= slack
    assert found["held"] >= 1.0 - slack
