"""The agent `axelrod`: any strategy of the Axelrod library, as a player of the dilemma and as a hypothesis of models.

A strategy is asked once a round, as Axelrod's own matches do, and sees what was done, noise included.
"""

import copy
from collections.abc import Callable
from typing import Annotated, Any

from msgspec import Meta

from kibitz import core
from kibitz.bridges.axelrod.package import cached_sources, load_axelrod
from kibitz.core.errors import BadSpec, advice
from kibitz.core.registry import spec_of

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
        self.own, self.other = self.new_player(), self.package.Player()
        self.stochastic = bool(self.package.Classifiers["stochastic"](self.own))
        self.choice: Any = None
        """What it does in this round, once it was asked."""

    def new_player(self) -> Any:
        """The strategy before the first round."""
        package, game = self.package, vars(self.game)
        found = {each.__name__: each for each in package.strategies}
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

    def observe(self, transition: core.Transition) -> None:
        done = round_played(transition)
        if done is None:  # chance has yet to settle what the choices become
            return
        self.choose()  # it may change its mind's state when asked, so it is asked once a round
        actions = self.package.Action.C, self.package.Action.D
        own, other = actions[done[self.player]], actions[done[1 - self.player]]
        self.own.update_history(own, other)
        self.other.update_history(other, own)
        self.choice = None

    def choose(self) -> int:
        """What it does in this round."""
        if self.choice is None:
            self.choice = self.own.strategy(self.other)
        return COOPERATE if self.choice == self.package.Action.C else DEFECT

    def act(self, view: core.State, clock: core.Clock) -> int:
        return self.choose()

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        if not self.stochastic:
            return core.Distribution.certain(self.choose(), legal)
        if self.choice is not None:  # it has drawn already
            return core.Distribution.certain(self.choose(), legal)
        share = self.stated_share()
        share = self.rehearsed_share() if share is None else share
        return core.Distribution({COOPERATE: share, DEFECT: 1.0 - share}, legal)

    def stated_share(self) -> float | None:
        """The probability of cooperation, if the strategy draws nothing, or its action with a probability it names."""
        if any(map(self.holds_players, vars(self.own).values())):
            return None  # they draw by themselves
        cooperate, defect = self.package.Action.C, self.package.Action.D
        found = set()
        for forced in (cooperate, defect):
            probe = DrawProbe(forced, (defect, cooperate))
            try:
                answer = self.copy_player(probe).strategy(self.other)
            except Exception:  # it drew something else, or cannot be copied
                return None
            share = probe.shares[0] if probe.shares else float(answer == cooperate)
            meant = forced if 0.0 < share < 1.0 else cooperate if share else defect
            if len(probe.shares) > 1 or answer != meant:
                return None
            found.add(float(share))
        return found.pop() if len(found) == 1 else None

    def holds_players(self, part: object) -> bool:
        """Whether a part of a strategy is a strategy itself, or a list of them."""
        parts = part if isinstance(part, (list, tuple)) else [part]
        return any(isinstance(each, self.package.Player) for each in parts)

    def rehearsed_share(self) -> float:
        """The share of copies, each with other random numbers, that cooperate now."""
        count = 0
        for number in range(self.rehearsals):
            try:
                copied = self.copy_player(None)
            except TypeError:  # it holds a generator
                copied = self.replayed_player()
            copied.set_seed((self.seed + 1 + number * 1_000_003 + len(self.own.history)) % SEEDS)
            count += copied.strategy(self.other) == self.package.Action.C
        return (count + 0.5) / (self.rehearsals + 1.0)

    def copy_player(self, generator: Any) -> Any:
        """A copy that draws from *generator*, if one is given; the history is shared, as players do not change it."""
        shared = {id(self.own.history): self.own.history, id(self.package): self.package}
        if generator is not None:
            shared[id(self.own._random)] = generator
        return copy.deepcopy(self.own, shared)

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
                copied.own = self.replayed_player()
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "package"}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        if "own" in attributes:
            self.package = load_axelrod()


class DrawProbe:
    """Stands in for a player's random numbers: notes the probabilities of cooperation, and forces the action."""

    def __init__(self, forced: Any, certain: tuple[Any, Any]) -> None:
        """*certain* is what happens if the probability of cooperation is 0, and if it is 1."""
        self.forced, self.certain = forced, certain
        self.shares: list[float] = []

    def random_choice(self, p: float = 0.5) -> Any:
        self.shares.append(p)
        return self.certain[int(p)] if p in (0, 1) else self.forced

    def __getattr__(self, name: str) -> Callable[..., Any]:
        raise LookupError(name)


def round_played(transition: core.Transition) -> tuple[int, int] | None:
    """What both did in the round of the dilemma that an event ended; None if it ended none."""
    if transition.player == core.CHANCE:
        return divmod(transition.actions[0] or 0, 2)
    one, other = transition.actions
    return None if one is None or other is None else (one, other)
