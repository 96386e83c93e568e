"""What a plan for a turn is worth: own moves and fights in expectation, the answers of others, then the position.

A plan gives every *piece* (units of one kind that go together, or a transport with what it can carry) one of its
*options*, or none: then it stays.
"""

from math import tanh
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.core.kernels.random import draw_unit
from kibitz_axis.commander.kernels.answers import (
    LEAST,
    Prospect,
    answer,
    collect_income,
    defenders,
    guns_against,
    hostile_probability,
    seize,
    thin_defenders,
)
from kibitz_axis.commander.kernels.fights import LEFT, RESULTS, TAKE, WIN, Counts, fight, take_hits, total_hits
from kibitz_axis.commander.kernels.layout import AREAS, ATTACK, DOMAIN, IN_AIR, KINDS, OWNERS, SIDE, number_at, trait
from kibitz_axis.commander.kernels.positions import VICTORY, Units, judge, victory_lead
from kibitz_lab.automata import kernels as automata

P_AREA, P_KIND, P_COUNT, P_FIRST, P_OPTIONS, P_MUST = range(6)
"""A piece: where it is, its kind and number, its first option and how many it has, and whether it may not stay."""
O_TO, O_MODE, O_ZONE, O_A1, O_K1, O_A2, O_K2 = range(7)
"""An option: where to, how, and of a transport the zone it lands from and the areas and kinds of what it carries."""
GO, RAID, LIFT = range(3)
STAY = -1
RAID_DAMAGE = 3.5
GUN_HIT = 1.0 / 6.0
LEAST_GAIN = 0.5
"""The gain in IPC for which other powers are expected to attack."""
Choices = NDArray[np.int64]


class PlanScene(NamedTuple):
    """Everything a plan is judged in."""

    board: Annotated[NDArray[np.int64], "int64[::1]"]
    """The board and the rules, and the position, as rows that `layout` reads."""
    row: Annotated[NDArray[np.int64], "int64[::1]"]
    units: Annotated[NDArray[np.float64], "float64[:, :, ::1]"]
    control: Annotated[NDArray[np.float64], "float64[:, ::1]"]
    money: Annotated[NDArray[np.float64], "float64[::1]"]
    proximity: Annotated[NDArray[np.float64], "float64[:, ::1]"]
    area_values: Annotated[NDArray[np.float64], "float64[::1]"]
    steps: Annotated[NDArray[np.int64], "int64[:, ::1]"]
    pieces: Annotated[NDArray[np.int64], "int64[:, ::1]"]
    options: Annotated[NDArray[np.int64], "int64[:, ::1]"]
    turns: Annotated[NDArray[np.int64], "int64[::1]"]
    """The mover, then the powers that answer, in their order."""
    weights: Annotated[NDArray[np.float64], "float64[:, ::1]"]
    """What each feature is worth in each of the positions that are looked at."""
    scale: float
    depth: int
    """How many turns are looked ahead: the own one, and the answers of others."""
    least: float
    """The least gain for which others attack."""
    last: int
    """The place in the turns of the power with which the round ends, when cities are counted."""


@kernel("void(PlanScene, Prospect, int64, int64, float64[::1])")
def write_features(scene: PlanScene, prospect: Prospect, side: int, following: int, features: Counts) -> None:
    """Write the features of a position for a side, when the side *following* moves next."""
    judge(
        scene.board, scene.row, prospect.units, prospect.control, prospect.money, scene.proximity, scene.scale,
        side, following, features,
    )  # fmt: skip


@kernel("void(PlanScene, int64[::1], Prospect)")
def carry_out_plan(scene: PlanScene, chosen: Choices, prospect: Prospect) -> None:
    """Change a position to what a plan is expected to make of it, when the turn is over."""
    board, pieces, options = scene.board, scene.pieces, scene.options
    units, control, money = prospect.units, prospect.control, prospect.money
    power, kinds, areas = scene.turns[0], board[KINDS], board[AREAS]
    side = number_at(board, SIDE, power)
    force, fought = np.zeros((areas, kinds)), np.zeros(areas, dtype=np.int64)
    for number in range(len(pieces)):  # transports first: what they carry is not free for others
        if chosen[number] >= 0:
            option = options[pieces[number, P_FIRST] + chosen[number]]
            if option[O_MODE] == LIFT:
                area, kind = pieces[number, P_AREA], pieces[number, P_KIND]
                units[area, power, kind] -= pieces[number, P_COUNT]
                units[option[O_ZONE], power, kind] += pieces[number, P_COUNT]
                for item in range(2):
                    source, carried = option[O_A1 + 2 * item], option[O_K1 + 2 * item]
                    if carried < 0:
                        continue
                    going = 1.0
                    if source >= 0:
                        going = min(1.0, units[source, power, carried])
                        units[source, power, carried] -= going
                    force[option[O_TO], carried] += going
                    fought[option[O_TO]] = 1
    for number in range(len(pieces)):
        if chosen[number] < 0:
            continue
        option = options[pieces[number, P_FIRST] + chosen[number]]
        area, kind, to = pieces[number, P_AREA], pieces[number, P_KIND], option[O_TO]
        if option[O_MODE] == LIFT:
            continue
        going = max(0.0, min(float(pieces[number, P_COUNT]), units[area, power, kind]))
        if option[O_MODE] == RAID:
            gun = guns_against(board, units, to, side) > 0.5
            owner = number_at(scene.row, OWNERS, to)
            if owner >= 0:
                money[owner] -= min(money[owner], going * RAID_DAMAGE * (1.0 - (GUN_HIT if gun else 0.0)))
            units[area, power, kind] -= going * GUN_HIT if gun else 0.0
            continue
        units[area, power, kind] -= going
        force[to, kind] += going
        fought[to] = 1
    attack, defence, results = np.zeros(kinds), np.zeros(kinds), np.zeros(RESULTS)
    for to in range(areas):
        if not fought[to]:
            continue
        defenders(board, units, to, side, defence)
        hostile = hostile_probability(board, control, to, side)
        if total_hits(board, defence) < LEAST and hostile < LEAST:
            units[to, power] += force[to]
            continue
        attack[:] = force[to]
        gun = guns_against(board, units, to, side) > 0.5
        fight(board, attack, defence, int(gun), 1, results)
        left, win = attack.copy(), results[WIN]
        take_hits(board, left, ATTACK, total_hits(board, attack) * (1.0 - results[LEFT]))
        thin_defenders(board, units, to, side, defence, results)
        for kind in range(kinds):
            surviving = win * left[kind] / attack[kind] if attack[kind] > 0.0 else 0.0
            if trait(board, kind, DOMAIN) == IN_AIR:
                surviving *= 1.0 - (GUN_HIT if gun else 0.0)
                for number in range(len(pieces)):  # aircraft go home
                    if chosen[number] >= 0 and pieces[number, P_KIND] == kind:
                        option = options[pieces[number, P_FIRST] + chosen[number]]
                        if option[O_TO] == to and option[O_MODE] == GO:
                            units[pieces[number, P_AREA], power, kind] += surviving * pieces[number, P_COUNT]
            else:
                units[to, power, kind] += surviving * attack[kind]
        seize(prospect, power, to, results[TAKE])
    collect_income(prospect, power)


@kernel("void(PlanScene, Prospect, float64[:, ::1])")
def look_ahead(scene: PlanScene, prospect: Prospect, features: Counts) -> None:
    """Write the features of the position after the own turn, and after the answers.

    The chance to win is that at the end of the round, and stands in the first row alone.
    """
    board, turns = scene.board, scene.turns
    side = number_at(board, SIDE, turns[0])
    following = number_at(board, SIDE, turns[1 % len(turns)])
    features[:] = 0.0
    write_features(scene, prospect, side, following, features[0])
    won = victory_lead(board, prospect.control, side)
    if scene.depth > 1:
        for place in range(1, len(turns)):
            if number_at(board, SIDE, turns[place]) != side:
                answer(prospect, turns[place], scene.least)
            if place <= scene.last:
                won = victory_lead(board, prospect.control, side)
        write_features(scene, prospect, side, side, features[1])
    features[:, VICTORY] = 0.0
    features[0, VICTORY] = won


@kernel("float64(PlanScene, int64[::1], float64[:, ::1])", entry=True)
def plan_value(scene: PlanScene, chosen: Choices, features: Counts) -> float:
    """The value of the positions that a plan is expected to lead to; also writes their features, a row for each.

    All positions that are looked at count: after the last one alone, gains that can wait look like no gains, and what
    can be taken back now looks lost for good.
    """
    units, control, money = scene.units.copy(), scene.control.copy(), scene.money.copy()
    taken = np.zeros(scene.board[AREAS])
    prospect = Prospect(scene.board, scene.row, units, control, money, scene.area_values, scene.steps, taken)
    carry_out_plan(scene, chosen, prospect)
    look_ahead(scene, prospect, features)
    total = 0.0
    for turn in range(scene.depth):
        for feature in range(features.shape[1]):
            total += scene.weights[turn, feature] * features[turn, feature]
    return total


@kernel("float64(float64, float64)")
def status_of(value: float, before: float) -> float:
    """A value as a status from 0 to 1, compared with what the position was worth before."""
    return 0.5 + 0.5 * tanh((value - before) / 0.15)


@kernel("float64(PlanScene, int64[::1])")
def try_operations(scene: PlanScene, chosen: Choices) -> float:
    """Try whole operations: all idle pieces that can, or all pieces that can, go to one area; the better plan is kept.

    A city that one piece cannot save may be saved by all of them. Returns the value of the plan afterwards.
    """
    features, plan = np.zeros(scene.weights.shape), chosen.copy()
    best = plan_value(scene, chosen, features)
    for to in range(scene.board[AREAS]):
        for everyone in range(2):
            plan[:] = chosen
            changed = 0
            for number in range(len(scene.pieces)):
                if chosen[number] != STAY and not everyone:
                    continue
                first = scene.pieces[number, P_FIRST]
                for option in range(scene.pieces[number, P_OPTIONS]):
                    if scene.options[first + option, O_TO] == to and scene.options[first + option, O_MODE] != RAID:
                        changed += plan[number] != option
                        plan[number] = option
                        break
            if changed:
                value = plan_value(scene, plan, features)
                if value > best + 1e-9:
                    best = value
                    chosen[:] = plan
    return best


@kernel("float64(PlanScene, int64[::1], float64, float64[:, :, ::1], int64, int64)")
def teach_pieces(
    scene: PlanScene,
    chosen: Choices,
    before: float,
    memory: Units,
    first: int,
    end: int,
) -> float:
    """First lesson: pieces try each of their options while all others keep the plan; better ones are kept at once.

    Every option is told to its automaton (BLA: as one observation). Returns the value of the plan afterwards.
    """
    features = np.zeros(scene.weights.shape)
    best = plan_value(scene, chosen, features)
    for number in range(first, end):
        kept = chosen[number]
        automata.learn_belief(number, memory, kept + 1, status_of(best, before))
        for option in range(STAY, scene.pieces[number, P_OPTIONS]):
            if option == kept or (option == STAY and scene.pieces[number, P_MUST]):
                continue
            was = chosen[number]
            chosen[number] = option
            value = plan_value(scene, chosen, features)
            automata.learn_belief(number, memory, option + 1, status_of(value, before))
            if value > best + 1e-9:
                best = value
            else:
                chosen[number] = was
    return best


@kernel("float64(PlanScene, int64[::1], float64, float64, int64, int64, float64[:, :, ::1], uint64[:])")
def learn_plan(
    scene: PlanScene,
    best_plan: Choices,
    best: float,
    before: float,
    kind: int,
    rounds: int,
    memory: Units,
    words: NDArray[np.uint64],
) -> float:
    """Rounds in which every piece's automaton chooses and all learn the same status; the best plan found is kept."""
    features, chosen = np.zeros(scene.weights.shape), np.empty(len(scene.pieces), dtype=np.int64)
    coin = automata.coin_kind(kind)
    for _ in range(rounds):
        for number in range(len(scene.pieces)):
            pick = automata.choose(kind, scene.pieces[number, P_OPTIONS] + 1, number, memory, words) - 1
            chosen[number] = 0 if pick == STAY and scene.pieces[number, P_MUST] else pick
        value = plan_value(scene, chosen, features)
        status = status_of(value, before)
        shared = draw_unit(words) < status if coin == 1 else False
        for number in range(len(scene.pieces)):
            reward = draw_unit(words) < status if coin == 2 else shared
            automata.learn(
                kind, scene.pieces[number, P_OPTIONS] + 1, number, memory, chosen[number] + 1, status, reward, words
            )
        if value > best:
            best = value
            best_plan[:] = chosen
    return best
