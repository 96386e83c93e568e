"""The game `pettingzoo`: PettingZoo's classic environments in which nothing is hidden and nothing drawn, as games.

Card games and Hanabi are left out: their environments keep the cards to themselves, so that neither a player's view nor
the chances can be stated. Such games are better met through OpenSpiel.
"""

import copy
from collections.abc import Sequence
from typing import Any, Literal

from kibitz import core
from kibitz.bridges.packages import CatalogueEntry, load_package
from kibitz.core.errors import BadSpec, MissingPackage

TITLES = {
    "tictactoe": "Tic-tac-toe",
    "connect_four": "Connect four",
    "chess": "Chess",
    "go": "Go",
    "rps": "Rock, paper, scissors",
}
REFUSED = ("hanabi", "leduc_holdem", "texas_holdem", "texas_holdem_no_limit")
Name = Literal["tictactoe", "connect_four", "chess", "go", "rps"]
SIMULTANEOUS = ("rps",)
"""Environments whose agents choose without seeing each other's choice."""
SHARED = ("observation_spaces", "action_spaces", "possible_agents", "metadata")
"""Parts of an environment that never change, so that copies share them."""


class Classic(core.Game):
    """A classic environment of PettingZoo: tic-tac-toe, connect four, chess, go, or rock, paper, scissors.

    *options* are the arguments of the environment.
    """

    def __init__(self, env: Name = "connect_four", options: dict[str, int | float | str | bool] = {}) -> None:  # noqa: B006
        self.env, self.options = env, options
        made = new_environment(self)
        self.players = len(made.possible_agents)
        bound = max(int(made.action_space(agent).n) for agent in made.possible_agents)
        self.action_bound = bound
        most = float(options.get("max_cycles", 15)) if env in SIMULTANEOUS else 1.0
        self.utility = (-most, most)

    def new_initial_state(self) -> "State":
        return State(self, new_environment(self), (), (0.0,) * self.players)


def catalogue() -> list[CatalogueEntry]:
    """All classic environments, with those that cannot be games here."""
    found = [
        CatalogueEntry(f"pettingzoo:{name}", title, f"2 players, {'at once' if name in SIMULTANEOUS else 'in turn'}")
        for name, title in TITLES.items()
    ]
    why = "it deals cards by itself, and does not say what chance may do"
    return found + [CatalogueEntry(f"pettingzoo:{name}", name.replace("_", " "), "cards", why) for name in REFUSED]


def new_environment(game: Classic) -> Any:
    """The environment of a game at its beginning."""
    load_package("pettingzoo", "pettingzoo")
    try:
        module = load_package("pettingzoo", f"pettingzoo.classic.{game.env}.{game.env}")
    except ImportError as error:
        if isinstance(error, MissingPackage):
            raise
        needed = error.name or "pettingzoo[classic]"
        raise BadSpec(repr(game), f"it needs a package of its own: pip install {needed}") from None
    try:
        made = module.raw_env(**game.options)
    except Exception as error:  # options may be wrong in any way
        raise BadSpec(repr(game), f"PettingZoo cannot make it: {type(error).__name__}: {error}") from None
    made.reset(seed=0)
    return made


class State(core.State):
    """An environment that is never changed, and the actions that led to it."""

    def __init__(self, game: Classic, env: Any, history: tuple[int, ...], earned: tuple[float, ...]) -> None:
        self.game, self.env, self.history, self.earned = game, env, history, earned

    def current_player(self) -> int:
        env = self.env
        if any(env.terminations.values()) or any(env.truncations.values()):
            return core.TERMINAL
        if self.game.env in SIMULTANEOUS:
            return core.SIMULTANEOUS
        return int(env.possible_agents.index(env.agent_selection))

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        current = self.current_player()
        if current == core.TERMINAL or (current >= 0 and player not in (None, current)):
            return ()
        agent = self.env.possible_agents[max(current, player or 0)]
        seen = self.env.observe(agent)
        if isinstance(seen, dict) and "action_mask" in seen:
            found: list[int] = seen["action_mask"].nonzero()[0].tolist()
            return found
        return range(int(self.env.action_space(agent).n))

    def apply_action(self, action: int) -> None:
        self.play((action,))

    def apply_actions(self, actions: Sequence[int]) -> None:
        self.play(tuple(actions))

    def play(self, actions: tuple[int, ...]) -> None:
        """Step a copy of the environment."""
        self.env = copy_environment(self.env)
        for action in actions:
            self.env.step(action)
        paid = (float(self.env.rewards.get(agent, 0.0)) for agent in self.env.possible_agents)
        self.earned = tuple(before + more for before, more in zip(self.earned, paid, strict=True))
        self.history += actions

    def returns(self) -> list[float]:
        return list(self.earned)

    def key(self) -> core.Key:
        return self.history

    def action_to_string(self, player: int, action: int) -> str:
        if self.game.env == "chess":
            from pettingzoo.classic.chess import chess_utils

            move = chess_utils.action_to_move(self.env.board, action, player)
            return str(move)
        return str(action)

    def __str__(self) -> str:
        if self.game.env == "chess":
            return str(self.env.board)
        seen = self.env.observe(self.env.possible_agents[0])
        planes = seen["observation"] if isinstance(seen, dict) else None
        if planes is None or planes.ndim != 3:
            pairs = zip(self.history[::2], self.history[1::2], strict=True)
            return "chosen so far: " + (", ".join(f"{one}-{other}" for one, other in pairs) or "nothing")
        rows = (("x" if own else "o" if other else "." for own, other, *_ in row) for row in planes.tolist())
        return "\n".join(" ".join(row) for row in rows)

    def __getstate__(self) -> dict[str, Any]:
        return {"game": self.game, "history": self.history}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        again = attributes["game"].new_initial_state()
        step = again.game.players if again.game.env in SIMULTANEOUS else 1
        history = attributes["history"]
        for start in range(0, len(history), step):
            again.play(history[start : start + step])
        self.__dict__.update(again.__dict__)


def copy_environment(env: Any) -> Any:
    """A copy that plays on by itself. PettingZoo's own copies are at the beginning again."""
    copied = object.__new__(type(env))
    for name, value in env.__dict__.items():
        picture = type(value).__module__.startswith("pygame")
        copied.__dict__[name] = value if picture or name in SHARED else copy.deepcopy(value)
    return copied
