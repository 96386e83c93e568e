"""Plays as hero in bear-brawl(bear_hp=3, radius=3).

3 answers and 2 tests, by c4.5.
On bear-brawl(bear_hp=3, radius=3) it is right in 387 of 387 states, of which 165 matter.
Certified against the best answer, it loses nothing.
From the start it earns at least 0; nobody can earn more than 0.
"""

GAME = "bear-brawl(bear_hp=3, radius=3)"
PLAYER = 0


def act(u: int, v: int, x: int, y: int) -> dict[str, float]:
    """The probability of every action."""
    if x < 0:
        return {"R": 1.0}
    if x <= 0:
        return {"A": 1.0}
    return {"L": 1.0}


if __name__ == "__main__":
    import sys

    print(act(*map(int, sys.argv[1:])))
