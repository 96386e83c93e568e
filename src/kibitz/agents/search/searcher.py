"""Chooses how to search a game: compiled where it offers KERNELS, in plain Python where it has an EVALUATION."""

from collections.abc import Sequence
from typing import Protocol

from kibitz import core
from kibitz.agents.search import reference
from kibitz.agents.search.settings import Found, Settings
from kibitz.core.evaluation import Evaluation
from kibitz.core.kernels import jit_enabled
from kibitz.core.registry import ability, entries, has_ability, spec_of


class Searcher(Protocol):
    """Looks ahead in one game."""

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> Found:
        """What is best on *state*."""


class PythonSearch:
    """The reference search over any State."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> Found:
        return reference.search(state, settings, lambda child: self.evaluation.evaluate(child, weights))


def searcher_for(game: core.Game) -> Searcher:
    """The fastest search there is for *game*."""
    name = spec_of(game).name
    if jit_enabled() and has_ability(name, "KERNELS"):
        from kibitz.agents.search.fast import CompiledSearch

        return CompiledSearch(ability(name, "KERNELS"))
    return PythonSearch(evaluation_of(game))


def evaluation_of(game: core.Game) -> Evaluation:
    """The game's own evaluation."""
    found: Evaluation = ability(spec_of(game).name, "EVALUATION")
    return found


def require_searchable(agent: core.Agent, game: core.Game, chance: bool = False) -> None:
    """Raise Unsupported unless *game* is for two, zero-sum, open, and has an evaluation; it may have *chance*."""
    name = spec_of(game).name
    if game.players != 2 or not game.zero_sum:
        raise core.Unsupported(agent, game, "it searches zero-sum games of two players")
    first = game.new_initial_state().current_player()
    if game.hidden or (first < 0 and not (chance and first == core.CHANCE)):
        raise core.Unsupported(agent, game, "it searches games in which players move in turn and see everything")
    if name not in entries("game") or not has_ability(name, "EVALUATION"):
        raise core.Unsupported(agent, game, "the game offers no EVALUATION; mcts needs none")
