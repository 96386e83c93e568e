"""Players on missions inside a kernel, beside the agent they are the twins of, and games foreseen with them."""

import numpy as np
import pytest
from ring import OPTIONS, spec

from kibitz.core.kernels import jit_enabled, machine_code
from kibitz.core.kernels.random import Draws
from kibitz.core.registry import make_game
from kibitz.core.seeds import kernel_stream, stream
from kibitz_risk import phases
from kibitz_risk.agents import OnMission
from kibitz_risk.dice import loss_odds
from kibitz_risk.game import State
from kibitz_risk.phases import AMOUNTS, CHANCES
from kibitz_risk.planning import knowledge_of, on_mission
from kibitz_risk.simulation import try_choices

GAMES = ["risk(players=3)", "risk(players=6)", *(spec(**options) for options in OPTIONS)]
MOST = 1500


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


def begun(text: str) -> State:
    state = make_game(text).new_initial_state()
    assert isinstance(state, State)
    return state


@pytest.mark.skipif(not jit_enabled(), reason="compares kernels with their references")
@pytest.mark.parametrize("text", GAMES)
def test_the_kernel_chooses_as_the_agent_does_wherever_play_strays(text: str) -> None:
    for seed, weight in enumerate((4.0, 100.0)):
        state, draws, rng = begun(text), Draws(kernel_stream(seed, "luck")), stream(seed, "strays")
        setting, lore, choose = state.game.setting.pack(), knowledge_of(state.game), machine_code(on_mission)
        for _ in range(MOST):
            if state.is_terminal():
                break
            if state.phase in CHANCES:
                action = happens(state, draws)
            else:
                action = chosen(state, weight)
                found = choose(setting, state.position.pack(), lore, weight)
                assert found == action, (state.headline(), found, action)
                if rng.random() < 0.1:
                    legal = state.legal_actions()
                    action = legal[int(rng.integers(len(legal)))]
            state.apply_action(action)


def nearly_done() -> State:
    """Player 0 places the armies that make his 18 territories with two each."""
    state = begun("risk(players=2)")
    state.phase, state.to_place, state.missions = phases.PLACE, 2, (6, 0)
    state.owners = [int(place >= 18) for place in range(42)]
    state.armies = [2] * 17 + [1] + [3] * 24
    return state


def earnings(state: State, choices: list[int], times: int, most: int, weight: float) -> list[int]:
    """What player 0 earns by each choice."""
    earned, world = np.zeros(len(choices), np.int64), state.position.pack()
    luck = kernel_stream(1, "luck"), np.zeros(4, np.uint64)
    budget, lore = (times, most, 0), knowledge_of(state.game)
    setting, tried = state.game.setting.pack(), np.array(choices)
    machine_code(try_choices)(setting, world[None], world.copy(), *luck, tried, *budget, lore, weight, earned)
    assert (world == state.position.pack()).all()  # the worlds stay as they are
    return earned.tolist()  # type: ignore[no-any-return]


def test_what_wins_at_once_always_earns_most() -> None:
    state = nearly_done()
    winning, other = earnings(state, [17 * AMOUNTS + 2, 2], 4, 300, 100.0)
    assert winning == 4 * state.game.players
    assert other < winning


def test_equal_choices_have_equal_luck_and_unended_games_are_shared() -> None:
    state = nearly_done()
    assert earnings(state, [1, 1, 1], 5, 0, 4.0) == [5, 5, 5]
    assert len(set(earnings(state, [1, 1, 1], 5, 900, 4.0))) == 1
