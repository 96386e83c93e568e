"""What an Axelrod player remembers: histories kept once for both, and copies that say what it would do now.

Importing this module imports Axelrod.
"""

import io
import pickle
from collections import Counter
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any, Self

from kibitz_lab.bridges.axelrod.package import load_axelrod

load_axelrod()  # faster than the import by itself
from axelrod import Action, Player  # noqa: E402
from axelrod.game import AsymmetricGame  # noqa: E402
from axelrod.history import History  # noqa: E402
from axelrod.random_ import RandomGenerator  # noqa: E402

SHARED = (History, AsymmetricGame, Action, type, FunctionType, BuiltinFunctionType)
"""What copies of a player share with it."""
MOST_DRAWS = 3
"""Most draws of one round that are followed in every way."""


class RoundHistory(History):
    """What a player and the other did in each round; the counts are made when a strategy asks for them."""

    def __init__(self, plays: Any = None, coplays: Any = None) -> None:
        self._plays, self._coplays = list(plays or ()), list(coplays or ())
        self.counted = 0
        self.counts: Counter[Any] = Counter()
        self.states: Counter[Any] = Counter()

    def mirror(self) -> Self:
        """The history of the other player, which grows with this one."""
        mirrored = type(self)()
        mirrored._plays, mirrored._coplays = self._coplays, self._plays
        return mirrored

    def append(self, play: Any, coplay: Any) -> None:
        self._plays.append(play)
        self._coplays.append(coplay)

    def extend(self, plays: Any, coplays: Any) -> None:
        self._plays.extend(plays)
        self._coplays.extend(coplays)

    def count_rounds(self) -> None:
        """Count the rounds since the last time."""
        if self.counted < len(self._plays):
            plays, coplays = self._plays[self.counted :], self._coplays[self.counted :]
            self.counts.update(plays)
            self.states.update(zip(plays, coplays, strict=True))
            self.counted = len(self._plays)

    @property
    def _actions(self) -> Counter[Any]:
        self.count_rounds()
        return self.counts

    @property
    def _state_distribution(self) -> Counter[Any]:
        self.count_rounds()
        return self.states


class PlayerPickler(pickle.Pickler):
    """Pickles a player without what its copies share."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.shared: list[Any] = []

    def persistent_id(self, part: Any) -> int | None:
        if isinstance(part, SHARED):
            self.shared.append(part)
            return len(self.shared)
        return 0 if isinstance(part, RandomGenerator) else None

    def reducer_override(self, part: Any) -> Any:
        """Players by their attributes, as those that Axelrod transforms would otherwise be made again in full."""
        if isinstance(part, Player) and not hasattr(part, "__setstate__"):
            return object.__new__, (type(part),), vars(part)
        return NotImplemented


class PlayerSnapshot:
    """A player at one moment, from which copies are made that share its histories.

    Copies answer one question: they must not be told of a round, as that would change the histories of the player.
    """

    def __init__(self, player: Any) -> None:
        buffer = io.BytesIO()
        pickler = PlayerPickler(buffer)
        pickler.dump(player)
        self.pickled, self.shared = buffer.getvalue(), pickler.shared

    def copy(self, generator: Any) -> Any:
        """A copy that takes all its random numbers from *generator*."""
        parts = [generator, *self.shared]
        unpickler = pickle.Unpickler(io.BytesIO(self.pickled))
        unpickler.persistent_load = parts.__getitem__  # type: ignore[method-assign]
        return unpickler.load()


class DrawProbe:
    """Stands in for a player's random numbers: answers *forced* draws, then cooperates, and notes the probabilities."""

    def __init__(self, forced: tuple[bool, ...]) -> None:
        self.forced = forced
        self.shares: list[float] = []
        """The probability of cooperation in each draw."""

    def random_choice(self, p: float = 0.5) -> Any:
        if p in (0, 1):
            return Action.C if p else Action.D
        number = len(self.shares)
        self.shares.append(p)
        return Action.C if number >= len(self.forced) or self.forced[number] else Action.D

    def random_flip(self, action: Any, threshold: float) -> Any:
        return action.flip() if self.random_choice(threshold) is Action.C else action

    def __getattr__(self, name: str) -> Callable[..., Any]:
        raise LookupError(name)


def stated_share(snapshot: PlayerSnapshot, other: Any) -> float | None:
    """The probability that a player cooperates, if all it draws are actions with probabilities that it names; or None.

    Every way that its draws may go is followed, on a copy each.
    """
    total = 0.0
    ways: list[tuple[bool, ...]] = [()]
    while ways:
        forced = ways.pop()
        probe = DrawProbe(forced)
        try:
            answer = snapshot.copy(probe).strategy(other)
        except Exception:  # it drew something else
            return None
        if len(probe.shares) > MOST_DRAWS:
            return None
        drawn = forced + (True,) * (len(probe.shares) - len(forced))
        ways += [(*drawn[:number], False) for number in range(len(forced), len(drawn))]
        weight = 1.0
        for share, cooperates in zip(probe.shares, drawn, strict=True):
            weight *= share if cooperates else 1.0 - share
        total += weight * (answer is Action.C)
    return float(total)
