"""Backward induction on games whose values are known, and what it refuses."""

import pytest

from kibitz import core, make_game
from kibitz_lab.equilibria.backward import BackwardInduction, TooLarge


class Heap(core.State):
    """A heap of stones; take one to three, the last one wins."""

    def __init__(self, stones: int, player: int = 0) -> None:
        self.stones, self.player = stones, player

    def current_player(self) -> int:
        return self.player if self.stones else core.TERMINAL

    def legal_actions(self, player: int | None = None) -> range:
        return range(1, min(3, self.stones) + 1)

    def apply_action(self, action: int) -> None:
        self.stones, self.player = self.stones - action, 1 - self.player

    def returns(self) -> list[float]:
        won = -1.0 if self.player == 0 else 1.0
        return [won, -won] if not self.stones else [0.0, 0.0]

    def key(self) -> core.Key:
        return self.stones, self.player


@pytest.mark.parametrize("stones", range(1, 14))
def test_multiples_of_four_are_lost(stones: int) -> None:
    solved = BackwardInduction()
    assert solved.value(Heap(stones)) == ((-1.0, 1.0) if stones % 4 == 0 else (1.0, -1.0))
    if stones % 4:
        assert solved.best(Heap(stones)).top(3) == [(stones % 4, 1.0)]


def test_a_given_reply_is_exploited() -> None:
    def takes_one(state: core.State) -> core.Distribution:
        return core.Distribution.certain(1, state.legal_actions())

    assert BackwardInduction({1: takes_one}).value(Heap(4)) == (1.0, -1.0)


def test_where_it_ends_what_was_earned_counts() -> None:
    def over(state: core.State) -> bool:
        return isinstance(state, Heap) and state.stones <= 5

    assert BackwardInduction(ends=over).value(Heap(6)) == (0.0, 0.0)


def test_what_is_too_large_is_said() -> None:
    with pytest.raises(TooLarge, match="more than 50 states"):
        BackwardInduction(most=50).value(make_game("pawns").new_initial_state())
    with pytest.raises(TooLarge, match="move simultaneously"):
        BackwardInduction().value(make_game("pennies").new_initial_state())
    with pytest.raises(TooLarge, match="lines of more than"):
        BackwardInduction().value(Heap(2000))
