"""Agents over the information-set table of a game with secrets: one plays what CFR+ found, or a file of strategies."""

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from kibitz import core
from kibitz.core.errors import BadGame, Unsupported
from kibitz_lab.agents.solution_cache import make_once

if TYPE_CHECKING:
    from kibitz_lab.extensive import BehaviourPolicy, InformationTable

Histories = Annotated[int, Meta(ge=1)]
LIMIT = 50_000
"""The most histories; far below what the solver can do, because a match waits."""


class TableStrategy(core.Strategy):
    """The base of agents that play a strategy over information sets; each chooses it in `begin`, by `follow`."""

    supposed = False

    def follow(self, strategy: "BehaviourPolicy") -> None:
        """Play *strategy* from the start of the match."""
        from kibitz_lab.extensive import InformationTracker

        self.strategy, self.tracker = strategy, InformationTracker(strategy.table, self.player)

    def observe(self, transition: core.Transition) -> None:
        self.tracker.observe(transition)

    def policy(self, view: core.State) -> core.Distribution:
        number = self.tracker.information_set
        if number is None:  # the match has left the table, by an opening that no rule allows, say
            return core.Distribution.uniform(view.legal_actions(self.player))
        return self.strategy.distribution(number)


class Cfr(TableStrategy):
    """Plays the average strategy of CFR+ in any small enough game with secrets or simultaneous moves.

    *file* is a strategy to play instead (`kibitz solve GAME --method cfr --out FILE`). *limit* is the most histories of
    the game.

    >>> from kibitz import play
    >>> from kibitz_lab import Cfr
    >>> play("kuhn(players=2)", [Cfr(iterations=50), "kuhn.rock"], seed=1).ending.returns
    [-1.0, 1.0]
    """

    def __init__(self, file: str | None = None, iterations: core.Count = 1000, limit: Histories = LIMIT) -> None:
        self.file, self.iterations, self.limit = file, iterations, limit

    def manages(self, game: core.Game) -> bool:
        from kibitz_lab.extensive.building import fits_table

        return fits_table(game, self.limit)

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.follow(self._profile()[player])

    def _profile(self) -> "tuple[BehaviourPolicy, ...]":
        """The strategies of all players, read or found once."""
        from kibitz_lab.extensive import read_profile, solve_cfr

        table = shared_table(self, self.game, self.limit)
        if self.file is not None:
            return read_profile(self.file, table)
        key = "cfr profile", type(self.game), repr(self.game), self.iterations
        return make_once(key, lambda: solve_cfr(table, iterations=self.iterations).profile)


def shared_table(agent: core.Agent, game: core.Game, limit: int) -> "InformationTable":
    """The table of a game, cached while it is among the last few; raises Unsupported if it is too large."""
    from kibitz_lab.extensive import build_table

    try:
        return make_once(("information sets", type(game), repr(game), limit), lambda: build_table(game, limit=limit))
    except BadGame as error:
        raise Unsupported(agent, game, error.why) from None
