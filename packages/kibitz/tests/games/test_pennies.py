"""Matching pennies: who wins is clear where habits are."""

from kibitz.core.match.play import play
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
