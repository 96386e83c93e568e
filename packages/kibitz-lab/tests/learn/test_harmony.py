from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz_lab.learn.harmony import (
    Costs,
    HarmonySettings,
    Stage,
    Vector,
    first_stage,
    improvise_vector,
    next_stage,
)

settings = st.builds(
    HarmonySettings,
    grid=st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=9, unique=True).map(sorted).map(tuple),
    length=st.integers(1, 6),
    memory=st.integers(1, 5),
    considering=st.floats(0, 1),
    adjusting=st.floats(0, 1),
    width=st.integers(0, 4),
)


def far(vectors: Sequence[Vector]) -> list[float]:
    return [sum(abs(value - 3.0) for value in vector) for vector in vectors]


def relative(vectors: Sequence[Vector]) -> list[float]:
    """Not-wins less wins where the greater sum wins: a cost that means nothing outside its memory."""
    totals = [sum(vector) for vector in vectors]
    return [float(sum(2 * (mine <= other) - 1 for other in totals)) for mine in totals]


def search_stages(
    costs: Costs, chosen: HarmonySettings, seed: int, count: int, start: Stage | None = None
) -> list[Stage]:
    found = [start or first_stage(costs, chosen, seed)]
    while len(found) < count:
        found.append(next_stage(found[-1], costs, chosen, seed))
    return found


@pytest.mark.long
@given(settings, st.integers(0, 1000))
def test_the_memory_keeps_its_size_and_its_grid(chosen: HarmonySettings, seed: int) -> None:
    for stage in search_stages(far, chosen, seed, 6):
        assert len(stage.memory) == len(stage.costs) == chosen.memory
        assert all(len(vector) == chosen.length for vector in stage.memory)
        assert all(value in chosen.grid for vector in stage.memory for value in vector)


@given(settings, st.integers(0, 1000), st.integers(0, 5))
def test_a_search_that_goes_on_from_a_stage_is_the_one_that_went_on(
    chosen: HarmonySettings, seed: int, cut: int
) -> None:
    whole = search_stages(relative, chosen, seed, 10)
    assert search_stages(relative, chosen, seed, 10 - cut, whole[cut]) == whole[cut:]


@given(settings, st.integers(0, 1000))
def test_the_best_never_gets_worse_where_costs_are_absolute(chosen: HarmonySettings, seed: int) -> None:
    stages = search_stages(far, chosen, seed, 20)
    best = [min(stage.costs) for stage in stages]
    assert best == sorted(best, reverse=True)
    assert all(far([stage.best])[0] == min(stage.costs) for stage in stages)


def test_a_relative_score_is_climbed_too() -> None:
    *_, last = search_stages(relative, HarmonySettings(length=3, grid=(0.0, 1.0, 2.0, 3.0)), 4, 300)
    assert sum(last.best) >= 8.0


def test_without_the_memory_every_value_of_the_grid_is_as_likely() -> None:
    chosen = HarmonySettings(considering=0.0, length=400, grid=(1.0, 2.0, 3.0, 4.0))
    drawn = improvise_vector([(1.0,) * 400], chosen, seed=2, iteration=1)
    assert all(70 <= drawn.count(value) <= 130 for value in chosen.grid)


def test_a_shift_stays_within_its_width() -> None:
    chosen = HarmonySettings(considering=1.0, adjusting=1.0, width=2, length=500, grid=tuple(map(float, range(9))))
    drawn = improvise_vector([(4.0,) * 500], chosen, seed=2, iteration=1)
    assert set(drawn) == {2.0, 3.0, 4.0, 5.0, 6.0}


def test_of_the_equally_bad_the_newest_leaves() -> None:
    stage = Stage(0, ((0.0,), (10.0,)), (0.0, 0.0))
    after = next_stage(stage, lambda vectors: [1.0] * len(vectors), HarmonySettings(length=1, memory=2), seed=1)
    assert after.memory == stage.memory
    assert after.joined is not None
