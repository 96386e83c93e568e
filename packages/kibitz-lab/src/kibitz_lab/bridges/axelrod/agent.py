"""The agent `axelrod`: any strategy of the Axelrod library, as a player of the dilemma and as a hypothesis of models.

A strategy is asked once a round, as Axelrod's own matches do, and sees what was done, noise included.
"""

import copy
from pickle import PickleError
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from kibitz import core
from kibitz.core.errors import BadSpec, advice
from kibitz.core.registry import spec_of
from kibitz.games.dilemma.rules import round_played
from kibitz_lab.bridges.axelrod.package import cached_sources, load_axelrod, strategies_by_name

if TYPE_CHECKING:
    from kibitz_lab.bridges.axelrod.memories import PlayerSnapshot

COOPERATE, DEFECT = 0, 1
GAME = "dilemma"
SEEDS = 2**32 - 1
"""Axelrod's seeds are below this number."""


class AxelrodStrategy(core.Strategy):
    """A strategy of the Axelrod library, by the name of its class, in the dilemma.

    *options* are the arguments of its constructor. Its policy is exact if it is deterministic, or if it draws its
    action with a probability that it names; else the round is rehearsed on *rehearsals* copies.
    """

    supposed = False

    def __init__(
        self,
        strategy: str = "TitForTat",
        options: dict[str, bool | int | float | str] = {},  # noqa: B006 - never changed
        rehearsals: Annotated[int, Meta(ge=1, le=1000)] = 16,
    ) -> None:
        self.strategy, self.options, self.rehearsals = strategy, options, rehearsals

    def manages(self, game: core.Game) -> bool:
        return spec_of(game).name == GAME

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        if not self.manages(game):
            raise core.Unsupported(self, game, f"strategies of Axelrod play only {GAME!r}")
        super().begin(game, player, rng)
        self.package = load_axelrod()
        self.seed = int(rng.integers(SEEDS))
        self.actions = self.package.Action.C, self.package.Action.D
        self.other = self.package.Player()
        self.seat_player(self.new_player())
        self.stochastic = bool(self.package.Classifiers["stochastic"](self.own))
        self.choice: Any = None
        """What it does in this round, once it was asked."""

    def new_player(self) -> Any:
        """The strategy before the first round."""
        package, game = self.package, vars(self.game)
        found = strategies_by_name()
        if self.strategy not in found:
            known = advice(self.strategy, found)
            raise BadSpec(repr(self), f"Axelrod has no strategy {self.strategy!r}; {known}")
        try:
            with cached_sources():
                made = found[self.strategy](**self.options)
            reward, sucker, temptation, punishment = game["payoffs"]
            scores = package.Game(r=reward, s=sucker, t=temptation, p=punishment)
            made.set_match_attributes(length=game["rounds"], game=scores, noise=game["noise"])
            if package.Classifiers["stochastic"](made):
                made.set_seed(self.seed)
        except Exception as error:  # options may be wrong in any way
            raise BadSpec(repr(self), f"Axelrod cannot make it: {type(error).__name__}: {error}") from None
        return made

    def seat_player(self, player: Any) -> None:
        """Let *player* go on here, with one history for it and the other."""
        from kibitz_lab.bridges.axelrod.memories import RoundHistory

        self.own = player
        self.history = player._history = RoundHistory(player.history, player.history.coplays)
        self.other._history = self.history.mirror()

    def observe(self, transition: core.Transition) -> None:
        done = round_played(transition)
        if done is None:  # chance has yet to settle what the choices become
            return
        self.choose()  # it may change its mind's state when asked, so it is asked once a round
        own, other = done if self.player == 0 else done[::-1]
        if self.own.history is not self.history:  # some transformed strategies replace it
            self.seat_player(self.own)
        self.own.update_history(self.actions[own], self.actions[other])
        self.choice = None

    def choose(self) -> int:
        """What it does in this round."""
        if self.choice is None:
            self.choice = self.own.strategy(self.other)
        return COOPERATE if self.choice is self.actions[0] else DEFECT

    @core.ignores_view
    def act(self, view: core.State, clock: core.Clock) -> int:
        return self.choose()

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        if not self.stochastic or self.choice is not None:  # it draws nothing, or has drawn already
            return core.Distribution.certain(self.choose(), legal)
        snapshot = self.snapshot()
        share = None if snapshot is None else self.stated_share(snapshot)
        share = self.rehearsed_share(snapshot) if share is None else share
        return core.Distribution({COOPERATE: share, DEFECT: 1.0 - share}, legal)

    def stated_share(self, snapshot: "PlayerSnapshot") -> float | None:
        """The probability of cooperation, if all that the strategy draws are actions with probabilities it names."""
        from kibitz_lab.bridges.axelrod.memories import stated_share

        return stated_share(snapshot, self.other)

    def rehearsed_share(self, snapshot: "PlayerSnapshot | None") -> float:
        """The share of copies, each with other random numbers, that cooperate now."""
        generator = self.package.random_.RandomGenerator(seed=(self.seed + 1 + len(self.own.history)) % SEEDS)
        count = 0
        for _ in range(self.rehearsals):
            if snapshot is None:
                copied = self.replayed_player()
                copied.set_seed(generator.random_seed_int())
            else:
                copied = snapshot.copy(generator)
            count += copied.strategy(self.other) is self.actions[0]
        return (count + 0.5) / (self.rehearsals + 1.0)

    def snapshot(self) -> "PlayerSnapshot | None":
        """The strategy as it is now, to make copies of; None if it cannot be copied."""
        from kibitz_lab.bridges.axelrod.memories import PlayerSnapshot

        try:
            return PlayerSnapshot(self.own)
        except (AttributeError, TypeError, PickleError):  # it holds a generator, say
            return None

    def replayed_player(self) -> Any:
        """A copy made by asking a new player in every round again."""
        made, other = self.new_player(), self.package.Player()
        for own, answer in zip(self.own.history, self.other.history, strict=True):
            made.strategy(other)
            made.update_history(own, answer)
            other.update_history(answer, own)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> "AxelrodStrategy":
        copied = object.__new__(type(self))
        memo[id(self)] = copied
        package = self.__dict__.get("package")
        rest = {name: value for name, value in self.__dict__.items() if name not in ("own", "package")}
        copied.__dict__.update(copy.deepcopy(rest, memo))
        if package is not None:
            copied.package = package
            try:
                copied.own = copy.deepcopy(self.own, memo)
            except TypeError:  # it holds a generator
                copied.seat_player(self.replayed_player())
        return copied

    def __getstate__(self) -> dict[str, Any]:
        rest = {name: value for name, value in self.__dict__.items() if name != "package"}
        return {"history": self.history, **rest} if "own" in rest else rest  # reading it loads Axelrod the fast way

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        if "own" in attributes:
            self.package = load_axelrod()
