"""Leduc poker against OpenSpiel's over the whole tree, and its cases."""

import pytest

from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.games.leduc.rules import CALL, FOLD, RAISE, Leduc, State
from kibitz.testing import perft


def dealt(*actions: int, players: int = 2) -> State:
    state = Leduc(players).new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "peer"), [("kuhn(players=2)", "kuhn_poker"), ("kuhn", "kuhn_poker(players=3)"), ("leduc", "leduc_poker")]
)
def test_poker_is_openspiels_over_the_whole_tree(spec: str, peer: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = make_game(spec)
    lowest = min(getattr(game, "deck", ())) if spec.startswith("kuhn") else 0
    checked = 0
    waiting = [(game.new_initial_state(), pyspiel.load_game(peer).new_initial_state())]
    while waiting:
        ours, theirs = waiting.pop()
        checked += 1
        assert ours.current_player() == theirs.current_player()
        if theirs.is_terminal():
            assert ours.returns() == theirs.returns()
        elif theirs.is_chance_node():
            chances = [(card - lowest, chance) for card, chance in ours.chance_outcomes()]
            assert chances == theirs.chance_outcomes()
            waiting += [(ours.child(card + lowest), theirs.child(card)) for card, _ in theirs.chance_outcomes()]
        else:
            assert list(ours.legal_actions()) == theirs.legal_actions()
            waiting += [(ours.child(action), theirs.child(action)) for action in theirs.legal_actions()]
    assert checked == {"kuhn(players=2)": 58, "kuhn": 617, "leduc": 9457}[spec]


@pytest.mark.parametrize("players", [3, 4])
def test_more_players_play_openspiels_rules(players: int) -> None:
    pyspiel, rng = pytest.importorskip("pyspiel"), stream(3, "leduc", players)
    for _ in range(200):
        ours = Leduc(players).new_initial_state()
        theirs = pyspiel.load_game("leduc_poker", {"players": players}).new_initial_state()
        while not theirs.is_terminal():
            assert ours.current_player() == theirs.current_player()
            legal = [card for card, _ in ours.chance_outcomes()] or ours.legal_actions()
            assert legal == theirs.legal_actions()
            action = legal[int(rng.integers(len(legal)))]
            ours.apply_action(action)
            theirs.apply_action(action)
        assert ours.returns() == pytest.approx(theirs.returns())


def test_perft_is_unchanged() -> None:
    assert perft("leduc", 6) == [1, 6, 30, 60, 150, 390, 780]


def test_a_pair_beats_a_higher_card() -> None:
    state = dealt(0, 5, RAISE, CALL, 1, CALL, CALL)
    assert state.is_terminal()
    assert state.winners() == [0]
    assert state.returns() == [3.0, -3.0]


def test_equal_ranks_share_the_pot() -> None:
    state = dealt(4, 5, RAISE, RAISE, CALL, 0, CALL, RAISE, CALL)
    assert state.returns() == [0.0, 0.0]


def test_cards_stay_hidden_where_a_player_folds() -> None:
    state = dealt(0, 5, RAISE, FOLD)
    assert state.returns() == [1.0, -1.0]
    assert state.view(0).cards == (0, -1)
    assert state.view(None).cards == (-1, -1)


def test_cards_are_shown_at_the_showdown() -> None:
    assert dealt(0, 5, CALL, CALL, 2, CALL, CALL).view(None).cards == (0, 5)


def test_no_more_than_two_raises_a_round() -> None:
    assert dealt(0, 5, RAISE, RAISE).legal_actions() == [FOLD, CALL]
