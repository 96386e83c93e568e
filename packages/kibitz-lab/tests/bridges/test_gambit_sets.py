"""Information sets are those of the file: Gambit's reader finds the same, and exports come back as they were."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kibitz import core
from kibitz.core.errors import BadDefinition, BadGame, Unsupported
from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz.testing import check_game
from kibitz_lab.bridges import gambit
from kibitz_lab.extensive import build_table, equilibrium, solve_cfr
from kibitz_lab.extensive.table import InformationTable

HORSE = """EFG 2 R "Two may pass, the third asks why" { "Ann" "Bob" "Cy" } ""
p "" 1 1 "" { "stop" "on" } 0
p "" 3 1 "" { "left" "right" } 0
t "" 1 "" { 3 3 2 }
t "" 2 "" { 0 0 0 }
p "" 2 1 "" { "stop" "on" } 0
p "" 3 1 "" { "left" "right" } 0
t "" 3 "" { 4 4 0 }
t "" 4 "" { 0 0 1 }
t "" 5 "" { 1 1 1 }
"""
UNTIMED = """EFG 2 R "Each may be the first or the second to be asked" { "Ann" "Bob" } ""
c "" 1 "" { "Ann first" 1/2 "Bob first" 1/2 } 0
p "" 1 1 "" { "heads" "tails" } 0
p "" 2 1 "" { "heads" "tails" } 0
t "" 1 "same" { 1 -1 }
t "" 2 "other" { -1 1 }
p "" 2 1 "" { "heads" "tails" } 0
t "" 2
t "" 1
p "" 2 1 "" { "heads" "tails" } 0
p "" 1 1 "" { "heads" "tails" } 0
t "" 1
t "" 2
p "" 1 1 "" { "heads" "tails" } 0
t "" 2
t "" 1
"""
CROSSED = """EFG 2 R "Chance lists good and bad in another order" { "Ann" "Bob" } ""
p "" 1 1 "" { "l" "r" } 0
c "" 1 "" { "good" 1/2 "bad" 1/2 } 0
p "" 2 1 "" { "buy" "sell" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { -1.5 3/2 }
p "" 2 2 "" { "buy" "sell" } 0
t "" 2
t "" 1
c "" 2 "" { "bad" 1/2 "good" 1/2 } 0
p "" 2 2 "" { "buy" "sell" } 0
t "" 1
t "" 2
p "" 2 1 "" { "buy" "sell" } 0
t "" 2
t "" 1
"""
COUNTED = """EFG 2 R "Bob sees how often Ann moved, not how" { "Ann" "Bob" } ""
c "" 1 "" { "once" 1/3 "twice" 2/3 } 0
p "" 1 1 "" { "a" "b" } 0
p "" 2 1 "" { "a" "b" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { -1 1 }
p "" 2 1 "" { "a" "b" } 0
t "" 2
t "" 1
p "" 1 2 "" { "a" "b" } 0
p "" 1 3 "" { "a" "b" } 0
p "" 2 2 "" { "a" "b" } 0
t "" 1
t "" 2
p "" 2 2 "" { "a" "b" } 0
t "" 2
t "" 1
p "" 1 4 "" { "a" "b" } 0
p "" 2 2 "" { "a" "b" } 0
t "" 2
t "" 1
p "" 2 2 "" { "a" "b" } 0
t "" 1
t "" 2
"""
NEVER = """EFG 2 R "A move of chance that never happens; payments on the way" { "Ann" "Bob" } "a \\"text\\""
c "" 1 "" { "never" 0 "x" 0.25 "also x" 3/4 } 1 "fee" { -1 1 }
p "" 1 3 "" { "u" "d" } 0
t "" 0
t "" 2 "" { 5 -5 }
p "" 1 1 "" { "u" "d" } 0
p "" 2 1 "" { "u" "d" } 3 "" { .5 -.5 }
t "" 2
t "" 0
t "" 0
p "" 1 1 "" { "u" "d" } 0
p "" 2 1 "" { "u" "d" } 0
t "" 0
t "" 2
t "" 0
"""
EXAMPLES = {"horse": HORSE, "untimed": UNTIMED, "crossed": CROSSED, "counted": COUNTED, "never": NEVER}
SETS = {
    "horse": [[1], [1], [2]],
    "untimed": [[3], [3]],
    "crossed": [[1], [2, 2]],
    "counted": [[1, 1, 1, 1], [2, 4]],
    "never": [[1, 2], [2]],
}
"""The number of nodes in the information sets of each player."""
FORGETFUL = """EFG 2 R "Ann forgets her own choice" { "Ann" } ""
p "" 1 1 "" { "l" "r" } 0
p "" 1 2 "" { "l" "r" } 0
t "" 1 "" { 1 }
t "" 0
p "" 1 2 "" { "l" "r" } 0
t "" 0
t "" 1
"""
ABSENT = """EFG 2 R "A driver at two equal crossings" { "Ann" } ""
p "" 1 1 "" { "on" "off" } 0
p "" 1 1 "" { "on" "off" } 0
t "" 1 "" { 1 }
t "" 2 "" { 4 }
t "" 0
"""


def read(folder: Path, text: str) -> core.Game:
    path = folder / "game.efg"
    path.write_text(text, encoding="utf-8")
    return make_game(f"gambit(file={str(path)!r})")


def sets_of(table: InformationTable) -> list[list[int]]:
    """The number of nodes in each information set, by player."""
    sizes = Counter(table.tree.sets[table.tree.movers >= 0].tolist())
    return [sorted(sizes[number] for number in table.sets_of(player)) for player in range(table.players)]


def sets_by_gambit(path: Path) -> list[list[int]]:
    """The same by Gambit's own reader."""
    pygambit = pytest.importorskip("pygambit", minversion="17.0.0b2")
    found: Any = pygambit.read_efg(path)
    return [
        sorted(len(found.get_members(pygambit.H.path(*first.actions))) for first in found.get_infosets(player))
        for player in found.players
    ]


@pytest.mark.parametrize("name", EXAMPLES)
def test_information_sets_are_those_of_the_file(name: str, tmp_path: Path) -> None:
    game = read(tmp_path, EXAMPLES[name])
    assert game.hidden
    check_game(game, walks=6)
    assert sets_of(build_table(game)) == SETS[name]
    again = read(tmp_path, gambit.efg(game))
    assert sets_of(build_table(again)) == SETS[name]
    record = play(game, ["cfr"] * game.players, models=["strategy_filter"], seed=1)
    assert record.ending is not None
    assert record.ending.reason == "terminal"


@pytest.mark.parametrize("name", EXAMPLES)
def test_gambit_finds_the_same_sets(name: str, tmp_path: Path) -> None:
    read(tmp_path, EXAMPLES[name])
    assert sets_by_gambit(tmp_path / "game.efg") == SETS[name]


def test_views_do_not_show_how_an_information_set_was_reached(tmp_path: Path) -> None:
    start = read(tmp_path, HORSE).new_initial_state()
    early, late = start.child(0), start.child(1).child(0)
    assert early.view(2).key() == late.view(2).key()
    assert str(early.view(2)) == str(late.view(2))
    assert "Ann: stop or Ann: on, Bob: stop" in str(early.view(2))


def test_an_action_looks_the_same_from_all_nodes_that_look_the_same(tmp_path: Path) -> None:
    start = read(tmp_path, CROSSED).new_initial_state()
    good, also_good = start.child(0).child(0), start.child(1).child(1)
    assert good.view(1).key() == also_good.view(1).key()
    assert start.child(0).seen_action(1, core.CHANCE, 0) == start.child(1).seen_action(1, core.CHANCE, 1)


@pytest.mark.parametrize(("name", "value"), [("untimed", 0.0), ("counted", 0.0), ("never", 0.375)])
def test_values_are_those_worked_out_by_hand(name: str, value: float, tmp_path: Path) -> None:
    assert equilibrium(build_table(read(tmp_path, EXAMPLES[name])), 0).value == pytest.approx(value, abs=1e-9)
    pygambit = pytest.importorskip("pygambit", minversion="17.0.0b2")
    theirs = pygambit.nash.lp_solve(pygambit.read_efg(tmp_path / "game.efg")).equilibrium
    assert float(theirs.payoffs["Ann"]) == pytest.approx(value)


def test_catalogue_games_have_gambit_s_sets_and_recall() -> None:
    pygambit = pytest.importorskip("pygambit", minversion="17.0.0b2")
    files = sorted(Path(pygambit.__file__).parent.glob("catalog_data/**/*.efg"))
    compared = 0
    for path in files:
        theirs = pygambit.read_efg(path)
        if theirs._has_absent_minded_infoset():
            with pytest.raises(BadDefinition, match="absent-minded"):
                make_game(f"gambit(file={str(path)!r})")
            continue
        game = make_game(f"gambit(file={str(path)!r})")
        if not theirs.is_perfect_recall:
            with pytest.raises(BadGame, match="perfect recall"):
                build_table(game)
        elif game.hidden or not game.zero_sum:
            assert sets_of(build_table(game)) == sets_by_gambit(path), path
            compared += 1
    assert compared >= min(15, len(files))


def test_a_player_who_forgets_can_be_played_but_not_solved(tmp_path: Path) -> None:
    game = read(tmp_path, FORGETFUL)
    check_game(game, walks=3)
    state = game.new_initial_state()
    assert state.child(0).view(0).key() == state.child(1).view(0).key()
    with pytest.raises(BadGame, match=r"Ann forgets .* perfect recall"):
        build_table(game)
    with pytest.raises(Unsupported, match="perfect recall"):
        play(game, ["cfr"], seed=1)
    assert play(game, ["random"], seed=1).ending is not None


def test_absent_mindedness_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDefinition, match=r"game.efg:3: .*absent-mindedness"):
        read(tmp_path, ABSENT)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('2 1 "" { "buy" "sell" } 0\nt "" 2\nt "" 1\n', '2 1 "" { "sell" "buy" } 0\nt "" 2\nt "" 1\n', "other actions"),
        ('c "" 2 ""', 'c "" 1 ""', "other actions"),
        ('c "" 2 "" { "bad" 1/2 "good" 1/2 }', 'c "" 1 "" { "good" 1/3 "bad" 2/3 }', "other probabilities"),
    ],
)
def test_sets_that_contradict_themselves_are_refused(old: str, new: str, why: str, tmp_path: Path) -> None:
    assert old in CROSSED
    with pytest.raises(BadDefinition, match=why):
        read(tmp_path, new.join(CROSSED.rsplit(old, 1)))


EXPORTED = [
    "kuhn(players=2)",
    "kuhn(players=3)",
    "leduc",
    "dilemma(rounds=2)",
    "pennies(lead=1)",
    "offers(rounds=1)",
    "matrix",
    "openspiel:kuhn_poker",
    "openspiel:goofspiel(num_cards=3,imp_info=True)",
]


@pytest.mark.parametrize("spec", EXPORTED)
def test_exports_come_back_with_the_same_sets_and_value(spec: str, tmp_path: Path) -> None:
    if spec.startswith("openspiel"):
        pytest.importorskip("pyspiel")
    ours = build_table(spec)
    theirs = build_table(read(tmp_path, gambit.efg(spec)))
    assert sets_of(theirs) == sets_of(ours)
    assert sets_by_gambit(tmp_path / "game.efg") == sets_of(ours)
    values = [solve_cfr(table, iterations=50).returns for table in (ours, theirs)]
    assert values[1] == pytest.approx(values[0], abs=1e-6)
