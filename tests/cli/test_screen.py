"""What the terminal shows of a match."""

import kibitz
from kibitz.cli import screen


def test_labels_that_are_not_shown_never_have_less_than_nothing() -> None:
    shares = {"s1": 1.0, "s2": 3e-16, "s3": 2e-16, "s4": 1e-17, **dict.fromkeys(("s5", "s6"), 0.0)}
    with screen.console.capture() as shown:
        screen.console.print(screen.beliefs(kibitz.make_game("pawns"), {"strategy_filter": [shares]}))
    assert 1.0 - sum(list(shares.values())[:4]) < 0.0
    (others,) = [line.split() for line in shown.get().splitlines() if "others" in line]
    assert others == ["2", "others", "0%"]
