"""Sets of actions too large to list, and probabilities over actions."""

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, product
from math import prod
from typing import TYPE_CHECKING, overload

import msgspec

if TYPE_CHECKING:
    import numpy as np


COMPARED = 1000
"""Sets of actions up to this size are compared one by one."""


class UnlistedActions(Sequence[int]):
    """A set of actions that can be counted and numbered, but is never listed."""

    __slots__ = ()

    @abstractmethod
    def action_at(self, number: int) -> int:
        """The action with this number, counted from 0."""

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        length = len(self)
        if isinstance(index, slice):
            return [self.action_at(i) for i in range(*index.indices(length))]
        if not -length <= index < length:
            raise IndexError(f"there are {length} actions, so no number {index}")
        return self.action_at(index % length)


class ProductActions(UnlistedActions):
    """All combinations of one value per factor, each combination one action; nothing is ever listed.

    An action is the number whose digits, in the mixed radix *bases*, are the values; so the same combination is
    always the same action, however many values are legal.

    >>> offers = ProductActions({"yellow": range(3), "gray": range(2)}, bases=(10, 10))
    >>> len(offers), list(offers), offers.values(21), 13 in offers
    (6, [0, 1, 10, 11, 20, 21], (2, 1), False)
    """

    __slots__ = ("_allowed", "_bound", "_length", "bases", "factors", "verb")

    def __init__(self, factors: Mapping[str, Sequence[int]], bases: Sequence[int], verb: str = "") -> None:
        self.factors, self.bases, self.verb = factors, bases, verb
        self._allowed = tuple(factors.values())
        self._length, self._bound = prod(map(len, self._allowed)), prod(bases)

    @classmethod
    def up_to(cls, most: Mapping[str, int], verb: str = "") -> "ProductActions":
        """Any number of each thing, from none to its *most*."""
        return cls({name: range(count + 1) for name, count in most.items()}, [n + 1 for n in most.values()], verb)

    def __len__(self) -> int:
        return self._length

    def action_at(self, number: int) -> int:
        values = []
        for allowed in reversed(self._allowed):
            number, digit = divmod(number, len(allowed))
            values.append(allowed[digit])
        return self.action(values[::-1])

    def __contains__(self, action: object) -> bool:
        if not isinstance(action, int) or not 0 <= action < self._bound:
            return False
        return all(value in allowed for value, allowed in zip(self.values(action), self._allowed, strict=True))

    def __iter__(self) -> Iterator[int]:
        return map(self.action, product(*self._allowed))

    def __eq__(self, other: object) -> bool:
        """Whether the factors are the same; needs no listing."""
        if not isinstance(other, ProductActions) or type(self) is not type(other):
            return NotImplemented
        same = self._allowed == other._allowed and self._length == other._length
        return same and tuple(self.bases) == tuple(other.bases)

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.bases), self._length))

    def action(self, values: Iterable[int]) -> int:
        """The action that takes these values, one per factor."""
        return from_digits(values, self.bases)

    def values(self, action: int) -> tuple[int, ...]:
        """The value of each factor in *action*."""
        return digits(action, self.bases)

    def phrase(self, action: int) -> str:
        """The notation of an action: `give 2 books 1 hats`; zeros are left out."""
        counts = zip(self.values(action), self.factors, strict=True)
        words = " ".join(f"{count} {name}" for count, name in counts if count) or "nothing"
        return f"{self.verb} {words}".strip()

    def from_phrase(self, text: str) -> int | None:
        """The legal action that a phrase means, in any order of things; None if there is none."""
        words = text.removeprefix(self.verb).split()
        counts = dict.fromkeys(self.factors, 0)
        if words != ["nothing"]:
            for count, name in zip(words[::2], words[1::2], strict=False):
                if name not in counts or not (count.isascii() and count.isdecimal()) or len(count) > 18:
                    return None
                counts[name] += int(count)
            if len(words) % 2 or not words:
                return None
        if any(value not in allowed for value, allowed in zip(counts.values(), self._allowed, strict=True)):
            return None
        return self.action(counts.values())


class RangedActions(UnlistedActions):
    """Ranges of actions, one after another, none of them listed.

    >>> moves = RangedActions([range(3, 5), range(10, 100)])
    >>> len(moves), moves[1], moves[2], 50 in moves, 5 in moves
    (92, 4, 10, True, False)
    """

    __slots__ = ("_ends", "ranges")

    def __init__(self, ranges: Iterable[range]) -> None:
        self.ranges = [each for each in ranges if each]
        self._ends = list(accumulate(map(len, self.ranges)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def action_at(self, number: int) -> int:
        found = bisect_right(self._ends, number)
        return self.ranges[found][number - self._ends[found]]

    def __contains__(self, action: object) -> bool:
        if not isinstance(action, int):
            return False
        found = bisect_right(self.ranges, action, key=lambda each: each.start)
        return found > 0 and action in self.ranges[found - 1]

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(self.ranges)


def digits(action: int, bases: Sequence[int]) -> tuple[int, ...]:
    """The digits of *action* in the mixed radix *bases*, most significant first."""
    values = []
    for base in reversed(bases):
        action, value = divmod(action, base)
        values.append(value)
    return tuple(reversed(values))


def from_digits(values: Iterable[int], bases: Sequence[int]) -> int:
    """The number of these digits in the mixed radix *bases*, most significant first; undoes `digits`."""
    action = 0
    for value, base in zip(values, bases, strict=True):
        action = action * base + value
    return action


def _same(some: Sequence[int], others: Sequence[int]) -> bool:
    """Whether two sets of actions are the same; huge sets count as equal if their sizes are."""
    if some is others or len(some) != len(others):
        return some is others
    if isinstance(some, list) and isinstance(others, list):
        return some == others
    if isinstance(some, ProductActions) and some == others:
        return True
    return len(some) > COMPARED or all(one == other for one, other in zip(some, others, strict=True))


class Distribution(msgspec.Struct, eq=False):
    """Probabilities of legal actions: some named, the rest spread evenly over all others.

    >>> d = Distribution({3: 0.5}, legal=range(6), rest=0.5)
    >>> d.probability(3), d.probability(0), d.probability(9)
    (0.5, 0.1, 0.0)
    """

    named: Mapping[int, float]
    legal: Sequence[int]
    rest: float = 0.0

    def __repr__(self) -> str:
        return f"Distribution({dict(self.named)}, legal={self.legal!r}, rest={self.rest})"

    @classmethod
    def uniform(cls, legal: Sequence[int]) -> "Distribution":
        """Every legal action with the same probability."""
        return cls({}, legal, rest=1.0)

    @classmethod
    def certain(cls, action: int, legal: Sequence[int]) -> "Distribution":
        """One action and no other."""
        return cls({action: 1.0}, legal)

    @classmethod
    def mixture(cls, parts: Sequence[tuple[float, "Distribution"]], legal: Sequence[int]) -> "Distribution":
        """The weighted mean of distributions, normalised; actions outside *legal* are left out."""
        parts = [
            (weight, part if _same(part.legal, legal) else part.restrict_to(legal)) for weight, part in parts if weight
        ]
        total = sum(weight * part.total() for weight, part in parts)
        if total <= 0.0:
            return cls.uniform(legal)
        said = [(weight, part.named, part.share_of_others()) for weight, part in parts]
        actions = dict.fromkeys(action for _, named, _ in said for action in named)
        named = {
            action: sum([weight * named.get(action, other) for weight, named, other in said]) / total
            for action in actions
        }
        rest = sum([weight * other for weight, _, other in said]) / total * (len(legal) - len(named))
        return cls(named, legal, rest)

    def restrict_to(self, legal: Sequence[int]) -> "Distribution":
        """The same probabilities over another set of legal actions, each of them named."""
        return Distribution({action: self.probability(action) for action in self.legal if action in legal}, legal)

    def others(self) -> int:
        """Number of legal actions that are not named."""
        return len(self.legal) - len(self.named)

    def share_of_others(self) -> float:
        """The probability of each legal action that is not named."""
        others = self.others()
        return self.rest / others if others > 0 else 0.0

    def probability(self, action: int) -> float:
        """The probability of *action*; 0 if it is not legal."""
        if action in self.named:
            return self.named[action]
        return self.share_of_others() if self.rest and action in self.legal else 0.0

    def total(self) -> float:
        """The sum of all probabilities: 1, up to rounding."""
        return sum(self.named.values()) + (self.rest if self.others() > 0 else 0.0)

    def top(self, count: int) -> list[tuple[int, float]]:
        """The *count* likeliest actions, ties in the order of the actions."""
        pairs = list(self.named.items())
        if self.share_of_others() > 0.0:
            unnamed = (action for action in self.legal if action not in self.named)
            pairs += [(action, self.share_of_others()) for action, _ in zip(unnamed, range(count), strict=False)]
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:count]

    def sample(self, rng: "np.random.Generator") -> int:
        """An action drawn with these probabilities; nothing is drawn if one action is certain."""
        left: float | None = None
        for action, probability in self.named.items():
            if probability == 1.0:
                return action
            left = (rng.random() if left is None else left) - probability
            if left < 0.0:
                return action
        if not self.rest or self.others() <= 0:  # the sum fell short of 1 by a rounding error
            return max(self.named, key=self.named.__getitem__)
        if 2 * len(self.named) > len(self.legal):
            unnamed = [action for action in self.legal if action not in self.named]
            return unnamed[int(rng.random() * len(unnamed))]
        while True:  # at least every second try hits
            action = self.legal[int(rng.random() * len(self.legal))]
            if action not in self.named:
                return action
