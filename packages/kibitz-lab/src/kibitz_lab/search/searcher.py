"""Searches a game: by its KERNELS where they are compiled, else in plain Python by its EVALUATION."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from kibitz import core
from kibitz.core.kernels import are_compiled, load_compiled
from kibitz.core.kit.compiled import evaluator, words_of
from kibitz.core.kit.numbers import Evaluation
from kibitz.core.registry import kit_of
from kibitz_lab.search import game_tree
from kibitz_lab.search.settings import SearchResult, Settings

if TYPE_CHECKING:
    from kibitz_lab.search.compiled_search import CompiledSearch, CompiledSubtrees


class Searcher(Protocol):
    """Looks ahead in one game."""

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> SearchResult:
        """The best move in *state*."""


UNTIL_LOOK = 500
"""Positions that a plain search evaluates before it looks whether the kernels have been compiled."""


class KernelsReady(Exception):
    """Ends a plain search: the compiled one, which finds the same, is ready."""


class GameSearch:
    """Alpha-beta over one game: compiled as soon as its kernels are, before that in plain Python."""

    def __init__(self, game: core.Game) -> None:
        self.game, self.first_side, self.kernels = game, frozenset(game.teams[0]), kit_of(game).kernels

    @property
    def fast_search(self) -> "CompiledSearch | None":
        """The compiled search; None before it is compiled, and if the game offers no kernels."""
        if self.kernels is None:
            return None
        from kibitz_lab.search import kernel

        is_ready = are_compiled(kernel.search, self.kernels.expand, self.kernels.to_move)
        return self.compiled_search if is_ready else None

    @cached_property
    def compiled_search(self) -> "CompiledSearch":
        """The compiled search, with its buffers."""
        from kibitz_lab.search.compiled_search import CompiledSearch

        assert self.kernels is not None
        return CompiledSearch(self.kernels)

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> SearchResult:
        fast = self.fast_search
        if fast is not None:
            return fast.search(state, settings, weights)
        evaluate, left = evaluation_of(self.game).evaluate, UNTIL_LOOK

        def value(child: core.State) -> float:
            nonlocal left
            left -= 1
            if not left:
                left = UNTIL_LOOK
                load_compiled()
                if self.fast_search is not None:
                    raise KernelsReady
            return evaluate(child, weights)

        try:
            return game_tree.search(state, settings, value, self.position, self.first_side)
        except KernelsReady:
            return self.search(state, settings, weights)

    def evaluate(self, weights: Sequence[float]) -> game_tree.Evaluate:
        """The evaluation with *weights*."""
        return evaluator(self.game, evaluation_of(self.game), weights)

    def position(self, state: core.State) -> int:
        """64 bits of a state, the same in Python and compiled."""
        if self.kernels is None:
            return game_tree.key_hash(state)
        return game_tree.words_hash(words_of(state)[: self.kernels.hashed].tolist())

    def subtrees(self, settings: Settings, weights: Sequence[float], farthest: int) -> "CompiledSubtrees | None":
        """The compiled search below the upper part of a tree, if there is one."""
        if self.fast_search is None:
            return None
        from kibitz_lab.search.compiled_search import CompiledSubtrees

        return CompiledSubtrees(self.fast_search, settings, weights, farthest)


def evaluation_of(game: core.Game) -> Evaluation:
    """The game's own evaluation."""
    found = kit_of(game).evaluation
    assert found is not None, "search refuses games without an evaluation"
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
    if (len(game.teams) if teams else game.players) != 2 or not game.zero_sum:
        return f"it searches zero-sum games of two {'teams' if teams else 'players'}"
    if game.hidden or game.new_initial_state().current_player() < 0:
        return "it searches games in which players move in turn and see everything"
    if kit_of(game).evaluation is None:
        return "the game offers no evaluation; mcts needs none"
    return ""
