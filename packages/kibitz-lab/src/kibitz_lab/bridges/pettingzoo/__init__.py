"""kibitz games as PettingZoo environments.

>>> from kibitz_lab.bridges import pettingzoo
>>> env = pettingzoo.env("pawns", render_mode="ansi")  # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kibitz.core.game import Game
    from kibitz_lab.bridges.pettingzoo.environments import SimultaneousEnv, TurnEnv


def env(game: "str | Game", **options: Any) -> "TurnEnv":
    """A game as an environment in which agents act in turn (AEC); for the options see `EnvOptions`."""
    from kibitz_lab.bridges.pettingzoo.environments import EnvOptions, TurnEnv

    return TurnEnv(game, EnvOptions(**options))


def parallel_env(game: "str | Game", **options: Any) -> "SimultaneousEnv":
    """A game as an environment in which all agents act at once; for the options see `EnvOptions`.

    Where only some players are to move, what the others choose has no effect.
    """
    from kibitz_lab.bridges.pettingzoo.environments import EnvOptions, SimultaneousEnv

    return SimultaneousEnv(game, EnvOptions(**options))


raw_env = env
