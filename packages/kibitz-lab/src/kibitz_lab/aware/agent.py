"""The agent `aware`: the one to name if you want a player who uses a model of the others, whatever the game.

It plays each game in the way that suits it: by the game's own aware agent, by safe responses where the game can be
solved, by planning the rounds of a repeated game, or else by a search against the players that the model believes in.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta

from kibitz import core
from kibitz.core.errors import Unsupported, error_text
from kibitz.core.insight import Intention
from kibitz.core.player_memory import Learned
from kibitz.core.registry import aware_offers, kit_of, make_model
from kibitz.models.worlds import known_strategies
from kibitz_lab.aware.repeated_planner import RepeatedPlanner, repeats_a_stage, stage_of
from kibitz_lab.aware.round_player import RoundAgent
from kibitz_lab.aware.table_response import TableResponse
from kibitz_lab.search.mcts.agent import MCTS, why_unfit


class AwareSearch(MCTS):
    """Searches against the players that *model* believes in, each with probability *trust* times its confidence."""

    def __init__(
        self, model: core.Model | None = None, simulations: core.Count | None = None, trust: core.Probability = 1.0
    ) -> None:
        super().__init__(simulations=simulations, model=model)
        self.trust = trust

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.remembered: dict[int, Learned] = getattr(self, "remembered", {})
        if self.watcher is not None:
            for other, learned in self.remembered.items():
                self.watcher.recall(other, learned)

    def end(self, returns: Sequence[float]) -> None:
        if self.watcher is not None and not self.fault:
            others = [each for each in range(self.game.players) if each != self.player]
            self.remembered = {other: learned for other in others if (learned := self.watcher.remember(other))}

    def sample_worlds(self, view: core.State, count: int) -> Sequence[core.SampledWorld]:
        """Worlds of the model, in which each other player is believed to be who they are there as far as is safe.

        Before a player has chosen anything, every type is a guess. A guess that is wrong costs more than one that is
        right wins, so the others choose as the search would until the model has predicted them better than chance.
        """
        worlds, watcher = super().sample_worlds(view, count), self.watcher
        if watcher is None:
            return worlds
        others = [player for player in range(self.game.players) if player != self.player]
        confidences = self.ask_safely("confidence", lambda: {each: watcher.confidence(each) for each in others}) or {}
        believed = {who: self.trust * confidences.get(who, 0.0) for who in others}
        least, draws = min(believed.values()), self.rng.random(len(worlds)).tolist()
        sampled = []
        for world, draw in zip(worlds, draws, strict=True):
            if draw >= least:
                types = {who: each for who, each in world.types.items() if draw < believed[who]}
                world = core.SampledWorld(world.state, types)
            sampled.append(world)
        return sampled


LONG = 50
"""Rounds of a match that is long enough to learn the other from nothing, though their strategies may be known."""
LIMIT = 500
"""The most states of a game that is solved: a match waits while the agent computes its response to every forecast."""
Simulations = Annotated[int, Meta(ge=1, le=1_000_000)]
Risk = Annotated[float, Meta(ge=0.0)]
Limit = Annotated[int, Meta(ge=1)]


class Aware(core.Agent):
    """Uses a *model* of the others in any game, and risks no more than *risk* where a safe play exists.

    In zero-sum games of two players that are small enough to be solved it earns on average at most *risk* less than an
    equilibrium guarantees, however the opponent plays; beyond that it risks only what the opponent gave away. Larger
    games are searched with so many *simulations* a move, against the players that the model believes in; players who
    are not understood yet choose as the search would. Repeated games are planned; in long ones it learns the other
    within the match, unless a model is given. *limit* is the most states of a game that is solved. *trust* below 1
    makes it believe its model less; with 0 it plays without one. The default model is the one that watches the game.

    >>> from kibitz import play
    >>> from kibitz_lab import Aware
    >>> play("dilemma(rounds=6)", [Aware(), "dilemma.cooperator"], seed=1).ending.returns
    [26.0, 6.0]
    """

    def __init__(
        self,
        model: core.Model | None = None,
        risk: Risk = 0.1,
        limit: Limit = LIMIT,
        simulations: Simulations | None = None,
        trust: core.Probability = 1.0,
    ) -> None:
        self.model, self.risk, self.limit = model, risk, limit
        self.simulations, self.trust = simulations, trust

    delegate: core.Agent
    """The agent that plays this game for it."""
    fault: str = ""
    """Why the model is not asked any more; empty while it works."""

    def manages(self, game: core.Game) -> bool:
        return game.players > 1

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.fault = ""
        if game.players < 2:
            raise Unsupported(self, game, "it has one player, so there is no opponent to model")
        if getattr(self, "played", None) == repr(game):  # what was learned of the others stays
            self.delegate.begin(game, player, rng)
            return
        model = make_model(game.usual_model) if self.model is None else self.model.clone()
        why = ""
        for candidate in self.candidates(game, model):
            try:
                candidate.begin(game, player, rng)
            except Unsupported as refusal:
                why = f": {refusal.why}"
                continue
            self.delegate, self.played = candidate, repr(game)
            return
        raise Unsupported(self, game, why_unfit(model) or f"{model!r} does not fit{why}")

    def candidates(self, game: core.Game, model: core.Model) -> Iterator[core.Agent]:
        """The agents that may play *game*, the best first; those that refuse it are passed over."""
        aware, trusted = kit_of(game).aware, self.trust > 0.0
        if aware is not None and (own := aware(game, self)) is not None:
            yield own
        if trusted and self.model is None and is_learnt_in_rounds(game):
            yield RoundAgent()
        fits = not trusted or not why_unfit(model)
        if fits:
            yield from filter(None, (offer(game, self) for offer in aware_offers()))
        if trusted and repeats_a_stage(game):
            if fits and not game.zero_sum:
                yield RepeatedPlanner(model, self.trust)
            elif self.model is None:
                yield RoundAgent()
        if fits and game.hidden:
            yield TableResponse(model if trusted else None, self.risk, trust=self.trust)
        if fits:
            yield AwareSearch(model if trusted else None, self.simulations, self.trust)

    def act(self, view: core.State, clock: core.Clock) -> int:
        try:
            action = self.delegate.act(view, clock)
        except Exception as error:
            self.give_up_model(error)
            action = self.delegate.act(view, clock)
        self.searched = self.delegate.searched
        return action

    def observe(self, transition: core.Transition) -> None:
        try:
            self.delegate.observe(transition)
        except Exception as error:
            self.give_up_model(error)
        self.searched = self.delegate.searched

    def end(self, returns: Sequence[float]) -> None:
        self.delegate.end(returns)

    def give_up_model(self, error: Exception) -> None:
        """Play on without a model, by search: its faults must not end the match. An error of the search is raised."""
        if self.fault:
            raise error
        self.fault = error_text(error)
        self.delegate, self.played = AwareSearch(None, self.simulations), ""
        self.delegate.begin(self.game, self.player, self.rng)

    def truth(self) -> Mapping[str, Any]:
        """What the agent that plays says, and why the model is not asked any more, if it failed; for the record."""
        truth = self.delegate.truth() if hasattr(self, "delegate") else {}
        return {**truth, "search": {"model_fault": self.fault}} if self.fault else truth

    def explain(self) -> Intention | None:
        return self.delegate.explain() if hasattr(self, "delegate") else None


def is_learnt_in_rounds(game: core.Game) -> bool:
    """Whether the others are learnt from the rounds of a match: there are many, or no strategies are known."""
    stage = stage_of(game, game.new_initial_state())
    return stage is not None and (stage.left >= LONG or (not game.zero_sum and not known_strategies(game)))
