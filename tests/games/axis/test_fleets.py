"""Fleets: the numbers of the rules, the kernels against the unit-by-unit reference and against dice, and large ones."""

from collections import Counter
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.core.errors import BadGame
from kibitz.core.kernels import python_twin
from kibitz.core.kernels.random import Draws
from kibitz.core.seeds import kernel_stream
from kibitz.games.axis.battle import dice, exact, kernels, losses, reference
from kibitz.games.axis.battle.dice import others, surprises
from kibitz.games.axis.battle.problem import Armies, Battle, BattleRules
from kibitz.games.axis.battle.side import Side, hit_chances, kinds_of, ships, survivors
from kibitz.games.axis.battle.tables import battle_tables, traits
from kibitz.games.axis.odds import BattleOdds
from kibitz.games.axis.units import REVISED, Unit, army_text, read_battle

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
RULED = {
    "submarines against a destroyer": ("3 sub 1 trn vs 2 sub 1 dd", {}),
    "submarines on both sides, destroyers on none": ("2 sub 1 cv vs 2 sub 1 bb", {}),
    "destroyers on both sides": ("2 sub 1 dd 1 ftr vs 2 sub 1 dd 1 ftr", {}),
    "aircraft over submarines": ("1 ftr 1 bmb 1 cv vs 3 sub", {}),
    "submarines submerge": ("3 sub 1 dd vs 2 sub 1 dd 1 trn", {"submerge": "both"}),
    "only the attacker's submerge, and the rest withdraws": (
        "3 sub 2 dd vs 2 sub 3 dd",
        {"submerge": "attacker", "retreat": 2},
    ),
    "only the defender's, in two rounds": ("2 ftr 1 cv vs 2 sub 1 trn", {"submerge": "defender", "rounds": 2}),
    "withdrawal of a fleet": ("2 sub 2 dd 1 bb vs 2 sub 1 bb", {"retreat": 2, "submerge": "both"}),
    "low luck at sea": ("2 sub 1 dd 1 bb vs 2 sub 1 cv 2 ftr", {"low_luck": True}),
}


def battle(text: str, units: tuple[Unit, ...] = REVISED, **rules: object) -> Battle:
    return Battle(*read_battle(text, units), units, BattleRules(**rules))


def fractions(fought: Battle) -> dict[Armies, float]:
    found = reference.outcomes(fought)
    assert sum(found.values()) == 1
    return {armies: float(chance) for armies, chance in found.items()}


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
def test_the_reference_is_exact_where_the_answer_is_known(text: str) -> None:
    found: Counter[str] = Counter()
    for (attackers, defenders), chance in reference.outcomes(battle(text)).items():
        found["attacker" if any(attackers) else "defender" if any(defenders) else "both"] += chance
    assert (found["attacker"], found["defender"], found["both"]) == FRACTIONS[text]


@pytest.mark.long
@pytest.mark.parametrize("name", RULED)
def test_every_rule_at_sea_is_exact_and_what_dice_say(name: str) -> None:
    text, rules = RULED[name]
    fought, times = battle(text, **rules), 1000
    found = exact.worked_out(fought)
    assert found == pytest.approx(fractions(fought), abs=1e-12)
    draws = Draws(kernel_stream(3, "rules", name))
    by_hand = Counter(dice.fight_once(fought, draws) for _ in range(times))
    compiled = dice.count_endings(fought, 20 * times, seed=1)
    for counts, all_of_them in ((by_hand, times), (compiled, 20 * times)):
        assert counts.keys() <= found.keys()
        for armies, chance in found.items():
            error = sqrt(chance * max(0.0, 1.0 - chance) / all_of_them)
            assert abs(counts[armies] / all_of_them - chance) <= 4.5 * error + 1.0 / all_of_them


KINDS = ["sub", "trn", "dd", "cv", "bb", "ftr", "bmb"]
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


def fleets(most: int) -> st.SearchStrategy[str]:
    kinds = st.lists(st.sampled_from(KINDS), min_size=1, max_size=most)
    return kinds.filter(lambda names: {*names} - {"ftr", "bmb"}).map(lambda names: " ".join(f"1 {n}" for n in names))


RULES = st.fixed_dictionaries(
    {
        "attacker_losses": st.sampled_from(["cheapest", "pairs"]),
        "defender_losses": st.sampled_from(["cheapest", "pairs"]),
        "low_luck": st.booleans(),
        "retreat": st.integers(0, 2),
        "rounds": st.integers(0, 3),
        "submerge": st.sampled_from(["nobody", "attacker", "defender", "both"]),
    }
)


@pytest.mark.long
@settings(max_examples=50)
@given(fleets(5), fleets(4), RULES, st.sampled_from([REVISED, CRUEL]))
def test_kernels_are_the_unit_by_unit_reference(one: str, other: str, rules: dict, units: tuple[Unit, ...]) -> None:
    fought = battle(f"{one} vs {other}", units, **rules)
    assert exact.worked_out(fought) == pytest.approx(fractions(fought), abs=1e-12)


def plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kernels, and all that they call, run as the Python they are written in."""
    for module in (losses, kernels):
        for name, made in vars(module).items():
            if hasattr(made, "py_func"):
                monkeypatch.setattr(module, name, python_twin(made))


@pytest.mark.parametrize(("text", "rules"), [*RULED.values(), ("3i 2f 1b vs 2i 1t aa", {}), ("2i 2bb vs 3i 1a", {})])
def test_kernels_say_the_same_as_plain_python(text: str, rules: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    fought = battle(text, **rules)
    compiled, rolled = exact.worked_out(fought), dice.count_endings(fought, 50, seed=2)
    plain_python(monkeypatch)
    assert exact.worked_out(fought) == pytest.approx(compiled, abs=1e-15)
    assert dice.count_endings(fought, 50, seed=2) == rolled


@settings(max_examples=40)
@given(
    st.lists(st.integers(0, 3), min_size=10, max_size=10),
    st.booleans(),
    st.sampled_from(["cheapest", "pairs", "land"]),
    st.booleans(),
)
def test_tables_of_armies_are_the_losses_of_a_side(counts: list[int], attacking: bool, order: str, dives: bool) -> None:
    side = Side(REVISED, attacking, order)
    start = side.fighting((*counts, 0), at_sea=True)
    asked = np.array([start]), traits(REVISED), attacking, losses.ORDERS[order], True, dives
    armies, table, roots = losses.army_table(*asked)
    rows = [tuple(army) for army in armies.tolist()]
    assert rows[roots[0]] == start
    assert len({*rows}) == len(rows)
    for number, army in enumerate(rows):
        after = [rows[table[number, step]] for step in (losses.ANY_HIT, losses.SHIP_HIT, losses.DIVE)]
        assert after == [side.lose(army, 1), side.lose(army, 1, ships), side.submerge(army) if dives else army]
        assert all(table[number, step] >= number for step in range(3))
        first, general = table[number, losses.FIRST : losses.GENERAL], table[number, losses.GENERAL :]
        assert tuple(first) == side.strengths(army, lambda unit: unit.fights and surprises(unit))
        assert tuple(general) == side.strengths(army, lambda unit: unit.fights and others(unit))
        assert table[number, losses.LEFT] == side.hits_left(army)
        assert (table[number, losses.UNITS] > 0) == (side.in_battle(army) > 0)
        assert table[number, losses.SCREEN] == side.detects(army)


@given(st.lists(st.integers(0, 4), min_size=7, max_size=7), st.booleans())
def test_chances_of_hits_are_the_same_in_kernels(strengths: list[int], low_luck: bool) -> None:
    found = np.zeros(sum(strengths) + 2)
    kernels.hit_chances(np.array(strengths), low_luck, found)
    expected = hit_chances(strengths, low_luck)
    assert found[: len(expected)] == pytest.approx(expected, abs=1e-15)
    assert not found[len(expected) :].any()


def test_submerged_submarines_survive_but_hold_nothing() -> None:
    text = "4 sub vs 1 cv 2 ftr"
    odds = BattleOdds(submerge="attacker").odds(text)
    assert odds.survivors[0].attacker == {"submerged submarine": 3}
    assert odds.attacker == 0.0 == odds.draw  # of those that dive nobody holds the zone
    assert odds.swing.mean > BattleOdds().odds(text).swing.mean + 5.0
    left = {survivors(each.attackers, REVISED) for each in exact.endings(battle(text, submerge="attacker"))}
    assert {army_text(army, REVISED) for army in left} == {"4 submarine", "3 submarine", "2 submarine", "1 submarine"}


def test_units_of_three_hits_count_as_one_however_damaged() -> None:
    kinds = kinds_of(CRUEL).units
    for army in ("1 damaged cv", "1 cv"):
        names = [army_text([int(kind is each) for each in kinds], kinds) for kind in kinds]
        assert army in names
    for place, kind in enumerate(kinds):
        alone = [0] * len(kinds)
        alone[place] = 1
        base = kind.name.removeprefix("submerged ").removeprefix("damaged ")
        assert army_text(survivors(alone, CRUEL), CRUEL) == f"1 {base}"


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
    times = 20_000
    rolled = BattleOdds().simulate_odds(text, times=times, seed=4)
    assert abs(rolled.attacker - odds.attacker) < 4.5 * sqrt(odds.attacker * (1.0 - odds.attacker) / times)
    assert abs(rolled.swing.mean - odds.swing.mean) < 4.5 * odds.swing.sd / sqrt(times)


def test_both_sides_of_a_mirror_have_equal_chances() -> None:
    """Where attack and defence are alike and both have destroyers, nobody has the first shot."""
    odds = BattleOdds().odds("6 sub 3 dd 2 bb vs 6 sub 3 dd 2 bb")
    assert odds.attacker == pytest.approx(odds.defender, abs=1e-12)
    assert odds.swing.mean == pytest.approx(0.0, abs=1e-9)


def test_what_would_take_minutes_is_refused_with_a_number() -> None:
    with pytest.raises(BadGame, match=r"about \de\+1\d steps are too many to work out; roll dice \(--rolls 100000\)"):
        BattleOdds().odds("90 sub 90 ftr 90 bb 5 dd vs 90 sub 90 ftr 90 bb")


def test_a_table_of_a_land_battle_is_a_ladder() -> None:
    tables = battle_tables(battle("10i5a10t vs 15i5a5t"))
    assert (tables.attack[:-1, losses.ANY_HIT] == np.arange(1, 26)).all()
    assert tables.attack[0, losses.RUN] == 25
