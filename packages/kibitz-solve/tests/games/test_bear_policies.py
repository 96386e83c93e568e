"""Algorithms 3 and 4 against every reply on the whole board, as written and corrected."""

import numpy as np
import pytest
from numpy.typing import NDArray

from kibitz.core.registry import kit_of, make_game
from kibitz_solve.games.agents import Corrected, Keffer
from kibitz_solve.games.rules import Position, State

SPEC = "bear-brawl(hero_hp=5, bear_hp=5, radius=12, payoffs=signed)"
NONTERMINAL, WINNABLE = 15_025, 8_818


def winnable(u: int, v: int, x: int, y: int) -> bool:
    """Equation (3.17), of states that go on."""
    return abs(x) < abs(y) or (abs(x) == abs(y) and u > v) or (abs(x) > abs(y) and u > v + 1)


def best_rounds(u: int, v: int, x: int, y: int) -> int:
    return abs(x) if abs(x) < abs(y) else abs(x) + v


class Board:
    """All states, where every pair of actions leads, and who has won where it is over."""

    def __init__(self) -> None:
        table = kit_of("bear-brawl").table(make_game(SPEC))
        self.successors = np.zeros((table.size, 9), np.int64)
        shapes = np.array([table.successors(table.parameters, n, self.successors[n]) for n in range(table.size)])
        self.going = np.flatnonzero(shapes)
        self.over = np.flatnonzero(shapes == 0)
        self.won = np.array([table.payoff(table.parameters, number) > 0 for number in self.over])
        self.positions: list[Position] = []
        for number in self.going.tolist():
            state = table.state(number)
            assert isinstance(state, State)
            self.positions.append(state.position)
        self.winnable = np.array([winnable(*position) for position in self.positions])
        self.best_rounds = np.array([best_rounds(*position) for position in self.positions], float)
        self.size = table.size

    def against(self, policy: Keffer, player: int) -> NDArray[np.int64]:
        """Where the other's three replies lead, from every state that goes on."""
        choose = policy.hero if player == 0 else policy.bear
        chosen = np.array([choose(*position) for position in self.positions])
        replies = np.arange(3)
        pairs = 3 * chosen[:, None] + replies if player == 0 else 3 * replies + chosen[:, None]
        return self.successors[self.going[:, None], pairs]

    def rounds(self, policy: Keffer, player: int) -> NDArray[np.float64]:
        """How many rounds until the hero has won, the other one doing what delays or hastens it most."""
        worst = np.max if player == 0 else np.min
        found = np.full(self.size, np.inf)
        found[self.over[self.won]] = 0.0
        replies = self.against(policy, player)
        for _ in range(60):
            found[self.going] = 1.0 + worst(found[replies], axis=1)
        return found[self.going]

    def killable(self, policy: Keffer) -> NDArray[np.bool_]:
        """Where a bear that knows the hero's policy can kill her."""
        found = np.zeros(self.size, bool)
        found[self.over[~self.won]] = True
        replies = self.against(policy, 0)
        for _ in range(200):
            found[self.going] = found[replies].any(axis=1)
        return found[self.going]


@pytest.fixture(scope="module")
def board() -> Board:
    return Board()


def test_the_board_has_the_states_of_the_facts(board: Board) -> None:
    assert (len(board.going), int(board.winnable.sum())) == (NONTERMINAL, WINNABLE)


@pytest.mark.parametrize("policy", [Keffer(), Corrected()])
def test_the_hero_wins_all_that_can_be_won_as_soon_as_possible(board: Board, policy: Keffer) -> None:
    rounds = board.rounds(policy, 0)
    assert (np.isfinite(rounds) == board.winnable).all()
    assert (rounds[board.winnable] == board.best_rounds[board.winnable]).all()


def test_the_written_hero_can_be_killed_where_the_corrected_one_cannot(board: Board) -> None:
    assert int(board.killable(Keffer())[~board.winnable].sum()) == 5_055
    assert not board.killable(Corrected()).any()


def test_the_bear_concedes_nothing_but_as_written_it_could_hold_out_longer(board: Board) -> None:
    for policy, too_soon in ((Keffer(), 2_282), (Corrected(), 0)):
        rounds = board.rounds(policy, 1)
        assert (np.isfinite(rounds) == board.winnable).all()
        assert int((rounds < board.best_rounds)[board.winnable].sum()) == too_soon
