"""What a leaf of Monte Carlo tree search is worth: by a playout, or by what the game says of positions.

Playouts are random, by the game's kernel if it offers one, or by the types of the players if a model drew some. A game
with an EVALUATION is not played out: its leaves are worth what the mover's best next position is. HEURISTICS that
cannot be wrong narrow what a playout says.
"""

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from math import exp
from typing import Any

from kibitz import core
from kibitz.core.kit.compiled import GOES_ON, RETURNS, CompiledGame, Words, evaluator, words_of
from kibitz.core.kit.numbers import Evaluation, Heuristic
from kibitz.core.match import drawn_outcome
from kibitz.core.registry import kit_of
from kibitz_lab.search.mcts.decisions import drawn_action
from kibitz_lab.search.mcts.simulated_players import SimulatedPlayers


def chance(value: float, scale: float) -> float:
    """The probability of winning a position of *value*: one half at 0, 0.73 at one *scale*, increasing.

    A value says which position is better, not by how much: the mean of a forced win and a small loss means nothing.
    """
    ratio = value / scale
    if ratio < 0.0:
        grown = exp(max(ratio, -700.0))
        return grown / (1.0 + grown)
    return 1.0 / (1.0 + exp(-min(ratio, 700.0)))


def scale_of(evaluation: Evaluation) -> float:
    """The scale that the game gives; else its largest weight, so one step of that feature turns 0.5 into 0.73."""
    largest = max((abs(weight) for weight in evaluation.weights), default=0.0) or 1.0
    return largest if evaluation.scale is None else evaluation.scale


Playout = Callable[[core.State, int], tuple[Sequence[float], int]]
"""(state, plies) plays on from *state*, which it may change, for at most *plies* plies; it returns the returns of all
players, and how many plies were played."""

TYPED_PLIES = 40
"""The most plies of a playout in which players are asked what their types do; then it goes on at random."""


class Leaves:
    """Values leaves by playouts."""

    def __init__(self, game: core.Game, rng: core.Rng) -> None:
        self.game, self.rng = game, rng
        self.playout = playout_for(game, rng)
        self.heuristic = certain_heuristic(game)

    def value(self, state: core.State, plies: int, players: SimulatedPlayers | None) -> tuple[Sequence[float], int]:
        """The returns of all players that *state*, which is used up, leads to, and how many plies were played."""
        if self.heuristic is not None and state.current_player() not in (core.CHANCE, core.TERMINAL):
            least, most = self.heuristic.bounds(state)
            if least == most:
                return (least, -least), 0
            (first, _), played = self.play_on(state, plies, players)
            value = min(most, max(least, first))
            return (value, -value), played
        return self.play_on(state, plies, players)

    def play_on(self, state: core.State, plies: int, players: SimulatedPlayers | None) -> tuple[Sequence[float], int]:
        """A playout: by the types of the players for a while if there are any, then at random."""
        played = 0
        if players is not None:
            played = typed_steps(self.game, state, min(plies, TYPED_PLIES), players, self.rng)
        returns, random = self.playout(state, plies - played)
        return returns, played + random

    def priors(self, state: core.State) -> Mapping[int, float] | None:
        """What each action of the mover is worth before it is tried, scaled to [0, 1]; None if that is not known."""
        return None


class EvaluatedLeaves(Leaves):
    """Values leaves by the game's evaluation: a leaf is worth what its mover's best action leads to."""

    def __init__(self, game: core.Game) -> None:
        evaluation = kit_of(game).evaluation
        assert evaluation is not None, "games without an evaluation are played out"
        self.game, self.scale = game, scale_of(evaluation)
        self.weights = evaluation.check_weights(None)
        self.first_side = frozenset(game.teams[0])
        self.evaluate: Callable[[core.State], float] = evaluator(game, evaluation, self.weights)
        kernels = kit_of(game).kernels
        self.kernel = None if kernels is None else ExpandKernel(kernels, self.weights)

    def value(self, state: core.State, plies: int, players: SimulatedPlayers | None) -> tuple[Sequence[float], int]:
        if state.is_terminal():
            return state.returns(), 0
        if plies <= 0:
            return self.game.infinite_play(state), 0
        if state.current_player() < 0:
            return side_returns(self.game, self.first_side, chance(self.evaluate(state), self.scale)), 0
        best = max(self.child_values(state).values())
        first_wins = best if state.current_player() in self.first_side else 1.0 - best
        return side_returns(self.game, self.first_side, first_wins), 1

    def priors(self, state: core.State) -> Mapping[int, float] | None:
        return self.child_values(state)

    def child_values(self, state: core.State) -> dict[int, float]:
        """The probability that the mover wins after each of their actions."""
        first = state.current_player() in self.first_side
        if self.kernel is not None:
            return self.kernel.child_values(state, self.scale, first)
        found = {}
        for action in state.legal_actions():
            child = state.child(action)
            share = self.share(child.returns()[0]) if child.is_terminal() else chance(self.evaluate(child), self.scale)
            found[action] = share if first else 1.0 - share
        return found

    def share(self, earned: float) -> float:
        """A return of player 0 scaled to [0, 1]."""
        least, most = self.game.utility
        return (earned - least) / (most - least)

    def __deepcopy__(self, memo: dict[int, Any]) -> "EvaluatedLeaves":
        return self  # it changes nothing but its buffers, which hold nothing between two calls


def side_returns(game: core.Game, side: Collection[int], share: float) -> list[float]:
    """The returns of all players if *side* earns this share of the range, and the other side the rest."""
    least, most = game.utility
    won, lost = least + (most - least) * share, most - (most - least) * share
    return [won if player in side else lost for player in range(game.players)]


class ExpandKernel:
    """All children of a position and their values, by the game's kernel."""

    def __init__(self, kernels: CompiledGame, weights: Sequence[float]) -> None:
        import numpy as np

        self.kernels = kernels
        most = self.kernels.most_actions
        self.weights = np.asarray(weights, np.float64)
        self.actions, self.outcomes = np.zeros(most, np.int64), np.zeros(most, np.int64)
        self.children = np.zeros((most, self.kernels.words), np.uint64)
        self.values = np.zeros(most, np.float64)

    def child_values(self, state: core.State, scale: float, first: bool) -> dict[int, float]:
        """The probability that the mover, player 0 if *first*, wins after each of their actions."""
        words = words_of(state)
        buffers = self.actions, self.children, self.values, self.outcomes
        count = int(self.kernels.expand(words, self.weights, float("inf"), *buffers))
        found = {}
        values, outcomes = self.values[:count].tolist(), self.outcomes[:count].tolist()
        for action, value, outcome in zip(self.actions[:count].tolist(), values, outcomes, strict=True):
            share = chance(value, scale) if outcome == GOES_ON else 0.5 + RETURNS[outcome][0] / 2.0
            found[action] = share if first else 1.0 - share
        return found


def leaves_for(game: core.Game, rng: core.Rng, evaluation: bool) -> Leaves:
    """How leaves of *game* are valued: by its evaluation if there is one and it is wanted, else by playouts."""
    return EvaluatedLeaves(game) if evaluation and has_evaluation(game) else Leaves(game, rng)


def has_evaluation(game: core.Game) -> bool:
    """Whether two sides play for the same sum, move in turn, see everything, and the game says who stands better.

    The evaluation must be made for search: compiled, or with a scale fitted to games. In `cops`, where it is the
    distance alone, a robber that trusts it is caught in 7 plies and one that plays out at random never is.
    """
    kit = kit_of(game)
    if game.hidden or not game.zero_sum or len(game.teams) != 2 or kit.evaluation is None:
        return False
    at_once = game.new_initial_state().current_player() == core.SIMULTANEOUS
    return not at_once and (kit.kernels is not None or kit.evaluation.scale is not None)


def certain_heuristic(game: core.Game) -> Heuristic | None:
    """The game's most informative heuristic, if it cannot be wrong."""
    heuristics = kit_of(game).heuristics
    if heuristics is None or game.players != 2 or not game.zero_sum:
        return None
    found = next(iter(heuristics.values()))
    return found if found.admissible else None


def playout_for(game: core.Game, rng: core.Rng) -> Playout:
    """The fastest random playout there is for *game*."""
    kernels = kit_of(game).kernels
    if kernels is None:
        return PythonPlayout(game, rng)
    return KernelPlayout(game, kernels, rng.integers(1, 1 << 63, size=4).astype("uint64"))


def typed_steps(game: core.Game, state: core.State, plies: int, players: SimulatedPlayers, rng: core.Rng) -> int:
    """Play at most *plies* plies, those players whose types are known by their types; return how many were played."""
    left = plies
    while left > 0 and not state.is_terminal():
        if state.current_player() == core.CHANCE:
            players.step(state, [drawn_outcome(state, rng.random())])
        else:
            actions = [
                players.policy(player, state).sample(rng)
                if player in players.types
                else drawn_action(state.legal_actions(player), rng)
                for player in game.movers(state)
            ]
            players.step(state, actions)
        left -= 1
    return plies - left


class PythonPlayout:
    """All players choose uniformly among their legal actions, drawn from *rng*."""

    def __init__(self, game: core.Game, rng: core.Rng) -> None:
        self.game, self.rng = game, rng

    def __call__(self, state: core.State, plies: int) -> tuple[Sequence[float], int]:
        game, rng, left = self.game, self.rng, plies
        while not state.is_terminal():
            if left <= 0:
                return game.infinite_play(state), plies
            if state.current_player() == core.CHANCE:
                state.apply_action(drawn_outcome(state, rng.random()))
            else:
                state.step([drawn_action(state.legal_actions(player), rng) for player in game.movers(state)])
            left -= 1
        return state.returns(), plies - left


class KernelPlayout:
    """The same by the game's kernel. It cannot stop midway: a game that went on too long counts as cut at its start."""

    def __init__(self, game: core.Game, kernels: CompiledGame, draws: Words) -> None:
        self.game, self.kernels, self.draws = game, kernels, draws

    def __call__(self, state: core.State, plies: int) -> tuple[Sequence[float], int]:
        if state.is_terminal():
            return state.returns(), 0
        played, outcome = divmod(int(self.kernels.rollout(words_of(state).copy(), self.draws)), 4)
        return (self.game.infinite_play(state) if played > plies else RETURNS[outcome]), played

    def __deepcopy__(self, memo: dict[int, Any]) -> "KernelPlayout":
        copied = copy.copy(self)
        copied.draws = self.draws.copy()
        return copied
