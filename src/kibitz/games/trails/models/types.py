"""`trails.types`: a belief over known negotiators and strangers, by exact Bayes; the default model of the game."""

from kibitz import core
from kibitz.core.registry import make_agent
from kibitz.games.trails.agents.population import PDA19
from kibitz.games.trails.agents.stranger import Stranger
from kibitz.games.trails.history import History
from kibitz.games.trails.models.parameters import ParameterLearner
from kibitz.games.trails.rules import Trails
from kibitz.models.strangers import Stranger as UnknownPlayer
from kibitz.models.strategy_filter import StrategyFilter

PARAMETRIC = 2.0
"""How likely a stranger is a parametric negotiator, compared with all else that a stranger may be."""


class Types(StrategyFilter):
    """Which negotiator is each player? Exact Bayes over *strategies*, by default the nineteen of `PDA19`.

    A share *unknown* of all players are strangers, who do what predictors expect: those that were learned from games of
    the nineteen, or others from the file *trained*. With probability *noise* a known one does so for one move. *drift*
    is how much of the belief returns to the prior at each move. From a seat it judges the other player only.
    """

    def __init__(
        self,
        strategies: tuple[core.Strategy, ...] = (),
        unknown: core.Probability = 0.1,
        noise: core.Probability = 0.05,
        drift: core.Probability = 0.0,
        trained: str = "",
    ) -> None:
        super().__init__(strategies, unknown, noise, drift)
        self.trained = trained

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        if not isinstance(game, Trails):
            raise core.Unsupported(self, game, "it watches Colored Trails only")
        super().begin(game, seat, rng)
        self.known = None  # strangers depend on the history
        self.history = History()
        self.strangers = [Stranger(self.trained) for _ in range(game.players)]
        for player, stranger in enumerate(self.strangers):
            stranger.begin(game, player, rng)

    def usual(self, game: core.Game) -> tuple[core.Strategy, ...]:
        known = [make_agent(name) for name in PDA19]
        return tuple(agent for agent in known if isinstance(agent, core.Strategy))

    def judges(self, player: int) -> bool:
        return player != self.seat

    def stranger(self, player: int) -> UnknownPlayer:
        known = super().stranger(player)
        return UnknownPlayer(player, [*known.learners, ParameterLearner(self.game, player)], [*known.prior, PARAMETRIC])

    def strange(self, player: int, view: core.State) -> core.Distribution:
        stranger = self.strangers[player]
        stranger.history = self.history
        return stranger.policy(view)

    def observe(self, transition: core.Transition) -> None:
        super().observe(transition)
        self.history.observe(transition)


def kibitzer(game: core.Game) -> str:
    """The model that watches a game of Colored Trails where none is named."""
    return "trails.types"
