"""Fleets: the numbers of the rules, and large ones."""

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from kibitz.core.errors import BadGame
from kibitz_axis.battle import exact
from kibitz_axis.battle.problem import Battle, BattleRules
from kibitz_axis.odds import BattleOdds
from kibitz_axis.units import REVISED, Unit, read_battle

F = Fraction
SUBMARINES = {
    "1 sub 1 destroyer vs 1 sub": (0.9286, 0.0357, 0.0357, 3.429),
    "2 sub 1 destroyer vs 2 sub 1 transport": (0.6759, 0.0571, 0.2670, 5.586),
    "3 sub 1 destroyer vs 1 sub 1 battleship": (0.7741, 0.0616, 0.1643, 10.793),
    "5 sub 1 destroyer vs 5 sub": (0.8122, 0.0220, 0.1658, 9.940),
    "4 sub vs 4 sub 1 destroyer": (0.1428, 0.0258, 0.8315, -8.801),
}
"""Attacker, draw, defender and swing."""
FRACTIONS = {
    "2 sub > sub dd": (F(103, 322), F(4, 7), F(5, 46)),
    "sub dd > 2 sub": (F(4, 7), F(103, 322), F(5, 46)),
    "sub dd > sub": (F(13, 14), F(1, 28), F(1, 28)),
    "2 sub > bb": (F(11409, 25921), F(14512, 25921), F(0)),
    "bb > 2 dd": (F(964, 3025), F(1537, 3025), F(524, 3025)),
    "2 trn > 2 sub": (F(0), F(1), F(0)),
}
"""Attacker, defender and both gone."""


def battle(text: str, units: tuple[Unit, ...] = REVISED, **rules: object) -> Battle:
    return Battle(*read_battle(text, units), units, BattleRules(**rules))


@pytest.mark.parametrize("text", SUBMARINES)
def test_submarines_fire_first_whatever_detects_them(text: str) -> None:
    odds = BattleOdds().odds(text)
    assert (odds.attacker, odds.draw, odds.defender) == pytest.approx(SUBMARINES[text][:3], abs=5.1e-5)
    assert odds.swing.mean == pytest.approx(SUBMARINES[text][3], abs=5.1e-4)


def test_a_transport_that_is_kept_longer_defends_worse() -> None:
    dear = tuple(Unit("transport", 0, 1, 9, domain="sea") if unit.name == "transport" else unit for unit in REVISED)
    found = exact.endings(battle("2 submarine 1 destroyer vs 2 submarine 1 transport", dear))
    assert sum(each.probability for each in found if any(each.attackers)) == pytest.approx(0.733, abs=5e-4)


@pytest.mark.parametrize("text", FRACTIONS)
def test_small_fleets_are_exact(text: str) -> None:
    found: Counter[Any] = Counter()
    for (attackers, defenders), chance in exact.worked_out(battle(text)).items():
        found["attacker" if any(attackers) else "defender" if any(defenders) else "both"] += chance
    expected = [float(chance) for chance in FRACTIONS[text]]
    assert [found["attacker"], found["defender"], found["both"]] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("20 sub 20 destroyer vs 20 sub 20 destroyer", 0.49),
        ("4 sub 3 trn 4 dd 2 cv 3 bb 4 ftr vs 3 sub 2 trn 3 dd 1 cv 2 bb 3 ftr", 0.9),
        ("20 sub 20 bb vs 20 sub 20 dd", 0.9),
    ],
)
def test_large_fleets_are_worked_out(text: str, least: float) -> None:
    odds = BattleOdds().odds(text)
    assert least < odds.attacker < 1.0
    assert sum(each.probability for each in odds.survivors) == pytest.approx(1.0, abs=1e-12)


def test_both_sides_of_a_mirror_have_equal_chances() -> None:
    """Where attack and defence are alike and both have destroyers, nobody has the first shot."""
    odds = BattleOdds().odds("6 sub 3 dd 2 bb vs 6 sub 3 dd 2 bb")
    assert odds.attacker == pytest.approx(odds.defender, abs=1e-12)
    assert odds.swing.mean == pytest.approx(0.0, abs=1e-9)


def test_what_would_take_minutes_is_refused_with_a_number() -> None:
    with pytest.raises(BadGame, match=r"about \de\+1\d steps are too many to work out; ask for fewer"):
        BattleOdds().odds("90 sub 90 ftr 90 bb 5 dd vs 90 sub 90 ftr 90 bb")
