"""The arms of the strength experiment: searches that predict the opponent, their controls, and their opponents."""

from collections.abc import Callable
from typing import Any

import msgspec

from kibitz import core
from kibitz.agents.random import Random
from kibitz.agents.search.alphabeta import AlphaBeta
from kibitz.agents.search.asymmetric import Asymmetric
from kibitz.agents.search.settings import Noise, Settings, WinValue
from kibitz.games.pawns.agents import TABLE
from kibitz.models.dbn.model import Dbn
from kibitz.models.strategy_filter import StrategyFilter
from kibitz.studies.pawns.games import NOISE

WINS = "mate"
MASS = "mass(mass=0.8)"
"""The likely moves are the likeliest ones that together have this share of the probability."""
DEEPER = 2
"""How many plies further the asymmetric tree and the deeper plain search look."""
DEEPEST, MOST = 12, 30_000
"""The greatest depth and the most nodes of a search with a node budget."""

MODELS = {
    "asymmetric dbn": "asymmetric tree, network learned by EM, `seen_before`",
    "asymmetric filter": "asymmetric tree, strategy filter at depth 1, 80 % of the mass",
}
"""The arms to judge, each with its description."""
CAPPED, MIXED, AT_RANDOM = "capped for ", "mixed for ", "random for "
CAPS, MIXES = ({arm: kind + arm for arm in MODELS} for kind in (CAPPED, MIXED))
"""The controls that spend what an arm does."""
PLAIN, FURTHER = "plain", "plain, deeper"
GUESSED = tuple(arm for arm in MODELS if arm.startswith("asymmetric"))
"""The arms with sets of likely moves, for which a control can draw as many moves at random."""

HELD_OUT = {
    "keeper": (0.0, 1000.0, 0.0, -100.0, 0.0, 10000.0),
    "herd": (0.0, 100.0, -10.0, -10000.0, -10.0, 1000.0),
}
"""Strategies that no model was trained on or knows: one keeps its pawns, one keeps them together."""
OUTSIDERS = (*HELD_OUT, "S4 at half depth", "S2 two plies deeper", "unsteady S3")
"""Opponents that no model knows exactly."""
ANYBODY = "random"
"""Loses to all others: shown, but counted in no mean."""


class MixedDepthSearch(AlphaBeta):
    """Plain search that looks two plies further at randomly drawn moves, to spend a given number of nodes on average.

    *reach* is its mean depth, at least *depth*.
    """

    def __init__(
        self, depth: int, reach: float, weights: tuple[float, ...], noise: Noise, win_value: WinValue = "mate"
    ) -> None:
        super().__init__(depth=depth, weights=weights, noise=noise, win_value=win_value)
        self.reach = reach

    def settings(self, margin: float = 0.0, noise_seed: int | None = None) -> Settings:
        pairs, over = divmod(self.reach - self.depth, DEEPER)
        drawn = self.rng.random() < over / DEEPER
        found = super().settings(margin, noise_seed)
        return msgspec.structs.replace(found, depth=self.depth + DEEPER * (int(pairs) + drawn))


def player(arm: str, own: str, depth: int, budget: float | None = None) -> AlphaBeta:
    """The player of an arm with the weights of the strategy *own*.

    The *budget* of a capped arm is its nodes, that of a mixed one its mean depth.
    """
    common: dict[str, Any] = {"weights": TABLE[own], "noise": NOISE, "win_value": WINS}
    if arm.startswith(CAPPED):
        return AlphaBeta(depth=DEEPEST, nodes=None if budget is None else int(budget), step=2, **common)
    if arm.startswith(MIXED):
        return MixedDepthSearch(depth, budget or depth, **common)
    rule = "random_like(rule={})" if arm.startswith(AT_RANDOM) else "{}"
    network = Dbn(trained="pawns.em", own=f"pawns.{own.lower()}(noise='leaf')")
    made: dict[str, Callable[[], AlphaBeta]] = {
        PLAIN: lambda: AlphaBeta(depth=depth, **common),
        FURTHER: lambda: AlphaBeta(depth=depth + DEEPER, **common),
        "asymmetric dbn": lambda: Asymmetric(network, depth, DEEPER, rule=rule.format("seen_before"), **common),
        "asymmetric filter": lambda: Asymmetric(
            StrategyFilter(depth=1), depth, DEEPER, rule=rule.format(MASS), **common
        ),
    }
    return made[arm.removeprefix(AT_RANDOM)]()


def opponent(name: str, depth: int) -> core.Agent:
    """The opponent of that name: a strategy of the library, which looks *depth* plies ahead, or one outside it."""
    common: dict[str, Any] = {"noise": NOISE, "win_value": WINS}
    made: dict[str, Callable[[], core.Agent]] = {
        "S4 at half depth": lambda: AlphaBeta(depth=max(1, depth // 2), weights=TABLE["S4"], **common),
        "S2 two plies deeper": lambda: AlphaBeta(depth=depth + 2, weights=TABLE["S2"], **common),
        "unsteady S3": lambda: AlphaBeta(depth=depth, weights=TABLE["S3"], variety=0.2, **common),
        ANYBODY: Random,
    }
    if name in made:
        return made[name]()
    return AlphaBeta(depth=depth, weights={**TABLE, **HELD_OUT}[name], **common)
