"""Strategies that are data: finite-state machines of any repeated game, and memory-one strategies of the dilemma."""

from typing import Annotated

from msgspec import Meta

from kibitz import core
from kibitz.core.errors import BadSpec
from kibitz.games.dilemma.rules import COOPERATE, RepeatedStage, deeds_of_round

Number = Annotated[int, Meta(ge=0, le=4999)]


class FiniteState(core.Strategy):
    """A machine: in state *n* it plays action `plays[n]`, and goes on in state `nexts[n][other]` after the other's.

    It begins in state 0. Actions are numbers; in the dilemma 0 cooperates and 1 defects, so that tit for tat is
    `finite_state(plays=[0, 1], nexts=[[0, 1], [0, 1]])`, which is the default.
    """

    supposed = False

    def __init__(
        self, plays: tuple[Number, ...] = (0, 1), nexts: tuple[tuple[Number, ...], ...] = ((0, 1), (0, 1))
    ) -> None:
        self.plays, self.nexts = plays, nexts

    def manages(self, game: core.Game) -> bool:
        return isinstance(game, RepeatedStage) and not self.mismatch(game, 0) and not self.mismatch(game, 1)

    def mismatch(self, game: RepeatedStage, player: int) -> str:
        """Why it is no machine of this game; empty if it is one."""
        own, other = len(game.names[player]), len(game.names[1 - player])
        if not self.plays or len(self.plays) != len(self.nexts):
            return f"{len(self.plays)} actions for {len(self.nexts)} rows of next states; each state needs one of both"
        if max(self.plays) >= own:
            return f"there is no action {max(self.plays)}; they are 0 to {own - 1}"
        if any(len(row) != other or max(row) >= len(self.plays) for row in self.nexts):
            return f"every row of next states needs {other} states from 0 to {len(self.plays) - 1}"
        return ""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if not isinstance(game, RepeatedStage):
            raise core.Unsupported(self, game, "a machine plays repeated games only")
        if why := self.mismatch(game, player):
            raise BadSpec(repr(self), why)
        self.state = 0

    def observe(self, transition: core.Transition) -> None:
        done = deeds_of_round(transition)
        if done is not None:
            self.state = self.nexts[self.state][done[1 - self.player]]

    def policy(self, view: core.State) -> core.Distribution:
        return core.Distribution.certain(self.plays[self.state], view.legal_actions(self.player))

    @core.ignores_view
    def act(self, view: core.State, clock: core.Clock) -> int:
        return self.plays[self.state]


class StageMachine(FiniteState):
    """A machine in any repeated game: it plays `plays[n]` in state n, and goes on in state `nexts[n][other]`."""


class MemoryOne(core.Strategy):
    """Cooperates with a probability that depends on the last round (Nowak & Sigmund 1990).

    *shares* are those after both cooperated, after being betrayed, after betraying and after both defected; *first* is
    that of the first round.
    """

    supposed = False

    def __init__(
        self,
        shares: tuple[core.Probability, core.Probability, core.Probability, core.Probability] = (1.0, 0.0, 1.0, 0.0),
        first: core.Probability = 1.0,
    ) -> None:
        self.shares, self.first = shares, first

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.share = self.first

    def observe(self, transition: core.Transition) -> None:
        done = deeds_of_round(transition)
        if done is not None:
            self.share = self.shares[2 * done[self.player] + done[1 - self.player]]

    def policy(self, view: core.State) -> core.Distribution:
        return core.Distribution({COOPERATE: self.share, 1: 1.0 - self.share}, view.legal_actions(self.player))

    @core.ignores_view
    def act(self, view: core.State, clock: core.Clock) -> int:
        if self.share in (0.0, 1.0):
            return int(self.share == 0.0)
        return int(self.rng.random() >= self.share)
