"""Speed of kibitz games as PettingZoo environments, against PettingZoo's own connect four in the same run."""

import os
from collections.abc import Callable
from typing import Any

from kibitz_lab.testing.benchmark import Bench, Work

STEPS = 3000


def measure(bench: Bench) -> None:
    """Steps of random play through `last`, `sample` and `step`, as PettingZoo's documentation shows it."""
    for game in ("breakthrough", "pawns"):
        name = f"{game} as a PettingZoo environment, steps"
        bench.ratio(
            name, random_steps(lambda game=game: made(game)), random_steps(connect_four), least=3.5, needs="pygame"
        )


def made(game: str) -> Any:
    """One of our games."""
    from kibitz_lab.bridges.pettingzoo import env

    return env(game)


def connect_four() -> Any:
    """The peer: connect four of PettingZoo."""
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    from pettingzoo.classic import connect_four_v3

    return connect_four_v3.env()


def random_steps(make: Callable[[], Any]) -> Work:
    """Work that plays random episodes; what it returns is the number of steps."""
    envs: list[Any] = []

    def work() -> float:
        if not envs:
            envs.append(make())
        env, steps = envs[0], 0
        while steps < STEPS:
            env.reset(seed=steps)
            for agent in env.agent_iter():
                seen, _, ended, cut, _ = env.last()
                env.step(None if ended or cut else env.action_space(agent).sample(seen["action_mask"]))
                steps += 1
        return float(steps)

    return work
