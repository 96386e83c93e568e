"""The bridge to OpenSpiel: its games and bots here, and kibitz's there. Nothing of it is imported before it is used."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kibitz.core.agent import Agent
    from kibitz_lab.bridges.openspiel.exported_bots import KibitzBot


def register(names: Sequence[str] | None = None) -> list[str]:
    """Make kibitz's games, or some by *names*, games of OpenSpiel; return their names there: `kibitz_pawns` …"""
    from kibitz_lab.bridges.openspiel.loading import pyspiel

    pyspiel()
    from kibitz_lab.bridges.openspiel.exported_games import register_games

    return register_games(names)


def bot(agent: "str | Agent", game: Any, player: int, seed: int = 0) -> "KibitzBot":
    """A kibitz agent as a bot of OpenSpiel that plays *game*, a `pyspiel.Game`, as *player*."""
    from kibitz_lab.bridges.openspiel.exported_bots import KibitzBot

    return KibitzBot(agent, game, player, seed)
