"""Dice and battles against counts made by hand and against rolled dice."""

from random import Random

import pytest

from kibitz.core.errors import BadSpec, NotUnderstood, UnknownName
from kibitz.core.registry import make_odds
from kibitz_risk.dice import battle_endings, loss_counts, win_chances


@pytest.mark.parametrize(
    ("dice", "counts"),
    [
        ((1, 1), (21, 15)),
        ((1, 2), (161, 55)),
        ((2, 1), (91, 125)),
        ((2, 2), (581, 420, 295)),
        ((3, 1), (441, 855)),
        ((3, 2), (2275, 2611, 2890)),
        ((1, 3), (1071, 225)),
        ((2, 3), (4816, 1981, 979)),
        ((3, 3), (17871, 12348, 10017, 6420)),
    ],
)
def test_rolls_are_exact(dice: tuple[int, int], counts: tuple[int, ...]) -> None:
    assert loss_counts(*dice) == counts


def test_battles_to_the_end_agree_with_the_table() -> None:
    for own in range(1, 12):
        for other in range(1, 12):
            won = sum(share for (_, left), share in battle_endings(own, other).items() if left == 0)
            assert won == pytest.approx(win_chances(11)[own][other], abs=1e-12)
    assert win_chances(11)[1][1] == pytest.approx(15 / 36)


def test_odds_count_the_army_that_stays_behind() -> None:
    odds = make_odds("risk").odds("8 vs 5")
    assert odds.attacker == pytest.approx(0.7363955760373412)
    assert odds.attacker == pytest.approx(make_odds("risk(behind=0)").odds("7 vs 5").attacker)
    assert sum(each.probability for each in odds.survivors) == pytest.approx(1.0, abs=1e-12)
    assert {each.attacker.get("armies", 0) for each in odds.survivors if not each.defender} == set(range(2, 9))
    assert odds.attacker + odds.defender == pytest.approx(1.0)


def fight(own: int, other: int, stop: int, most: int, rng: Random) -> tuple[int, int]:
    """One battle, die by die."""
    while own > stop and other:
        dice = min(3, own), min(most, other)
        attack, defence = (sorted((rng.randrange(6) for _ in range(count)), reverse=True) for count in dice)
        lost = sum(one > two for one, two in zip(attack, defence, strict=False))
        own, other = own - (min(dice) - lost), other - lost
    return own, other


@pytest.mark.long
def test_rolled_battles_agree_with_the_exact_odds() -> None:
    rng = Random(1)
    for spec, stop, most in (("risk", 0, 2), ("risk(defence=3)", 0, 3), ("risk(stop=2)", 2, 2)):
        exact, seen = make_odds(spec).odds("6 vs 4"), [fight(5, 4, stop, most, rng) for _ in range(4000)]
        won, swings = sum(not other for _, other in seen), [(4 - other) - (5 - own) for own, other in seen]
        assert won / 4000 == pytest.approx(exact.attacker, abs=4 * (0.25 / 4000) ** 0.5)
        assert sum(swings) / 4000 == pytest.approx(exact.swing.mean, abs=4 * exact.swing.sd / 4000**0.5)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 vs 5", r"an attacker \(one stays behind\) has 2 to 1000 armies"),
        ("8 vs 0", "a defender has 1 to 1000 armies"),
        *((text, "did not understand") for text in ("8", "8 vs", "eight vs 5", "8 vs 5 vs 2", "2000 vs 1")),
    ],
)
def test_what_is_no_battle_is_said(text: str, why: str) -> None:
    with pytest.raises(NotUnderstood, match=why):
        make_odds("risk").odds(text)


def test_odds_take_the_rules_of_the_game() -> None:
    three = make_odds("risk(cards=italian, players=5, fortify=connected)").odds("8 vs 5")
    assert three == make_odds("risk(defence=3)").odds("8 vs 5")
    assert make_odds("risk(cards=fixed)").odds("8 vs 5") == make_odds("risk(defence=2)").odds("8 vs 5")
    assert three.attacker < make_odds("risk").odds("8 vs 5").attacker
    with pytest.raises(UnknownName, match="no map named 'nope'; known: classic83"):
        make_odds("risk(board='nope')")
    with pytest.raises(BadSpec, match=r"risk has no parameter 'bord'; did you mean 'board'\?"):
        make_odds("risk(bord=classic83)")
    for wrong in ("risk(cards=french)", "risk(players=9)", "risk(dice=2)"):
        with pytest.raises(BadSpec):
            make_odds(wrong)
