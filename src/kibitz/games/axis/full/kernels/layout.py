"""How a board and a situation are rows of numbers: where each part is, and how a stack is packed into four words."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel

Words = NDArray[np.int64]
Rng = NDArray[np.uint64]
WORDS = "int64[::1]"

# The board: counts, rules, and where its tables begin.
AREAS, POWERS, KINDS, TURNS, FLYERS, CANALS, SIDES, ZONE_WORDS = range(8)
RESEARCH_ON, LOW_LUCK, LHTR, CITIES, ROUNDS = range(8, 13)
(
    SEA,
    WAYS_FROM,
    WAYS,
    LAND_FROM,
    BY_LAND,
    SEA_FROM,
    BY_SEA,
    AIR,
    VALUE,
    CITY,
    FIRST_OWNER,
    CAPITALS,
    FRIENDLY,
    SIDE,
    ORDER,
    KIND_TABLE,
    PRICES,
    LIMITS,
    FLYER_LIST,
    CANAL_LIST,
    BIDS,
    ZONE_NUMBER,
) = range(13, 35)
(OWNERS, FACTORIES, TAKEN, FOUGHT, RAIDED, MONEY, KNOWN, BOUGHT, ROCKET_LIST, PLACED_LIST, DOOMED_LIST, STACKS) = range(
    35, 47
)
"""Where the parts of a situation begin."""
BOARD_HEAD = 47

# A kind of unit.
(
    PRICE,
    ATTACK,
    DEFENCE,
    MOVE,
    DOMAIN,
    HITS,
    BLITZ,
    SUPPORTS,
    SUPPORTED,
    SUBMARINE,
    DESTROYER,
    BOMBARDS,
    RAIDS,
    GUN,
    FACTORY,
    ROOM,
    LOAD,
    DECK,
    BERTH,
    FIGHTS,
    FLYER,
) = range(21)
FIELDS = 21
ON_LAND, IN_AIR, AT_SEA = range(3)

# A situation.
ROUND, MOVER, PHASE, PURSE, WINNER, TECHNOLOGY, DICE, RAID = range(8)
OVER_NUMBER, OVER_STACK, OVER_COUNT, OVER_AREAS = 8, 9, 13, 14
BATTLE_AREA, BATTLE_ROUND, STEP, BATTLE_HITS, SNEAKED, SCREENED, BOMBARDING, LANDING, DOOMED = (
    22,
    23,
    24,
    25,
    27,
    28,
    30,
    31,
    32,
)
ROCKETS, PLACED, UNITS = 34, 35, 36
HEAD = 40
FEW_STACKS, MOST_STACKS = 1500, 20_000
MOST_DOOMED, MOST_ROCKETS, MOST_PLACED, MOST_OVERFLOWN = 100, 100, 250, 8
STACK = 5
"""The words of a stack: four of its key, and how many units it has."""

# A stack: area, power + 1, kind, spent, came + 1 | damage, marks, landed + 1 | two of its cargo | two more.
AREA_AT, POWER_AT, KIND_AT, SPENT_AT, CAME_AT = 32, 26, 18, 11, 0
DAMAGE_AT, MARKS_AT, LANDED_AT = 17, 11, 0
TO_AT, FRESH_AT, ITEM_KIND_AT, ITEM_POWER_AT, ITEM_BITS = 0, 11, 12, 20, 27
ITEM = (1 << ITEM_BITS) - 1
MOST_CARGO = 4

SUBMERGED, RAIDING, WITHDRAWN, WAS_IN_BATTLE, LOADED_LATE, UNLOADED_EARLY = 1, 2, 4, 8, 16, 32
SPENT = 99
BID, BID_PLACE, RESEARCH, PURCHASE, COMBAT, BATTLE, NONCOMBAT, PLACE, OVER = range(9)
FAR = 99


@kernel("int64(int64[::1], int64, int64)")
def trait(board: Words, kind: int, field: int) -> int:
    """What a kind of unit is or has."""
    return int(board[board[KIND_TABLE] + kind * FIELDS + field])


@kernel("int64(int64[::1], int64, int64)")
def is_friend(board: Words, one: int, other: int) -> int:
    """Whether two powers are on one side; nobody is on none."""
    return int(board[board[FRIENDLY] + one * (board[POWERS] + 1) + (other if other >= 0 else board[POWERS])])


@kernel("int64(int64, int64, int64, int64, int64)")
def pack_place(area: int, power: int, kind: int, spent: int, came: int) -> int:
    """The first word of a stack."""
    return area << AREA_AT | (power + 1) << POWER_AT | kind << KIND_AT | spent << SPENT_AT | (came + 1)


@kernel("int64(int64, int64, int64)")
def pack_state(damage: int, marks: int, landed: int) -> int:
    """The second word of a stack."""
    return damage << DAMAGE_AT | marks << MARKS_AT | (landed + 1)


@kernel("int64(int64[::1], int64)", entry=True)
def area_of(s: Words, row: int) -> int:
    """The area of a stack."""
    return int(s[row] >> AREA_AT)


@kernel("int64(int64[::1], int64)", entry=True)
def power_of(s: Words, row: int) -> int:
    """The power of a stack."""
    return int(s[row] >> POWER_AT & 63) - 1


@kernel("int64(int64[::1], int64)", entry=True)
def kind_of(s: Words, row: int) -> int:
    """The kind of a stack."""
    return int(s[row] >> KIND_AT & 255)


@kernel("int64(int64[::1], int64)")
def spent_of(s: Words, row: int) -> int:
    """The movement that a stack has spent."""
    return int(s[row] >> SPENT_AT & 127)


@kernel("int64(int64[::1], int64)")
def came_of(s: Words, row: int) -> int:
    """The area that a stack came from."""
    return int(s[row] & 2047) - 1


@kernel("int64(int64[::1], int64)")
def damage_of(s: Words, row: int) -> int:
    """The damage of a stack."""
    return int(s[row + 1] >> DAMAGE_AT)


@kernel("int64(int64[::1], int64)")
def marks_of(s: Words, row: int) -> int:
    """The marks of a stack."""
    return int(s[row + 1] >> MARKS_AT & 63)


@kernel("int64(int64[::1], int64)")
def landed_of(s: Words, row: int) -> int:
    """The area into which a stack has unloaded."""
    return int(s[row + 1] & 2047) - 1


@kernel("int64(int64[::1], int64, int64)", entry=True)
def item_of(s: Words, row: int, place: int) -> int:
    """A unit aboard a stack, packed; 0 where there is none."""
    word = s[row + 2 + place // 2]
    return int(word >> ITEM_BITS & ITEM) if place % 2 == 0 else int(word & ITEM)


@kernel("int64(int64, int64, int64, int64)")
def pack_item(power: int, kind: int, fresh: int, to: int) -> int:
    """A unit aboard, packed so that it is never 0."""
    return (power + 1) << ITEM_POWER_AT | kind << ITEM_KIND_AT | fresh << FRESH_AT | (to + 1)


@kernel("int64(int64)", entry=True)
def item_power(item: int) -> int:
    """The power of a unit aboard."""
    return (item >> ITEM_POWER_AT) - 1


@kernel("int64(int64)", entry=True)
def item_kind(item: int) -> int:
    """The kind of a unit aboard."""
    return item >> ITEM_KIND_AT & 255


@kernel("int64(int64)")
def item_fresh(item: int) -> int:
    """Whether a unit was loaded in this turn."""
    return item >> FRESH_AT & 1


@kernel("int64(int64)")
def item_to(item: int) -> int:
    """Where a unit aboard lands once the battle at sea is won."""
    return (item & 2047) - 1


@kernel("int64(int64[::1], int64)")
def cargo_count(s: Words, row: int) -> int:
    """How many units are aboard a stack's ships, each."""
    count = 0
    for place in range(MOST_CARGO):
        count += item_of(s, row, place) > 0
    return count


@kernel("int64(int64[::1], int64[::1], int64)")
def movement_left(board: Words, s: Words, row: int) -> int:
    """The movement that units have left."""
    kind, power = kind_of(s, row), power_of(s, row)
    most = trait(board, kind, MOVE)
    if trait(board, kind, DOMAIN) == IN_AIR and power >= 0 and s[board[KNOWN] + power] >> 2 & 1:
        most += 2
    return max(0, most - spent_of(s, row))
