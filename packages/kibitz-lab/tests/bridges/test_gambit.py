"""Gambit's files: read as games, written from ours, and hostile ones refused in one line."""

from pathlib import Path

import pytest

from kibitz import core
from kibitz.core.errors import BadDefinition, BadSpec
from kibitz.core.game import CHANCE
from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.testing import check_game
from kibitz_lab.bridges import gambit
from kibitz_lab.bridges.gambit.files import PayoffTable, Tree, parse_game
from kibitz_web.server.access.policy import allowed_spec

CARD = """EFG 2 R "One card" { "Ann" "Bob" }
"Ann sees the card, Bob does not."

c "deal" 1 "" { "ace" 1/2 "king" .5 } 0
p "" 1 1 "high" { "raise" "fold" } 0
p "" 2 1 "" { "meet" "pass" } 0
t "" 1 "Ann wins big" { 2, -2 }
t "" 2 "Ann wins" { 1 -1 }
t "" 2
p "" 1 2 "low" { "raise" "fold" } 0
p "" 2 1
0
t "" 3 "Bob wins big" { -2 2 }
t "" 2
t "" 4 "Bob wins" { -1 1 }
"""
DUOPOLY = """NFG 1 R "Duopoly" { "Row" "Column" } { { "up" "down" } { "left" "middle" "right" } } "by names"
1 10 2 20 3 30 4 40 5 50 6 60"""


def card_game(folder: Path, text: str = CARD) -> core.Game:
    path = folder / "card.efg"
    path.write_text(text, encoding="utf-8")
    return make_game(f"gambit(file={str(path)!r})")


def test_a_tree_is_a_game_that_keeps_the_contract(tmp_path: Path) -> None:
    game = card_game(tmp_path)
    check_game(game, walks=6)
    assert (game.players, game.hidden, game.zero_sum, game.utility) == (2, True, True, (-2.0, 2.0))
    assert [game.player_name(player) for player in (0, 1)] == ["Ann", "Bob"]
    record = play(game, ["random", "random"], models=["strategy_filter"], seed=3)
    assert record.ending.reason == "terminal"


def test_information_sets_decide_who_sees_what(tmp_path: Path) -> None:
    state = card_game(tmp_path).new_initial_state()
    assert dict(state.chance_outcomes()) == {0: 0.5, 1: 0.5}
    ace, king = state.child(0), state.child(1)
    assert ace.view(0).key() != king.view(0).key(), "Ann sees the card"
    assert ace.view(1).key() == king.view(1).key()
    assert ace.view(None).key() == king.view(None).key(), "a spectator sees what all see"
    assert [state.seen_action(player, CHANCE, 1) for player in (0, 1, None)] == [1, None, None]
    assert ace.child(0).view(1).key() == king.child(0).view(1).key()
    assert ace.child(0).view(1).key() != ace.child(1).view(1).key(), "Bob sees that Ann raised"
    assert ace.seen_action(1, 0, 0) == 0
    drawn = {ace.child(0).view(1).complete(stream(seed, "world")).key() for seed in range(20)}
    assert len(drawn) == 2, "either card is possible"
    assert "ace" not in str(ace.child(0).view(1))


def test_payoffs_on_the_way_are_added_up(tmp_path: Path) -> None:
    text = 'EFG 2 R "Toll" { "A" } ""\np "" 1 1 "" { "go" "stay" } 1 "" { -1 }\nt "" 2 "" { 5 }\nt "" 0\n'
    state = card_game(tmp_path, text).new_initial_state()
    assert state.child(0).returns() == [4.0]
    assert state.child(1).returns() == [-1.0]


def test_a_table_is_a_game_of_one_choice(tmp_path: Path) -> None:
    path = tmp_path / "duopoly.nfg"
    path.write_text(DUOPOLY)
    game = make_game(f"gambit:{path}")
    check_game(game, walks=3)
    state = game.new_initial_state()
    state.apply_actions((1, 2))
    assert state.returns() == [6.0, 60.0]
    state = game.new_initial_state()
    state.apply_actions((1, 0))
    assert state.returns() == [2.0, 20.0], "the first player's strategy changes fastest"


def test_tables_of_outcomes_and_of_plain_numbers_are_read() -> None:
    by_outcome = parse_game(
        'NFG 1 R "O" { "A" "B" } { { "x" "y" } { "u" "v" } } "" { { "one" 1, 2 } { "two" 3 4 } } 1 2 0 2'
    )
    assert isinstance(by_outcome, PayoffTable)
    assert by_outcome.payoffs == {(0, 0): (1, 2), (1, 0): (3, 4), (0, 1): (0, 0), (1, 1): (3, 4)}
    plain = parse_game('NFG 1 D "P" { "A" "B" } { 2 1 } 1 2 -3.5 1/4')
    assert isinstance(plain, PayoffTable)
    assert plain.payoffs == {(0, 0): (1, 2), (1, 0): (-3.5, 0.25)}


SAME = [
    "kuhn(players=2)",
    "dilemma(rounds=2)",
    "dilemma(rounds=1, noise=0.25)",
    "goofspiel(cards=2)",
    "offers(rounds=1)",
]


@pytest.mark.parametrize("spec", SAME)
def test_our_games_come_back_as_they_were(spec: str, tmp_path: Path) -> None:
    path = tmp_path / "game.efg"
    path.write_text(gambit.efg(spec), encoding="utf-8")
    ours, read = make_game(spec), make_game(f"gambit(file={str(path)!r})")
    check_game(read, walks=2)
    for seed in range(25):
        compare_walks(ours, read, stream(seed, "walk"))
    assert gambit.efg(spec) == gambit.efg(spec)


def compare_walks(ours: core.Game, read: core.Game, rng: core.Rng) -> None:
    """Play the same random actions in both; those who choose at once do so one after another in a tree."""
    one, other = ours.new_initial_state(), read.new_initial_state()
    while not one.is_terminal():
        if one.current_player() == CHANCE:
            pairs = list(one.chance_outcomes())
            assert [share for _, share in other.chance_outcomes()] == pytest.approx([share for _, share in pairs])
            number = int(rng.random() * len(pairs))
            one.apply_action(pairs[number][0])
            other.apply_action(number)
            continue
        chosen = []
        for player in ours.movers(one):
            legal = one.legal_actions(player)
            assert other.current_player() == player
            names = [one.action_to_string(player, action) for action in legal]
            assert [other.action_to_string(player, action) for action in other.legal_actions()] == names
            number = int(rng.random() * len(legal))
            chosen.append(legal[number])
            other.apply_action(number)
        one.step(chosen)
    assert other.is_terminal()
    assert other.returns() == pytest.approx(one.returns())


def test_normal_forms_are_written(tmp_path: Path) -> None:
    text = gambit.nfg("dilemma(rounds=1, noise=0.1)")
    table = parse_game(text)
    assert isinstance(table, PayoffTable)
    assert table.payoffs[0, 0] == pytest.approx((2.89, 2.89))
    with pytest.raises(BadSpec, match="write it as efg"):
        gambit.nfg("dilemma(rounds=2)")
    with pytest.raises(BadSpec, match="nodes"):
        gambit.efg("goofspiel(cards=4)", most=1000)
    with pytest.raises(BadSpec, match="more than 80 events"):
        gambit.efg("pennies(lead=1000)")


HEAD = 'EFG 2 R "x" { "A" "B" } ""\n'


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("", 1, "begins with EFG or NFG"),
        ("GIF89a", 1, "begins with EFG or NFG"),
        ('EFG 2 R "x" { }', 1, "0 players"),
        ('EFG 2 X "x" { "A" }', 1, "expected R or D"),
        (HEAD, 2, "expected a node"),
        (HEAD + 'q "" 1', 2, "expected a node"),
        (HEAD + 'p "" 3 1 "" { "a" } 0', 2, "no player 3"),
        (HEAD + 'p "" 1 1 "" { "a" "b" } 0\nt "" 0\n', 4, "expected a node"),
        (HEAD + 'p "" 1 1 0\nt "" 0', 2, "has no actions yet"),
        (HEAD + 'p "" 1 1 "" { } 0', 2, "without actions"),
        (HEAD + 'c "" 1 "" { "a" 1/2 "b" 1/3 } 0', 2, "add up to"),
        (HEAD + 'c "" 1 "" { "a" 1/0 } 0', 2, "divides by 0"),
        (HEAD + 'c "" 1 "" { "a" -1 "b" 2 } 0', 2, "add up to"),
        (HEAD + 't "" 1 "" { 1 }', 2, "1 payoffs for 2 players"),
        (HEAD + 't "" 1 "" { 1 nan }', 2, "a number such as"),
        (HEAD + 't "" 1 "" { 1 1e999 }', 2, "too large"),
        (HEAD + 't "" 7', 2, "outcome 7 has no payoffs"),
        (HEAD + 't "" 0\nt "" 0', 3, "more follows"),
        (HEAD + 't "never ends', 2, "does not end"),
        (HEAD + 't "" ' + "9" * 30, 2, "a whole number"),
        ('NFG 1 R "x" { "A" "B" } { 2 2 } 1 2 3', 1, "a payoff"),
        ('NFG 1 R "x" { "A" "B" } { 2 } 1 2 3', 1, "strategies for 1 of 2"),
        ('NFG 1 R "x" { "A" "B" } { 99999 99999 }', 1, "more than"),
        ('NFG 1 R "x" { "A" "B" } { 1 1 } 1 2 3', 1, "more follows"),
        ('NFG 1 R "x" { "A" } { 2 } "" { { "o" 1 } }\n1 2', 2, "no outcome 2"),
    ],
)
def test_hostile_files_are_refused_in_one_line(text: str, line: int, why: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.efg"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadDefinition) as caught:
        make_game(f"gambit(file={str(path)!r})")
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: "), message
    assert why in message
    assert "\n" not in message


def test_a_deep_tree_is_read(tmp_path: Path) -> None:
    nodes = "".join(f'p "" 1 {number} "" {{ "on" "off" }} 0\nt "" 0\n' for number in range(1, 3001))
    text = 'EFG 2 R "deep" { "A" } ""\n' + nodes.replace('t "" 0\n', "") + 't "" 0\n' * 3001
    tree = parse_game(text)
    assert isinstance(tree, Tree)
    assert max(node.depth for node in tree.nodes) == 3000


def test_files_are_the_operator_s() -> None:
    with pytest.raises(BadSpec, match="may not name files"):
        allowed_spec("gambit(file=poker)")
    with pytest.raises(BadSpec, match="may not name files"):
        allowed_spec("gambit:poker.efg")


def test_an_absent_file_is_one_line() -> None:
    with pytest.raises(BadDefinition, match="cannot be read"):
        make_game("gambit(file='nowhere.efg')")
