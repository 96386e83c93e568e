"""Agents that play any game. To add an agent, write its file and add a line here.

The classes that most users need can be imported from here, too: `from kibitz.agents import Aware`.
"""

from typing import TYPE_CHECKING, Any

from kibitz.core.kit import Plugin
from kibitz.lazy_names import lazy_name

if TYPE_CHECKING:
    from kibitz.agents.aware.agent import Aware as Aware
    from kibitz.agents.cfr import Cfr as Cfr
    from kibitz.agents.program_player import ProgramPlayer as ProgramPlayer
    from kibitz.agents.random import Random as Random
    from kibitz.agents.scripted import Scripted as Scripted
    from kibitz.agents.search.alphabeta import AlphaBeta as AlphaBeta
    from kibitz.agents.search.mcts.agent import MCTS as MCTS
    from kibitz.agents.solved_games import Equilibrium as Equilibrium

plugin = Plugin(
    agents={
        "random": "kibitz.agents.random:Random",
        "alphabeta": "kibitz.agents.search.alphabeta:AlphaBeta",
        "asymmetric": "kibitz.agents.search.asymmetric:Asymmetric",
        "mcts": "kibitz.agents.search.mcts.agent:MCTS",
        "automata": "kibitz.agents.automata.agent:Automata",
        "equilibrium": "kibitz.agents.solved_games:Equilibrium",
        "cfr": "kibitz.agents.cfr:Cfr",
        "thwart": "kibitz.agents.solved_games:Thwart",
        "program": "kibitz.agents.program_player:ProgramPlayer",
        "planner": "kibitz.agents.planner:Planner",
        "lookahead": "kibitz.agents.planner:Lookahead",
        "aware": "kibitz.agents.aware.agent:Aware",
        "purposeful": "kibitz.agents.purposeful:Purposeful",
        "noisy": "kibitz.agents.variations:Noisy",
        "mixture": "kibitz.agents.variations:Mixture",
        "switcher": "kibitz.agents.variations:Switcher",
        "random_table": "kibitz.agents.random_table:RandomTable",
        "adapting": "kibitz.agents.adapting:Adapting",
        "scripted": "kibitz.agents.scripted:Scripted",
        "human": "kibitz.agents.human:Human",
        "process": "kibitz.remote.process:Process",
    }
)

_HOME = {
    "AlphaBeta": "kibitz.agents.search.alphabeta",
    "Aware": "kibitz.agents.aware.agent",
    "Cfr": "kibitz.agents.cfr",
    "Equilibrium": "kibitz.agents.solved_games",
    "MCTS": "kibitz.agents.search.mcts.agent",
    "ProgramPlayer": "kibitz.agents.program_player",
    "Random": "kibitz.agents.random",
    "Scripted": "kibitz.agents.scripted",
}
__all__ = [*_HOME]  # noqa: PLE0604, RUF100


def __getattr__(name: str) -> Any:
    return lazy_name(__name__, _HOME, name)
