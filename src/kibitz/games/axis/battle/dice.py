"""Battles fought with dice, many times: where the exact odds would take too long."""

from collections import Counter
from collections.abc import Callable

import numpy as np

from kibitz.core.seeds import kernel_stream
from kibitz.games.axis.battle import kernels
from kibitz.games.axis.battle.problem import Armies, Battle, check_battle
from kibitz.games.axis.battle.tables import DIVES, battle_tables

AT_A_TIME = 10_000
"""So many battles are fought before somebody may say stop."""


def count_endings(
    battle: Battle, battles: int, seed: int = 0, told: Callable[[int], None] | None = None
) -> Counter[Armies]:
    """How often each ending comes up in *battles*; *told* hears of every so many more."""
    rules = check_battle(battle).rules
    tables, words = battle_tables(battle), kernel_stream(seed, "battles")
    tally = np.zeros((len(tables.attack), len(tables.defence)), dtype=np.int64)
    asked = np.array([rules.retreat, rules.rounds, rules.low_luck, DIVES[rules.submerge]], dtype=np.int64)
    for done in range(0, battles, AT_A_TIME):
        more = min(AT_A_TIME, battles - done)
        starts = tables.attackers_start, tables.defenders_start
        kernels.battle_tally(tables.attack, tables.defence, *starts, asked, more, words, tally)
        if told is not None:
            told(more)
    return Counter({armies: int(count) for armies, count in tables.chances_by_armies(tally).items()})
