"""Matching pennies: who wins is clear where habits are."""

from kibitz import make_game
from kibitz.core.match.play import play
from kibitz.games.pennies.rules import State
from kibitz.games.pennies.view import draw
from kibitz.testing import perft


def test_habits_meet() -> None:
    assert play("pennies", ["heads", "heads"]).ending.returns == [1.0, -1.0]
    assert play("pennies", ["copycat", "heads"], seed=1).ending.returns == [1.0, -1.0]
    circle = play("pennies", ["heads", "alternator"])
    assert (circle.ending.reason, circle.ending.plies, circle.ending.returns) == ("max_plies", 1000, [0.0, 0.0])


def test_a_state_comes_back() -> None:
    record = play("pennies(lead=2)", ["heads", "alternator"], max_plies=32)
    hashes = [entry.hash for entry in record.entries if entry.hash]
    assert len(set(hashes)) == 1 < len(hashes)


def test_perft_is_unchanged() -> None:
    assert perft("pennies", 6) == [1, 4, 16, 64, 192, 768, 2304]


def test_the_coin_is_drawn_where_it_is() -> None:
    game = make_game("pennies(lead=2)")
    coins = [next(shape for shape in draw(State(game, ahead)).shapes if shape.id == "coin") for ahead in (-2, 0, 2)]
    assert [coin.x - coins[1].x for coin in coins] == [2.0, 0.0, -2.0], "the matcher draws it to the left"
