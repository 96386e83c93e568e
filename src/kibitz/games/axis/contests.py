"""Contests as people write them: `2 inf 1 tank vs 3 inf`, in several waves `… then …`."""

import re
from typing import NamedTuple

from kibitz.core.errors import NotUnderstood
from kibitz.games.axis.full.board import read_world
from kibitz.games.axis.scenarios import scenario_units
from kibitz.games.axis.units import AGAINST, REVISED, Army, Unit, read_army

WAVE = re.compile(r"\s*(?:;|\bthen\b)\s*", re.IGNORECASE)
ADVICE = "write attackers, 'vs' and defenders, such as '2 inf 1 tank vs 3 inf'"


class Contest(NamedTuple):
    """Who attacks whom, wave by wave."""

    waves: tuple[Army, ...]
    defenders: Army
    units: tuple[Unit, ...]


def units_of(scenario: str) -> tuple[Unit, ...]:
    """The units that may be written: those of Revised, of a land scenario, or of a TripleA map."""
    if scenario.endswith(".xml"):
        world = read_world(scenario)
        kinds = zip(world.board.units, world.units.kinds, strict=True)
        return tuple(unit for unit, kind in kinds if not kind.factory)
    return scenario_units(scenario) if scenario else REVISED


def read_contest(text: str, units: tuple[Unit, ...]) -> Contest:
    """The contest that a line means."""
    first, *later = WAVE.split(text.strip())
    sides = AGAINST.split(first)
    if len(sides) != 2:
        why = ADVICE if len(sides) < 2 else f"more than two sides; {ADVICE}"
        raise NotUnderstood(text, first or text, why)
    waves = [(part, read_army(part, units)) for part in (sides[0], *later)]
    defenders = read_army(sides[1], units)
    for part, army in waves:
        if not any(army):
            raise NotUnderstood(text, part or text, "the attacker needs at least one unit")
    if not any(defenders):
        raise NotUnderstood(text, sides[1] or text, "the defender needs at least one unit")
    return Contest(tuple(army for _, army in waves), defenders, units)
