"""The strategies that come with Breakthrough, as weights of the features."""

from kibitz_lab.games.breakthrough.features import feature_weights
from kibitz_lab.search.alphabeta import AlphaBeta
from kibitz_lab.search.settings import Depth, Noise


class Runner(AlphaBeta):
    """Sends one piece ahead of all others, whatever it costs."""

    style = feature_weights(to_go=-100.0, advance=5.0, material=20.0)

    def __init__(self, depth: Depth = 4, noise: Noise = "root") -> None:
        super().__init__(depth=depth, noise=noise, weights=self.style)


class Hoarder(Runner):
    """Wins pieces, and leaves none where it can be taken."""

    style = feature_weights(material=200.0, exposed=-80.0, advance=2.0)


class Wall(Runner):
    """Advances in ranks that guard each other, and keeps its home row."""

    style = feature_weights(material=50.0, guarded=10.0, keepers=15.0, advance=10.0)
