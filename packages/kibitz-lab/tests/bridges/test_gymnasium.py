"""kibitz games as Gymnasium environments: Gymnasium's own check, opponents, rewards, and a learner."""

import sys

import numpy as np
import pytest

from kibitz.core.errors import BadSpec, MissingPackage, Refused
from kibitz.core.registry import entries

gymnasium = pytest.importorskip("gymnasium")

from kibitz_lab.bridges.gymnasium import env  # noqa: E402

SMALL = ("breakthrough", "dilemma", "kuhn", "goofspiel", "pawns", "trails")
GAMES = [name if name in SMALL else pytest.param(name, marks=pytest.mark.slow) for name in entries("game")]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_passes_the_environment_check(game: str) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(gymnasium.make("kibitz_lab.bridges.gymnasium:kibitz-v0", game=game, render_mode="ansi").unwrapped)


def play(made, seed: int) -> float:
    """A random episode; returns the sum of its rewards."""
    made.reset(seed=seed)
    total, over, rng = 0.0, False, np.random.default_rng(seed)
    while not over:
        _, reward, ended, cut, _ = made.step(rng.choice(np.flatnonzero(made.action_masks())))
        total, over = total + reward, ended or cut
    return total


@pytest.mark.parametrize("seat", [0, 1])
def test_rewards_add_up_to_what_the_seat_earns(seat: int) -> None:
    made = env("dilemma(rounds=6)", opponent="tit_for_tat", seat=seat)
    for seed in range(4):
        assert play(made, seed) == made.match.position.state.returns()[seat]


def test_opponents_observe_every_event() -> None:
    made = env("dilemma(rounds=4)", opponent="grim")
    made.reset(seed=1)
    rewards = [made.step(action)[1] for action in (0, 1, 0, 0)]
    assert rewards == [3.0, 5.0, 0.0, 0.0], "grim never forgives"


def test_an_illegal_action_costs_the_penalty() -> None:
    made = env("breakthrough", penalty=0.25)
    made.reset(seed=1)
    _, reward, _, _, info = made.step(191)
    assert (reward, info["illegal"]) == (-0.25, True)


def test_mistakes_are_named() -> None:
    with pytest.raises(BadSpec, match="seats 0 to 1"):
        env("pawns", seat=2)
    with pytest.raises(BadSpec, match="2 other seats"):
        env("kuhn", opponent=["random"])
    with pytest.raises(Refused, match="reset"):
        env("pawns").step(0)


def test_without_the_package_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "kibitz_lab.bridges.gymnasium")
    with pytest.raises(MissingPackage, match="pip install 'kibitz\\[bridges\\]'"):
        import kibitz_lab.bridges.gymnasium  # noqa: F401
