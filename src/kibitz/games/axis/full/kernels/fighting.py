"""A battle, step by step. Twin of `battles` and `losses`."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.full import battles as steps
from kibitz.games.axis.full.kernels.landing import lose_stranded, may_land_on, room_at_sea
from kibitz.games.axis.full.kernels.layout import (
    AREAS, AT_SEA, ATTACK, BATTLE_AREA, BATTLE_HITS, BATTLE_ROUND, BERTH, BOMBARDING, BOMBARDS, CHOOSE, DEFENCE, DESTROYER,
    DOMAIN, DOOMED, DOOMED_LIST, FOUGHT, GUN, HEAVY_DICE, HITS, IN_AIR, ITEM_BITS, KNOWN, LANDING, LHTR_HEAVY, MOST_CARGO,
    MOST_DOOMED, MOVER, ON_LAND, OWNERS, POWERS, PRICE, RAIDS, ROOM, SCREENED, SEA, SNEAKED, SPENT, STACK, STACKS, STEP,
    SUBMARINE, SUBMERGED, SUBMERSIBLE, SUPER_DEFENCE, SUPPORTED, SUPPORTS, TWO_HITS, UNITS, UNLOADED_EARLY, WAS_IN_BATTLE,
    WAYS, WAYS_FROM, WITHDRAWN, Words, area_of, came_of, cargo_count, damage_of, is_friend, item_fresh, item_kind, item_of,
    item_power, item_to, kind_of, landed_of, marks_of, pack_item, pack_place, pack_state, power_of, spent_of, trait,
)  # fmt: skip
from kibitz.games.axis.full.kernels.moving import change_ship, order_number, read_items, tell
from kibitz.games.axis.full.kernels.stacks import (
    add_units, end_row, fights_for, find_row, first_row, has_enemies, has_enemy_trait, is_enemy, owns, sort_stacks, take_area,
)  # fmt: skip
from kibitz.games.axis.full.orders import BOMBARD, GO_ON, HOLD_FIRE, LOSE, RETREAT, STAY, SUBMERGE, WITHDRAW
from kibitz.games.axis.full.units import BOMBARDMENT as KNOWS_BOMBARDMENT
from kibitz.games.axis.full.units import FIGHTER, HEAVY_BOMBERS, JETS, SUPER_SUBMARINES

ASK_BOMBARDMENT, GUNS, BOMBARDMENT = steps.ASK_BOMBARDMENT, steps.GUNS, steps.BOMBARDMENT
SNEAK_ATTACK, SNEAK_DEFENCE, SNEAK_LOSSES = steps.SNEAK_ATTACK, steps.SNEAK_DEFENCE, steps.SNEAK_LOSSES
GENERAL_ATTACK, GENERAL_DEFENCE, LOSSES, REMOVAL = steps.ATTACK, steps.DEFENCE, steps.LOSSES, steps.REMOVAL
ATTACKERS_SUBMERGE, ASK_RETREAT = steps.ATTACKERS_SUBMERGE, steps.ASK_RETREAT
DEFENDERS_SUBMERGE, NEXT_ROUND = steps.DEFENDERS_SUBMERGE, steps.NEXT_ROUND
ATTACKER, DEFENDER = 0, 1


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def knows(board: Words, s: Words, power: int, technology: int) -> int:
    """Whether a power has a technology; nobody has any."""
    return int(power >= 0 and s[board[KNOWN] + power] >> technology & 1)


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def strength(board: Words, s: Words, power: int, kind: int, side: int) -> int:
    """The strength of one unit, without support."""
    submarine = trait(board, kind, SUBMARINE) and knows(board, s, power, SUPER_SUBMARINES)
    if side == ATTACKER:
        return min(6, trait(board, kind, ATTACK) + (1 if submarine else 0))
    jets = trait(board, kind, DOMAIN) == IN_AIR and trait(board, kind, BERTH) and knows(board, s, power, JETS)
    return min(6, trait(board, kind, DEFENCE) + (1 if jets else 0) + (board[SUPER_DEFENCE] if submarine else 0))


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def count_side(board: Words, s: Words, area: int, side: int, what: int) -> int:
    """How many units of a side fight: all (-1), those with a trait, or those of a domain (-2 is land, -3 air, -4 sea)."""
    count, row, sea = 0, first_row(board, s, area), board[board[SEA] + area]
    while row < end_row(board, s) and area_of(s, row) == area:
        if fights_for(board, s, row, side, sea):
            kind = kind_of(s, row)
            if what == -1 or (what >= 0 and trait(board, kind, what)) or trait(board, kind, DOMAIN) == -2 - what:
                count += s[row + 4]
        row += STACK
    return count


@kernel("int64(int64[::1], int64[::1], int64)")
def bombards(board: Words, s: Words, row: int) -> int:
    """Whether a ship of the mover fires at the land before a landing."""
    kind = kind_of(s, row)
    if power_of(s, row) != s[MOVER] or marks_of(s, row) & WITHDRAWN:
        return 0
    return int(trait(board, kind, BOMBARDS) or (trait(board, kind, DESTROYER) and knows(board, s, s[MOVER], KNOWS_BOMBARDMENT)))


@kernel("int64(int64[::1], int64[::1], int64, int64[::1])")
def list_bombarding(board: Words, s: Words, area: int, rows: Words) -> int:
    """Write the rows of the ships that may fire at the land; return how many."""
    zones = np.zeros(board[AREAS], dtype=np.int64)
    row, sea, any_zone = first_row(board, s, area), board[board[SEA] + area], False
    while row < end_row(board, s) and area_of(s, row) == area:
        came = came_of(s, row)
        if fights_for(board, s, row, ATTACKER, sea) and trait(board, kind_of(s, row), DOMAIN) == ON_LAND and came >= 0:
            if board[board[SEA] + came] and not s[board[FOUGHT] + came]:
                zones[came], any_zone = 1, True
        row += STACK
    count = 0
    for number in range(s[UNITS] if any_zone else 0):
        row = board[STACKS] + number * STACK
        if zones[area_of(s, row)] and bombards(board, s, row) and count < len(rows):
            rows[count] = row
            count += 1
    return count


@kernel("void(int64[::1], int64[::1], int64)")
def start_battle(board: Words, s: Words, area: int) -> None:
    """A battle begins: who fights does not move any more in this turn, aircraft excepted."""
    row, sea, landing = first_row(board, s, area), board[board[SEA] + area], 0
    while row < end_row(board, s) and area_of(s, row) == area:
        kind = kind_of(s, row)
        if fights_for(board, s, row, ATTACKER, sea):
            came = came_of(s, row)
            if not sea and came >= 0 and board[board[SEA] + came]:
                landing = 1
            if trait(board, kind, DOMAIN) != IN_AIR:
                marks = marks_of(s, row) | (WAS_IN_BATTLE if trait(board, kind, ROOM) else 0)
                s[row] = pack_place(area, power_of(s, row), kind, SPENT, came)
                s[row + 1] = pack_state(damage_of(s, row), marks, landed_of(s, row))
        row += STACK
    sort_stacks(board, s)
    for place in range(BATTLE_AREA, DOOMED + 2):
        s[place] = 0
    s[BATTLE_AREA], s[BATTLE_ROUND], s[STEP], s[LANDING] = area + 1, 1, ASK_BOMBARDMENT, landing
    advance_battle(board, s)


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def has_shots(board: Words, s: Words, area: int, side: int, sneak: int) -> int:
    """Whether submarines of a side, or all others, have a die."""
    if sneak and count_side(board, s, area, 1 - side, -4) == 0:
        return 0
    row, sea = first_row(board, s, area), board[board[SEA] + area]
    supports = sneak == 0 and side == ATTACKER and count_side(board, s, area, side, SUPPORTS) > 0
    while row < end_row(board, s) and area_of(s, row) == area:
        kind, power = kind_of(s, row), power_of(s, row)
        if fights_for(board, s, row, side, sea) and trait(board, kind, SUBMARINE) == sneak:
            if strength(board, s, power, kind, side) > 0 or (supports and trait(board, kind, SUPPORTED)):
                return 1
            if trait(board, kind, RAIDS) and knows(board, s, power, HEAVY_BOMBERS) and side == ATTACKER:
                return 1
        row += STACK
    return 0


@kernel("int64(int64[::1], int64[::1])")
def battle_dice(board: Words, s: Words) -> int:
    """Whether dice are rolled now: 1 guns, 2 a volley, 0 none."""
    area, step = s[BATTLE_AREA] - 1, s[STEP]
    if step == GUNS:
        return int(has_enemy_trait(board, s, area, s[MOVER], GUN) and count_side(board, s, area, ATTACKER, -3) > 0)
    if step == BOMBARDMENT:
        return 2 if s[BOMBARDING] else 0
    if step == SNEAK_ATTACK or step == SNEAK_DEFENCE:
        return 2 if has_shots(board, s, area, step - SNEAK_ATTACK, 1) else 0
    if step == GENERAL_ATTACK or step == GENERAL_DEFENCE:
        return 2 if has_shots(board, s, area, step - GENERAL_ATTACK, 0) else 0
    return 0


# Losses.


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def doomed_of(board: Words, s: Words, side: int, row: int) -> int:
    """How many units of a stack were hit and still fire."""
    base = board[DOOMED_LIST] + side * MOST_DOOMED * STACK
    for number in range(s[DOOMED + side]):
        at = base + number * STACK
        if s[at] == s[row] and s[at + 1] == s[row + 1] and s[at + 2] == s[row + 2] and s[at + 3] == s[row + 3]:
            return int(s[at + 4])
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def takes_damage(board: Words, s: Words, row: int) -> int:
    """Whether a hit only damages a unit."""
    return int(board[TWO_HITS] and damage_of(s, row) + 1 < trait(board, kind_of(s, row), HITS))


@kernel("int64(int64[::1], int64[::1], int64, int64[::1])")
def next_loss(board: Words, s: Words, side: int, told: Words) -> int:
    """The row of the unit that is lost next by default, -1 if none can be; *told* gets how many groups could be."""
    area = s[BATTLE_AREA] - 1
    row, sea, best, groups = first_row(board, s, area), board[board[SEA] + area], -1, 0
    least = np.zeros(4, dtype=np.int64)
    while row < end_row(board, s) and area_of(s, row) == area:
        kind = kind_of(s, row)
        able = fights_for(board, s, row, side, sea) and (not s[SNEAKED] or trait(board, kind, DOMAIN) == AT_SEA)
        if able and s[row + 4] > doomed_of(board, s, side, row):
            groups += 1
            free = not takes_damage(board, s, row)
            price, power = trait(board, kind, PRICE), strength(board, s, power_of(s, row), kind, side)
            aboard = cargo_count(s, row)
            less = best < 0
            if best >= 0:
                if free != least[0]:
                    less = free < least[0]
                elif price != least[1]:
                    less = price < least[1]
                elif power != least[2]:
                    less = power < least[2]
                else:
                    less = aboard < least[3]
            if less:
                best = row
                least[0], least[1], least[2], least[3] = free, price, power, aboard
        row += STACK
    told[0] = groups
    return best


@kernel("void(int64[::1], int64[::1], int64, int64)")
def take_hit(board: Words, s: Words, side: int, row: int) -> None:
    """One unit takes a hit: it is damaged, lost, or, if its destroyers keep it in the battle, lost after it fires."""
    s[BATTLE_HITS + side] -= 1
    a, b, c, d = s[row], s[row + 1], s[row + 2], s[row + 3]
    if takes_damage(board, s, row):
        hurt = pack_state(damage_of(s, row) + 1, marks_of(s, row), landed_of(s, row))
        add_units(board, s, a, b, c, d, -1)
        add_units(board, s, a, hurt, c, d, 1)
    elif s[SNEAKED] and s[SCREENED + side]:
        doom(board, s, side, a, b, c, d)
    else:
        add_units(board, s, a, b, c, d, -1)


@kernel("void(int64[::1], int64[::1], int64, int64, int64, int64, int64)")
def doom(board: Words, s: Words, side: int, a: int, b: int, c: int, d: int) -> None:
    """One more unit of a stack is lost at the end of the round."""
    base, at = board[DOOMED_LIST] + side * MOST_DOOMED * STACK, 0
    while at < s[DOOMED + side]:
        row = base + at * STACK
        if s[row] == a and s[row + 1] == b and s[row + 2] == c and s[row + 3] == d:
            s[row + 4] += 1
            return
        more = s[row] > a or (s[row] == a and (s[row + 1] > b or (s[row + 1] == b and (s[row + 2] > c or (s[row + 2] == c and s[row + 3] > d)))))
        if more:
            break
        at += 1
    for place in range(base + s[DOOMED + side] * STACK - 1, base + at * STACK - 1, -1):
        s[place + STACK] = s[place]
    row = base + at * STACK
    s[row], s[row + 1], s[row + 2], s[row + 3], s[row + 4] = a, b, c, d, 1
    s[DOOMED + side] += 1


@kernel("void(int64[::1], int64[::1])")
def remove_doomed(board: Words, s: Words) -> None:
    """Units that fired though they were hit are lost now."""
    for side in range(2):
        base = board[DOOMED_LIST] + side * MOST_DOOMED * STACK
        for number in range(s[DOOMED + side]):
            row = base + number * STACK
            add_units(board, s, s[row], s[row + 1], s[row + 2], s[row + 3], -s[row + 4])
            s[row : row + STACK] = 0
        s[DOOMED + side] = 0


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def chooser(board: Words, s: Words, area: int, side: int) -> int:
    """The player who decides for a side: the mover, the owner of the area, or who has most units there; -1 is nobody."""
    if side == ATTACKER:
        return int(s[MOVER])
    counts = np.zeros(board[POWERS] + 1, dtype=np.int64)
    row, sea = first_row(board, s, area), board[board[SEA] + area]
    while row < end_row(board, s) and area_of(s, row) == area:
        if fights_for(board, s, row, DEFENDER, sea):
            counts[power_of(s, row) + 1] += s[row + 4]
        row += STACK
    owner, best = s[board[OWNERS] + area], -2
    if counts[owner + 1]:
        return int(owner)
    for power in range(-1, board[POWERS]):
        if counts[power + 1] and (best == -2 or counts[power + 1] > counts[best + 1]):
            best = power
    return int(owner) if best == -2 else best


@kernel("int64(int64[::1], int64[::1], int64)")
def may_choose(board: Words, s: Words, side: int) -> int:
    """Whether the owner of a side picks its losses."""
    return int(board[CHOOSE] and chooser(board, s, s[BATTLE_AREA] - 1, side) >= 0)


@kernel("int64(int64[::1], int64[::1])")
def take_losses(board: Words, s: Words) -> int:
    """Hits are taken by default; returns 0 if a player must choose first."""
    told = np.zeros(1, dtype=np.int64)
    for side in range(2):
        while s[BATTLE_HITS + side]:
            row = next_loss(board, s, side, told)
            if row < 0:
                s[BATTLE_HITS + side] = 0
                break
            if told[0] > 1 and may_choose(board, s, side):
                return 0
            take_hit(board, s, side, row)
    if s[STEP] == BOMBARDMENT:
        s[STEP] = SNEAK_ATTACK
        check_screens(board, s)
    else:
        s[STEP] += 1
        s[SNEAKED] = 0
    return 1


@kernel("void(int64[::1], int64[::1])")
def check_screens(board: Words, s: Words) -> None:
    """A round begins: which side has destroyers is fixed for it."""
    area = s[BATTLE_AREA] - 1
    for side in range(2):
        s[SCREENED + side] = count_side(board, s, area, side, DESTROYER) > 0
    end_if_decided(board, s)


@kernel("int64(int64[::1], int64[::1], int64)")
def may_submerge(board: Words, s: Words, side: int) -> int:
    """Whether the submarines of a side may leave the battle, and somebody decides for them."""
    area = s[BATTLE_AREA] - 1
    if not board[SUBMERSIBLE] or count_side(board, s, area, side, SUBMARINE) == 0:
        return 0
    return int(count_side(board, s, area, 1 - side, DESTROYER) == 0 and chooser(board, s, area, side) >= 0)


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def list_battle_orders(board: Words, s: Words, orders: Words) -> int:
    """Write what may be decided at this step of a battle; return how many orders there are."""
    area, step = s[BATTLE_AREA] - 1, s[STEP]
    if step == ASK_BOMBARDMENT:
        if list_bombarding(board, s, area, np.empty(MOST_DOOMED, dtype=np.int64)) == 0:
            return 0
        count = tell(orders, 0, order_number(BOMBARD, area, -1, 0, -1, -1), 0)
        return tell(orders, count, order_number(HOLD_FIRE, area, -1, 0, -1, -1), 0)
    if step == BOMBARDMENT or step == SNEAK_LOSSES or step == LOSSES:
        return list_losses(board, s, orders) if board[CHOOSE] else 0
    if step == ATTACKERS_SUBMERGE or step == DEFENDERS_SUBMERGE:
        if not may_submerge(board, s, ATTACKER if step == ATTACKERS_SUBMERGE else DEFENDER):
            return 0
        count = tell(orders, 0, order_number(SUBMERGE, area, -1, 0, -1, -1), 0)
        return tell(orders, count, order_number(STAY, area, -1, 0, -1, -1), 0)
    return list_retreats(board, s, orders) if step == ASK_RETREAT else 0


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def list_losses(board: Words, s: Words, orders: Words) -> int:
    """Write the units of which one may be chosen to take the next hit."""
    side, told = ATTACKER if s[BATTLE_HITS] else DEFENDER, np.zeros(1, dtype=np.int64)
    if not s[BATTLE_HITS + side] or not may_choose(board, s, side):
        return 0
    next_loss(board, s, side, told)
    if told[0] < 2:
        return 0
    area = s[BATTLE_AREA] - 1
    row, sea, count, variant, same = first_row(board, s, area), board[board[SEA] + area], 0, 0, -1
    while row < end_row(board, s) and area_of(s, row) == area:
        kind, power = kind_of(s, row), power_of(s, row)
        variant = variant + 1 if power * 256 + kind == same else 0
        same = power * 256 + kind
        able = fights_for(board, s, row, side, sea) and (not s[SNEAKED] or trait(board, kind, DOMAIN) == AT_SEA)
        if able and s[row + 4] > doomed_of(board, s, side, row):
            count = tell(orders, count, order_number(LOSE, area, kind, variant, power, -1), 0)
        row += STACK
    return count


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def list_retreats(board: Words, s: Words, orders: Words) -> int:
    """Write where the attacker may retreat to, and whether aircraft may break off, after `fight on`."""
    area = s[BATTLE_AREA] - 1
    row, sea, power = first_row(board, s, area), board[board[SEA] + area], s[MOVER]
    from_areas, others, aircraft = np.zeros(board[AREAS], dtype=np.int64), 0, 0
    while row < end_row(board, s) and area_of(s, row) == area:
        if fights_for(board, s, row, ATTACKER, sea):
            if trait(board, kind_of(s, row), DOMAIN) == IN_AIR:
                aircraft = 1
            else:
                others = 1
                if came_of(s, row) >= 0:
                    from_areas[came_of(s, row)] = 1
        row += STACK
    count = tell(orders, 0, order_number(GO_ON, area, -1, 0, -1, -1), 0)
    if not others or s[LANDING]:
        return tell(orders, count, order_number(WITHDRAW, area, -1, 0, -1, -1), 0) if aircraft else 0
    for zone in range(board[AREAS]):
        if not from_areas[zone] or has_enemies(board, s, zone, power):
            continue
        fine = not s[board[FOUGHT] + zone] if sea else owns(board, s, zone, power) and not board[board[SEA] + zone]
        if fine:
            count = tell(orders, count, order_number(RETREAT, area, -1, 0, zone, -1), 0)
    return count if count > 1 else 0


# Steps and decisions.


@kernel("void(int64[::1], int64[::1])")
def advance_battle(board: Words, s: Words) -> None:
    """The battle up to the next die or decision, or past its end."""
    orders = np.empty((MOST_DOOMED, 2), dtype=np.int64)
    while s[BATTLE_AREA]:
        if battle_dice(board, s) or list_battle_orders(board, s, orders):
            return
        step = s[STEP]
        if step == BOMBARDMENT or step == SNEAK_LOSSES or step == LOSSES:
            if not take_losses(board, s):
                return
        elif step == REMOVAL:
            remove_doomed(board, s)
            s[STEP] += 1
            end_if_decided(board, s)
        elif step == NEXT_ROUND:
            s[BATTLE_ROUND] += 1
            s[STEP] = SNEAK_ATTACK
            end_if_decided(board, s)
            if s[BATTLE_AREA]:
                check_screens(board, s)
        else:
            s[STEP] += 1


@kernel("void(int64[::1], int64[::1], int64)")
def score_hits(board: Words, s: Words, hits: int) -> None:
    """The dice of this step have hit so often."""
    step = s[STEP]
    if step == BOMBARDMENT:
        rows = np.empty(MOST_DOOMED, dtype=np.int64)
        for number in range(list_bombarding(board, s, s[BATTLE_AREA] - 1, rows)):
            row = rows[number]
            s[row] = pack_place(area_of(s, row), power_of(s, row), kind_of(s, row), SPENT, came_of(s, row))
            s[row + 1] = pack_state(damage_of(s, row), marks_of(s, row) | WITHDRAWN, landed_of(s, row))
        sort_stacks(board, s)
        s[BOMBARDING] = 0
    side = ATTACKER if step == SNEAK_DEFENCE or step == GENERAL_DEFENCE else DEFENDER
    s[BATTLE_HITS + side] += hits
    s[SNEAKED] = step == SNEAK_ATTACK or step == SNEAK_DEFENCE
    if step != BOMBARDMENT:
        s[STEP] += 1
    advance_battle(board, s)


@kernel("void(int64[::1], int64[::1], int64, int64, int64, int64)")
def lose_aircraft(board: Words, s: Words, area: int, kind: int, raids: int, hits: int) -> None:
    """Guns have hit so many aircraft of a kind: those are lost first that have flown farthest."""
    for _ in range(hits):
        best, row, sea = -1, first_row(board, s, area), board[board[SEA] + area]
        while row < end_row(board, s) and area_of(s, row) == area:
            able = kind_of(s, row) == kind and power_of(s, row) == s[MOVER]
            able = able and (marks_of(s, row) & 2 if raids else fights_for(board, s, row, ATTACKER, sea))
            if able and (best < 0 or spent_of(s, row) > spent_of(s, best)):
                best = row
            row += STACK
        add_units(board, s, s[best], s[best + 1], s[best + 2], s[best + 3], -1)


@kernel("void(int64[::1], int64[::1], int64, int64)")
def mark_side(board: Words, s: Words, side: int, what: int) -> None:
    """Submarines of a side submerge (SUBMERGED), or aircraft leave the battle (WITHDRAWN)."""
    area = s[BATTLE_AREA] - 1
    row, sea = first_row(board, s, area), board[board[SEA] + area]
    while row < end_row(board, s) and area_of(s, row) == area:
        kind = kind_of(s, row)
        meant = trait(board, kind, SUBMARINE) if what == SUBMERGED else trait(board, kind, DOMAIN) == IN_AIR
        if meant and fights_for(board, s, row, side, sea):
            s[row + 1] = pack_state(damage_of(s, row), marks_of(s, row) | what, landed_of(s, row))
        row += STACK
    sort_stacks(board, s)


@kernel("void(int64[::1], int64[::1], int64)")
def retreat(board: Words, s: Words, to: int) -> None:
    """All attackers but aircraft go back; aircraft leave the battle and land later."""
    area = s[BATTLE_AREA] - 1
    mark_side(board, s, ATTACKER, WITHDRAWN)
    items = np.zeros(MOST_CARGO + 1, dtype=np.int64)
    row, sea = first_row(board, s, area), board[board[SEA] + area]
    while row < end_row(board, s) and area_of(s, row) == area:
        if not fights_for(board, s, row, ATTACKER, sea):
            row += STACK
            continue
        k0 = pack_place(to, power_of(s, row), kind_of(s, row), SPENT, came_of(s, row))
        keep_aboard(board, s, row, k0, items)
        row = first_row(board, s, area)


@kernel("void(int64[::1], int64[::1], int64, int64, int64[::1])")
def keep_aboard(board: Words, s: Words, row: int, k0: int, items: Words) -> None:
    """Ships get another first word, and cargo that waited to land does not land after all."""
    held, waited = read_items(s, row, items), False
    for place in range(held):
        item = items[place]
        if item_to(item) >= 0:
            items[place], waited = pack_item(item_power(item), item_kind(item), item_fresh(item), -1), True
    k1 = pack_state(damage_of(s, row), marks_of(s, row) & ~UNLOADED_EARLY, -1) if waited else s[row + 1]
    change_ship(board, s, row, k0, k1, items, held, s[row + 4])


@kernel("void(int64[::1], int64[::1], int64, int64, int64, int64)")
def decide_battle(board: Words, s: Words, verb: int, kind: int, variant: int, to: int) -> None:
    """A player's decision in a battle is carried out."""
    area, step = s[BATTLE_AREA] - 1, s[STEP]
    if verb == LOSE:
        row = find_row(board, s, pack_place(area, to, kind, 0, -1), 0, 0, 0) + variant * STACK
        take_hit(board, s, ATTACKER if s[BATTLE_HITS] else DEFENDER, row)
    elif verb == RETREAT:
        retreat(board, s, to)
        end_battle(board, s)
    else:
        if verb == BOMBARD or verb == HOLD_FIRE:
            s[BOMBARDING] = verb == BOMBARD
        elif verb == SUBMERGE:
            mark_side(board, s, ATTACKER if step == ATTACKERS_SUBMERGE else DEFENDER, SUBMERGED)
        elif verb == WITHDRAW:
            mark_side(board, s, ATTACKER, WITHDRAWN)
        s[STEP] += 1
        if verb == SUBMERGE or verb == WITHDRAW:
            end_if_decided(board, s)
    advance_battle(board, s)


# The end.


@kernel("void(int64[::1], int64[::1])")
def end_if_decided(board: Words, s: Words) -> None:
    """The battle ends if a side is gone, or if nobody can hit any more."""
    area, able = s[BATTLE_AREA] - 1, False
    both = count_side(board, s, area, ATTACKER, -1) > 0 and count_side(board, s, area, DEFENDER, -1) > 0
    for side in range(2 if both else 0):
        able = able or has_shots(board, s, area, side, 1) or has_shots(board, s, area, side, 0)
    if not able:
        end_battle(board, s)


@kernel("void(int64[::1], int64[::1])")
def end_battle(board: Words, s: Words) -> None:
    """Survivors take the area, cargo that waited goes ashore, and fighters look for a deck."""
    area, power = s[BATTLE_AREA] - 1, s[MOVER]
    standing = count_side(board, s, area, ATTACKER, -2) > 0
    defended = count_side(board, s, area, DEFENDER, -1) > 0
    for side in range(2):
        base = board[DOOMED_LIST] + side * MOST_DOOMED * STACK
        s[base : base + s[DOOMED + side] * STACK] = 0
    for place in range(BATTLE_AREA, DOOMED + 2):
        s[place] = 0
    s[board[FOUGHT] + area] = 1
    if board[board[SEA] + area]:
        land_cargo(board, s, area)
        save_fighters(board, s, area)
    elif standing and not defended and not owns(board, s, area, power):
        take_area(board, s, area, power)


@kernel("void(int64[::1], int64[::1], int64)")
def land_cargo(board: Words, s: Words, zone: int) -> None:
    """Cargo that waited for a battle at sea goes ashore if no enemy is left there, and else stays aboard."""
    power = s[MOVER]
    won = not has_enemies(board, s, zone, power)
    items, kept = np.zeros(MOST_CARGO + 1, dtype=np.int64), np.zeros(MOST_CARGO + 1, dtype=np.int64)
    again = True
    while again:
        again = False
        row = first_row(board, s, zone)
        while row < end_row(board, s) and area_of(s, row) == zone:
            held, staying, waits = read_items(s, row, items), 0, False
            for place in range(held):
                if item_to(items[place]) >= 0:
                    waits = True
                else:
                    kept[staying] = items[place]
                    staying += 1
            if not waits or power_of(s, row) != power:
                row += STACK
                continue
            number = s[row + 4]
            if won:
                change_ship(board, s, row, s[row], s[row + 1], kept, staying, number)
                for place in range(held):
                    to = item_to(items[place])
                    if to >= 0:
                        k0 = pack_place(to, power, item_kind(items[place]), SPENT, zone)
                        add_units(board, s, k0, pack_state(0, 0, -1), 0, 0, number)
            else:
                keep_aboard(board, s, row, s[row], items)
            again = True
            break


@kernel("void(int64[::1], int64[::1], int64)")
def save_fighters(board: Words, s: Words, zone: int) -> None:
    """Defending fighters without a carrier go one step to friendly land or a carrier with room, or are lost."""
    for power in range(board[POWERS]):
        if power == s[MOVER]:
            continue
        if is_friend(board, s[MOVER], power):
            lose_stranded(board, s, power, zone)
            continue
        rows = np.zeros((MOST_DOOMED, STACK), dtype=np.int64)
        count = list_stranded(board, s, zone, power, rows)
        for number in range(count):
            for _ in range(rows[number, 4]):
                a, b, c, d = rows[number, 0], rows[number, 1], rows[number, 2], rows[number, 3]
                kind, spent, came = a >> 18 & 255, a >> 11 & 127, (a & 2047) - 1
                place = find_refuge(board, s, zone, power, kind)
                add_units(board, s, a, b, c, d, -1)
                if place >= 0:
                    add_units(board, s, pack_place(place, power, kind, spent, came), b, c, d, 1)


@kernel("int64(int64[::1], int64[::1], int64, int64, int64[:, ::1])")
def list_stranded(board: Words, s: Words, area: int, power: int, rows: Words) -> int:
    """Write the aircraft of a power that have no place where they are: four words of the stack, and how many."""
    if may_land_on(board, s, area, power):
        return 0
    room = room_at_sea(board, s, area, power) if board[board[SEA] + area] else 0
    count, row = 0, first_row(board, s, area)
    while row < end_row(board, s) and area_of(s, row) == area:
        kind = kind_of(s, row)
        if power_of(s, row) == power and trait(board, kind, DOMAIN) == IN_AIR:
            berth = trait(board, kind, BERTH)
            kept = min(s[row + 4], room // berth) if berth else 0
            room -= kept * berth
            if s[row + 4] > kept and count < MOST_DOOMED:
                for part in range(4):
                    rows[count, part] = s[row + part]
                rows[count, 4] = s[row + 4] - kept
                count += 1
        row += STACK
    return count


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def find_refuge(board: Words, s: Words, zone: int, power: int, kind: int) -> int:
    """Where a fighter without a carrier goes; -1 if it is lost."""
    land = -1
    for at in range(board[board[WAYS_FROM] + zone], board[board[WAYS_FROM] + zone + 1]):
        to = board[board[WAYS] + at]
        owner = s[board[OWNERS] + to]
        if not board[board[SEA] + to] and is_friend(board, power, owner):
            if owner == power:
                return int(to)
            land = to if land < 0 else land
    if land >= 0:
        return int(land)
    rows = np.zeros((MOST_DOOMED, STACK), dtype=np.int64)
    berth = trait(board, kind, BERTH)
    for at in range(board[board[WAYS_FROM] + zone], board[board[WAYS_FROM] + zone + 1]):
        to = board[board[WAYS] + at]
        if board[board[SEA] + to] and berth:
            after = s.copy()
            add_units(board, after, pack_place(to, power, kind, 0, -1), pack_state(0, 0, -1), 0, 0, 1)
            if list_stranded(board, after, to, power, rows) == 0:
                return int(to)
    return -1
