"""The base of agents that search with a model of the opponent: the model, its cost, and how well it predicts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from kibitz import core
from kibitz.models.strategy_filter import StrategyFilter
from kibitz_lab.search.alphabeta import TIME_FRACTION, AlphaBeta
from kibitz_lab.search.game_tree import BudgetSpent, TreeSearch
from kibitz_lab.search.node_policy import Expectation, LikelySet
from kibitz_lab.search.opponent import Opponent, make_rule
from kibitz_lab.search.searcher import GameSearch, require_searchable
from kibitz_lab.search.settings import ModelSearchResult, SearchResult, Settings

LATEST_FRACTION = (1.0 + TIME_FRACTION) / 2.0
"""The fraction of a move's time after which a search with a slow model gives up."""


class ModelSearch(TreeSearch):
    """One search of *agent* with a model of the opponent; it looks no further than ply *farthest*."""

    policy: LikelySet

    def __init__(
        self,
        agent: "OpponentModelAgent",
        settings: Settings,
        weights: Sequence[float],
        policy: LikelySet,
        farthest: int,
        shown: int = 0,
    ) -> None:
        context = agent.game_search
        super().__init__(
            settings,
            context.evaluate(weights),
            policy,
            position=context.position,
            compiled=context.subtrees(settings, weights, farthest),
            shown=shown,
        )
        self.late = agent.late

    def root(self, state: core.State) -> ModelSearchResult:
        settings, policy = self.settings, self.policy
        try:
            found = self.search(state, policy.opponent.line())
        except BudgetSpent:
            model_nodes = policy.model_nodes()
            nodes = min(self.nodes + model_nodes, max(settings.nodes, model_nodes))
            return ModelSearchResult(-1, 0.0, (), nodes, settings.depth, {}, complete=False, model_nodes=model_nodes)
        return self.result(found)

    def result(self, found: Expectation) -> ModelSearchResult:
        """What was found, and what it cost."""
        policy = self.policy
        return ModelSearchResult(
            found.line[0],
            found.value,
            found.line,
            self.nodes + policy.model_nodes(),
            self.settings.depth,
            self.values(),
            model_nodes=policy.model_nodes(),
            predicted=policy.asked,
            named=policy.named,
            fallback=policy.opponent.fault,
        )


class OpponentModelAgent(AlphaBeta):
    """An alpha-beta player with a *model* of the other player, and a *rule* that says which of their moves are likely.

    After a move `found` holds what the search found and cost; `opponent` holds the model, `opponent.tally` how good its
    predictions were, and `opponent.fault`, if it failed, why it is not asked any more.
    """

    model: core.Model | None
    rule: str

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        require_searchable(self, game, teams=False)
        model = StrategyFilter(depth=1) if self.model is None else self.model.clone()
        if "action" not in model.answers:
            raise core.Unsupported(self, game, f"{model!r} does not predict actions")
        self.opponent = Opponent(model, make_rule(self.rule), game, player, rng)
        self.game_search = GameSearch(game)
        self.charged = 0
        self.late: Callable[[], bool] | None = None
        super().begin(game, player, rng)

    def act(self, view: core.State, clock: core.Clock) -> int:
        action = super().act(view, clock)
        self.charged = self.opponent.watched
        return action

    def observe(self, transition: core.Transition) -> None:
        before = self.opponent.searched
        self.opponent.observe(transition)
        spent = self.opponent.searched - before
        self.opponent.watched += spent
        self.searched += spent

    def budget(self) -> int | None:
        """The budget of nodes, less what the model searched to learn from the last moves."""
        allowed = super().budget()
        return None if allowed is None else max(1, allowed - self.owed_nodes())

    def owed_nodes(self) -> int:
        """Nodes that the model's searches took since the last move."""
        return self.opponent.watched - self.charged

    def run_search(self, view: core.State, settings: Settings, clock: core.Clock | None) -> SearchResult:
        limit = float("inf") if clock is None else LATEST_FRACTION * clock.pace()
        self.late = None
        if clock is not None and limit < float("inf"):
            self.late = lambda: clock.elapsed_seconds() > limit
        found = super().run_search(view, settings, clock)
        assert isinstance(found, ModelSearchResult)
        nodes, model_nodes = found.nodes + self.owed_nodes(), found.model_nodes + self.owed_nodes()
        return msgspec.structs.replace(found, nodes=nodes, model_nodes=model_nodes)

    def truth(self) -> Mapping[str, Any]:
        """The model's cost so far and how good its predictions were, for the record."""
        if not hasattr(self, "opponent"):
            return {}
        found = self.found
        last = 0 if found is None else found.nodes
        told = {"nodes": self.searched, "last_nodes": last, "model_nodes": self.opponent.searched}
        fault = {"model_fault": self.opponent.fault} if self.opponent.fault else {}
        return {"search": {**told, **msgspec.to_builtins(self.opponent.tally), **fault}}
