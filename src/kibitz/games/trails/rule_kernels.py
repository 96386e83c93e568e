"""Whole games between simple rule agents in compiled code: they trade one for one, accept what gains, move patiently.

They differ in what they send. Each kernel is the twin of a part in `agents/`, and games are those of the match loop.
"""

from typing import Any, TypeAlias

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.trails.kernels import (
    BYTE,
    GUARD,
    LANE,
    ONE,
    ZERO,
    Numbers,
    Word,
    Words,
    best_use,
    count,
    part_count,
    pays,
    subsets,
)

Tables: TypeAlias = tuple[Any, ...]
"""A board: gains, needs and bounds of what can be reached, needs and bounds of ways to the goal, neighbours, colours,
distances, and points for a chip; `PackedBoard.tables`."""
TABLES = (
    "Tuple((int64[::1], uint64[::1], int64[::1], uint64[::1], int64[::1], int64[:, ::1],"
    " int64[::1], int64[::1], int64))"
)

KEEPS, RENEGES, WHILE_DEPENDENT, DECEIVES = 0, 1, 2, 3
"""The senders."""
MOST_PARTS = 1 << 16
"""Parts of a promise that a sender looks at."""
LANES = 8
SEVEN = np.uint64(7)
DORMANCY_LIMIT, MOST_PROPOSALS = 3, 2
MOST_EVENTS = 2 * MOST_PROPOSALS + 2
"""Events of a round: offers, answers, an exchange, and steps."""


@kernel("uint64(uint64, uint64)")
def short(need: Word, chips: Word) -> Word:
    """What *chips* lack of *need*. Twin of `chips.short`."""
    less = (need | GUARD) - chips
    enough = less & GUARD
    return less & (enough - (enough >> SEVEN))


@kernel("uint64(uint64, uint64)")
def common(chips: Word, others: Word) -> Word:
    """What two sets of chips have in common. Twin of `chips.common`."""
    return chips - short(chips, others)


@kernel(f"boolean({TABLES}, int64, uint64)")
def independent(board: Tables, square: int, chips: Word) -> bool:
    """Whether *chips* pay a way to the goal. Twin of `Board.independent`."""
    goal_needs, goal_bounds = board[3], board[4]
    for entry in range(goal_bounds[square], goal_bounds[square + 1]):  # noqa: SIM110  (a kernel takes no generator)
        if pays(chips, goal_needs[entry]):
            return True
    return False


@kernel(f"int64({TABLES}, int64, uint64)")
def worth(board: Tables, square: int, chips: Word) -> int:
    """The best score from *square* with *chips*. Twin of `Board.best_use`."""
    return best_use(board[0], board[1], board[2], board[8], square, chips)


@kernel(f"uint64({TABLES}, int64, uint64, uint64)")
def needed_chips(board: Tables, square: int, chips: Word, others: Word) -> Word:
    """The chips of the way that lacks the fewest, of those that *others* can supply if any. Twin of `Side.need`."""
    goal_needs, goal_bounds = board[3], board[4]
    found, fewest = ZERO, -1
    anyway, fewest_anyway = ZERO, -1
    for entry in range(goal_bounds[square], goal_bounds[square + 1]):
        lacking = short(goal_needs[entry], chips)
        number = count(lacking)
        if fewest_anyway < 0 or number < fewest_anyway:
            anyway, fewest_anyway = goal_needs[entry], number
        if (fewest < 0 or number < fewest) and pays(others, lacking):
            found, fewest = goal_needs[entry], number
    return found if fewest >= 0 else anyway


@kernel("uint64(uint64, int64)")
def plentiful(chips: Word, number: int) -> Word:
    """So many of *chips*, one by one of the colour there are most of. Twin of `proposers.plentiful`."""
    left, chosen = chips, ZERO
    for _ in range(min(number, count(chips))):
        colour, most = 0, np.int64(-1)
        for lane in range(LANES):
            held = np.int64((left >> (LANE * np.uint64(lane))) & BYTE)
            if held > most:
                colour, most = lane, held
        one = ONE << (LANE * np.uint64(colour))
        left -= one
        chosen += one
    return chosen


@kernel(f"boolean({TABLES}, int64[::1], uint64[::1], int64, uint64[::1])")
def propose(board: Tables, squares: Numbers, held: Words, own: int, offer: Words) -> bool:
    """Write what *own* gives and asks for; whether it offers anything. Twin of `Trade.offers`."""
    other = 1 - own
    if independent(board, squares[own], held[own]):
        return False
    need = needed_chips(board, squares[own], held[own], held[other])
    asked = common(short(need, held[own]), held[other])
    if asked == ZERO:
        return False
    spare = short(held[own], need)
    theirs = short(needed_chips(board, squares[other], held[other], held[own]), held[other])
    wanted = common(spare, theirs)
    given = plentiful(wanted, count(asked))
    offer[0] = given + plentiful(spare - wanted, count(asked) - count(given))
    offer[1] = asked
    return True


@kernel(f"uint64({TABLES}, int64[::1], uint64[::1], int64, int64, uint64, uint64[::1])")
def sent_chips(
    board: Tables, squares: Numbers, held: Words, own: int, sender: int, promised: Word, parts: Words
) -> Word:
    """What *own* sends of its promise. Twin of the senders `Keeps`, `Reneges`, `KeepsWhileDependent` and `Deceives`."""
    other = 1 - own
    if sender == RENEGES:
        return ZERO
    if sender == WHILE_DEPENDENT:
        return ZERO if independent(board, squares[own], held[own]) else promised
    if sender == KEEPS or independent(board, squares[other], held[other]):
        return promised
    best, most = ZERO, -1
    for place in range(subsets(promised, parts) - 1, -1, -1):
        part = parts[place]
        if count(part) > most and not independent(board, squares[other], held[other] + part):
            best, most = part, count(part)
    return best


@kernel(f"int64({TABLES}, int64[::1], uint64[::1], int64, boolean)")
def step(board: Tables, squares: Numbers, held: Words, own: int, must_move: bool) -> int:
    """The step that *own* takes, 0 if it stays. Twin of `Patient.moves`."""
    neighbours, grid, distances = board[5], board[6], board[7]
    place = squares[own]
    if distances[place] == 0:
        return 0
    free = independent(board, place, held[own])
    if not free and not must_move:
        return 0
    here = worth(board, place, held[own])
    chosen, lowest = 0, np.int64(-1)
    for number in range(4):
        target = neighbours[place, number]
        if target < 0:
            continue
        paid = ONE << (LANE * np.uint64(grid[target]))
        if not pays(held[own], paid):
            continue
        left = held[own] - paid
        if free:
            if worth(board, target, left) >= here:
                return number + 1
            continue
        missing = count(short(needed_chips(board, target, left, held[1 - own]), left))
        back = 1 if distances[target] > distances[place] else 0
        rank = np.int64(back * 100_000 + missing)
        if lowest < 0 or rank < lowest:
            chosen, lowest = number + 1, rank
    return chosen


@kernel(f"boolean({TABLES}, int64[::1], uint64[::1])")
def both_independent(board: Tables, squares: Numbers, held: Words) -> bool:
    """Whether both can reach the goal. Twin of `State.all_independent`."""
    first = independent(board, squares[0], held[0])
    return first and independent(board, squares[1], held[1])


@kernel(f"int64({TABLES}, int64[::1], uint64[::1], int64[::1], uint64[::1], int64[::1], uint64[:, ::1])")
def play(
    board: Tables, starts: Numbers, dealt: Words, senders: Numbers, parts: Words, scores: Numbers, log: Any
) -> int:
    """Play a whole game by the default rules and write both scores; returns rounds + 1000 · deals.

    *log* gets two words for each event: what an offer gives and asks for, the answer, what both send, their steps.
    Where a promise has more parts than there is room for, which takes a huge board, or a game more events than that, it
    gives up and returns -1.
    """
    neighbours, grid, distances = board[5], board[6], board[7]
    squares, held = starts.copy(), dealt.copy()
    dormant = np.zeros(2, np.int64)
    offer = np.zeros(2, np.uint64)
    gifts = np.zeros(2, np.uint64)
    steps = np.zeros(2, np.int64)
    rounds = deals = events = 0
    while True:
        if events + MOST_EVENTS > len(log):
            return -1
        # 1. They make at most two offers, until one is accepted.
        proposer, agreed = rounds % 2, False
        for _ in range(MOST_PROPOSALS):
            offer[:] = ZERO
            offered = propose(board, squares, held, proposer, offer)
            log[events] = offer
            events += 1
            if offered:
                partner = 1 - proposer
                after = held[partner] - offer[1] + offer[0]
                now = worth(board, squares[partner], held[partner])
                agreed = worth(board, squares[partner], after) > now
                log[events] = ONE if agreed else ZERO
                events += 1
                if agreed:
                    break
            proposer = 1 - proposer
        # 2. Both send what they choose, at once.
        gifts[:] = ZERO
        if agreed:
            deals += 1
            for player in range(2):
                promised = offer[0] if player == proposer else offer[1]
                if part_count(promised) > len(parts):
                    return -1
                gifts[player] = sent_chips(board, squares, held, player, senders[player], promised, parts)
            for player in range(2):
                held[player] += gifts[1 - player] - gifts[player]
        log[events] = gifts
        events += 1
        if both_independent(board, squares, held):
            break
        # 3. Both move.
        for player in range(2):
            must = dormant[player] >= DORMANCY_LIMIT - 1
            steps[player] = step(board, squares, held, player, must)
            log[events, player] = np.uint64(steps[player])
        events += 1
        for player in range(2):
            if steps[player] > 0:
                squares[player] = neighbours[squares[player], steps[player] - 1]
                held[player] -= ONE << (LANE * np.uint64(grid[squares[player]]))
                dormant[player] = 0
            else:
                dormant[player] = 0 if distances[squares[player]] == 0 else dormant[player] + 1
        rounds += 1
        if both_independent(board, squares, held) or dormant.max() >= DORMANCY_LIMIT:
            break
    for player in range(2):
        scores[player] = worth(board, squares[player], held[player])
    return rounds + 1000 * deals
