"""Chooses how to search a game: compiled where it offers KERNELS, in plain Python where it has an EVALUATION."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from kibitz import core
from kibitz.agents.search import game_tree
from kibitz.agents.search.settings import SearchResult, Settings
from kibitz.core.abilities import ability
from kibitz.core.abilities.compiled import evaluator
from kibitz.core.abilities.evaluation import Evaluation
from kibitz.core.kernels import jit_enabled
from kibitz.core.registry import entries, has_ability, spec_of

if TYPE_CHECKING:
    from kibitz.agents.search.compiled_search import CompiledSearch, CompiledSubtrees


class Searcher(Protocol):
    """Looks ahead in one game."""

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> SearchResult:
        """The best move in *state*."""


class PythonSearch:
    """The reference search over any State."""

    def __init__(self, evaluation: Evaluation, first_side: frozenset[int] = game_tree.ALONE) -> None:
        self.evaluation, self.first_side = evaluation, first_side

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> SearchResult:
        evaluate = self.evaluation.evaluate
        return game_tree.search(state, settings, lambda child: evaluate(child, weights), first_side=self.first_side)


def searcher_for(game: core.Game) -> Searcher:
    """The fastest search there is for *game*."""
    name = spec_of(game).name
    if jit_enabled() and has_ability(name, "KERNELS"):
        from kibitz.agents.search.compiled_search import CompiledSearch

        return CompiledSearch(ability(name, "KERNELS"))
    return PythonSearch(evaluation_of(game), frozenset(game.teams[0]))


class SearchContext:
    """What a search needs of a game: an evaluation, a hash of its states, and the compiled search if there is one."""

    def __init__(self, game: core.Game) -> None:
        self.game = game
        found = searcher_for(game)
        self.searcher: CompiledSearch | None = None if isinstance(found, PythonSearch) else found  # type: ignore[assignment]

    def evaluate(self, weights: Sequence[float]) -> game_tree.Evaluate:
        """The evaluation with *weights*."""
        return evaluator(self.game, weights)

    def position(self, state: core.State) -> int:
        """64 bits of a state, the same in Python and compiled."""
        if self.searcher is None:
            return game_tree.key_hash(state)
        kernels = self.searcher.game
        return game_tree.words_hash(kernels.encode(state)[: kernels.hashed].tolist())

    def subtrees(self, settings: Settings, weights: Sequence[float], farthest: int) -> "CompiledSubtrees | None":
        """The compiled search below the upper part, if there is one."""
        if self.searcher is None:
            return None
        from kibitz.agents.search.compiled_search import CompiledSubtrees

        return CompiledSubtrees(self.searcher, settings, weights, farthest)


def evaluation_of(game: core.Game) -> Evaluation:
    """The game's own evaluation."""
    found: Evaluation = ability(spec_of(game).name, "EVALUATION")
    return found


def require_searchable(agent: core.Agent, game: core.Game, *, teams: bool = True) -> None:
    """Raise Unsupported unless *game* is for two, zero-sum, open, and has an evaluation.

    With *teams* it may have two teams in place of two players.
    """
    why = why_unsearchable(game, teams=teams)
    if why:
        raise core.Unsupported(agent, game, why)


def why_unsearchable(game: core.Game, *, teams: bool = False) -> str:
    """Why a game cannot be searched, in words; empty if it can be."""
    name = spec_of(game).name
    if (len(game.teams) if teams else game.players) != 2 or not game.zero_sum:
        return f"it searches zero-sum games of two {'teams' if teams else 'players'}"
    if game.hidden or game.new_initial_state().current_player() < 0:
        return "it searches games in which players move in turn and see everything"
    if name not in entries("game") or not has_ability(name, "EVALUATION"):
        return "the game offers no EVALUATION; mcts needs none"
    return ""
