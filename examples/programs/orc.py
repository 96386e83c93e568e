"""Plays as orc in right-turn.

4 answers and 5 tests, by foidl.
On right-turn it is right in 432 of 432 states, of which 33 matter.
Certified against the best answer, it loses at most 0.001999, at (-5, 1); something in 27 states.
From the start it earns at least 0.4995; nobody can earn more than 0.5.
"""

GAME = "right-turn"
PLAYER = 0


def act(x: int, y: int) -> dict[str, float]:
    """The probability of every action."""
    if x <= -4 and y == 0:
        return {"F": 0.5, "R": 0.5}
    if x >= -3 and y == -1:
        return {"F": 0.999, "R": 0.001}
    if y < 0:
        return {"F": 1.0}
    return {"R": 1.0}


if __name__ == "__main__":
    import sys

    print(act(*map(int, sys.argv[1:])))
