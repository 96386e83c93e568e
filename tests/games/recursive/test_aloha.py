"""ALOHA is worth what was published, and what a second account of its rules says."""

from typing import TypeAlias

import pytest

from kibitz import make_game
from kibitz.solve import matrix_game, solve

User: TypeAlias = tuple[int, str, int]
"""Failures, what they are, and a count: *free* (how often they waited), *bound* to send, *away* (how long), *done*."""


class Users:
    """ALOHA once more, in words."""

    def __init__(self, backoff: int, q: float) -> None:
        self.backoff, self.q = backoff, q
        self.known: dict[tuple[User, User, int], float] = {}

    def value(self, one: User, other: User, slots: int) -> float:
        """The probability that the first user sends within so many slots."""
        if one[1] == "done" or slots == 0:
            return float(one[1] == "done")
        key = one, other, slots
        if key not in self.known:
            rows, columns = choices(one), choices(other)
            matrix = [[self.mean(one, other, (tries, others), slots) for others in columns] for tries in rows]
            self.known[key] = matrix_game(matrix).value
        return self.known[key]

    def mean(self, one: User, other: User, tries: tuple[bool, bool], slots: int) -> float:
        odds = self.q / 4 if all(tries) else self.q
        return sum(
            chance * other_chance * self.value(after, other_after, slots - 1)
            for after, chance in self.follow(one, tries[0], odds)
            for other_after, other_chance in self.follow(other, tries[1], odds)
        )

    def follow(self, user: User, tries: bool, odds: float) -> list[tuple[User, float]]:
        failures, doing, count = user
        if tries:
            failed = min(failures + 1, self.backoff)
            now = (failed, "bound", 0) if failures else (failed, "free", 0)
            drawn = [now, *((failed, "away", slots) for slots in range(1, 2**failed))]
            return [((0, "done", 0), odds), *((after, (1 - odds) / len(drawn)) for after in drawn)]
        if doing == "free":
            return [((failures, "free", count + 1), 1.0)]
        if doing == "away":
            return [((failures, "away", count - 1) if count > 1 else (failures, "bound", 0), 1.0)]
        return [(user, 1.0)]


def choices(user: User) -> tuple[bool, ...]:
    """Whether a user may wait, may send."""
    _, doing, count = user
    if doing == "free" and count < 2:
        return False, True
    return (doing in ("free", "bound"),)


def value(spec: str) -> float:
    return solve(spec).value(make_game(spec).new_initial_state())


def test_aloha_is_worth_what_was_published() -> None:
    """PRISM-games' test suite has 0.9809446789, where iteration stopped; by exact recursion it is 0.9809447097."""
    assert value("aloha") == pytest.approx(0.9809446788718071, abs=1e-6)
    assert value("aloha") == pytest.approx(0.9809447096939553, abs=1e-12)


@pytest.mark.parametrize(("backoff", "deadline", "q"), [(2, 8, 0.9), (1, 7, 0.6), (3, 6, 0.8), (4, 5, 0.5)])
def test_aloha_is_the_game_that_a_second_account_plays(backoff: int, deadline: int, q: float) -> None:
    free = (0, "free", 0)
    twin = Users(backoff, q).value(free, free, deadline)
    assert value(f"aloha(backoff={backoff}, deadline={deadline}, q={q})") == pytest.approx(twin, abs=1e-9)
