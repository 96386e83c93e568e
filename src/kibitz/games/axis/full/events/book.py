"""`EventBook`: the conditions and triggers of a map file as data, and `Events`, how far a game is with them."""

from typing import NamedTuple

import msgspec

ALWAYS = -1
"""The uses of a trigger that is never used up."""
ALL = -1
"""Any area, power or kind of relation."""


class AreaTest(NamedTuple):
    """A condition on areas: at least so many of them are as *what* says."""

    what: str
    """`own`, `allied`: who holds them; `direct`, `ally`, `enemy` units are there; `no direct`, `no ally`, `no enemy`,
    `no surface` units are there."""
    areas: tuple[int, ...] = ()
    group: str = ""
    """Areas that are told apart by who holds them, in place of a list: `controlled`, `original`, `enemy` …"""
    least: int = ALL
    """How many areas; all of them, where it is -1."""
    each: bool = False
    """Whether effects happen once for every such area."""


class RelationTest(NamedTuple):
    """A condition on two powers: the number of their relation, or its archetype, for at least so many rounds."""

    one: int
    other: int
    types: tuple[int, ...]
    rounds: int = 0


class Condition(msgspec.Struct, frozen=True):
    """What must be so; everything it says at once."""

    name: str
    powers: tuple[int, ...]
    parts: tuple[int, ...] = ()
    """Other conditions, of which at least and at most so many are met."""
    least: int = 0
    most: int = 0
    inverted: bool = False
    rounds: tuple[tuple[int, int], ...] = ()
    tests: tuple[AreaTest, ...] = ()
    units: tuple[tuple[tuple[int, ...], int], ...] = ()
    """For conditions on units: so many of these kinds; of any kind, where none is named."""
    enemies: tuple[int, ...] = ()
    wars: int = 0
    """How many of the *enemies* the power is at war with; none, where it is 0."""
    technologies: tuple[int, ...] = ()
    known: int = 0
    relations: tuple[RelationTest, ...] = ()
    never: bool = False
    """Whether it is about what is not played, and so is never met (before it is inverted)."""
    chance: tuple[int, int] = (1, 1)
    on: bool = True
    """Whether it can be met at the start; events may switch it."""


class Effect(NamedTuple):
    """What a trigger does: a verb, and whom and what it is about; see `effects.VERBS`."""

    verb: str
    powers: tuple[int, ...] = ()
    area: int = ALL
    kinds: tuple[int, ...] = ()
    number: int = 0
    field: str = ""
    flags: tuple[bool, ...] = ()


class Trigger(msgspec.Struct, frozen=True):
    """Effects that happen at the moments it names, if its conditions are met."""

    name: str
    power: int
    parts: tuple[int, ...] = ()
    least: int = 0
    most: int = 0
    inverted: bool = False
    effects: tuple[Effect, ...] = ()
    moments: tuple[tuple[str, int], ...] = ()
    """When it is looked at: `start` or `end` of the turn of a power, or of a round (power -1)."""
    uses: int = ALWAYS
    chance: tuple[int, int] = (1, 1)


class EventBook(msgspec.Struct, frozen=True, dict=True):
    """All events of a file, and what they can change."""

    conditions: tuple[Condition, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    frontiers: tuple[tuple[int, ...], ...] = ()
    """Prices of the kinds of units that a list of purchases offers, 0 for what it does not."""
    buys_from: tuple[int, ...] = ()
    """Of every power the number of its list; -1 for a power that has none."""
    types: tuple[str, ...] = ()
    """The archetypes of relations between powers: `allied`, `war`, `neutral`."""
    relations: tuple[tuple[int, int, int], ...] = ()
    """Two powers, and the number of their relation at the start."""


Change = tuple[str, int, str, int]
"""What is another than at the start (a kind, area, offer, rule, relation or switch), which, what of it, and how."""


class Events(NamedTuple):
    """How far a game is with its events."""

    place: int = 0
    """The place of the trigger that is looked at next, among those of this moment."""
    uses: tuple[int, ...] = ()
    """Of every trigger how often it may still happen."""
    rolled: tuple[tuple[int, bool], ...] = ()
    """Conditions with a chance that was rolled for at this moment, triggers (counted on from the last) among them."""
    changes: tuple[Change, ...] = ()
