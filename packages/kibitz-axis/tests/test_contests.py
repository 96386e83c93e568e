"""Odds with free orders of loss and waves, and the cheapest army that wins."""

from itertools import product

import pytest

from kibitz.core.errors import BadSpec, NotUnderstood
from kibitz_axis.battle.exact import endings
from kibitz_axis.battle.problem import Battle, BattleRules
from kibitz_axis.odds import BattleOdds
from kibitz_axis.units import read_battle


@pytest.mark.parametrize(
    ("text", "words"), [("2 inf vs 1 inf then", "at least one unit"), ("2 inf vs 1 inf then 3 elephants", "elephants")]
)
def test_impossible_contests_are_one_line(text, words):
    with pytest.raises(NotUnderstood, match=words) as refused:
        BattleOdds().odds(text)
    assert "\n" not in str(refused.value)


def test_units_are_lost_in_the_order_that_is_asked_for():
    armies = read_battle("2 inf 1 tank 1 ftr vs 3 inf 1 tank")
    rules = BattleRules(attacker_order=(3, 0, 2), defender_order=(2, 0))
    battle = Battle(*armies, rules=rules)
    found = {(each.attackers, each.defenders): each.probability for each in endings(battle)}
    # fighters go first: where one attacker is lost, it is the fighter
    assert all(one[3] == 0 for one, _ in found if sum(one[:4]) < 4)
    asked = BattleOdds(losses="ftr inf tank", defender_losses="tank>inf").odds("2 inf 1 tank 1 ftr vs 3 inf 1 tank")
    won = sum(each.probability for each in endings(battle) if any(each.attackers) and not any(each.defenders))
    assert asked.attacker == pytest.approx(won, abs=1e-12)
    with pytest.raises(BadSpec, match="zeppelin"):
        BattleOdds(losses="zeppelin").odds("1 inf vs 1 inf")


def test_waves_meet_what_is_left():
    first, second = "2 inf vs 2 inf", "3 tank"
    expected = 0.0
    for each in endings(Battle(*read_battle(first))):
        if any(each.attackers):
            expected += each.probability
        elif not any(each.defenders):
            expected += each.probability  # the second wave walks in
        else:
            left = read_battle(f"{second} vs {each.defenders[0]} inf")
            wins = [e.probability for e in endings(Battle(*left)) if any(e.attackers) and not any(e.defenders)]
            expected += each.probability * sum(wins)
    odds = BattleOdds().odds(f"{first} then {second}")
    assert odds.attacker == pytest.approx(expected, abs=1e-12)
    assert odds.attacker + odds.draw + odds.defender == pytest.approx(1.0)


def test_a_wave_that_is_not_needed_is_left_whole():
    odds = BattleOdds().odds("4 tank vs 1 inf then 2 fighter")
    won = [each for each in odds.survivors if each.attacker.get("tank")]
    assert won
    assert all(each.attacker["fighter"] == 2 for each in won)
    alone = BattleOdds().odds("4 tank vs 1 inf")
    assert odds.swing.mean == pytest.approx(alone.swing.mean, abs=0.02), (
        "the second wave loses nothing it does not fight for"
    )


def test_profits_are_the_distribution_of_the_swing():
    odds = BattleOdds(worth=3).odds("3 inf 1 tank vs 2 inf 1 ftr")
    assert sum(chance for _, chance in odds.profits) == pytest.approx(1.0)
    assert sum(swing * chance for swing, chance in odds.profits) == pytest.approx(odds.swing.mean)


def test_no_cheaper_army_wins_so_often():
    found = BattleOdds().least_army("2 inf", 0.8)
    assert found.probability >= 0.8
    for inf, art, tank in product(range(5), repeat=3):
        if 0 < 3 * inf + 4 * art + 5 * tank < found.cost:
            odds = BattleOdds().odds(f"{inf} inf {art} art {tank} tank vs 2 inf")
            assert odds.attacker < 0.8
    with pytest.raises(BadSpec, match="between 0 and 1"):
        BattleOdds().least_army("2 inf", 1.5)
