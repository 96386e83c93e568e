"""A sample of what the beam drops: unbiased, exact where nothing need be drawn, and with intervals that hold."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kibitz.models.plans import limits
from kibitz.models.plans.assumptions import Assumptions
from kibitz.models.plans.formats.files import read_library, shipped_library
from kibitz.models.plans.inference.particles import REPLICAS, drawn_places, keep_probabilities, sampled_interval
from kibitz.models.plans.learning.trace_sampler import TraceSampler
from kibitz.models.plans.library import Observation, PlanLibrary
from kibitz.models.plans.recogniser import Recogniser, recognise_plans
from kibitz.testing.plan_intervals import IntervalCheck, coverage_of, interval_checks
from kibitz.testing.plan_libraries import random_library

STORY = Assumptions(instances=2, roots=4)


def library_and_trace(
    seed: int, story: Assumptions = STORY, goals: int = 3, **shape: int
) -> tuple[PlanLibrary, tuple[Observation, ...]]:
    """A random library, and what an actor with several goals does."""
    rng = np.random.default_rng(seed)
    library = random_library(rng, **{"goals": 4, "goal_parts": 4, **shape})
    return library, TraceSampler(library, story).trace(rng, goals=goals, length=14).observations


def test_heavy_things_are_kept_and_of_the_others_as_many_as_may_be() -> None:
    weights = np.array([5.0, 0.1, 0.2, 3.0, 0.0, 0.4, 0.3])
    kept = keep_probabilities(weights, 4)
    assert kept.sum() == pytest.approx(4.0)
    assert kept[[0, 3]].tolist() == [1.0, 1.0]
    assert kept[4] == 0.0
    assert kept[2] / kept[1] == pytest.approx(2.0)
    assert keep_probabilities(weights, 6).tolist() == [1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0]


def test_what_is_drawn_stands_for_all() -> None:
    rng = np.random.default_rng(1)
    weights = rng.random(50) ** 4
    kept = keep_probabilities(weights, 12)
    sums = []
    for _ in range(2000):
        places = drawn_places(kept, rng)
        assert len(places) in (11, 12, 13)
        sums.append((weights[places] / kept[places]).sum())
    assert np.mean(sums) == pytest.approx(weights.sum(), rel=0.01)


@pytest.mark.long
@pytest.mark.parametrize(
    "story",
    [
        STORY,
        Assumptions(meaning="leaves", instances=2, roots=3),
        Assumptions(slip=0.1, miss=0.1, roots=2),
        Assumptions(abandon=0.2, instances=2, roots=3),
    ],
)
def test_a_sample_that_need_not_draw_is_exact(story: Assumptions, monkeypatch: pytest.MonkeyPatch) -> None:
    library, observations = library_and_trace(3, story, goals=2)
    seen = observations[: 2 if story.miss else 5]
    exact = recognise_plans(library, seen, story)
    whole = recognise_plans(library, seen, story, beam=2, sample=REPLICAS * 2000)
    assert whole.method == "sampled"
    assert whole.bound > 0.1
    assert whole.log_probability == pytest.approx(exact.log_probability, abs=1e-9)
    assert whole.goals() == pytest.approx(exact.goals(), abs=1e-9)
    assert whole.belief() == pytest.approx(exact.belief(), abs=1e-9)
    assert whole.next_actions() == pytest.approx(exact.next_actions(), abs=1e-9)
    assert whole.error < 1e-9
    monkeypatch.setattr(limits, "SPENT_TREES", 10)
    thinned = recognise_plans(library, seen, story, beam=2, sample=REPLICAS * 2000)
    assert thinned.goals() == pytest.approx(exact.goals(), abs=1e-9)


@pytest.mark.long
def test_the_sampled_probability_of_the_observations_is_unbiased() -> None:
    library, observations = library_and_trace(5)
    exact = recognise_plans(library, observations[:6], STORY).probability
    found = [
        recognise_plans(
            library, observations[:6], STORY, beam=5, sample=2 * REPLICAS, rng=np.random.default_rng(seed)
        ).probability
        for seed in range(20)
    ]
    assert np.mean(found) == pytest.approx(exact, abs=4.0 * np.std(found) / np.sqrt(len(found)))
    assert np.std(found) > 0.0


def test_nothing_is_sampled_while_nothing_is_dropped() -> None:
    cooking = shipped_library("cooking")
    found = recognise_plans(cooking, [Observation("take_buns")], beam=100, sample=100)
    assert (found.method, found.error, found.bound) == ("exact", 0.0, 0.0)
    assert all(low == high for low, high in found.intervals().values())


def test_a_copy_goes_its_own_way_and_the_same_seed_the_same() -> None:
    library, observations = library_and_trace(5)
    watching = recognise_plans(library, observations[:5], STORY, beam=10, sample=64, rng=np.random.default_rng(1))
    copied = watching.clone()
    before = watching.goals()
    for each in observations[5:8]:
        copied.observe(each)
    assert watching.goals() == before
    for each in observations[5:8]:
        watching.observe(each)
    assert watching.goals() == copied.goals()
    assert watching.intervals() == copied.intervals()


def test_few_replicas_with_all_the_mass_make_a_wide_interval() -> None:
    even, one = np.full(REPLICAS, 1.0), np.eye(1, REPLICAS)[0] * REPLICAS
    low, high = sampled_interval(0.0, 0.0, 0.3 * even, even)
    assert low == pytest.approx(0.3)
    assert high == pytest.approx(0.3)
    assert sampled_interval(0.0, 0.0, 0.3 * one, one) == (0.0, 1.0)
    four = np.repeat([4.0, 0.0], [4, REPLICAS - 4])
    low, high = sampled_interval(0.0, 0.0, 0.3 * four, four)
    assert low < 0.25 < 0.5 < high


def checks(seeds: range, beam: int) -> Iterator[IntervalCheck]:
    for seed in seeds:
        library, observations = library_and_trace(seed)
        yield from interval_checks(library, observations, STORY, beam=beam, seed=seed, most_forests=1500)


@pytest.mark.long
def test_intervals_hold_the_exact_probabilities_where_the_bound_says_nothing() -> None:
    found = [each for each in checks(range(100, 108), 20) if each.bound > 0.5]
    figures = coverage_of(found)
    assert figures.checks > 60
    assert figures.held >= 0.95
    assert figures.width <= 0.15
    assert figures.error < figures.beam_error / 2


@pytest.mark.slow
def test_intervals_hold_on_many_libraries() -> None:
    by_kind: dict[str, list[IntervalCheck]] = {"plain": list(checks(range(200, 230), 100))}
    stories = {
        "leaves": Assumptions(meaning="leaves", instances=2, roots=3),
        "slips": Assumptions(slip=0.05, roots=4),
        "missed": Assumptions(miss=0.1, roots=3),
        "abandoned": Assumptions(abandon=0.1, instances=2, roots=3),
    }
    for name, story in stories.items():
        for seed in range(300, 312):
            library, observations = library_and_trace(seed, story, goals=3)
            found = interval_checks(library, observations[:9], story, beam=200, seed=seed, most_forests=6000)
            by_kind.setdefault(name, []).extend(found)
    for name, found in by_kind.items():
        hard = [each for each in found if each.bound > 0.9 and each.is_open]
        if len(hard) > 50:
            figures = coverage_of(hard)
            assert figures.held >= 0.95, name
            assert figures.width <= 0.1, name


@pytest.mark.slow
def test_intervals_hold_in_monroe(corpus: Path) -> None:
    with pytest.warns(UserWarning, match="left out"):
        monroe = read_library(corpus / "plans" / "Monroe.xml")
    found: list[IntervalCheck] = []
    for seed in range(400, 412):
        rng = np.random.default_rng(seed)
        observations = TraceSampler(monroe).trace(rng, goals=4, length=12).observations
        found += interval_checks(monroe, observations, Assumptions(roots=4), beam=300, seed=seed, most_forests=12_000)
    figures = coverage_of([each for each in found if each.bound > 0.9])
    assert figures.held >= 0.95
    assert figures.width <= 0.1


def test_a_recogniser_without_a_beam_needs_no_sample() -> None:
    cooking = shipped_library("cooking")
    assert Recogniser(cooking, sample=100).sample is None
