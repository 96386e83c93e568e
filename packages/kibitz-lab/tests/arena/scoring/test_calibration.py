"""Calibration and the bootstrap, on answers made up for it."""

import numpy as np
import pytest

from kibitz.core.seeds import stream
from kibitz_lab.arena.scoring.calibration import calibration
from kibitz_lab.arena.scoring.resampling import Resampling


def test_perfect_calibration_has_no_error() -> None:
    confidence = np.repeat([0.2, 0.5, 0.8], 10)
    right = np.concatenate([np.arange(10) < hits for hits in (2, 5, 8)]).astype(float)
    found = calibration(right, confidence, np.arange(30), Resampling(30, resamples=200))
    assert found.error is not None
    assert found.error.mean == pytest.approx(0.0, abs=1e-12)
    assert found.error.low == 0.0
    assert [each.events for each in found.bins] == [0, 0, 10, 0, 0, 10, 0, 0, 10, 0]


def test_overconfidence_is_weighed_by_how_often_it_occurs() -> None:
    # 6 answers with confidence 0.95 of which 3 are right, 2 with 0.65 of which 2 are: (6 * 0.45 + 2 * 0.35) / 8.
    confidence = np.array([0.95] * 6 + [0.65] * 2)
    right = np.array([1, 1, 1, 0, 0, 0, 1, 1], dtype=float)
    found = calibration(right, confidence, np.arange(8), Resampling(8, resamples=200))
    assert found.error is not None
    assert found.error.mean == pytest.approx((6 * 0.45 + 2 * 0.35) / 8)
    assert found.error.low < found.error.mean < found.error.high
    nine, six = found.bins[9], found.bins[6]
    assert (nine.events, nine.confidence) == (6, pytest.approx(0.95))
    assert nine.accuracy is not None
    assert nine.accuracy.mean == 0.5
    assert six.accuracy is not None
    assert six.accuracy.mean == 1.0


def test_one_game_says_nothing_about_the_error_and_none_has_none() -> None:
    one = calibration(np.ones(4), np.full(4, 0.7), np.zeros(4, dtype=np.int64), Resampling(1, resamples=50)).error
    assert one is not None
    assert (one.mean, one.low, one.high) == (pytest.approx(0.3), 0.0, 1.0)
    empty = np.empty(0)
    assert calibration(empty, empty, empty.astype(np.int64), Resampling(0, resamples=50)).error is None


def test_means_are_over_answers_and_groups_are_kept_apart() -> None:
    values = np.array([1.0, 3.0, 5.0, 100.0])
    groups = np.array([0, 0, 1, -1])
    lines = Resampling(3, resamples=100).estimates([(values, None)], np.array([0, 1, 2, 2]), groups, 3)
    assert lines[0][0] is not None
    assert (lines[0][0].mean, lines[0][0].matches, lines[0][0].blocks) == (2.0, 2, 2)
    assert lines[1][0] is not None
    assert lines[1][0].mean == 5.0
    assert lines[2][0] is None


def test_what_does_not_vary_is_certain_only_by_construction() -> None:
    resampling, units = Resampling(4, resamples=100), np.arange(4)
    known = resampling.estimates([(np.full(4, 0.5), (0.0, 1.0))], units, exact=True)[0][0]
    found = resampling.estimates([(np.full(4, 0.5), (0.0, 1.0))], units)[0][0]
    assert known is not None
    assert found is not None
    assert (known.low, known.high) == (0.5, 0.5)
    assert found.low < 0.5 < found.high


def made_up(rng: np.random.Generator, units: int, per: int, excess: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Answers in games that are better or worse as a whole: right less often than they say by *excess*."""
    confidence = rng.beta(2, 2, size=units * per) / 2 + 0.5
    of_game = np.repeat(rng.normal(0.0, 0.05, size=units), per)
    right = rng.random(units * per) < np.clip(confidence - excess + of_game, 0.0, 1.0)
    return right.astype(float), confidence, np.repeat(np.arange(units), per)


def test_the_floor_is_the_mean_error_of_a_calibrated_model_of_that_size() -> None:
    rng, errors, floors = stream(7, "floor"), [], []
    for run in range(40):
        found = calibration(*made_up(rng, 40, 8, 0.0), Resampling(40, resamples=100, seed=run))
        assert found.error is not None
        assert found.floor is not None
        errors.append(found.error.mean)
        floors.append(found.floor)
    assert np.mean(floors) == pytest.approx(np.mean(errors), rel=0.1)


def test_the_floor_of_a_model_that_is_too_sure_is_far_below_its_error() -> None:
    found = calibration(*made_up(stream(8, "floor"), 60, 8, 0.2), Resampling(60, resamples=100))
    assert found.error is not None
    assert found.floor is not None
    assert found.floor < found.error.mean / 2


def coverage(runs: int, units: int, per: int, excess: float, resamples: int) -> tuple[float, float]:
    """How often the intervals of the mean and of the error hold the truth."""
    rng, mean_held, error_held = stream(5, "cover", units), 0, 0
    for run in range(runs):
        right, confidence, numbers = made_up(rng, units, per, excess)
        resampling = Resampling(units, resamples=resamples, seed=run)
        mean = resampling.estimates([(right, (0.0, 1.0))], numbers)[0][0]
        error = calibration(right, confidence, numbers, resampling).error
        assert mean is not None
        assert error is not None
        mean_held += mean.low <= 0.75 - excess <= mean.high
        error_held += error.low <= excess <= error.high
    return mean_held / runs, error_held / runs


@pytest.mark.long
@pytest.mark.parametrize("excess", [0.0, 0.1])
def test_intervals_hold_the_truth(excess: float) -> None:
    mean_held, error_held = coverage(80, 30, 8, excess, resamples=300)
    assert mean_held > 0.9
    assert error_held > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("excess", [0.0, 0.05, 0.2])
@pytest.mark.parametrize(("units", "per"), [(30, 20), (100, 5)])
def test_intervals_hold_the_truth_in_95_of_100_runs(units: int, per: int, excess: float) -> None:
    mean_held, error_held = coverage(1500, units, per, excess, resamples=500)
    print(f"{units} games of {per}, {excess} too sure: mean {mean_held:.1%}, error {error_held:.1%}")
    assert 0.93 < mean_held < 0.97
    assert error_held > 0.93
