"""Pessimistic ratios and the rules that say which siblings are likely."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.seeds import stream
from kibitz_lab.search.likely import LikelyRule, Mass, MaxRatio, RandomLike, SeenBefore, pessimistic_ratios

LIKELIHOODS = st.lists(st.sampled_from([0.0, 1e-10, 0.1, 0.1 + 1e-17, 0.25, 0.5]), min_size=1, max_size=12)


def begun(rule: LikelyRule) -> LikelyRule:
    rule.begin(stream(1, "likely"))
    return rule


def test_ratios_are_those_of_the_definition() -> None:
    assert pessimistic_ratios([0.5] * 4) == [1] * 4
    assert pessimistic_ratios([0.1] * 9 + [0.9])[-1] == Fraction(1, 10)


@given(LIKELIHOODS)
def test_a_ratio_counts_all_that_are_at_least_as_likely(likelihoods: list[float]) -> None:
    for ratio, own in zip(pessimistic_ratios(likelihoods), likelihoods, strict=True):
        assert ratio == Fraction(sum(other >= own for other in likelihoods), len(likelihoods))
    assert max(pessimistic_ratios(likelihoods)) == 1


def test_the_threshold_is_strict() -> None:
    assert begun(MaxRatio(max_pr=0.5)).likely([4.0, 3.0, 2.0, 1.0]) == [True, False, False, False]
    assert begun(MaxRatio(max_pr=1.0)).likely([1.0, 1.0]) == [False, False]


def test_seen_before_knows_a_ratio_whatever_the_number_of_siblings() -> None:
    rule = begun(SeenBefore())
    assert rule.likely([3.0, 2.0, 1.0, 0.0]) == [False] * 4
    rule.observe_choice([3.0, 2.0, 1.0, 0.0], chosen=1)  # 2/4
    assert rule.likely([5.0, 1.0]) == [True, False]
    assert rule.likely([6.0, 5.0, 4.0, 3.0, 2.0, 1.0]) == [False, False, True, False, False, False]
    rule.begin(stream(2, "likely"))
    assert rule.likely([5.0, 1.0]) == [False, False]


def test_seen_before_abstains_where_all_siblings_tie() -> None:
    rule = begun(SeenBefore())
    rule.observe_choice([1.0, 1.0], chosen=0)
    assert rule.likely([1.0, 1.0]) == [False, False]
    assert isinstance(rule, SeenBefore)
    assert rule.histogram == {Fraction(1): 1}


@given(st.lists(st.tuples(LIKELIHOODS, st.integers(0, 11)), max_size=6), LIKELIHOODS)
def test_the_table_for_kernels_says_what_the_rule_says(
    history: list[tuple[list[float], int]], likelihoods: list[float]
) -> None:
    rule = SeenBefore()
    rule.begin(stream(1, "likely"))
    for siblings, chosen in history:
        rule.observe_choice(siblings, chosen % len(siblings))
    table, count = rule.table(12), len(likelihoods)
    ranks = [sum(other >= own for other in likelihoods) for own in likelihoods]
    assert [bool(table[rank, count]) for rank in ranks] == rule.likely(likelihoods)


def test_mass_takes_the_fewest_that_reach_it_and_never_parts_ties() -> None:
    rule = begun(Mass(mass=0.6))
    assert rule.likely([0.5, 0.3, 0.1, 0.1]) == [True, True, False, False]
    assert rule.likely([0.7, 0.3]) == [True, False]
    assert rule.likely([0.4, 0.2, 0.2, 0.2]) == [True, True, True, True]
    assert rule.likely([0.5, 0.5]) == [False, False]
    assert rule.likely([0.0, 0.0]) == [False, False]


@given(LIKELIHOODS, st.sampled_from([0.1, 0.5, 0.9, 1.0]))
def test_mass_is_reached(likelihoods: list[float], mass: float) -> None:
    named = begun(Mass(mass=mass)).likely(likelihoods)
    if any(named):
        assert (
            sum(p for p, is_named in zip(likelihoods, named, strict=True) if is_named)
            >= mass * sum(likelihoods) - 1e-12
        )


def test_the_control_names_as_many_but_any() -> None:
    rule = begun(RandomLike(MaxRatio(max_pr=0.5)))
    counts = [0] * 5
    for _ in range(500):
        named = rule.likely([5.0, 4.0, 3.0, 2.0, 1.0])
        assert sum(named) == 2
        counts = [count + is_named for count, is_named in zip(counts, named, strict=True)]
    assert counts == pytest.approx([200] * 5, abs=50)


def test_the_control_passes_on_what_was_played() -> None:
    rule = begun(RandomLike(SeenBefore()))
    rule.observe_choice([2.0, 1.0], chosen=0)
    assert sum(rule.likely([2.0, 1.0])) == 1
