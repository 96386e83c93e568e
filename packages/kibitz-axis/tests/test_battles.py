"""Battles: kernels against exact fractions, every rule of the unit list, and the odds people ask for."""

import json
from fractions import Fraction
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from kibitz.core.errors import BadGame, NotUnderstood
from kibitz_axis.battle.exact import endings, worked_out
from kibitz_axis.battle.problem import Armies, Battle, BattleRules
from kibitz_axis.odds import AIR_ONLY, TAKEN, BattleOdds
from kibitz_axis.units import REVISED, Unit, read_army, read_battle

F = Fraction
THESIS = {
    "t > 2i": {"t": F(1, 7), "-2i": F(5, 14), "-i": F(3, 7), "": F(1, 14)},
    "t > i": {"t": F(1, 2), "-i": F(1, 4), "": F(1, 4)},
    "2i > t": {"2i": F(11, 47), "i": F(102, 329), "-t": F(125, 329), "": F(25, 329)},
    "i > t": {"i": F(1, 7), "-t": F(5, 7), "": F(1, 7)},
    "2t > 2i": {"2t": F(11, 40), "t": F(199, 560), "-2i": F(17, 224), "-i": F(207, 1120), "": F(61, 560)},
    "2t > 3i": {
        "2t": F(23, 250),
        "t": F(14661, 80500),
        "-3i": F(11, 92),
        "-2i": F(1899, 6440),
        "-i": F(39183, 161000),
        "": F(5479, 80500),
    },
    "2t > i": {"2t": F(3, 5), "t": F(7, 20), "-i": F(1, 40), "": F(1, 40)},
    "i > 2t": {"i": F(1, 133), "-2t": F(15, 19), "-t": F(26, 133), "": F(1, 133)},
    "2i > 2t": {
        "2i": F(157, 5593),
        "i": F(52092, 743869),
        "-2t": F(175, 323),
        "-t": F(236660, 743869),
        "": F(31211, 743869),
    },
}
"""What is left, with a minus where it is the defender's, and nothing where both are gone."""
LARGER = {
    "2i2a1t > 3i1a": (0.8314758357, 0.1427735694, 11.650692),
    "2i2a1t > 6i2a1t": (0.0074041614, 0.9907837287, -10.220019),
    "1i2a1t > 3i1a": (0.5890092215, 0.3638616037, 5.977009),
    "2i1a1t > 3i1a": (0.5485031128, 0.4038452006, 5.541516),
    "2i2a > 3i1a": (0.4819850877, 0.4819850877, 4.170625),
    "1i1a1t > 3i1a": (0.2743062591, 0.6792635916, 0.374253),
    "2a1t > 3i1a": (0.2743062591, 0.6792635916, -0.591274),
    "10i5a10t > 15i5a5t": (0.592960826827, 0.398037807932, None),
    "30i10a20t > 40i10a10t": (0.540026496941, 0.456390254831, None),
}
GOLDEN = json.loads((Path(__file__).parent / "golden" / "axis-battles.json").read_text())
"""Battles under all rules, on land and at sea, and how each ends: computed unit by unit in exact fractions."""
CRUEL = (
    *(Unit("sub", 3, 2, 4, domain="sea", hits=2, surprise=True), Unit("dd", 2, 1, 4, domain="sea", detects=True)),
    *(
        Unit("trn", 0, 1, 0, domain="sea"),
        Unit("cv", 1, 3, 9, domain="sea", hits=3),
        Unit("ftr", 3, 0, 5, domain="air"),
    ),
    *(Unit("bb", 6, 6, 9, domain="sea", supports=True), Unit("bmb", 0, 2, 7, domain="air", hits=2, supported=True)),
)
"""Units that no rule book has: submarines of two hits, ships of three, aircraft that cannot hit back."""


def battle(text: str, **rules: object) -> Battle:
    return Battle(*read_battle(text), rules=BattleRules(**rules))


def chances(fought: Battle) -> dict[Armies, float]:
    return {(each.attackers, each.defenders): each.probability for each in endings(fought)}


def short(armies: Armies) -> str:
    """`2i` where attackers are left, `-2i` where defenders are."""
    words = [
        "".join(f"{n if n > 1 else ''}{unit.also[0]}" for n, unit in zip(army, REVISED, strict=False) if n)
        for army in armies
    ]
    return words[0] or (f"-{words[1]}" if words[1] else "")


@pytest.mark.parametrize("text", THESIS)
def test_battles_of_the_thesis_are_exact(text: str) -> None:
    found = {short(armies): chance for armies, chance in chances(battle(text)).items()}
    assert found == pytest.approx({ending: float(chance) for ending, chance in THESIS[text].items()}, abs=1e-15)


def test_three_infantry_against_two_tanks() -> None:
    found = {short(armies): chance for armies, chance in chances(battle("3i > 2t")).items()}
    expected = {"3i": 0.051733789, "2i": 0.140057401, "i": 0.136851624, "-2t": 0.316824258, "-t": 0.306004915}
    assert found == pytest.approx({**expected, "": 0.048528013}, abs=1e-9)


@pytest.mark.parametrize("text", LARGER)
def test_larger_battles_and_their_gain_with_the_area(text: str) -> None:
    attacker, defender, gain = LARGER[text]
    odds = BattleOdds(worth=10).odds(text)
    assert (odds.attacker, odds.defender) == pytest.approx((attacker, defender), abs=1e-10)
    assert odds.attacker + odds.draw + odds.defender == pytest.approx(1.0, abs=1e-13)
    if gain is not None:
        assert odds.swing.mean == pytest.approx(gain, abs=1e-6)


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["battle"])
def test_every_rule_is_exact(case: dict[str, Any]) -> None:
    units = CRUEL if case["units"] == "cruel" else REVISED
    fought = Battle(*read_battle(case["battle"], units), units, BattleRules(**case["rules"]))
    expected = {(tuple(one), tuple(other)): chance for one, other, chance in case["endings"]}
    assert worked_out(fought) == pytest.approx(expected, abs=1e-12)


def test_an_attacker_who_cannot_hit_is_destroyed() -> None:
    assert [short((each.attackers, each.defenders)) for each in endings(battle("1 trn vs 1 trn"))] == ["-trn"]


def test_winning_is_not_taking() -> None:
    odds = BattleOdds().odds("6 inf 4 tank 4 fighter 2 bomber vs 8 inf 2 art 2 tank 2 fighter")
    assert odds.attacker == pytest.approx(0.851, abs=5e-4)
    assert odds.wins == pytest.approx({TAKEN: 0.350, AIR_ONLY: 0.500}, abs=5e-4)
    assert fsum(odds.wins.values()) == pytest.approx(odds.attacker, abs=1e-15)
    lands = sum(each.probability for each in odds.survivors if {"infantry", "tank"} & each.attacker.keys())
    assert odds.wins[TAKEN] == pytest.approx(lands, abs=1e-15)


def test_land_units_alone_take_what_they_win_and_fleets_take_nothing() -> None:
    land, fleet = BattleOdds().odds("3 tanks vs 2 inf"), BattleOdds().odds("2 dd vs 1 dd")
    assert land.wins == {TAKEN: land.attacker}
    assert fleet.wins == {}
    assert BattleOdds().odds("3 fighters vs 2 inf").wins[TAKEN] == 0.0


@pytest.mark.parametrize(
    "text", ["2 infantry 1 armour", "2i1t", "2x Inf + tank", "2 INF. and 1 panzer", "two infantries, a tank"]
)
def test_names_are_forgiven(text: str) -> None:
    assert read_army(text) == read_army("2 infantry 1 tank")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("2 inff vs 3 inf", "'inff'.*did you mean 'infantry'"),
        ("2 inf vs 3 elephants", "'elephants'.*there are infantry"),
        ("-2 inf vs 3 inf", "'-2 inf'.*it is negative; a count is from 0"),
        ("200 inf 1 inf vs 3 inf", "'1 inf'.*it makes more than 200"),
        ("2 inf vs no tanks", "'no tanks'.*the defender needs at least one unit"),
        ("2 inf 3 inf", "write attackers, 'vs' and defenders"),
        ("inf vs inf vs inf", "more than two sides"),
        ("vs 2 inf", "the attacker needs at least one unit"),
        ("2 dd vs 3 inf", "'destroyer'.*only bombard"),
        ("1 bb vs 3 inf", "'battleship'.*land units attack too"),
        ("2 inf vs 1 bb", "'battleship'.*cannot defend"),
        ("2 inf 1 aa vs 1 inf", "'aa gun'.*cannot attack"),
        ("2 cruiser vs 1 dd", "'cruiser'.*; the Revised rules have no cruiser; there are infantry"),
    ],
)
def test_what_is_not_understood_is_named(text: str, word: str) -> None:
    with pytest.raises(NotUnderstood, match=word):
        BattleOdds().odds(text)


def test_with_low_luck_guns_shoot_down_one_of_six_and_draw_lots_for_the_rest() -> None:
    """Six of a kind lose one without a die; of 7 and 7 two are left over, and lose one on a 1 or 2, by lot."""

    def losses(text: str) -> dict[str, float]:
        odds = BattleOdds(low_luck=True).odds(f"{text} vs 1 aa")  # aircraft cannot hit the gun
        return {" ".join(f"{n} {name}" for name, n in s.attacker.items()): s.probability for s in odds.survivors}

    assert losses("6 ftr 6 bmb") == {"5 fighter 5 bomber": 1.0}
    expected = {"6 fighter 6 bomber": 4 / 6, "5 fighter 6 bomber": 1 / 6, "6 fighter 5 bomber": 1 / 6}
    assert losses("7 ftr 7 bmb") == pytest.approx(expected, abs=1e-15)
    assert losses("5 bmb") == pytest.approx({"4 bomber": 5 / 6, "5 bomber": 1 / 6}, abs=1e-15)


def test_guns_that_could_leave_too_many_armies_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "air.toml"
    path.write_text("".join(f'[units.kite{x}]\nattack=1\ndefence=1\ncost=1\ndomain="air"\n' for x in "abcd"))
    with pytest.raises(BadGame, match=r"guns may leave 17,850,625 different armies; ask for fewer aircraft"):
        BattleOdds(scenario=str(path)).odds("64 kitea 64 kiteb 64 kitec 64 kited vs 1 aa 1 inf")


def test_guns_stay_with_the_defender_unless_a_land_unit_captures_them() -> None:
    alone = BattleOdds().odds("1 bomber vs 1 aa")  # one shot, and the bomber can hit nothing
    assert (alone.attacker, alone.draw, alone.defender) == pytest.approx((0.0, 5 / 6, 1 / 6), abs=1e-15)
    assert [(each.attacker, each.defender) for each in alone.survivors] == [
        ({"bomber": 1}, {"aa gun": 1}),
        ({}, {"aa gun": 1}),
    ]
    landed = BattleOdds().odds("1 inf 1 bomber vs 2 aa")
    assert landed.attacker == 1.0
    assert not any(each.defender for each in landed.survivors)


@pytest.mark.parametrize("text", ["60 inf vs 1 inf", "30 tanks vs 2 inf", "7 ftr 3 inf vs 2 inf 1 aa", "9 sub vs 2 dd"])
def test_probabilities_are_never_more_than_one(text: str) -> None:
    odds = BattleOdds().odds(text)
    assert max(odds.attacker, odds.draw, odds.defender, *(each.probability for each in odds.survivors)) <= 1.0
    assert fsum((odds.attacker, odds.draw, odds.defender)) == pytest.approx(1.0, abs=3e-16)
