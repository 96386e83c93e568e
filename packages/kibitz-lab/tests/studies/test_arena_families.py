"""The halves of the arenas' populations: complete, and with siblings together."""

from collections import Counter

import pytest

from kibitz.core.registry import make_agent
from kibitz_lab.studies.arenas.families import (
    POKER_FAMILIES,
    axelrod_population,
    in_halves,
    poker_population,
    rps_population,
)


def test_every_bot_of_the_competitions_is_in_one_half() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    names = [each.name for each in rps_population()]
    assert sorted(names) == sorted(pyspiel.roshambo_bot_names())


def test_halves_are_of_about_the_same_size() -> None:
    halves = {name: len(members) for name, members in in_halves(rps_population()).items()}
    assert halves == {"all": 43, "tuning": 23, "unseen": 20}


@pytest.mark.long
def test_strategies_of_axelrod_are_split_by_family() -> None:
    axelrod = pytest.importorskip("axelrod")
    population = axelrod_population()
    if axelrod.__version__ == "4.13.1":
        assert Counter(each.half for each in population) == {"tuning": 111, "unseen": 111}
    families = {each.family: {other.half for other in population if other.family == each.family} for each in population}
    assert all(len(halves) == 1 for halves in families.values())


@pytest.mark.parametrize("game", POKER_FAMILIES)
def test_half_of_the_ten_poker_players_are_unseen(game: str) -> None:
    population = poker_population(game)
    assert Counter(each.half for each in population) == {"tuning": 5, "unseen": 5}
    assert all(make_agent(each.agent, game.partition("(")[0]) for each in population)
