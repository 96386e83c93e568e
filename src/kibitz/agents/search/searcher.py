"""Chooses how to search a game: compiled where it offers KERNELS, in plain Python where it has an EVALUATION."""

from collections.abc import Sequence
from typing import Protocol

from kibitz import core
from kibitz.agents.search import reference
from kibitz.agents.search.settings import SearchResult, Settings
from kibitz.core.abilities import ability
from kibitz.core.abilities.evaluation import Evaluation
from kibitz.core.kernels import jit_enabled
from kibitz.core.registry import entries, has_ability, spec_of


class Searcher(Protocol):
    """Looks ahead in one game."""

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> SearchResult:
        """The best move in *state*."""


class PythonSearch:
    """The reference search over any State."""

    def __init__(self, evaluation: Evaluation, first_side: frozenset[int] = reference.ALONE) -> None:
        self.evaluation, self.first_side = evaluation, first_side

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> SearchResult:
        evaluate = self.evaluation.evaluate
        return reference.search(state, settings, lambda child: evaluate(child, weights), first_side=self.first_side)


def searcher_for(game: core.Game) -> Searcher:
    """The fastest search there is for *game*."""
    name = spec_of(game).name
    if jit_enabled() and has_ability(name, "KERNELS"):
        from kibitz.agents.search.fast import CompiledSearch

        return CompiledSearch(ability(name, "KERNELS"))
    return PythonSearch(evaluation_of(game), frozenset(game.teams[0]))


def evaluation_of(game: core.Game) -> Evaluation:
    """The game's own evaluation."""
    found: Evaluation = ability(spec_of(game).name, "EVALUATION")
    return found


def require_searchable(agent: core.Agent, game: core.Game, *, chance: bool = False, teams: bool = False) -> None:
    """Raise Unsupported unless *game* is for two, zero-sum, open, and has an evaluation.

    With *chance* it may have chance events, with *teams* two teams in place of two players.
    """
    why = why_unsearchable(game, chance=chance, teams=teams)
    if why:
        raise core.Unsupported(agent, game, why)


def why_unsearchable(game: core.Game, *, chance: bool = False, teams: bool = False) -> str:
    """Why a game cannot be searched, in words; empty if it can be."""
    name = spec_of(game).name
    if (len(game.teams) if teams else game.players) != 2 or not game.zero_sum:
        return f"it searches zero-sum games of two {'teams' if teams else 'players'}"
    first = game.new_initial_state().current_player()
    if game.hidden or (first < 0 and not (chance and first == core.CHANCE)):
        return "it searches games in which players move in turn and see everything"
    if name not in entries("game") or not has_ability(name, "EVALUATION"):
        return "the game offers no EVALUATION; mcts needs none"
    return ""
