"""A battle, step by step. Twin of `battles`."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.full import battles as steps
from kibitz.games.axis.full.kernels.endings import end_battle, end_if_decided, keep_aboard
from kibitz.games.axis.full.kernels.layout import (
    AREAS,
    BATTLE_AREA,
    BATTLE_HITS,
    BATTLE_ROUND,
    BOMBARDING,
    DECK,
    DESTROYER,
    DOMAIN,
    DOOMED,
    FOUGHT,
    GUN,
    IN_AIR,
    LANDING,
    MOST_CARGO,
    MOST_DOOMED,
    MOVER,
    ROOM,
    SCREENED,
    SEA,
    SNEAKED,
    SPENT,
    STACK,
    STEP,
    SUBMARINE,
    SUBMERGED,
    WAS_IN_BATTLE,
    WITHDRAWN,
    Words,
    area_of,
    came_of,
    damage_of,
    kind_of,
    landed_of,
    marks_of,
    pack_place,
    pack_state,
    power_of,
    spent_of,
    trait,
)  # fmt: skip
from kibitz.games.axis.full.kernels.losses import chooser, next_loss, remove_doomed, take_hit
from kibitz.games.axis.full.kernels.order_numbers import order_number, tell
from kibitz.games.axis.full.kernels.sides import (
    ATTACKER,
    DEFENDER,
    count_side,
    has_shots,
    list_bombarding,
)
from kibitz.games.axis.full.kernels.stacks import (
    add_units,
    end_row,
    fights_for,
    first_row,
    has_enemies,
    has_enemy_trait,
    owns,
    sort_stacks,
)  # fmt: skip
from kibitz.games.axis.full.kernels.transports import take_guests
from kibitz.games.axis.full.orders import BOMBARD, GO_ON, HOLD_FIRE, RETREAT, STAY, SUBMERGE, WITHDRAW

ASK_BOMBARDMENT, GUNS, BOMBARDMENT = steps.ASK_BOMBARDMENT, steps.GUNS, steps.BOMBARDMENT
SNEAK_ATTACK, SNEAK_DEFENCE, SNEAK_LOSSES = steps.SNEAK_ATTACK, steps.SNEAK_DEFENCE, steps.SNEAK_LOSSES
GENERAL_ATTACK, GENERAL_DEFENCE, LOSSES, REMOVAL = steps.ATTACK, steps.DEFENCE, steps.LOSSES, steps.REMOVAL
ATTACKERS_SUBMERGE, ASK_RETREAT = steps.ATTACKERS_SUBMERGE, steps.ASK_RETREAT
DEFENDERS_SUBMERGE, NEXT_ROUND = steps.DEFENDERS_SUBMERGE, steps.NEXT_ROUND


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


@kernel("int64(int64[::1], int64[::1])")
def battle_dice(board: Words, s: Words) -> int:
    """Whether dice are rolled now: 1 guns, 2 a volley, 0 none."""
    area, step = s[BATTLE_AREA] - 1, s[STEP]
    if step == GUNS:
        return int(has_enemy_trait(board, s, area, s[MOVER], GUN) and count_side(board, s, area, ATTACKER, -3) > 0)
    if step == BOMBARDMENT:
        return 2 if s[BOMBARDING] else 0
    if step in (SNEAK_ATTACK, SNEAK_DEFENCE):
        return 2 if has_shots(board, s, area, step - SNEAK_ATTACK, 1) else 0
    if step in (GENERAL_ATTACK, GENERAL_DEFENCE):
        return 2 if has_shots(board, s, area, step - GENERAL_ATTACK, 0) else 0
    return 0


@kernel("void(int64[::1], int64[::1])")
def take_losses(board: Words, s: Words) -> None:
    """Hits are taken."""
    for side in range(2):
        while s[BATTLE_HITS + side]:
            row = next_loss(board, s, side)
            if row < 0:
                s[BATTLE_HITS + side] = 0
                break
            take_hit(board, s, side, row)
    if s[STEP] == BOMBARDMENT:
        s[STEP] = SNEAK_ATTACK
        check_screens(board, s)
    else:
        s[STEP] += 1
        s[SNEAKED] = 0


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
    if count_side(board, s, area, side, SUBMARINE) == 0:
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
    if step in (ATTACKERS_SUBMERGE, DEFENDERS_SUBMERGE):
        if not may_submerge(board, s, ATTACKER if step == ATTACKERS_SUBMERGE else DEFENDER):
            return 0
        count = tell(orders, 0, order_number(SUBMERGE, area, -1, 0, -1, -1), 0)
        return tell(orders, count, order_number(STAY, area, -1, 0, -1, -1), 0)
    return list_retreats(board, s, orders) if step == ASK_RETREAT else 0


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


@kernel("void(int64[::1], int64[::1])")
def advance_battle(board: Words, s: Words) -> None:
    """The battle up to the next die or decision, or past its end."""
    orders = np.empty((MOST_DOOMED, 2), dtype=np.int64)
    while s[BATTLE_AREA]:
        if battle_dice(board, s) or list_battle_orders(board, s, orders):
            return
        step = s[STEP]
        if step in (BOMBARDMENT, SNEAK_LOSSES, LOSSES):
            take_losses(board, s)
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
    side = ATTACKER if step in (SNEAK_DEFENCE, GENERAL_DEFENCE) else DEFENDER
    s[BATTLE_HITS + side] += hits
    s[SNEAKED] = step in (SNEAK_ATTACK, SNEAK_DEFENCE)
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


@kernel("int64(int64[::1], int64[::1], int64)")
def count_decks(board: Words, s: Words, area: int) -> int:
    """The room on the carriers that attack."""
    room, row, sea = 0, first_row(board, s, area), board[board[SEA] + area]
    while row < end_row(board, s) and area_of(s, row) == area:
        if fights_for(board, s, row, ATTACKER, sea):
            room += s[row + 4] * trait(board, kind_of(s, row), DECK)
        row += STACK
    return room


@kernel("void(int64[::1], int64[::1], int64)")
def retreat(board: Words, s: Words, to: int) -> None:
    """All attackers but aircraft go back; aircraft leave the battle and land later."""
    area = s[BATTLE_AREA] - 1
    mark_side(board, s, ATTACKER, WITHDRAWN)
    room = count_decks(board, s, area)
    if room:
        take_guests(board, s, area, s[MOVER], to, room)
    items = np.zeros(MOST_CARGO + 1, dtype=np.int64)
    row, sea = first_row(board, s, area), board[board[SEA] + area]
    while row < end_row(board, s) and area_of(s, row) == area:
        if not fights_for(board, s, row, ATTACKER, sea):
            row += STACK
            continue
        k0 = pack_place(to, power_of(s, row), kind_of(s, row), SPENT, came_of(s, row))
        keep_aboard(board, s, row, k0, items)
        row = first_row(board, s, area)


@kernel("void(int64[::1], int64[::1], int64, int64)")
def decide_battle(board: Words, s: Words, verb: int, to: int) -> None:
    """A player's decision in a battle is carried out."""
    step = s[STEP]
    if verb == RETREAT:
        retreat(board, s, to)
        end_battle(board, s)
    else:
        if verb in (BOMBARD, HOLD_FIRE):
            s[BOMBARDING] = verb == BOMBARD
        elif verb == SUBMERGE:
            mark_side(board, s, ATTACKER if step == ATTACKERS_SUBMERGE else DEFENDER, SUBMERGED)
        elif verb == WITHDRAW:
            mark_side(board, s, ATTACKER, WITHDRAWN)
        s[STEP] += 1
        if verb in (SUBMERGE, WITHDRAW):
            end_if_decided(board, s)
    advance_battle(board, s)
