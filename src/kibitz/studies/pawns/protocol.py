"""The protocol for claims of strength: paired games, one primary comparison, corrected intervals, a decision rule."""

from collections.abc import Sequence
from typing import Any

import msgspec

from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.studies.pawns.arms import ANYBODY, AT_RANDOM, CAPS, FURTHER, GUESSED, MIXES, MODELS, PLAIN
from kibitz.studies.study import Row

LEVEL = 0.95
HARM = 0.02
"""The largest acceptable loss against opponents outside the library."""
SATURATED = 0.95
"""A control with a higher score leaves nothing to gain."""
PRIMARY = "asymmetric filter"
"""The arm whose comparison with its capped control is the primary one."""
PAIR = ("own", "opponent", "colour", "repeat")
"""What the two games of a pair have in common, besides the seed."""


class Decision(msgspec.Struct, frozen=True):
    """Whether an arm may be switched on by default, and why."""

    on: bool
    why: str


def comparisons() -> list[tuple[str, str]]:
    """Every arm with every control it is compared with, those that spend as much first."""
    return [
        (arm, control)
        for arm in MODELS
        for control in (CAPS[arm], MIXES[arm], PLAIN, FURTHER, *([AT_RANDOM + arm] if arm in GUESSED else []))
    ]


def level_of(arm: str, control: str) -> float:
    """The level of a comparison's interval: all except the primary one share the allowed error (Bonferroni)."""
    primary = (arm, control) == (PRIMARY, CAPS[PRIMARY])
    return LEVEL if primary else 1.0 - (1.0 - LEVEL) / (len(comparisons()) - 1)


def scores(rows: Sequence[Row], arm: str) -> dict[tuple[Any, ...], float]:
    """An arm's scores, by pair."""
    return {tuple(row[each] for each in PAIR): row["score"] for row in rows if row["arm"] == arm}


def gain(rows: Sequence[Row], arm: str, control: str, level: float = LEVEL) -> Estimate:
    """The gain of *arm* over *control*, pair by pair, without pairs of which one game is missing."""
    ours, theirs = scores(rows, arm), scores(rows, control)
    differences = [ours[pair] - theirs[pair] for pair in ours if pair in theirs]
    return mean_interval(differences, level=level, bounds=(-1.0, 1.0))


def least_gain(rows: Sequence[Row], arm: str) -> Estimate:
    """An arm's gain over the better of the two controls that spend as much, each at the level of its comparison."""
    found = [gain(rows, arm, control, level_of(arm, control)) for control in (CAPS[arm], MIXES[arm])]
    return min(found, key=lambda each: each.low)


def games_that_count(rows: Sequence[Row]) -> list[Row]:
    """The games that count in means: not those against an opponent that always loses."""
    return [row for row in rows if row["opponent"] != ANYBODY]


def decision(inside: Estimate, outside: Estimate) -> Decision:
    """On only if the arm gains against known opponents and loses next to nothing against others.

    >>> decision(Estimate(0.04, 0.01, 0.07, 2016, 2016), Estimate(0.0, -0.015, 0.015, 2040, 2040)).on
    True
    >>> decision(Estimate(0.04, -0.01, 0.09, 2016, 2016), Estimate(0.0, -0.015, 0.015, 2040, 2040)).on
    False
    """
    gained, harmless = inside.low > 0.0, outside.low > -HARM
    why = [
        f"the gain inside the library is {'above 0' if gained else 'not shown'} (at least {inside.low:+.3f})",
        f"the loss outside is {'below' if harmless else 'not shown to be below'} {HARM} (at least {outside.low:+.3f})",
    ]
    return Decision(gained and harmless, "; ".join(why))
