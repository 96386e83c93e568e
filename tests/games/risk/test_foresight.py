"""Players on missions inside a kernel, beside the agent they are the twins of, and games foreseen with them."""

from typing import Any

import numpy as np
import pytest
from ring import OPTIONS, spec

from kibitz.core.kernels import jit_enabled
from kibitz.core.kernels.random import Draws
from kibitz.core.registry import make_game
from kibitz.core.seeds import kernel_stream, stream
from kibitz.games.risk import fast, phases
from kibitz.games.risk.agents import OnMission
from kibitz.games.risk.dice import loss_odds
from kibitz.games.risk.foresight import play_missions, try_choices
from kibitz.games.risk.kernels.mission_player import knowledge_of, on_mission
from kibitz.games.risk.packing import MOVER, PHASE, state_words
from kibitz.games.risk.phases import AMOUNTS, CHANCES
from kibitz.games.risk.rules import State

GAMES = ["risk(players=3)", "risk(players=6)", *(spec(**options) for options in OPTIONS)]
MOST = 1500
SETTING_UP = {phases.FIRST, phases.MISSION, phases.DEAL, phases.DRAFT, phases.SETUP, phases.CAPITAL}


def chosen(state: State, weight: float) -> int:
    """What the reference does, or the only thing there is to do."""
    agent, legal = OnMission(weight), state.legal_actions()
    agent.player = state.current_player()
    return legal[0] if len(legal) == 1 else agent.choice(state, legal)


def happens(state: State, draws: Draws) -> int:
    """What chance draws: losses by dice, a card, or something of the setup."""
    if state.phase == phases.DICE:
        left, odds = draws.unit(), loss_odds(*state.rolled)
        return next((lost for lost in range(len(odds) - 1) if (left := left - odds[lost]) < 0.0), len(odds) - 1)
    outcomes = state.unseen_cards() if state.phase == phases.DRAW else [each for each, _ in state.chance_outcomes()]
    return outcomes[draws.below(len(outcomes))]


def begun(text: str) -> fast.State:
    state = make_game(text).new_initial_state()
    assert isinstance(state, fast.State)
    return state


@pytest.mark.skipif(not jit_enabled(), reason="compares kernels with their references")
@pytest.mark.parametrize("text", GAMES)
def test_the_kernel_chooses_as_the_agent_does_wherever_play_strays(text: str) -> None:
    for seed, weight in enumerate((4.0, 100.0)):
        state, draws, rng = begun(text), Draws(kernel_stream(seed, "luck")), stream(seed, "strays")
        lore = knowledge_of(state.game)
        for _ in range(MOST):
            if state.is_terminal():
                break
            if state.phase in CHANCES:
                action = happens(state, draws)
            else:
                action = chosen(state, weight)
                found = on_mission(state.game.words, state.numbers, *lore, weight)
                assert found == action, (state.headline(), found, action)
                if rng.random() < 0.1:
                    legal = state.legal_actions()
                    action = legal[int(rng.integers(len(legal)))]
            state.apply_action(action)


@pytest.mark.skipif(not jit_enabled(), reason="compares kernels with their references")
@pytest.mark.parametrize("options", OPTIONS)
def test_games_foreseen_are_those_the_agents_play(options: dict[str, Any]) -> None:
    words, setup = kernel_stream(3, "luck"), Draws(kernel_stream(3, "setup"))
    draws = Draws(words.copy())
    for _ in range(3):
        quick, slow = begun(spec(**options)), make_game(spec(**options), fast=False).new_initial_state()
        assert isinstance(slow, State)
        while slow.phase in SETTING_UP:
            action = happens(slow, setup) if slow.phase in CHANCES else chosen(slow, 4.0)
            slow.apply_action(action)
            quick.apply_action(action)
        plies = play_missions(quick.game.words, quick.numbers, words, MOST, *knowledge_of(quick.game), 4.0)
        for _ in range(plies):
            slow.apply_action(happens(slow, draws) if slow.phase in CHANCES else chosen(slow, 4.0))
        assert quick.key() == slow.key()
        assert [int(word) for word in words] == draws.words
        assert plies == MOST or quick.is_terminal()


def nearly_done() -> fast.State:
    """Player 0 places the armies that make his 18 territories with two each."""
    state = begun("risk(players=2)")
    reference = make_game("risk(players=2)", fast=False).new_initial_state()
    assert isinstance(reference, State)
    reference.phase, reference.to_place, reference.missions = phases.PLACE, 2, (6, 0)
    reference.owners = [int(place >= 18) for place in range(42)]
    reference.armies = [2] * 17 + [1] + [3] * 24
    state.numbers = state_words(reference)
    return state


def test_what_wins_at_once_always_earns_most() -> None:
    state = nearly_done()
    words, earned = state.game.words, np.zeros(2, np.int64)
    choices = np.array([17 * AMOUNTS + 2, 2])
    lore = knowledge_of(state.game)
    try_choices(words, state.numbers[None], kernel_stream(1, "luck"), choices, 4, 300, 0, *lore, 100.0, earned)
    assert earned[0] == 4 * state.game.players
    assert earned[1] < earned[0]
    assert (state.numbers[PHASE], state.numbers[MOVER]) == (phases.PLACE, 0)  # the worlds stay as they are


def test_equal_choices_have_equal_luck_and_unended_games_are_shared() -> None:
    state, lore = nearly_done(), knowledge_of(make_game("risk(players=2)"))  # type: ignore[arg-type]
    earned = np.zeros(3, np.int64)
    choices = np.array([1, 1, 1])
    try_choices(state.game.words, state.numbers[None], kernel_stream(1, "luck"), choices, 5, 0, 0, *lore, 4.0, earned)
    assert earned.tolist() == [5, 5, 5]
    try_choices(state.game.words, state.numbers[None], kernel_stream(1, "luck"), choices, 5, 900, 0, *lore, 4.0, earned)
    assert len(set(earned.tolist())) == 1
