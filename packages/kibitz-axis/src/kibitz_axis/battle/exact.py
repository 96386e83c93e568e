"""How a battle may end, worked out exactly."""

from collections.abc import Mapping
from functools import lru_cache
from math import fsum

import msgspec

from kibitz.core.errors import BadGame
from kibitz_axis.battle import kernels
from kibitz_axis.battle.problem import Armies, Battle, battle_text, check_battle
from kibitz_axis.battle.tables import battle_tables
from kibitz_axis.units import Army

KEPT = 4096
"""So many battles are remembered."""
MOST_STEPS = 1e10
"""Pairs of rolls in pairs of armies that take about a quarter of a minute."""


class Ending(msgspec.Struct, frozen=True):
    """What may be left of both sides, the damaged counted apart (see `side.kinds_of`)."""

    attackers: Army
    defenders: Army
    probability: float


@lru_cache(maxsize=KEPT)
def endings(battle: Battle) -> tuple[Ending, ...]:
    """Every way the battle may end, in a fixed order: the more of the attackers are left the sooner.

    >>> from kibitz_axis.units import read_battle
    >>> [round(each.probability * 28) for each in endings(Battle(*read_battle("tank vs 2 inf")))]
    [4, 2, 12, 10]
    """
    probabilities = worked_out(check_battle(battle))
    return tuple(sorted_endings(probabilities, fsum(probabilities.values())))  # they add up to 1 but for rounding


def sorted_endings(probabilities: Mapping[Armies, float], total: float = 1.0) -> list[Ending]:
    """Endings in their order, from armies with probabilities that add up to a total."""
    items = sorted(probabilities.items(), key=lambda item: (item[0][0], [-n for n in item[0][1]]), reverse=True)
    return [Ending(*armies, probability / total) for armies, probability in items]


def worked_out(battle: Battle) -> dict[Armies, float]:
    """How a battle that can be fought may end."""
    rules = battle.rules
    tables = battle_tables(battle)
    steps = tables.steps(rules.rounds)
    if steps > MOST_STEPS:
        why = f"about {steps:.0e} steps are too many to work out; ask for fewer units"
        raise BadGame(battle_text(battle), why)
    grid = kernels.battle_odds(
        *(tables.attack, tables.defence, tables.attackers_start, tables.defenders_start),
        *(rules.retreat, rules.rounds, rules.low_luck),
    )
    return tables.chances_by_armies(grid)
