"""kibitz: opponent-aware agents for strategy games.

    >>> import kibitz
    >>> record = kibitz.play("dilemma(rounds=20)", ["dilemma.tit_for_tat", "dilemma.defector"], seed=1)
    >>> record.ending.returns
    [19.0, 24.0]

Nothing is loaded until it is asked for: importing this package costs next to nothing.
"""

from typing import TYPE_CHECKING, Any

from kibitz.lazy_names import lazy_name

if TYPE_CHECKING:
    from kibitz.agents.random import Random as Random
    from kibitz.agents.scripted import Scripted as Scripted
    from kibitz.core.actions import Distribution as Distribution
    from kibitz.core.agent import Agent as Agent
    from kibitz.core.agent import Model as Model
    from kibitz.core.agent import Strategy as Strategy
    from kibitz.core.errors import KibitzError as KibitzError
    from kibitz.core.errors import Unsupported as Unsupported
    from kibitz.core.game import Game as Game
    from kibitz.core.game import State as State
    from kibitz.core.game import Transition as Transition
    from kibitz.core.insight import Explanation as Explanation
    from kibitz.core.match.play import play as play
    from kibitz.core.match.play import playing as playing
    from kibitz.core.records import read_record as read_record
    from kibitz.core.records.replay import replaying as replaying
    from kibitz.core.registry import make_agent as make_agent
    from kibitz.core.registry import make_game as make_game
    from kibitz.core.registry import make_model as make_model
    from kibitz.models.strategy_filter import StrategyFilter as StrategyFilter
    from kibitz.plugins import GameKit as GameKit
    from kibitz.plugins import NamedCommand as NamedCommand
    from kibitz.plugins import Plugin as Plugin

__version__ = "0.1.0"

_HOME = {
    "Agent": "kibitz.core.agent",
    "Distribution": "kibitz.core.actions",
    "Explanation": "kibitz.core.insight",
    "Game": "kibitz.core.game",
    "GameKit": "kibitz.plugins",
    "KibitzError": "kibitz.core.errors",
    "Model": "kibitz.core.agent",
    "NamedCommand": "kibitz.plugins",
    "Plugin": "kibitz.plugins",
    "Random": "kibitz.agents.random",
    "Scripted": "kibitz.agents.scripted",
    "State": "kibitz.core.game",
    "Strategy": "kibitz.core.agent",
    "StrategyFilter": "kibitz.models.strategy_filter",
    "Transition": "kibitz.core.game",
    "Unsupported": "kibitz.core.errors",
    "make_agent": "kibitz.core.registry",
    "make_game": "kibitz.core.registry",
    "make_model": "kibitz.core.registry",
    "play": "kibitz.core.match.play",
    "playing": "kibitz.core.match.play",
    "read_record": "kibitz.core.records",
    "replaying": "kibitz.core.records.replay",
}

__all__ = ["__version__", *_HOME]  # noqa: PLE0604, RUF100


def __getattr__(name: str) -> Any:
    return lazy_name(__name__, _HOME, name)
