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
