"""Kernels for losses that are chosen as well as they can be: the twin of `duel`.

Of each side all armies that any choice may leave are rows of a table, more hits taken later. For every pair of rows the
value is worked out from the end: after hits on the attackers the best army they may keep (*replies*), after hits on the
defenders the best army they may keep before they know what their own dice bring (*kept*; *late* where those that
submarines hit still fire). Then the battle is walked through from its beginning, with these choices.
"""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.battle.kernels import (
    FIRST_ROUND,
    OPENING,
    REST,
    STAND_OFF,
    TO_THE_END,
    Chances,
    departure,
    standstill_chance,
)
from kibitz.games.axis.battle.losses import (
    ANY_FROM,
    ANY_TO,
    LEFT,
    SCREEN,
    SHIP_HIT,
    SHIPS_FROM,
    SHIPS_TO,
    SHOTS,
    UNITS,
    Numbers,
)

SIDE = "Tuple((int64[:, ::1], float64[:, :, ::1], int64[::1]))"
Side = tuple[Numbers, Chances, Numbers]
"""A side: its table, how likely its hits are (`hit_table`), and its list of options."""
BOOK = "UniTuple(Tuple((float64[:, :, ::1], int64[:, :, ::1])), 3)"
Book = tuple[tuple[Chances, Numbers], tuple[Chances, Numbers], tuple[Chances, Numbers]]
"""What is worked out of *replies*, *kept* and *late*: by attackers, defenders and hits the value, and the best row."""
REPLIES, KEPT, LATE = range(3)


@kernel(f"void(int64, int64, {SIDE}, float64[:, ::1], float64[::1], int64[::1])")
def reply(i: int, j: int, attackers: Side, values: Chances, best: Chances, rows: Numbers) -> None:
    """Write what the attackers should keep after 0, 1, 2 … hits where *j* is left of the defenders, and its value."""
    table, _, options = attackers
    for hits in range(len(best)):
        best[hits] = -np.inf
    left = table[i, LEFT]
    for at in range(table[i, ANY_FROM], table[i, ANY_TO]):
        row = options[at]
        hits = left - table[row, LEFT]
        if hits >= len(best):
            break
        if values[row, j] > best[hits]:
            best[hits], rows[hits] = values[row, j], row
    for hits in range(left + 1, len(best)):
        best[hits], rows[hits] = best[left], rows[left]


@kernel(f"void(int64, int64, int64, {SIDE}, float64[:, :, ::1], float64[::1], int64[::1])")
def keep(i: int, j: int, firing: int, defenders: Side, replies: Chances, best: Chances, rows: Numbers) -> None:
    """Write what the defenders should keep of *j* after 0, 1, 2 … hits, where *firing* of them are still to fire."""
    table, hits, options = defenders
    for kills in range(len(best)):
        best[kills] = np.inf
    left, shots = table[j, LEFT], table[firing, SHOTS + 1]
    for at in range(table[j, ANY_FROM], table[j, ANY_TO]):
        row = options[at]
        kills = left - table[row, LEFT]
        if kills >= len(best):
            break
        value = 0.0
        for taken in range(shots + 1):
            value += hits[REST, firing, taken] * replies[i, row, taken]
        if value < best[kills]:
            best[kills], rows[kills] = value, row
    for kills in range(left + 1, len(best)):
        best[kills], rows[kills] = best[left], rows[left]


@kernel(f"float64(int64, int64, int64, int64, {SIDE}, {SIDE}, {BOOK})")
def after_opening(i: int, place: int, j: int, other: int, attackers: Side, defenders: Side, book: Book) -> float:
    """The value of general fire, where opening fire has left *place* of the attackers *i*, and *other* of *j*."""
    table, hits = attackers[0], attackers[1]
    firing = i if table[i, SCREEN] else place
    values = book[LATE][0] if defenders[0][j, SCREEN] and other != j else book[KEPT][0]
    total = 0.0
    for kills in range(table[firing, SHOTS + 1] + 1):
        total += hits[REST, firing, kills] * values[place, other, kills]
    return total


@kernel(f"Tuple((int64, float64))(int64, int64, int64, int64, {SIDE}, {SIDE}, {BOOK})")
def attacker_choice(
    i: int, j: int, other: int, taken: int, attackers: Side, defenders: Side, book: Book
) -> tuple[int, float]:
    """What the attackers should keep of *i* in opening fire, *other* being left of the defenders *j*, and its value."""
    table, _, options = attackers
    wanted = max(table[i, LEFT] - taken, table[table[i, SHIP_HIT], LEFT])
    chosen, best = i, -np.inf
    for at in range(table[i, SHIPS_FROM], table[i, SHIPS_TO]):
        if table[options[at], LEFT] == wanted:
            value = after_opening(i, options[at], j, other, attackers, defenders, book)
            if value > best:
                chosen, best = options[at], value
        elif table[options[at], LEFT] < wanted:
            break
    return chosen, best


@kernel(f"Tuple((int64, float64))(int64, int64, int64, {SIDE}, {SIDE}, {BOOK})")
def defender_choice(i: int, j: int, kills: int, attackers: Side, defenders: Side, book: Book) -> tuple[int, float]:
    """What the defenders should keep of *j* in opening fire, before their own submarines' dice, and its value."""
    table, hits, options = defenders
    wanted = max(table[j, LEFT] - kills, table[table[j, SHIP_HIT], LEFT])
    chosen, best = j, np.inf
    for at in range(table[j, SHIPS_FROM], table[j, SHIPS_TO]):
        if table[options[at], LEFT] == wanted:
            value = 0.0
            for taken in range(table[j, SHOTS] + 1):
                chance = hits[OPENING, j, taken]
                if chance != 0.0:
                    value += chance * attacker_choice(i, j, options[at], taken, attackers, defenders, book)[1]
            if value < best:
                chosen, best = options[at], value
        elif table[options[at], LEFT] < wanted:
            break
    return chosen, best


@kernel(f"float64(int64, int64, {SIDE}, {SIDE}, {BOOK})")
def round_value(i: int, j: int, attackers: Side, defenders: Side, book: Book) -> float:
    """The value of fighting a round."""
    table, hits = attackers[0], attackers[1]
    if table[i, SHOTS] == 0 and defenders[0][j, SHOTS] == 0:
        return after_opening(i, i, j, j, attackers, defenders, book)
    total = 0.0
    for kills in range(table[i, SHOTS] + 1):
        chance = hits[OPENING, i, kills]
        if chance != 0.0:
            total += chance * defender_choice(i, j, kills, attackers, defenders, book)[1]
    return total


@kernel(f"void(int64, int64, {SIDE}, {SIDE}, float64[:, ::1], {BOOK})")
def note_choices(i: int, j: int, attackers: Side, defenders: Side, values: Chances, book: Book) -> None:
    """Write into the *book* what both sides should keep of these armies, where *values* follow a round."""
    replies = book[REPLIES][0]
    reply(i, j, attackers, values, replies[i, j], book[REPLIES][1][i, j])
    keep(i, j, j, defenders, replies, book[KEPT][0][i, j], book[KEPT][1][i, j])


@kernel(f"void(int64, int64, {SIDE}, {SIDE}, {BOOK})")
def note_late(i: int, j: int, attackers: Side, defenders: Side, book: Book) -> None:
    """The same for what opening fire may leave of defenders *j* who all fire, as they have a destroyer."""
    table, _, options = defenders
    if not table[j, SCREEN] or book[LATE][0].size == book[LATE][0].shape[2]:  # no submarines attack
        return
    for at in range(table[j, SHIPS_FROM] + 1, table[j, SHIPS_TO]):
        other = options[at]
        keep(i, other, j, defenders, book[REPLIES][0], book[LATE][0][i, other], book[LATE][1][i, other])


@kernel(f"void({SIDE}, {SIDE}, float64[:, ::1], float64[:, ::1], float64[:, ::1], int64, int64, {BOOK}, int64)")
def value_battle(
    attackers: Side,
    defenders: Side,
    ends: Chances,
    after: Chances,
    values: Chances,
    retreat: int,
    dives: int,
    book: Book,
    which: int,
) -> None:
    """Work out all *values* between two rounds, where the values *after* one more are known or, TO_THE_END, the same.

    *ends* is what it is worth that the battle ends so. The *book* then tells what to keep in that one more round.
    """
    attack, defence, scored, taken = attackers[0], defenders[0], attackers[1], defenders[1]
    for j in range(len(defence) - 1, -1, -1):
        for i in range(len(attack) - 1, -1, -1):
            to_i, to_j = departure(i, j, attack, defence, retreat, dives)
            still = 0.0
            if which == TO_THE_END:
                still = standstill_chance(i, j, attack, defence, scored, taken, OPENING)
                still *= standstill_chance(i, j, attack, defence, scored, taken, REST)
            over = attack[i, UNITS] <= retreat or defence[j, UNITS] == 0 or still > STAND_OFF
            if to_i != i or to_j != j:
                values[i, j], over = values[to_i, to_j], True
            else:
                values[i, j] = ends[i, j] if over else 0.0
            note_choices(i, j, attackers, defenders, after, book)
            note_late(i, j, attackers, defenders, book)
            if not over:
                values[i, j] = round_value(i, j, attackers, defenders, book) / (1.0 - still)
                if which == TO_THE_END:  # what depends on this value itself was left out so far
                    book[REPLIES][0][i, j, 0] = values[i, j]
                    book[KEPT][0][i, j, 0] += taken[REST, j, 0] * values[i, j]


@kernel(f"float64(int64, int64, {SIDE}, {SIDE}, float64[:, ::1], {BOOK})")
def first_value(i: int, j: int, attackers: Side, defenders: Side, ends: Chances, book: Book) -> float:
    """The value before the first round, in which nobody submerges or withdraws."""
    if attackers[0][i, UNITS] == 0 or defenders[0][j, UNITS] == 0:
        return float(ends[i, j])
    for place in range(i, len(attackers[0])):
        note_late(place, j, attackers, defenders, book)
    return round_value(i, j, attackers, defenders, book)


@kernel(f"void(int64, int64, float64, {SIDE}, {SIDE}, {BOOK}, float64[:, ::1])")
def walk_round(i: int, j: int, mass: float, attackers: Side, defenders: Side, book: Book, grid: Chances) -> None:
    """One round with the choices of the *book*: put *mass* where it leads."""
    attack, scored, defence, taken = attackers[0], attackers[1], defenders[0], defenders[1]
    opened = attack[i, SHOTS] > 0 or defence[j, SHOTS] > 0
    for kills in range(attack[i, SHOTS] + 1):
        other = defender_choice(i, j, kills, attackers, defenders, book)[0] if opened else j
        for hits in range(defence[j, SHOTS] + 1):
            chance = mass * scored[OPENING, i, kills] * taken[OPENING, j, hits]
            if chance == 0.0:
                continue
            place = attacker_choice(i, j, other, hits, attackers, defenders, book)[0] if opened else i
            firing, answering = i if attack[i, SCREEN] else place, j if defence[j, SCREEN] else other
            rows = book[LATE][1] if defence[j, SCREEN] and other != j else book[KEPT][1]
            for more in range(attack[firing, SHOTS + 1] + 1):
                to_j = rows[place, other, more]
                for further in range(defence[answering, SHOTS + 1] + 1):
                    to_i = book[REPLIES][1][place, to_j, further]
                    grid[to_i, to_j] += chance * scored[REST, firing, more] * taken[REST, answering, further]


@kernel(f"void({SIDE}, {SIDE}, float64[:, ::1], float64[:, ::1], int64, int64, {BOOK}, int64)")
def walk_battle(
    attackers: Side,
    defenders: Side,
    before: Chances,
    after: Chances,
    retreat: int,
    dives: int,
    book: Book,
    which: int,
) -> None:
    """One round with the choices of the *book*, from *before* to *after*; or all, where the two are one grid."""
    attack, defence, scored, taken = attackers[0], defenders[0], attackers[1], defenders[1]
    for j in range(len(defence)):
        reached = False
        for i in range(len(attack)):
            reached = reached or before[i, j] != 0.0
        for i in range(len(attack) if reached else 0):
            note_late(i, j, attackers, defenders, book)
        for i in range(len(attack)):
            mass, still = before[i, j], 0.0
            if mass == 0.0:
                continue
            if which != FIRST_ROUND:
                to_i, to_j = departure(i, j, attack, defence, retreat, dives)
                if to_i != i or to_j != j:
                    before[to_i, to_j] += mass
                    before[i, j] = 0.0
                    continue
            if which == TO_THE_END:
                still = standstill_chance(i, j, attack, defence, scored, taken, OPENING)
                still *= standstill_chance(i, j, attack, defence, scored, taken, REST)
            stays = attack[i, UNITS] > (0 if which == FIRST_ROUND else retreat) and defence[j, UNITS] > 0
            if not stays or still > STAND_OFF:
                if which != TO_THE_END:
                    after[i, j] += mass
                continue
            walk_round(i, j, mass / (1.0 - still), attackers, defenders, book, after)
            if which == TO_THE_END:
                after[i, j] = 0.0
