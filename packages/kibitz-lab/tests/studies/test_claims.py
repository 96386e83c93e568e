"""Verdicts on claims: from the numbers alone; and what stands where an interval would say nothing."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz_lab.arena.statistics import Estimate, mean_interval
from kibitz_lab.studies.blocks import words
from kibitz_lab.studies.claims import Claim, Relation, share, verdict
from kibitz_lab.studies.measures import Column, Value, is_vacuous, shown_value

FREE, RATE = Column(name="points"), Column(name="won", bounds=(0.0, 1.0))


def estimate(low: float, high: float, blocks: int = 100) -> Estimate:
    return Estimate((low + high) / 2, low, high, blocks, blocks)


def judged(there: float | Estimate | str, here: Value, relation: Relation = "=", within: float = 0.0) -> str:
    claim = Claim(what="w", source="s", there=there, measure="m", relation=relation, within=within)
    return str(verdict(claim, here, FREE))


@pytest.mark.parametrize(
    ("there", "here", "within", "said"),
    [
        (0.5, estimate(0.45, 0.55), 0.1, "agrees"),
        (0.5, estimate(0.3, 0.7), 0.1, "too few games to say (300 more needed)"),
        (0.2, estimate(0.4, 0.6), 0.1, "differs"),
        (0.35, estimate(0.4, 0.6), 0.1, "agrees"),
        (estimate(0.4, 0.8), estimate(0.45, 0.55), 0.0, "agrees"),
        (estimate(0.5, 0.52), estimate(0.4, 0.6), 0.0, "too few games to say (9,900 more needed)"),
        (estimate(0.7, 0.9), estimate(0.4, 0.6), 0.0, "differs"),
        (0.5, estimate(-inf, inf), 0.1, "too few games to say (100 more needed)"),
        (0.5, estimate(0.45, 0.55, blocks=2), 0.1, "too few games to say (3 more needed)"),
        (2670.0, 2670, 0.0, "agrees"),
        (2670.0, 2673.0, 0.0, "differs"),
        (2670.0, 2673.0, 5.0, "agrees"),
        ("left", "left", 0.0, "agrees"),
        ("left", "right", 0.0, "differs"),
        (0.5, None, 0.0, "not comparable: left out of this run"),
    ],
)
def test_numbers_agree_differ_or_are_too_few(
    there: float | Estimate | str, here: Value, within: float, said: str
) -> None:
    assert judged(there, here, within=within) == said


@pytest.mark.parametrize(
    ("here", "relation", "said"),
    [
        (estimate(0.1, 0.3), ">", "agrees"),
        (estimate(0.1, 0.3), "<", "differs"),
        (estimate(-0.1, 0.3), ">", "too few games to say (300 more needed)"),
        (estimate(-0.1, 0.1), ">", "too few games to say (over 1,000,000 more needed)"),
        (0.1, ">", "agrees"),
        (0.0, ">", "differs"),
    ],
)
def test_a_relation_is_decided_if_the_interval_is_on_one_side(here: Value, relation: Relation, said: str) -> None:
    assert judged(0.0, here, relation) == said


def test_what_cannot_be_compared_is_not_judged() -> None:
    claim = Claim(what="w", source="s", there=1.0, measure="m", apart="another field")
    assert str(verdict(claim, estimate(2, 3), FREE)) == "not comparable: another field"


@given(st.lists(st.booleans(), max_size=12))
def test_no_cell_shows_an_interval_that_says_nothing(wins: list[bool]) -> None:
    found = mean_interval([float(won) for won in wins], bounds=(0.0, 1.0))
    text = words(shown_value(found, RATE))
    assert text.startswith("too few games to say (") == is_vacuous(found, RATE)
    assert len(wins) >= RATE.least or is_vacuous(found, RATE)
    assert "inf" not in text


@given(st.floats(0.05, 0.45), st.integers(5, 1000))
def test_as_many_blocks_as_are_said_to_be_needed_are_enough(half: float, blocks: int) -> None:
    more = estimate(0.5 - half, 0.5 + half, blocks).blocks_for(0.04)
    assert half * (blocks / (blocks + more)) ** 0.5 <= 0.0422


def test_shares_of_few_matches_have_wide_intervals() -> None:
    assert share(2, 3).mean == pytest.approx(2 / 3)
    assert share(3.5, 19).mean == pytest.approx(3.5 / 19)
    assert share(0, 3).high > 0.5
