"""A model that knows every player of a set, strangers too: nobody can say more, and its beliefs are calibrated."""

from kibitz import core
from kibitz.core.insight import UNKNOWN
from kibitz.core.registry import spec_of


class Oracle(core.Model):
    """Exact Bayes over known players and strangers, in games without secrets; every stranger counts as unknown."""

    answers = ("strategy", "action")

    def __init__(
        self,
        strangers: tuple[core.Strategy, ...] = (),
        strategies: tuple[core.Strategy, ...] = (),
        unknown: core.Probability = 0.5,
    ) -> None:
        self.strangers, self.strategies, self.unknown = strangers, strategies, unknown

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        many, strange = len(self.strategies), len(self.strangers)
        self.labels = [str(spec_of(each)) for each in self.strategies] + [UNKNOWN] * strange
        prior = [(1.0 - self.unknown) / many] * many + [self.unknown / strange] * strange
        self.weights = [prior for _ in range(game.players)]
        self.copies = [[each.clone() for each in (*self.strategies, *self.strangers)] for _ in range(game.players)]
        for player, own in enumerate(self.copies):
            for each in own:
                each.begin(game, player, rng)

    def observe(self, transition: core.Transition) -> None:
        for player in filter(transition.chose, transition.movers):
            action = transition.action_of(player)
            assert action is not None
            policies = [each.policy(transition.before.clone()) for each in self.copies[player]]
            pairs = zip(self.weights[player], policies, strict=True)
            likely = [weight * policy.probability(action) for weight, policy in pairs]
            self.weights[player] = [each / sum(likely) for each in likely]
        for own in self.copies:
            for each in own:
                each.observe(transition)

    def belief(self, player: int) -> dict[str, float]:
        found: dict[str, float] = {}
        for label, weight in zip(self.labels, self.weights[player], strict=True):
            found[label] = found.get(label, 0.0) + weight
        return found

    def predict(self, view: core.State, player: int) -> core.Distribution:
        policies = [each.policy(view.clone()) for each in self.copies[player]]
        return core.Distribution.mixture(
            list(zip(self.weights[player], policies, strict=True)), view.legal_actions(player)
        )
