"""The model `strategy_filter`: exact Bayes over known strategies, for any game, with hidden information or without.

`WorldFilter` weighs worlds and strategies; here are the answers: beliefs, predictions, explanations, and what is
remembered of a player.
"""

from functools import partial

from kibitz import core
from kibitz.core.insight import UNKNOWN, Explanation, MoveEvidence, explanation_of
from kibitz.core.memory import Learned, recalled_prior
from kibitz.models.habits import Habits
from kibitz.models.world_filter import WorldFilter
from kibitz.models.world_sampling import sample_worlds


class StrategyFilter(WorldFilter):
    """Which of the known strategies does each player follow? Exact Bayes, with an unknown one and drift.

    *strategies* are the hypotheses (by default all the game's own); *unknown* is the prior of a stranger, who follows
    none of them and is learned while they play (`models.strangers`); *noise* is the probability that a player plays a
    random action instead of their strategy's; *drift* is the share of the belief that returns to the prior at each of
    their moves, so that the model notices a change of strategy; the model keeps at most *worlds* worlds, or fewer if
    the game says so. With *depth*, searching strategies search only this many plies, which is faster and nearly as
    informative. *temper* is the power of each move's likelihood; below 1 it suits hypotheses that only roughly match
    the players, such as strategies of another depth.

    >>> from kibitz import play
    >>> from kibitz.models import StrategyFilter
    >>> record = play("dilemma(rounds=4)", ["dilemma.defector", "random"], models=[StrategyFilter(drift=0.01)], seed=1)
    >>> ((belief, _),) = record.entries[-1].beliefs.values()
    >>> max(belief, key=belief.get)
    'dilemma.defector'
    """

    answers = ("strategy", "action")

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.evidence = [MoveEvidence() for _ in range(game.players)]
        self.habits = [Habits(game, player) for player in range(game.players)]

    def check_training(self, game: core.Game) -> None:
        if not (self.strategies or self.usual(game)):
            raise core.Unsupported(self, game, "it has no strategies of its own; name some: strategies=[…]")

    def observe(self, transition: core.Transition) -> None:
        before = {player: self.belief(player) for player in transition.movers}
        self.update(transition)
        for player, held in before.items():
            action = transition.action_of(player)
            if action is not None and transition.chose(player) and self.judges(player):
                words = partial(transition.before.action_to_string, player, action)
                self.evidence[player].add(transition.ply, words, held, self.belief(player))
        for habits in self.habits:
            habits.observe(transition)

    def belief(self, player: int) -> dict[str, float]:
        shares = self.told_shares(player)
        belief, total = dict.fromkeys(self.labels, 0.0), sum(shares)
        for label, share in zip(self.labels, shares, strict=True):
            belief[label] += share / total
        return belief

    def told_shares(self, player: int) -> list[float]:
        """How much of `belief` each hypothesis has."""
        return self.marginal(player)

    def predict(self, view: core.State, player: int) -> core.Distribution:
        return self.trust[player].mix_with_chance(self.trusted_prediction(view, player), view.legal_actions(player))

    def trusted_prediction(self, view: core.State, player: int) -> core.Distribution:
        """What is predicted before chance is mixed in."""
        parts = []
        for world in self.possible:
            shown = world.state.view(player) if self.secrets else view
            held = [world.weight * share for share in self.shown_shares(world.posteriors[player])]
            parts += self.mixture_parts(world, player, shown, held)
        return core.Distribution.mixture(parts, view.legal_actions(player))

    def ignore(self, player: int) -> None:
        self.ignored = player

    def confidence(self, player: int) -> float:
        return 1.0 - self.trust[player].before_choice()

    def sample_worlds(self, view: core.State, count: int, rng: core.Rng) -> list[core.SampledWorld]:
        return sample_worlds(self, view, count, rng)

    def remember(self, player: int) -> Learned:
        return {**self.belief(player), **self.trust[player].remember()} if self.evidence[player].choices else {}

    def recall(self, player: int, learned: Learned) -> None:
        self.trust[player].recall(learned)
        prior = recalled_prior(self.belief(player), learned)
        shares = [share / self.labels.count(label) for label, share in ((each, prior[each]) for each in self.labels)]
        for world in self.possible:
            world.posteriors[player] = list(shares)

    def explain(self, player: int) -> Explanation:
        if not self.judges(player):
            return Explanation(notes=("is watched from their own seat, and not judged",))
        belief = self.belief(player)
        habits = self.habits[player].words() if belief[UNKNOWN] == max(belief.values()) else ()
        return explanation_of(belief, evidence=self.evidence[player], exact=self.exact, habits=habits)
