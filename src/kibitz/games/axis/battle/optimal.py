"""Battles in which one side or both choose their losses best: a game of perfect information, solved from its end.

`duel` is the readable reference, `choices` has the kernels that do it.
"""

from math import comb, prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadGame
from kibitz.games.axis.battle import choices, kernels, losses
from kibitz.games.axis.battle.duel import win_value
from kibitz.games.axis.battle.problem import Armies, Battle, battle_text
from kibitz.games.axis.battle.side import Side, kinds_of, ships, sides_of, takes
from kibitz.games.axis.battle.tables import (
    DIVES,
    attackers_shot_at,
    bombardment_chances,
    chances_by_armies,
    fighting_armies,
    traits,
)
from kibitz.games.axis.units import Army

MOST_ENTRIES, MOST_TIME = 3e7, 15e9
"""So much is written down, and so many nanoseconds of work are taken on: about 500 megabytes, a quarter of a minute."""
Numbers: TypeAlias = NDArray[np.int64]
Chances: TypeAlias = NDArray[np.float64]


class SideTable(NamedTuple):
    """All armies that choices may leave of a side, as kernels want them, and where it begins."""

    armies: Numbers
    kernel: choices.Side
    starts: Numbers


def optimal_outcomes(battle: Battle) -> dict[Armies, float]:
    """How a battle may end where one side or both choose their losses best; the other keeps to its order."""
    why = obstacle(battle)
    if why:
        raise BadGame(battle_text(battle), why)
    return Solution(battle).outcomes()


def obstacle(battle: Battle) -> str:
    """Why best losses cannot be worked out in a battle; empty where they can."""
    sides, armies, rounds = sides_of(battle), fighting_armies(battle), battle.rules.rounds
    both = list(zip(sides, armies, strict=True))
    counts, below = ([possible(side, army, below=how) for side, army in both] for how in (False, True))
    pairs, shots = counts[0] * counts[1], [sum(army) + 1 for army in armies]
    divers = [sum(army[place] for place, unit in enumerate(battle.units) if unit.surprise) for army in armies]
    opened = possible_at_sea(*both[0], divers[1]) * possible_at_sea(*both[1], divers[0]) if any(divers) else 0
    time = 10 * (counts[0] * below[1] * shots[1] + counts[1] * below[0]) + pairs * opened * shots[0]
    if pairs * (sum(shots) + rounds) > MOST_ENTRIES or time * max(1, 2 * rounds) > MOST_TIME:
        size = f"{pairs:,} pairs of armies" + (f" and {rounds} rounds" if rounds else "")
        return f"{size} are too many to choose best losses in; take losses=pairs, or ask for fewer units"
    return ""


def possible(side: Side, army: Army, *, below: bool) -> int:
    """How many armies choices may make of one; or, added up over them, how many are *below* each, itself included."""
    if side.order != "optimal":
        hits = 1 + side.hits_left(army)
        return hits * (hits + 1) // 2 if below else hits
    ways = [(count, unit.hits) for count, unit in zip(army, side.kinds, strict=True) if count]
    return prod(comb(count + hits * (2 if below else 1), count) for count, hits in ways)


def possible_at_sea(side: Side, army: Army, hits: int) -> int:
    """About how many armies so many hits on ships may make of one, those of fewer hits included."""
    if side.order != "optimal":
        return 1 + hits
    fleet = tuple(count if ships(unit) else 0 for count, unit in zip(army, side.kinds, strict=True))
    steps = sum(unit.hits for count, unit in zip(fleet, side.kinds, strict=True) if count)
    return min(comb(steps + hits, hits), possible(side, fleet, below=False))


class Solution:
    """The best choices in a battle, and where they lead."""

    def __init__(self, battle: Battle) -> None:
        self.battle, self.rules, self.dives = battle, battle.rules, DIVES[battle.rules.submerge]
        (attacker, defender), armies = sides_of(battle), fighting_armies(battle)
        self.begun = attackers_shot_at(battle, armies[0])
        self.attackers = self.side_table(attacker, [army for army, _ in self.begun])
        self.defenders = self.side_table(defender, [armies[1]])
        self.ends = self.worths()
        self.book = self.empty_book()

    def side_table(self, side: Side, armies: list[Army]) -> SideTable:
        """All armies that may be left of a side that begins with one of *armies*."""
        dives = bool(self.dives & (kernels.ATTACKER_DIVES if side.attacking else kernels.DEFENDER_DIVES))
        found, table, options, starts = losses.choice_table(
            np.array(armies, dtype=np.int64), traits(side.units), side.attacking, losses.ORDERS[side.order], dives
        )
        return SideTable(found, (table, kernels.hit_table(table, self.rules.low_luck), options), starts)

    def worths(self) -> Chances:
        """What it is worth to the attacker that the battle ends with each pair of armies."""
        kinds = kinds_of(self.battle.units).units
        if self.rules.aim == "win":
            pairs = (
                (tuple(a), tuple(d)) for a in self.attackers.armies.tolist() for d in self.defenders.armies.tolist()
            )
            told = np.array([win_value(*pair, self.battle) for pair in pairs], dtype=np.float64)
            return told.reshape(len(self.attackers.armies), len(self.defenders.armies))
        costs, land = np.array([unit.cost for unit in kinds]), np.array([takes(unit) for unit in kinds])
        landed = (self.attackers.armies[:, land] > 0).any(axis=1)
        gone = self.defenders.kernel[0][:, losses.UNITS] == 0
        left = np.subtract.outer(self.attackers.armies @ costs, self.defenders.armies @ costs)
        ends: Chances = (left + self.rules.worth * np.logical_and.outer(landed, gone)).astype(np.float64)
        return ends

    def empty_book(self) -> choices.Book:
        """Room for all choices: those of attackers, those of defenders, and those of defenders who fire late."""
        attack, defence = self.attackers.kernel[0], self.defenders.kernel[0]
        shots = [int(table[:, losses.SHOTS + 1].max()) + 1 for table in (defence, attack, attack)]
        late = attack[:, losses.SHOTS].any() and defence[:, losses.SCREEN].any()
        shapes = [self.ends.shape, self.ends.shape, self.ends.shape if late else (1, 1)]
        rooms = [(*shape, most) for shape, most in zip(shapes, shots, strict=True)]
        replies, kept, lately = ((np.zeros(room), np.zeros(room, dtype=np.int64)) for room in rooms)
        return replies, kept, lately

    def outcomes(self) -> dict[Armies, float]:
        """How the battle may end."""
        rounds, after = self.rules.rounds, [self.ends]
        if rounds:
            for _ in range(rounds - 1):
                after.append(self.work_out_values(after[-1], kernels.NEXT_ROUND))
        else:
            self.work_out_values(np.zeros(self.ends.shape), kernels.TO_THE_END)
        grid = np.zeros(self.ends.shape)
        for number in range(max(1, rounds)):
            if rounds:  # the choices of this round look at what is worth how much after it
                self.work_out_values(after[rounds - 1 - number], kernels.NEXT_ROUND)
            before = grid if number else self.start()
            grid = np.zeros(self.ends.shape)
            self.walk(before, grid, kernels.NEXT_ROUND if number else kernels.FIRST_ROUND)
        if not rounds:
            self.walk(grid, grid, kernels.TO_THE_END)
        return chances_by_armies(grid, self.attackers.armies, self.defenders.armies)

    def work_out_values(self, after: Chances, which: int) -> Chances:
        """The value of every pair of armies before a round after which they have other values; writes the book."""
        values = after if which == kernels.TO_THE_END else np.empty(self.ends.shape)
        sides = self.attackers.kernel, self.defenders.kernel
        choices.value_battle(*sides, self.ends, after, values, self.rules.retreat, self.dives, self.book, which)
        return values

    def walk(self, before: Chances, after: Chances, which: int) -> None:
        """Fight a round, or all, by the book."""
        sides = self.attackers.kernel, self.defenders.kernel
        choices.walk_battle(*sides, before, after, self.rules.retreat, self.dives, self.book, which)

    def start(self) -> Chances:
        """How likely the first round begins with each pair of armies: the defender chooses what a bombardment hits."""
        grid = np.zeros(self.ends.shape)
        table, _, options = self.defenders.kernel
        whole, kills = int(self.defenders.starts[0]), bombardment_chances(self.battle)
        below = options[table[whole, losses.ANY_FROM] : table[whole, losses.ANY_TO]]
        lost = table[whole, losses.LEFT] - table[below, losses.LEFT]
        for row, (_, chance) in zip(self.attackers.starts.tolist(), self.begun, strict=True):
            for hits, more in enumerate(kills):
                allowed = below[lost == min(hits, lost[-1])]
                values = [self.first_value(row, int(other)) for other in allowed] if len(allowed) > 1 else [0.0]
                grid[row, allowed[int(np.argmin(values))]] += chance * more
        return grid

    def first_value(self, attackers: int, defenders: int) -> float:
        """What a pair of armies is worth before the first round."""
        sides = self.attackers.kernel, self.defenders.kernel
        return float(choices.first_value(attackers, defenders, *sides, self.ends, self.book))
