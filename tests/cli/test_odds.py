"""`kibitz odds`: text, bars and JSON, and what is said of a typo."""

import json
from pathlib import Path

import pytest

from kibitz.cli.main import exit_code

BATTLE = "2 inf 2 art 1 tank vs 3 inf 1 art"


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert exit_code(["odds", *words]) == 0
    return capsys.readouterr().out


def test_json_has_full_precision(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "axis", BATTLE, "--json"))
    assert list(found) == ["attacker", "draw", "defender", "survivors", "swing", "wins", "profits"]
    assert found["wins"] == {"takes the territory": found["attacker"]}
    assert found["attacker"] == pytest.approx(0.8314758357152185, abs=1e-15)
    assert sum(each["probability"] for each in found["survivors"]) == pytest.approx(1.0, abs=1e-14)
    assert set(found["swing"]) == {"mean", "sd"}
    assert sum(chance for _, chance in found["profits"]) == pytest.approx(1.0, abs=1e-14)
    assert found["survivors"][0]["attacker"] == {"artillery": 2, "tank": 1}


def test_what_cannot_happen_has_no_probability(capsys: pytest.CaptureFixture[str]) -> None:
    assert "attacker wins         0.00%" in printed(capsys, "axis", "1 trn vs 1 trn")
    assert "attacker wins              5.2e-11%" in printed(capsys, "axis", "200 inf vs 200 inf", "--most", "0")


def test_winning_is_told_from_taking(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "axis", "6 inf 4 tank 4 fighter 2 bomber vs 8 inf 2 art 2 tank 2 fighter", "--most", "0")
    assert "attacker wins                    85.07%" in text
    assert "  takes the territory            35.02%" in text
    assert "  air left only, retreats        50.04%" in text
    assert "takes" not in printed(capsys, "axis", "2 sub vs 1 dd")
    assert json.loads(printed(capsys, "risk", "8 vs 5", "--json"))["wins"] == {}


FLEET = """
[units.cruiser]
attack = 3
defence = 3
cost = 12
domain = "sea"
bombards = true
"""


def test_units_of_a_scenario_file_fight(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A cruiser that is like a destroyer in everything a battle without submarines asks for."""
    path = tmp_path / "fleet.toml"
    path.write_text(FLEET, encoding="utf-8")
    own = json.loads(printed(capsys, "axis", "2 cruisers vs 1 bb", "--scenario", str(path), "--json"))
    like = json.loads(printed(capsys, "axis", "2 dd vs 1 bb", "--json"))
    assert own["attacker"] == pytest.approx(like["attacker"], abs=1e-15)
    assert own["survivors"][0]["defender"] == like["survivors"][0]["defender"]
    assert {"cruiser": 2} in [each["attacker"] for each in own["survivors"]]
    as_option = printed(capsys, f"axis(scenario='{path}')", "2 cruisers vs 1 bb", "--json")
    assert json.loads(as_option) == own
    assert printed(capsys, "axis", BATTLE, "--scenario", "front") == printed(capsys, "axis", BATTLE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[units.cruiser]\nattack = 9\ndefence = 3\ncost = 12\n", "fleet.toml, line 2: units.cruiser.attack"),
        ("[units.cruiser]\nattack = 3\n", "fleet.toml, line 1: units.cruiser.defence: it is missing"),
        ("[unit.cruiser]\nattack = 3\n", "fleet.toml, line 1: unit"),
        ("[units.Cruiser]\nattack = 3\ndefence = 3\ncost = 1\n", "'Cruiser' is no name of a unit"),
    ],
)
def test_a_mistake_in_the_units_of_a_file_is_one_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "fleet.toml"
    path.write_text(text, encoding="utf-8")
    assert exit_code(["odds", "axis", "2 cruisers vs 1 bb", "--scenario", str(path)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_dice_are_rolled_again_with_the_same_seed(capsys: pytest.CaptureFixture[str]) -> None:
    one = printed(capsys, "risk", "8 vs 5", "--rolls", "500", "--seed", "3", "--json")
    assert one == printed(capsys, "risk", "8 vs 5", "--rolls", "500", "--seed", "3", "--json")
    assert one != printed(capsys, "risk", "8 vs 5", "--rolls", "500", "--seed", "4", "--json")


@pytest.mark.parametrize(
    ("game", "contest", "said"),
    [
        ("axis", "2 inff vs 3 inf", "did not understand 'inff' in '2 inff'; did you mean 'infantry'?"),
        ("axis", "2 inf", "write attackers, 'vs' and defenders"),
        ("axis", "-2 inf vs 1 inf", "did not understand '-2 inf'; it is negative"),
        ("axis", "-inf vs 2 inf", "did not understand '-inf'"),
        ("axis", "2 inf vs 1 factory", "a factory belongs to its area"),
        ("axis", "2 cruiser vs 1 dd", "the Revised rules have no cruiser; there are infantry, artillery"),
        (
            "axis(losses=best)",
            "2 inf vs 1 inf",
            "losses=best': one of cheapest, pairs, land, or kinds",
        ),
        ("axis(worth=nan)", "2 inf vs 1 inf", "worth=nan: expected a whole number from 0 to 1,000"),
        ("pawns", "2 vs 1", "these games offer it; pawns does not"),
        ("axes", "2 vs 1", "did you mean 'axis'?"),
    ],
)
def test_what_is_not_understood_is_one_line(
    game: str, contest: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(["odds", game, contest]) == 2
    assert said in capsys.readouterr().err
