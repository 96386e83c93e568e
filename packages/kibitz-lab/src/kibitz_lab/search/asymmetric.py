"""The agent `asymmetric` (Pedersen 2008): it searches deeper below the opponent's likely moves."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from kibitz import core
from kibitz_lab.search.node_policy import LikelySet
from kibitz_lab.search.opponent_agent import ModelSearch, OpponentModelAgent
from kibitz_lab.search.searcher import Searcher
from kibitz_lab.search.settings import Depth, ModelSearchResult, Noise, Settings, WinValue

Deeper = Annotated[int, Meta(ge=0, le=50)]


class Asymmetric(OpponentModelAgent):
    """Looks *depth* plies ahead, and *deeper* more below moves that a model of the opponent considers likely.

    *model* is any model that predicts actions, by default `strategy_filter(depth=1)`; *rule* says
    what counts as likely: `mass(mass=0.6)`, `max_ratio(max_pr=0.3)`, `seen_before`, or `random_like(rule=…)` as a
    control. Below other moves it looks *unlikely_depth* plies ahead, by default *depth*. The rest is as
    in `alphabeta`.
    """

    def __init__(
        self,
        model: core.Model | None = None,
        depth: Depth = 4,
        deeper: Deeper = 2,
        unlikely_depth: Depth | None = None,
        rule: str = "mass(mass=0.6)",
        nodes: core.Count | None = None,
        weights: tuple[float, ...] | None = None,
        noise: Noise = "root",
        win_value: WinValue = "mate",
    ) -> None:
        super().__init__(depth=depth, nodes=nodes, weights=weights, noise=noise, win_value=win_value)
        self.model, self.deeper, self.unlikely_depth, self.rule = model, deeper, unlikely_depth, rule

    def searcher_in(self, game: core.Game) -> Searcher:
        return AsymmetricSearcher(self)


class AsymmetricSearcher:
    """Searches for one agent."""

    def __init__(self, agent: Asymmetric) -> None:
        self.agent = agent

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> ModelSearchResult:
        """The best move in *state*: all compiled if the model offers kernels, else with the upper part in Python."""
        fast = self.agent.game_search.fast_search
        if fast is not None:
            from kibitz_lab.search.compiled_search import search_likely

            found = search_likely(fast, state, settings, weights, self.agent.opponent, *self.limits(settings))
            if found is not None:
                return found
        return self.make_search(settings, weights).root(state)

    def limits(self, settings: Settings) -> tuple[int, int]:
        """How far to look below likely moves and below others."""
        unlikely = self.agent.unlikely_depth
        return settings.depth + self.agent.deeper, settings.depth if unlikely is None else unlikely

    def make_search(self, settings: Settings, weights: Sequence[float], shown: int = 0) -> ModelSearch:
        """A search that is ready to run."""
        limits = self.limits(settings)
        policy = LikelySet(self.agent.opponent, *limits)
        return ModelSearch(self.agent, settings, weights, policy, max(limits), shown)
