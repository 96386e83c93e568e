"""Stacks in their order: finding, adding and taking away units, and what stands in an area. Twin of `situation`."""

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.kernels.layout import (
    AREA_AT,
    AREAS,
    CAPITALS,
    FACTORIES,
    FIGHTS,
    FIRST_OWNER,
    GUN,
    KIND_AT,
    MONEY,
    MOVER,
    OWNERS,
    POWERS,
    SPENT,
    STACK,
    STACKS,
    SUBMERGED,
    TAKEN,
    UNITS,
    Words,
    area_of,
    came_of,
    is_friend,
    kind_of,
    marks_of,
    pack_place,
    power_of,
    trait,
)  # fmt: skip


@kernel("int64(int64[::1], int64[::1], int64, int64, int64, int64)")
def find_row(board: Words, s: Words, k0: int, k1: int, k2: int, k3: int) -> int:
    """The row of a stack, or where it would be."""
    base = board[STACKS]
    low, high = 0, s[UNITS]
    while low < high:
        middle = (low + high) // 2
        row = base + middle * STACK
        less = s[row] < k0
        if s[row] == k0:
            less = s[row + 1] < k1
            if s[row + 1] == k1:
                less = s[row + 2] < k2 or (s[row + 2] == k2 and s[row + 3] < k3)
        if less:
            low = middle + 1
        else:
            high = middle
    return int(base + low * STACK)


@kernel("void(int64[::1], int64[::1], int64, int64)")
def join_units(board: Words, s: Words, k0: int, number: int) -> None:
    """Where there is no room for one more stack, units join another of their kind in the area."""
    for row in range(board[STACKS], board[STACKS] + s[UNITS] * STACK, STACK):
        if s[row] >> KIND_AT == k0 >> KIND_AT:
            s[row + 4] += number
            return


@kernel("void(int64[::1], int64[::1], int64, int64, int64, int64, int64)")
def add_units(board: Words, s: Words, k0: int, k1: int, k2: int, k3: int, number: int) -> None:
    """More (or fewer) units of a stack; an empty stack goes."""
    if number == 0:
        return
    row, end = find_row(board, s, k0, k1, k2, k3), board[STACKS] + s[UNITS] * STACK
    if row < end and s[row] == k0 and s[row + 1] == k1 and s[row + 2] == k2 and s[row + 3] == k3:
        s[row + 4] += number
        if s[row + 4] == 0:
            for place in range(row, end - STACK):
                s[place] = s[place + STACK]
            for place in range(end - STACK, end):
                s[place] = 0
            s[UNITS] -= 1
        return
    if end + STACK > len(s):
        join_units(board, s, k0, number)
        return
    for place in range(end - 1, row - 1, -1):
        s[place + STACK] = s[place]
    s[row], s[row + 1], s[row + 2], s[row + 3], s[row + 4] = k0, k1, k2, k3, number
    s[UNITS] += 1


@kernel("void(int64[::1], int64[::1])")
def sort_stacks(board: Words, s: Words) -> None:
    """Put changed stacks in order again, and join equal ones."""
    base, count = board[STACKS], s[UNITS]
    for number in range(1, count):
        row = base + number * STACK
        a, b, c, d, n = s[row], s[row + 1], s[row + 2], s[row + 3], s[row + 4]
        while row > base:
            before = row - STACK
            more = s[before] > a
            if s[before] == a:
                more = s[before + 1] > b
                if s[before + 1] == b:
                    more = s[before + 2] > c or (s[before + 2] == c and s[before + 3] > d)
            if not more:
                break
            for part in range(STACK):
                s[row + part] = s[before + part]
            row = before
        s[row], s[row + 1], s[row + 2], s[row + 3], s[row + 4] = a, b, c, d, n
    kept = 0
    for number in range(count):
        row, last = base + number * STACK, base + (kept - 1) * STACK
        if s[row + 4] == 0:
            continue
        same = kept > 0
        for part in range(4):
            same = same and s[row + part] == s[last + part]
        if same:
            s[last + 4] += s[row + 4]
        else:
            for part in range(STACK):
                s[base + kept * STACK + part] = s[row + part]
            kept += 1
    for place in range(base + kept * STACK, base + count * STACK):
        s[place] = 0
    s[UNITS] = kept


@kernel("int64(int64[::1], int64[::1], int64)")
def first_row(board: Words, s: Words, area: int) -> int:
    """The first row of an area."""
    return int(find_row(board, s, area << AREA_AT, 0, 0, 0))


@kernel("int64(int64[::1], int64[::1])")
def end_row(board: Words, s: Words) -> int:
    """The row behind the last one."""
    return int(board[STACKS] + s[UNITS] * STACK)


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def is_enemy(board: Words, s: Words, row: int, power: int) -> int:
    """Whether a stack is an enemy of a power that is not submerged."""
    return int(not is_friend(board, power, power_of(s, row)) and not marks_of(s, row) & SUBMERGED)


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def has_enemies(board: Words, s: Words, area: int, power: int) -> int:
    """Whether enemies that are not submerged are in an area."""
    row, end = first_row(board, s, area), end_row(board, s)
    while row < end and area_of(s, row) == area:
        if is_enemy(board, s, row, power):
            return 1
        row += STACK
    return 0


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def has_enemy_trait(board: Words, s: Words, area: int, power: int, field: int) -> int:
    """Whether enemies of a certain kind, not submerged, are in an area: GUN, DESTROYER or FIGHTS."""
    row, end = first_row(board, s, area), end_row(board, s)
    while row < end and area_of(s, row) == area:
        if is_enemy(board, s, row, power) and trait(board, kind_of(s, row), field):
            return 1
        row += STACK
    return 0


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def owns(board: Words, s: Words, area: int, power: int) -> int:
    """Whether an area belongs to a power or its allies."""
    return is_friend(board, power, s[board[OWNERS] + area])


@kernel("int64(int64[::1], int64[::1], int64)")
def holds_capital(board: Words, s: Words, power: int) -> int:
    """Whether a power has its own capital, or none to lose."""
    capital = board[board[CAPITALS] + power]
    return int(capital < 0 or s[board[OWNERS] + capital] == power)


@kernel("void(int64[::1], int64[::1], int64, int64)")
def take_area(board: Words, s: Words, area: int, power: int) -> None:
    """An area falls to a power, or back to the ally it was taken from; capitals bring money or free an ally."""
    owners, count = board[OWNERS], board[AREAS]
    before, first = s[owners + area], board[board[FIRST_OWNER] + area]
    capital_of = -1
    for each in range(board[POWERS]):
        if capital_of < 0 and board[board[CAPITALS] + each] == area:
            capital_of = each
    if before >= 0 and board[board[CAPITALS] + before] == area:
        capital_of = before
    owner = power
    ally = first >= 0 and first != power and is_friend(board, power, first)
    if ally and (holds_capital(board, s, first) or capital_of == first):
        owner = first
    s[owners + area] = owner
    if capital_of == before and before >= 0:
        loot = s[board[MONEY] + before]
        s[board[MONEY] + before] = 0
        if before != power:
            s[board[MONEY] + power] += loot
    s[board[TAKEN] + area] = 1
    give_guns(board, s, area, owner)
    if capital_of == owner and owner >= 0:
        for each in range(count):
            held = s[owners + each]
            if (
                board[board[FIRST_OWNER] + each] == owner
                and held != owner
                and held >= 0
                and is_friend(board, owner, held)
            ):
                s[owners + each] = owner
                give_guns(board, s, each, owner)


@kernel("void(int64[::1], int64[::1], int64, int64)")
def give_guns(board: Words, s: Words, area: int, owner: int) -> None:
    """The guns of an area become those of its owner."""
    row, end, changed = first_row(board, s, area), end_row(board, s), False
    while row < end and area_of(s, row) == area:
        if trait(board, kind_of(s, row), GUN) and power_of(s, row) != owner:
            s[row] = pack_place(area, owner, kind_of(s, row), SPENT, came_of(s, row))
            changed = True
        row += STACK
    if changed:
        sort_stacks(board, s)


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def fights_for_mover(board: Words, s: Words, row: int, sea: int) -> int:
    """Whether a stack of the mover attacks where it is."""
    if power_of(s, row) != s[MOVER] or marks_of(s, row) & 7:
        return 0
    kind = kind_of(s, row)
    domain = trait(board, kind, 4)
    return int(trait(board, kind, FIGHTS) and (domain == 1 or (domain == 2) == (sea != 0)))


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def fights_for(board: Words, s: Words, row: int, side: int, sea: int) -> int:
    """Whether a stack fights on a side of the battle where it is: 0 attacks, 1 defends."""
    if side == 0:
        return fights_for_mover(board, s, row, sea)
    return int(is_enemy(board, s, row, s[MOVER]) and trait(board, kind_of(s, row), FIGHTS))


@kernel("void(int64[::1], int64[::1], int64, int64)")
def enter_area(board: Words, s: Words, area: int, power: int) -> None:
    """A hostile area with nothing in it is taken at once."""
    if not owns(board, s, area, power) and not has_enemies(board, s, area, power) and not s[board[FACTORIES] + area]:
        take_area(board, s, area, power)
