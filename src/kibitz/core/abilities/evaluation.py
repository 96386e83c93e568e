"""The abilities `FEATURES` and `EVALUATION`: named numbers of a position, and its value for search."""

from collections.abc import Callable, Sequence

import msgspec

from kibitz.core.errors import BadSpec, short_repr
from kibitz.core.game import State

LARGEST = 1e6


class Features(msgspec.Struct, frozen=True):
    """Named numbers of a position, each player 0's minus player 1's."""

    names: tuple[str, ...]
    scores: Callable[[State], tuple[float, ...]]
    habits: tuple[tuple[str, str], ...] = ()
    """For each, what a player does who likes it high, and who likes it low, in words."""


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
            raise BadSpec(
                text, f"{least} weights are needed{f', up to {most}' if most > least else ''}, not {len(given)}"
            )
        if not all(abs(weight) <= LARGEST for weight in given[:least]):
            raise BadSpec(text, f"a weight is a number from -{LARGEST:g} to {LARGEST:g}")
        chosen = [*given[least:], *(allowed[0] for allowed in self.choices[len(given) - least :])]
        for number, allowed in zip(chosen, self.choices, strict=True):
            if number not in allowed:
                raise BadSpec(text, f"{number:g} is not one of {', '.join(f'{each:g}' for each in allowed)}")
        return (*given[:least], *chosen)
