"""Trees and tables written in all ways that Gambit's format knows have the values that OpenSpiel's reader finds."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from kibitz import core
from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz.testing import check_game

pyspiel = pytest.importorskip("pyspiel")

SIGNAL = """EFG 2 R "Signals with a cost" { "Sender" "Receiver" }
"A text
that goes on over
three lines"

c "ROOT" 1 "(0,1)" { "strong" 9/10 "weak" 1/10 } 0
p "" 1 1 "(1,1)" { "beer" "quiche" } 0
p "" 2 1 "(2,1)" { "fight" "leave" } 0
t "" 1 "Outcome 1" { 1.000000, 0.000000 }
t "" 2 "Outcome 2" { 3.000000, 1.000000 }
p "" 2 2 "(2,2)" { "fight" "leave" } 0
t "" 3 "Outcome 3" { 0.000000, 0.000000 }
t "" 4 "Outcome 4" { 2.000000, 1.000000 }
p "" 1 2 "(1,2)" { "beer" "quiche" } 0
p "" 2 1 "(2,1)" { "fight" "leave" } 0
t "" 5 "Outcome 5" { 0.000000, 1.000000 }
t "" 6 "Outcome 6" { 2.000000, 0.000000 }
p "" 2 2 "(2,2)" { "fight" "leave" } 0
t "" 7 "Outcome 7" { 1.000000, 1.000000 }
t "" 8 "Outcome 8" { 3.000000, 0.000000 }
"""
THREE = """EFG 2 R "Three at a table" { "One" "Two" "Three" }
p "" 1 1 "" { "L" "R" } 0
p "" 2 1 "" { "L" "R" } 0
p "" 3 1 "" { "L" "R" } 0
t "" 1 "" { 1 1/2 -3/4 }
t "" 2 "" { 0 0 0 }
p "" 3 1 "" { "L" "R" } 0
t "" 3 "" { -1 2e0 .5 }
t "" 1 "" { 1 1/2 -3/4 }
p "" 2 1 "" { "L" "R" } 0
t "" 4 "" { 4 -4 4 }
p "" 3 2 "" { "up" "down" "out" } 0
t "" 5 "" { 7 7 7 }
t "" 6 "" { 1 2 3 }
t "" 2 "" { 0 0 0 }
"""
NUMBERED = """EFG 2 D "Infosets without names, outcomes shared" { "Player 1" "Player 2" }
c "" 1 { "a" .25 "b" .5 "c" 0.25 } 0
p "" 1 1 { "x" "y" } 0
t "" 1 { 3 -3 }
p "" 2 5 { "u" "v" } 0
t "" 1
t "" 2 { -2 2 }
p "" 1 1 0
t "" 2
t "" 1
t "" 3 "" { 10 -10 }
"""
TOLLS = """EFG 2 R "Payments on the way" { "A" "B" } ""
c "" 1 "" { "rain" 1/3 "sun" 2/3 } 1 "fee" { -1 0 }
p "" 1 1 "" { "go" "stay" } 2 "ticket" { -1/2 1/2 }
t "" 3 "arrived" { 6 0 }
t "" 0
p "" 2 1 "" { "go" "stay" } 0
t "" 3 "arrived" { 6 0 }
t "" 4 "" { 0 9 }
"""
ALONE = """EFG 2 R "One player, one choice" { "Only" } ""
p "" 1 1 "" { "a \\"quoted\\" name" "" "" } 0
t "" 1 "" { 1 }
t "" 2 "" { 2 }
t "" 3 "" { 6 }
"""
CHAIN = """EFG 2 R "The same actions are left out" { "A" "B" }
p "" 1 1 "centipede 1" { "take" "pass" } 0
t "" 1 "" { 4 1 }
p "" 2 1 "centipede 2" { "take" "pass" } 0
t "" 2 "" { 2 8 }
p "" 1 2 "centipede 3" { "take" "pass" } 0
t "" 3 "" { 16 4 }
p "" 2 2 "centipede 4" { "take" "pass" } 0
t "" 4 "" { 8 32 }
t "" 5 "" { 64 16 }
"""
TREES = {"signal": SIGNAL, "three": THREE, "numbered": NUMBERED, "tolls": TOLLS, "alone": ALONE, "chain": CHAIN}
VALUES = {
    "signal": (Fraction(3, 2), Fraction(1, 2)),
    "three": (Fraction(43, 24), Fraction(1, 8), Fraction(41, 24)),
    "numbered": (Fraction(51, 16), Fraction(-51, 16)),
    "tolls": (Fraction(11, 6), Fraction(19, 6)),
    "alone": (Fraction(3),),
    "chain": (Fraction(2) + Fraction(1, 2) + 2 + Fraction(1, 2) + 4, Fraction(1, 2) + 2 + Fraction(1, 2) + 2 + 1),
}
"""What random play is worth, worked out by hand."""
THEIRS = ("signal", "three", "chain")
"""The trees that OpenSpiel's reader reads: no payments on the way, everything spelled out."""
TABLES = {
    "payoffs": 'NFG 1 R "P" { "A" "B" } { { "u" "d" } { "l" "m" "r" } }\n\n1 -1 2 -2 3 -3 4 -4 5 -5 6 -6\n',
    "decimals": 'NFG 1 D "N" { "A" "B" } { 2 3 } ""\n1.0 -2/2 2 -2 3 -3 4 -4 5 -5 6 -6',
    "numbers": 'NFG 1 R "N" { "A" "B" } { 2 3 }\n\n1 -1 2 -2 3 -3 4 -4 5 -5 6 -6\n',
    "outcomes": 'NFG 1 R "O" { "A" "B" } { { "u" "d" } { "l" "m" "r" } } "text"\n'
    '{\n{ "a" 1, -1 }\n{ "" 2, -2 }\n{ "c" 3 -3 } { "d" 4, -4 } { "e" 5 -5 } { "f" 6 -6 }\n}\n1 2 3 4 5 6\n',
}


def written(folder: Path, name: str, text: str, ending: str) -> Path:
    path = folder / f"{name}.{ending}"
    path.write_text(text, encoding="utf-8")
    return path


def random_value(state: core.State, players: int) -> list[float]:
    """What each player gets if everyone plays any action."""
    if state.is_terminal():
        return state.returns()
    if state.current_player() == core.CHANCE:
        shares = dict(state.chance_outcomes())
    else:
        legal = state.legal_actions(state.current_player())
        shares = dict.fromkeys(legal, 1.0 / len(legal))
    children = [(share, random_value(state.child(action), players)) for action, share in shares.items()]
    return [sum(share * value[player] for share, value in children) for player in range(players)]


def their_value(state: Any) -> list[float]:
    """The same in OpenSpiel."""
    if state.is_terminal():
        return list(state.returns())
    legal = state.legal_actions()
    shares = dict(state.chance_outcomes()) if state.is_chance_node() else dict.fromkeys(legal, 1.0 / len(legal))
    children = [(share, their_value(state.child(action))) for action, share in shares.items()]
    return [sum(share * value[player] for share, value in children) for player in range(state.num_players())]


@pytest.mark.parametrize("name", TREES)
def test_a_tree_has_the_value_worked_out_by_hand(name: str, tmp_path: Path) -> None:
    game = make_game(f"gambit:{written(tmp_path, name, TREES[name], 'efg')}")
    assert random_value(game.new_initial_state(), game.players) == pytest.approx([float(each) for each in VALUES[name]])
    check_game(game, walks=3)
    assert play(game, ["random"] * game.players, seed=1).ending.reason == "terminal"


@pytest.mark.parametrize("name", THEIRS)
def test_a_tree_has_the_value_that_openspiel_finds(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, TREES[name], "efg")
    game = make_game(f"gambit:{path}")
    theirs = pyspiel.load_game(f"efg_game(filename={path})")
    ours = random_value(game.new_initial_state(), game.players)
    assert their_value(theirs.new_initial_state()) == pytest.approx(ours)


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("end", ["\r\n", " \n\n\t"])
def test_other_ends_of_lines_change_nothing(name: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "ends.efg"
    path.write_bytes(TREES[name].replace("\n", end).encode())
    game = make_game(f"gambit:{path}")
    assert random_value(game.new_initial_state(), game.players) == pytest.approx([float(each) for each in VALUES[name]])


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_payoffs_that_openspiel_finds(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, TABLES[name], "nfg")
    game = make_game(f"gambit:{path}")
    found = {}
    for row in range(2):
        for column in range(3):
            state = game.new_initial_state()
            state.apply_actions((row, column))
            found[row, column] = state.returns()
    assert found == {(row, column): [1.0 + row + 2 * column, -1.0 - row - 2 * column] for row, column in found}
    if name == "numbers":  # the one that it reads
        theirs = pyspiel.load_game(f"nfg_game(filename={path})")
        for (row, column), payoffs in found.items():
            state = theirs.new_initial_state()
            state.apply_actions([row, column])
            assert list(state.returns()) == payoffs
