"""Scenario files: what they may say, and the line of every mistake."""

import os
from pathlib import Path

import pytest

from kibitz import make_game
from kibitz.core.errors import BadDefinition, BadSpec, UnknownName
from kibitz_axis.land.scenario_file import read_scenario
from kibitz_axis.land.scenarios import SCENARIOS, load

GOOD = """name = "Two"
turns = 2
range = [-5, 5]
edges = [["A", "B"]]

[rules]
blitz = true
losses = "pairs"

[units.elephant]
attack = 3
defence = 1
cost = 7
hits = 2
also = ["e"]

[powers.red]
[powers.blue]
script = [{ all = "A" }, [{ from = "B", to = "A", send = "1i" }]]

[areas]
A = { owner = "red", value = 2, units = "2i1e" }
B = { owner = "blue", units = { blue = "3 inf" } }
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_says_all_there_is(tmp_path: Path) -> None:
    board = read_scenario(written(tmp_path, GOOD))
    assert [unit.name for unit in board.units] == ["infantry", "elephant"]
    assert board.forces == ((2, 1), (), (), (3, 0))
    assert board.span == (-5.0, 5.0)
    assert board.battle_rules.attacker_losses == "pairs"
    script = board.powers[1].script
    assert script is not None
    assert [[(order.origin, order.to, order.send) for order in turn] for turn in script] == [
        [(None, 0, None)],
        [(1, 0, (1, 0))],
    ]


def test_a_unit_of_one_s_own_takes_two_hits(tmp_path: Path) -> None:
    state = make_game(f"axis(scenario='{written(tmp_path, GOOD)}', scripted=False)").new_initial_state()
    while state.current_player() >= 0:
        state.apply_action(state.string_to_action(0, f"{'infantry' if len(state.orders) < 2 else 'elephant'} A > B"))
    assert any("1 elephant, defenders nothing" in state.action_to_string(-1, a) for a, _ in state.chance_outcomes())


def test_scenarios_that_come_with_the_game_are_read() -> None:
    assert {"s1", "s2", "s3", "revised"} <= set(SCENARIOS)
    for name in SCENARIOS:
        assert load(name).about
    assert load("s2").area_values[2] == 30
    assert [load(name).span for name in ("s1", "s2", "s3")] == [(-8, 6), (-36, 12), (-19, 23)]


MISTAKES = {
    "unknown unit": ('units = "2i1e"', 'units = "2i1elefant"', "line 22: areas.A.units: did not understand 'elefant'"),
    "negative count": ('units = "2i1e"', 'units = "-2i"', "line 22: .*a count is from 0"),
    "unknown owner": ('owner = "red"', 'owner = "rod"', "line 22: areas.A.owner: there is no power 'rod'; .*'red'"),
    "unknown power": ("{ blue =", "{ green =", "line 23: areas.B.units: there is no power 'green'"),
    "own neighbour": ('[["A", "B"]]', '[["A", "A"]]', "line 4: edges: 'A' is next to itself"),
    "disconnected": ('[["A", "B"]]', "[]", "line 23: areas.B: disconnected"),
    "too many hits": ("hits = 2", "hits = 99", "line 14: units.elephant.hits: expected a whole number from 1 to 9"),
    "unknown trait": ("cost = 7", "cost = 7\ncots = 7", "line 14: units.elephant.cots: .*did you mean 'cost'"),
    "name that is taken": ('["e"]', '["i"]', "line 10: units.elephant: 'i' is another name of infantry"),
    "name nobody can write": ('["e"]', '["2e"]', "line 10: units.elephant: '2e' is no name of a unit"),
    "area without a name": ("[areas]\n", '[areas]\n"" = { next = ["A"] }\n', "line 22: areas: '' is no name"),
    "more cities than there are": ("blitz = true", "victory = 99", "line 7: victory: 99 cities are wanted"),
    "place nowhere": ("value = 2", "place = [nan, 1]", r"line 22: areas.A.place\[0\]: expected a number from"),
    "both have units": ('{ blue = "3 inf" }', '{ blue = "1i", red = "1i" }', "line 23: .*both sides have units"),
    "both sides in one area": ('{ blue = "3 inf" }', '{ red = "3 inf" }', "line 23: .* blue's and has units of red"),
    "a unit in the sea": ("A = {", "A = { sea = true,", "line 22: areas.A: has units, but is sea"),
    "unknown key": ("value = 2", "worth = 2", "line 22: areas.A.worth: there is no such key; known: city"),
    "wrong kind": ("value = 2", 'value = "two"', "line 22: areas.A.value: expected a whole number .*, not 'two'"),
    "unknown rule": ("blitz = true", "blizz = true", "line 7: rules.blizz: .*did you mean 'blitz'"),
    "bad choice": ('losses = "pairs"', 'losses = "dear"', "line 8: rules.losses: expected cheapest, .* 'dear'"),
    "range upside down": ("[-5, 5]", "[5, -5]", "line 3: range: from 5 to -5 is no range"),
    "no turns": ("turns = 2", "turns = 0", "line 2: turns: at least 1"),
    "bad script": ('{ all = "A" }', '{ to = "A" }', "line 19: powers.blue.script: write"),
    "script to nowhere": ('{ all = "A" }', '{ all = "Z" }', "line 19: powers.blue.script: there is no area 'Z'"),
    "whose units": ('A = { owner = "red", ', "A = { ", "line 22: areas.A.units: whose are they"),
    "strength over 6": ("attack = 3", "attack = 7", "line 11: units.elephant.attack: expected .* 0 to 6"),
    "twice": ("[areas]\n", "[areas]\nB = { owner = 'red' }\n", "not valid TOML: .*line 24"),
    "no TOML": ("turns = 2", "turns = = 2", "not valid TOML: .*line 2"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_line(mistake: str, tmp_path: Path) -> None:
    right, wrong, said = MISTAKES[mistake]
    assert right in GOOD
    with pytest.raises(BadDefinition, match=said) as caught:
        read_scenario(written(tmp_path, GOOD.replace(right, wrong)))
    assert "two.toml" in str(caught.value)


def test_what_is_no_scenario_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 's1'"):
        load("s11")
    with pytest.raises(BadDefinition, match="no such file"):
        load(str(tmp_path / "none.toml"))
    with pytest.raises(BadDefinition, match="areas: it is missing"):
        read_scenario(written(tmp_path, "turns = 1"))


def test_a_game_in_which_nobody_can_move_is_refused(tmp_path: Path) -> None:
    islands = """turns = 1
[powers.red]
[powers.blue]
[areas]
A = { owner = "red", units = "1i", next = ["S"] }
S = { sea = true, next = ["B"] }
B = { owner = "blue", units = "1i" }
"""
    with pytest.raises(BadDefinition, match="line 4: no unit can ever move, so the game would be over at once"):
        read_scenario(written(tmp_path, islands))
    assert read_scenario(written(tmp_path, islands.replace('"1i", next', '"1 fighter", next'))).turns == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("scenario=s1, victory=99", "victory: 99 cities are wanted, and there are 0"),
        ("scenario=s1, span=[5, -5]", "range: from 5 to -5 is no range"),
    ],
)
def test_options_are_checked_like_the_rules_of_a_file(given: str, said: str) -> None:
    with pytest.raises(BadSpec, match=said):
        make_game(f"axis({given})").new_initial_state()


def test_a_file_that_changed_is_read_anew(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    assert load(str(path)).turns == 2
    path.write_text(GOOD.replace("turns = 2", "turns = 3"))
    os.utime(path, ns=(1, 1))
    assert load(str(path)).turns == 3
