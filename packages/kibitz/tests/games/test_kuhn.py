"""Kuhn poker against what is known of it."""

import pytest

from kibitz import core
from kibitz.core.registry import make_game
from kibitz.games.kuhn.rules import BET, RANKS, State
from kibitz.testing import perft

JACK, QUEEN, KING = (RANKS.index(rank) for rank in "QKA")  # the deck for two is Q K A; Kuhn called them 1, 2, 3


def equilibrium(card: int, moves: tuple[int, ...]) -> float:
    """How often to put a chip in: Kuhn's solution (1950) with alpha = 0."""
    table = {
        (): {JACK: 0.0, QUEEN: 0.0, KING: 0.0},
        (0,): {JACK: 1 / 3, QUEEN: 0.0, KING: 1.0},
        (1,): {JACK: 0.0, QUEEN: 1 / 3, KING: 1.0},
        (0, 1): {JACK: 0.0, QUEEN: 1 / 3, KING: 1.0},
    }
    return table[moves][card]


def value(state: core.State) -> float:
    """What player 0 earns on average if both play the equilibrium."""
    assert isinstance(state, State)
    if state.is_terminal():
        return state.returns()[0]
    if state.current_player() == core.CHANCE:
        return sum(chance * value(state.child(card)) for card, chance in state.chance_outcomes())
    bets = equilibrium(state.cards[state.current_player()], state.moves)
    return bets * value(state.child(1)) + (1 - bets) * value(state.child(0))


def test_the_first_player_loses_an_eighteenth_of_a_chip() -> None:
    assert value(make_game("kuhn(players=2)").new_initial_state()) == pytest.approx(-1 / 18)


def test_perft_is_unchanged() -> None:
    """Two players: 6 deals of 5 endings; three: 24 deals of 13 endings."""
    assert perft("kuhn(players=2)", 5) == [1, 3, 6, 12, 24, 12]
    assert perft("kuhn", 9) == [1, 4, 12, 24, 48, 96, 192, 144, 96, 0]


def test_the_pot_goes_to_the_best_card_that_met_the_bet() -> None:
    state = State(make_game("kuhn"), cards=(6, 4, 5))  # type: ignore[arg-type]
    for action in (0, 1, 1, 0):  # pass, bet, call, fold: the best card folded
        state.apply_action(action)
    assert state.is_terminal()
    assert state.returns() == [-1.0, -2.0, 3.0]
    assert state.view(0).cards == (6, 4, 5)
    assert state.view(1).cards == (-1, 4, 5)


def test_cards_stay_hidden_where_nobody_called() -> None:
    state = State(make_game("kuhn"), cards=(6, 4, 5), moves=(BET, 0, 0))  # type: ignore[arg-type]
    assert state.view(None).cards == (-1, -1, -1)
    assert state.returns() == [2.0, -1.0, -1.0]
