"""The agent `prom`: it expects what a model of the opponent predicts, as far as it trusts the model."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from kibitz import core
from kibitz.agents.search.node_policy import TIE, Expectation, TrustMixture
from kibitz.agents.search.opponent_agent import ModelSearch, OpponentModelAgent
from kibitz.agents.search.searcher import Searcher, evaluation_of
from kibitz.agents.search.settings import Depth, ModelSearchResult, Noise, Settings, WinValue
from kibitz.agents.search.win_probability import chance, scale_of

Replies = Annotated[int, Meta(ge=1, le=50)]
Scale = Annotated[float, Meta(gt=0.0, le=1e9)]


class Prom(OpponentModelAgent):
    """Looks *depth* plies ahead and mixes, at the opponent's next replies, a model's expectation with the worst case.

    *model* is any model that predicts actions, by default `strategy_filter(depth=1)`. *trust* is the model's weight
    when it is sure that it knows the opponent; its belief in an `unknown` opponent is subtracted. *plies* replies are
    mixed, by default the first. *scale* turns values into probabilities of winning; by default it is the largest
    weight. *safety* bounds the risk: it plays only moves whose minimax value, as a probability, is at most this much
    below the best. Replies of weight *tiny* or less count with a lower bound. *rule* only says which replies count as
    predicted. The rest is as in `alphabeta`.
    """

    def __init__(
        self,
        model: core.Model | None = None,
        depth: Depth = 4,
        trust: core.Probability = 1.0,
        plies: Replies = 1,
        safety: core.Probability = 1.0,
        scale: Scale | None = None,
        tiny: core.Probability = 0.001,
        rule: str = "mass(mass=0.6)",
        nodes: core.Count | None = None,
        weights: tuple[float, ...] | None = None,
        noise: Noise = "root",
        win_value: WinValue = "mate",
        table: bool = True,
        history: bool = True,
    ) -> None:
        super().__init__(
            depth=depth, nodes=nodes, weights=weights, noise=noise, win_value=win_value, table=table, history=history
        )
        self.model, self.trust, self.plies, self.safety = model, trust, plies, safety
        self.scale, self.tiny, self.rule = scale, tiny, rule

    def searcher_in(self, game: core.Game) -> Searcher:
        return PromSearcher(self)

    def choices(self, view: core.State, clock: core.Clock | None) -> core.Distribution:
        legal = view.legal_actions(self.player)
        self.found = found = self.look(view, self.settings(), clock)
        assert isinstance(found, ModelSearchResult)
        if self.noise == "none":
            return core.Distribution.certain(found.action, legal)
        return core.Distribution({action: 1.0 / len(found.level) for action in found.level}, legal)


class PromSearcher:
    """Searches for one agent."""

    def __init__(self, agent: Prom) -> None:
        self.agent = agent

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> ModelSearchResult:
        """The best move in *state*."""
        return self.make_search(settings, weights).root(state)

    def make_search(self, settings: Settings, weights: Sequence[float], shown: int = 0) -> "PromSearch":
        """A search that is ready to run."""
        agent = self.agent
        policy = TrustMixture(
            agent.opponent,
            trust=agent.trust * agent.opponent.confidence(),
            asks=agent.plies,
            scale=agent.scale or scale_of(evaluation_of(agent.game), weights),
            safety=agent.safety,
            tiny=agent.tiny,
        )
        return PromSearch(agent, settings, weights, policy, settings.depth, shown)


class PromSearch(ModelSearch):
    """One search of a mixed tree."""

    policy: TrustMixture

    def result(self, found: Expectation) -> ModelSearchResult:
        """Of the moves that are safe enough, the one with the best chance."""
        policy, expectations = self.policy, self.expectations
        floor = chance(found.value, policy.scale) - policy.safety
        safe = {action: each for action, each in expectations.items() if chance(each.value, policy.scale) >= floor}
        best = max(safe, key=lambda action: safe[action].rank())
        chosen, most = safe[best], safe[best].rank()[0]
        assert self.tree.seen is not None
        self.tree.seen.value, self.tree.seen.chance = chosen.value, chosen.chance
        near = {action: each for action, each in safe.items() if most - each.rank()[0] <= policy.reach()}
        return msgspec.structs.replace(
            super().result(chosen._replace(line=(best, *chosen.line))),
            trust=policy.trust,
            chances={action: each.rank()[0] for action, each in expectations.items()},
            level=tuple(action for action, each in near.items() if chosen.value - each.value < TIE),
        )
