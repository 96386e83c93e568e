"""Numbers that a game may offer: features of a position, its value for search, bounds on it, measures of a match."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from kibitz.core.errors import BadSpec, short_repr
from kibitz.core.game import Game, State, Variables
from kibitz.core.registry import kit_of

if TYPE_CHECKING:
    from kibitz.core.game import Transition

LARGEST = 1e6
Bounds: TypeAlias = tuple[float, float]
"""The lowest and the highest possible value of a position for player 0."""


class Features(msgspec.Struct, frozen=True):
    """Named numbers of a position, each player 0's minus player 1's."""

    names: tuple[str, ...]
    scores: Callable[[State], tuple[float, ...]]
    habits: tuple[tuple[str, str], ...] = ()
    """For each, what a player does who likes it high, and who likes it low, in words."""


def variables_of(game: Game) -> Callable[[State], Variables]:
    """The function that returns what programs about *game* may use: its features, or else its states' variables."""
    features = kit_of(game).features
    if features is None:
        return lambda state: state.variables()
    names, scores = features.names, features.scores
    return lambda state: dict(zip(names, scores(state), strict=True))


class Evaluation(msgspec.Struct, frozen=True):
    """The value of a position for player 0 of two, by weights; *weights* are the defaults."""

    weights: tuple[float, ...]
    evaluate: Callable[[State, Sequence[float]], float]
    choices: tuple[tuple[float, ...], ...] = ()
    """Optional numbers after the weights, each one of those listed; the first is the default."""
    scale: float | None = None
    """The value difference that multiplies the odds of winning by e, with these weights, as fitted to games; None if
    unknown."""

    def check_weights(self, weights: Sequence[float] | None) -> tuple[float, ...]:
        """*weights* in full, or the game's own if None; raises BadSpec if they do not fit.

        Compiled code trusts its arguments, so only checked weights may reach it.
        """
        given = self.weights if weights is None else tuple(weights)
        text, least, most = (
            f"weights={short_repr(list(given))}",
            len(self.weights),
            len(self.weights) + len(self.choices),
        )
        if not least <= len(given) <= most:
            more = f", up to {most}" if most > least else ""
            raise BadSpec(text, f"{least} weights are needed{more}, not {len(given)}")
        if not all(abs(weight) <= LARGEST for weight in given[:least]):
            raise BadSpec(text, f"a weight is a number from -{LARGEST:g} to {LARGEST:g}")
        chosen = [*given[least:], *(allowed[0] for allowed in self.choices[len(given) - least :])]
        for number, allowed in zip(chosen, self.choices, strict=True):
            if number not in allowed:
                raise BadSpec(text, f"{number:g} is not one of {', '.join(f'{each:g}' for each in allowed)}")
        return (*given[:least], *chosen)


class Heuristic(msgspec.Struct, frozen=True):
    """Bounds for non-terminal positions of two-player zero-sum games.

    If *admissible*, the value certainly lies between them. Otherwise they are a guess.
    """

    bounds: Callable[[State], Bounds]
    admissible: bool = True


class Measure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A number about a match, or about one player in it."""

    name: str
    """A short name, such as `welfare`; the same in every match of a game."""
    value: float
    words: str
    """What it means, in a clause."""
    player: int | None = None
    """Whom it is about; None is the match as a whole."""
    more_is_better: bool | None = None
    """Whether more of it is better for those it is about; None where that cannot be said."""
    least: float | None = None
    """The smallest value there can be, such as 0 for a distance; None if it has no such bound."""
    most: float | None = None
    """The largest value there can be."""


Measures: TypeAlias = "Callable[[Game, Iterable[Transition], Sequence[float]], Sequence[Measure]]"
"""Measures a match: a game, its events as a spectator saw them, and the returns."""
