"""`aware` in games that can be solved: it exploits a model's forecast without risking more than you allow.

It begins with the equilibrium and a *purse*, the amount it may lose by leaving the equilibrium. It takes up a bolder
strategy only if the purse covers what that strategy may lose to its best response. Gifts, which are payoffs that the
opponent's choices give away against the current strategy, go into the purse; Ganzfried and Sandholm (2015) show that
this is safe. So however the opponent plays, the expected payoff is at most *risk* below what the equilibrium
guarantees; the page on planning has the proof.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from kibitz import core
from kibitz.core.insight import Intention, SupposedPlayer, ranked_claims
from kibitz.models.strategy_filter import StrategyFilter
from kibitz_lab.agents.solution_cache import make_once
from kibitz_lab.aware.agent import LIMIT, Aware, Limit, Risk
from kibitz_solve.agents.solved_games import SolvedGameAgent, is_solvable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kibitz_solve import RecursiveGame

WIDTH = 1e-4
"""Target width of the solution's intervals."""
CHANGED = 0.1
"""Forecasts, and purses as shares of the risk, that differ by less count as equal."""
MOST_SWITCHES = 100
"""The most changes of strategy; the proof needs their number to be bounded."""

MOST = 5
"""The most actions that an explanation names."""


class SolvedGame(msgspec.Struct, frozen=True):
    """A game as the agent sees it, with itself as player 0, and the equilibrium it begins with."""

    game: "RecursiveGame"
    shares: "NDArray[np.float64]"
    sure: "NDArray[np.float64]"

    def __deepcopy__(self, memo: dict[int, object]) -> "SolvedGame":
        return self  # it does not change, so copies of agents share it


def aware_agent(game: core.Game, aware: Aware) -> core.Agent | None:
    """The agent that `aware` is in games that can be solved."""
    if not is_solvable(game):
        return None
    return OpponentAware(aware.model, aware.risk if aware.trust > 0.0 else 0.0, aware.limit)


class OpponentAware(SolvedGameAgent):
    """Exploits what a *model* predicts, and risks no more than *risk*.

    However the opponent plays, the expected payoff is at most *risk* below what the equilibrium guarantees.
    The game has two players, is zero-sum, has no hidden information and at most *limit* states. The default model is
    the strategy filter over the game's own strategies.
    """

    def __init__(self, model: core.Model | None = None, risk: Risk = 0.1, limit: Limit = LIMIT) -> None:
        self.model, self.risk, self.limit = model, risk, limit

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.watcher = StrategyFilter() if self.model is None else self.model.clone()
        if "action" not in self.watcher.answers:
            raise core.Unsupported(self, game, f"{self.watcher!r} does not predict actions")
        self.ground = make_once(self._key(player), self._solve_for_player)
        self.watcher.begin(game, player, deepcopy(rng))  # a copy: asking a model must not change the agent's own draws
        self.own, self.sure = self.ground.shares, self.ground.sure
        self.purse, self.switches = self.risk, 0
        self.view: core.State | None = None
        """The position of the last action."""
        self.answered: tuple[NDArray[np.float64], float] | None = None
        self._answer(game.new_initial_state())

    def observe(self, transition: core.Transition) -> None:
        if transition.movers:
            self.purse += self._gift(transition)
        self.watcher.observe(transition)
        self._answer(transition.after)

    def shares(self, view: core.State) -> Sequence[float]:
        node = self.ground.game.states.node(view)
        starts = self.ground.game.mix_starts(0)[node : node + 2]
        shares: list[float] = self.own[slice(*starts)].tolist()
        return shares

    def act(self, view: core.State, clock: core.Clock) -> int:
        self.view = view
        return super().act(view, clock)

    def explain(self) -> Intention | None:
        if self.view is None:
            return None
        drawn, node = self.policy(self.view).top(MOST), self.ground.game.states.node(self.view)
        probabilities = {
            self.view.action_to_string(self.player, action): probability
            for action, probability in drawn
            if probability > 0.0
        }
        belief = self.watcher.belief(1 - self.player)
        return Intention(
            action=next(iter(probabilities)),
            value=float(self.sure[node]),
            mixture=tuple(ranked_claims(probabilities)) if len(probabilities) > 1 else (),
            others=(SupposedPlayer(1 - self.player, tuple(ranked_claims(belief)), trust=1.0),),
            risked=max(0.0, float(self.ground.sure[node] - self.sure[node])),
        )

    def truth(self) -> Mapping[str, Any]:
        """What is left to risk, and how often the strategy changed."""
        return {"risk": {"purse": self.purse, "switches": self.switches}} if hasattr(self, "purse") else {}

    def _gift(self, transition: core.Transition) -> float:
        """How much more the opponent's choice leaves than the strategy guaranteed there."""
        game = self.ground.game
        node = game.states.node(transition.before)
        action = transition.action_of(1 - self.player)
        column = 0
        if action is not None:
            column = list(transition.before.legal_actions(1 - self.player)).index(action)
        starts = game.mix_starts(0)[node : node + 2]
        payoffs = game.matrix(node, self.sure)[:, column]
        return max(0.0, float(self.own[slice(*starts)] @ payoffs - self.sure[node]))

    def _answer(self, state: core.State) -> None:
        """If forecast or purse have changed, take up the best response to the forecast that the purse covers."""
        from kibitz_solve import safe_response

        if self.player not in self.game.movers(state) or self.switches == MOST_SWITCHES or self.risk == 0.0:
            return
        forecast = self._forecast()
        if not self._news(forecast):
            return
        node = self.ground.game.states.node(state)
        least = float(self.sure[node]) - self.purse
        answer = partial(safe_response, self.ground.game, self.ground.shares, forecast, node, least)
        # Every match begins with the same forecast, so the first response is cached.
        response = (
            answer() if self.switches else make_once(self._key(self.player, forecast.tobytes(), node, least), answer)
        )
        if response.sure[node] >= least:
            self.purse -= float(self.sure[node] - response.sure[node])
            self.own, self.sure, self.switches = response.shares, response.sure, self.switches + 1
        self.answered = forecast, self.purse

    def _news(self, forecast: "NDArray[np.float64]") -> bool:
        """Whether the forecast or the purse differs from those of the last response."""
        if self.answered is None:
            return True
        before, purse = self.answered
        return bool(abs(forecast - before).max() > CHANGED or self.purse - purse > CHANGED * self.risk)

    def _forecast(self) -> "NDArray[np.float64]":
        """The model's prediction for the opponent in every state: the shares, state after state."""
        from kibitz_solve import forecast_shares

        return forecast_shares(self.ground.game, self.watcher.predict, 1 - self.player)

    def _solve_for_player(self) -> SolvedGame:
        from kibitz_solve import mirror_game, solve

        built = self._build_game()
        solution = solve(built, width=WIDTH)
        policy, sure = solution.policy(self.player), solution.guarantee(self.player) - built.infinite_play
        if self.player == 0:
            return SolvedGame(built, policy.shares, sure)
        return SolvedGame(mirror_game(built), policy.shares, -sure)
