"""Scenario files: what they may say, and the line of every mistake."""

import os
from pathlib import Path

import pytest

from kibitz import make_game
from kibitz.core.errors import BadDefinition, UnknownName
from kibitz.games.axis.scenario_file import read_scenario
from kibitz.games.axis.scenarios import SCENARIOS, load

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
    assert load("s2").worth[2] == 30
    assert [load(name).span for name in ("s1", "s2", "s3")] == [(-8, 6), (-36, 12), (-19, 23)]


MISTAKES = {
    "unknown unit": ('units = "2i1e"', 'units = "2i1elefant"', "line 22: areas.A.units: did not understand 'elefant'"),
    "negative count": ('units = "2i1e"', 'units = "-2i"', "line 22: .*a count is from 0"),
    "unknown owner": ('owner = "red"', 'owner = "rod"', "line 22: areas.A.owner: there is no power 'rod'; .*'red'"),
    "unknown power": ("{ blue =", "{ green =", "line 23: areas.B.units: there is no power 'green'"),
    "unknown neighbour": ('[["A", "B"]]', '[["A", "X"]]', "line 4: edges: there is no area 'X'"),
    "own neighbour": ('[["A", "B"]]', '[["A", "A"]]', "line 4: edges: 'A' is next to itself"),
    "disconnected": ('[["A", "B"]]', "[]", "line 23: areas.B: disconnected"),
    "both sides in one area": ('{ blue = "3 inf" }', '{ red = "3 inf" }', "line 23: areas.B: contradictory owners"),
    "a unit in the sea": ("A = {", "A = { sea = true,", "line 22: areas.A: has units, but is sea"),
    "a ship": ('"2i1e"', '"1 battleship"', "line 22: areas.A: a battleship; units of the sea"),
    "closed": ("A = {", "A = { closed = true,", "line 22: areas.A: has units, but is closed"),
    "unknown key": ("value = 2", "worth = 2", "line 22: areas.A: object contains unknown field worth"),
    "wrong kind": ("value = 2", 'value = "two"', "line 22: areas.A.value: expected int, got str"),
    "negative value": ("value = 2", "value = -2", "line 22: areas.A.value: expected int >= 0"),
    "unknown rule": ("blitz = true", "blizz = true", "line 7: rules: object contains unknown field blizz"),
    "bad choice": ('losses = "pairs"', 'losses = "dear"', "line 8: rules.losses: invalid enum value 'dear'"),
    "range upside down": ("[-5, 5]", "[5, -5]", "line 3: range: from 5 to -5 is no range"),
    "no turns": ("turns = 2", "turns = 0", "line 2: turns: at least 1"),
    "one side": ("[powers.blue]\n", "[powers.blue]\nside = 'red'\n", "line 17: powers: there must be two sides, not 1"),
    "bad script": ('{ all = "A" }', '{ to = "A" }', "line 19: powers.blue.script: write"),
    "script to nowhere": ('{ all = "A" }', '{ all = "Z" }', "line 19: powers.blue.script: there is no area 'Z'"),
    "whose units": ('A = { owner = "red", ', "A = { ", "line 22: areas.A.units: whose are they"),
    "strength over 6": ("attack = 3", "attack = 7", "line 10: units.elephant: strengths are from 0 to 6"),
    "twice": ("[areas]\n", "[areas]\nB = { owner = 'red' }\n", "no valid TOML: .*line 24"),
    "no TOML": ("turns = 2", "turns = = 2", "no valid TOML: .*line 2"),
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
    with pytest.raises(BadDefinition, match="missing required field areas"):
        read_scenario(written(tmp_path, "turns = 1"))


def test_a_file_that_changed_is_read_anew(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    assert load(str(path)).turns == 2
    path.write_text(GOOD.replace("turns = 2", "turns = 3"))
    os.utime(path, ns=(1, 1))
    assert load(str(path)).turns == 3
