"""Losses chosen best: kernels against the readable duel, against every fixed order, and what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.core.errors import BadGame
from kibitz.core.kernels import python_twin
from kibitz.games.axis.battle import choices, kernels, losses
from kibitz.games.axis.battle.duel import Duel
from kibitz.games.axis.battle.optimal import obstacle, optimal_outcomes
from kibitz.games.axis.battle.problem import Battle, BattleRules
from kibitz.games.axis.odds import BattleOdds
from kibitz.games.axis.units import read_battle

BEST = {"attacker_losses": "optimal", "defender_losses": "optimal"}


def battle(text: str, **rules: object) -> Battle:
    return Battle(*read_battle(text), rules=BattleRules(**rules))


def value(fought: Battle) -> float:
    """The value that the chosen losses lead to."""
    duel, found = Duel(fought), optimal_outcomes(fought)
    assert sum(found.values()) == pytest.approx(1.0, abs=1e-12)
    return sum(chance * duel.worth(*armies) for armies, chance in found.items())


def armies(kinds: list[str], most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(kinds), min_size=1, max_size=most).map(lambda names: " ".join(names))


LAND = st.tuples(armies(["1i", "1a", "1t", "1f", "1b"], 4), armies(["1i", "1a", "1t", "1f", "1aa", "1b"], 3))
SEA = st.tuples(
    armies(["1sub", "1dd", "1bb", "1ftr", "1trn"], 3).map(lambda text: f"1cv {text}"),
    armies(["1sub", "1dd", "1bb", "1ftr", "1trn"], 3),
)
LANDING = st.tuples(st.just("1i 1f 1bb"), armies(["1i", "1a", "1t", "1f"], 2))
ORDERS = st.sampled_from([("optimal", "optimal"), ("optimal", "pairs"), ("cheapest", "optimal")])
RULES = st.fixed_dictionaries(
    {
        "low_luck": st.booleans(),
        "retreat": st.integers(0, 2),
        "rounds": st.integers(0, 2),
        "submerge": st.sampled_from(["nobody", "attacker", "defender", "both"]),
        "worth": st.sampled_from([0, 20]),
    }
)


@settings(max_examples=40)
@given(LAND | SEA | LANDING, ORDERS, RULES)
def test_kernels_choose_as_well_as_the_duel(sides: tuple[str, str], orders: tuple[str, str], rules: dict) -> None:
    if not any(word in sides[1] for word in ("1i", "1a ", "1t", "1f", "1b", "1sub", "1dd", "1trn")):
        sides = (sides[0], f"{sides[1]} 1i")
    fought = battle(" vs ".join(sides), attacker_losses=orders[0], defender_losses=orders[1], **rules)
    assert value(fought) == pytest.approx(Duel(fought).battle_value(), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("1i1a1f vs 1i1t", {}),
        ("2 sub 1 bb vs 1 sub 1 dd 1 ftr", {"submerge": "both"}),
        ("1i1a1bb vs 1i1t", {"rounds": 2}),
    ],
)
def test_kernels_say_the_same_as_plain_python(text: str, rules: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = optimal_outcomes(battle(text, **BEST, **rules))
    for module in (losses, kernels, choices):
        for name, made in vars(module).items():
            if hasattr(made, "py_func"):
                monkeypatch.setattr(module, name, python_twin(made))
    assert optimal_outcomes(battle(text, **BEST, **rules)) == pytest.approx(compiled, abs=1e-14)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("2i2a1t1b vs 3i1t1f1b", {}),
        ("2i2a1t1b vs 3i1t1f1b", {"retreat": 2}),
        ("2 sub 1 dd 1 bb 1 ftr vs 2 sub 1 cv 1 ftr", {}),
        ("2 sub 1 dd 1 trn vs 1 sub 1 dd 1 trn", {"rounds": 3}),
        ("2 sub 1 dd 1 bb vs 2 sub 1 dd", {"submerge": "both"}),
    ],
)
def test_a_side_that_chooses_best_is_never_worse_off(text: str, rules: dict) -> None:
    swings = {
        (one, other): BattleOdds(losses=one, defender_losses=other, **rules).odds(text).swing.mean
        for one in ("cheapest", "pairs", "land", "optimal")
        for other in ("cheapest", "pairs", "land", "optimal")
    }
    for (one, other), swing in swings.items():
        assert swings["optimal", other] >= swing - 1e-12
        assert swings[one, "optimal"] <= swing + 1e-12


def test_a_bomber_defends_badly_and_is_lost_first() -> None:
    text = "2i2a1t1b vs 3i1t1f1b"
    cheapest, best = (BattleOdds(defender_losses=other).odds(text).swing.mean for other in ("cheapest", "optimal"))
    assert best < cheapest - 1.0


def test_who_chooses_keeps_a_land_unit_where_the_area_is_worth_it() -> None:
    text = "1 inf 3 fighter vs 2 inf"
    low, high = (BattleOdds(losses="optimal", worth=worth).odds(text).wins for worth in (0, 100))
    assert high["takes the territory"] > low["takes the territory"] + 0.2


def test_submarines_and_withdrawals_are_chosen_in() -> None:
    """Known by working it out on paper: one round, one die each, and only one unit to lose."""
    odds = BattleOdds(losses="optimal", rounds=1).odds("1 sub vs 1 dd")
    assert (odds.attacker, odds.draw, odds.defender) == pytest.approx((1 / 3 * 1 / 2, 1 / 3 * 1 / 2, 2 / 3), abs=1e-15)
    stays, withdraws = (BattleOdds(losses="optimal", retreat=few).odds("3i vs 2i").swing.mean for few in (0, 1))
    assert stays < withdraws


def test_what_is_too_large_is_refused_with_the_number_and_a_way_out() -> None:
    said = "923,521 pairs of armies are too many to choose best losses in; take losses=pairs, or ask for fewer units"
    with pytest.raises(BadGame, match=said):
        BattleOdds(losses="optimal").odds("30i30t vs 30i30a")
    with pytest.raises(BadGame, match="pairs of armies and 1000 rounds are too many"):
        BattleOdds(losses="optimal", rounds=1000).odds("9i9t vs 9i9a")
    with pytest.raises(BadGame, match="best losses are worked out and not rolled"):
        BattleOdds(losses="optimal").simulate_odds("2i vs 2i", times=10, seed=0)
    assert obstacle(battle("10i5a vs 8i4t", **BEST)) == ""
