"""Risk over rows of numbers (`words`): the twin of `rules.State`, all options included. States are changed in place."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.games.risk import phases
from kibitz.games.risk.board import WILD
from kibitz.games.risk.cards import FIXED, ITALIAN, MIXED, RISING, SET, WITH_WILD
from kibitz.games.risk.dice import MOST_DICE
from kibitz.games.risk.phases import (
    AMOUNTS,
    ATTACK,
    CAPITAL,
    CONQUER,
    DEAL,
    DEFEND,
    DICE,
    DRAFT,
    DRAW,
    END_ATTACK,
    OVER,
    PLACE,
    RETREAT,
    ROLL,
    SETUP,
    SPOILS,
    STAY,
    TRADE,
)
from kibitz.games.risk.rules import MUST_TRADE, MUST_TRADE_SPOILS
from kibitz.games.risk.words import (
    ANY_BLOW,
    ANY_SLOT,
    ARMIES_AT_START,
    AT_END,
    BONUS_AT,
    BORDERS_AT,
    CAPITALS_CHOSEN,
    CAPTURED,
    CARDS,
    CONTINENTS,
    COPIES_AT,
    DEALT,
    DEFENCE,
    DEFENDED,
    FIRST,
    FORTIFY,
    LEFT_TO_DRAW,
    MEMBERS_AT,
    MISSION_WORDS,
    MISSIONS,
    MISSIONS_AT,
    MISSIONS_DEALT,
    MODE,
    MOVER,
    NONE,
    ORIGIN,
    OWNERS,
    PHASE,
    PLAYERS,
    RECYCLE,
    ROLLED,
    SHOWN,
    SHOWN_CARDS,
    SYMBOL_AT,
    TARGET,
    TERRITORIES,
    TO_PLACE,
    TRADED,
    WANTED,
)

Words = NDArray[np.int64]
DOMINATION, MISSION_MODE, CAPITAL_MODE = 0, 1, 2
INCREASING, ITALIAN_RULE = 0, 2
ADJACENT, UNLIMITED = 0, 2
FIXED_WORTH = np.array([FIXED[symbol] for symbol in range(4)])
ITALIAN_WORTH = np.array([ITALIAN[symbol] for symbol in range(3)])
RISING_WORTH = np.array(RISING)


# Where things are.


@kernel("int64(int64[::1])")
def armies_at(game: Words) -> int:
    """Where the armies begin. Twin of `words.armies_at`, as those below."""
    return int(OWNERS + game[TERRITORIES])


@kernel("int64(int64[::1], int64)")
def hand_at(game: Words, player: int) -> int:
    """Where the hand of a player begins."""
    return int(OWNERS + 2 * game[TERRITORIES] + player * (game[TERRITORIES] + 2))


@kernel("int64(int64[::1])")
def discards_at(game: Words) -> int:
    """Where the discards begin."""
    return hand_at(game, game[PLAYERS])


@kernel("int64(int64[::1])")
def missions_at(game: Words) -> int:
    """Where the missions begin; capitals and destroyers follow."""
    return int(discards_at(game) + game[TERRITORIES] + 1)


@kernel("int64(int64[::1])")
def settled_at(game: Words) -> int:
    """Where the territories begin that armies have marched to."""
    return int(missions_at(game) + 3 * game[PLAYERS])


@kernel("int64(int64[::1])")
def counts_at(game: Words) -> int:
    """Where the numbers of everybody's territories begin, and behind them of his cards."""
    return int(settled_at(game) + game[TERRITORIES])


@kernel("int64(int64[::1], int64[::1], int64)")
def owned(game: Words, state: Words, player: int) -> int:
    """How many territories a player has."""
    return int(state[counts_at(game) + player])


@kernel("int64(int64[::1], int64[::1], int64)")
def hand_size(game: Words, state: Words, player: int) -> int:
    """How many cards a player has."""
    return int(state[counts_at(game) + game[PLAYERS] + player])


@kernel("int64(int64[::1], int64[::1], int64)")
def unseen(game: Words, state: Words, card: int) -> int:
    """How many of a kind of card are nowhere to be seen. Twin of `State.unseen`."""
    left = game[game[COPIES_AT] + card] - state[discards_at(game) + card]
    for place in range(SHOWN_CARDS, SHOWN_CARDS + state[SHOWN]):
        left -= state[place] == card
    for player in range(game[PLAYERS]):
        left -= state[hand_at(game, player) + card]
    return int(left)


@kernel("boolean(int64[::1], int64[::1], int64, int64)")
def holds(game: Words, state: Words, continent: int, player: int) -> bool:
    """Whether a player has all of a continent."""
    at = game[MEMBERS_AT]
    members = at + game[CONTINENTS] + 1
    for number in range(game[at + continent], game[at + continent + 1]):
        if state[OWNERS + game[members + number]] != player:
            return False
    return True


# Cards.


@kernel("int64(int64, int64, int64, int64, int64)")
def worth(rule: int, one: int, two: int, three: int, traded: int) -> int:
    """Armies for a set. Twin of `cards.worth`."""
    wilds = (one == WILD) + (two == WILD) + (three == WILD)
    plain = one if one != WILD else two if two != WILD else three
    alike = (one in (plain, WILD)) and (two in (plain, WILD)) and (three in (plain, WILD))
    if wilds == 0 and not alike and (one in (two, three) or two == three):
        return 0
    if rule == INCREASING:
        rising = len(RISING_WORTH)
        return RISING_WORTH[traded] if traded < rising else RISING_WORTH[-1] + 5 * (traded - rising + 1)  # type: ignore[no-any-return]
    if rule == ITALIAN_RULE:
        if wilds:
            return WITH_WILD if wilds == 1 and alike else 0
        return ITALIAN_WORTH[plain] if alike else MIXED
    if wilds == SET:
        return FIXED_WORTH[WILD]  # type: ignore[no-any-return]
    return FIXED_WORTH[plain] if alike and wilds < 2 else MIXED


@kernel("boolean(int64[::1], int64[::1], int64, int64[::1])")
def begins_set(game: Words, state: Words, symbol: int, held: Words) -> bool:
    """Whether the cards shown and one of *symbol* can be made a set of those *held*. Twin of `cards.begins_set`."""
    rule, shown, at = game[CARDS], state[SHOWN], game[SYMBOL_AT]
    if shown == 2:
        return worth(rule, game[at + state[SHOWN_CARDS]], game[at + state[SHOWN_CARDS + 1]], symbol, 0) > 0
    for one in range(4):
        if not held[one]:
            continue
        if shown == 1:
            if worth(rule, game[at + state[SHOWN_CARDS]], symbol, one, 0):
                return True
            continue
        for other in range(one, 4):
            if held[other] >= 1 + (one == other) and worth(rule, symbol, one, other, 0):
                return True
    return False


@kernel("boolean(int64[::1], int64[::1])")
def must_trade(game: Words, state: Words) -> bool:
    """Whether the mover may not keep his cards. Twin of `State.must_trade`."""
    if game[CARDS] == ITALIAN_RULE:
        return False
    return bool(state[PHASE] == SPOILS or hand_size(game, state, state[MOVER]) >= MUST_TRADE)


@kernel("boolean(int64[::1], int64[::1], int64)")
def can_trade(game: Words, state: Words, card: int) -> bool:
    """Whether the mover may put down a card, or keep all. Twin of `State.trades`."""
    count, hand = game[TERRITORIES], hand_at(game, state[MOVER])
    if card == count + 1:
        return bool(state[SHOWN] == 0 and not must_trade(game, state))
    hidden = state[hand + count + 1] > 0
    if card < 0 or card > count or not (state[hand + card] or (hidden and unseen(game, state, card))):
        return False
    held = np.zeros(4, np.int64)
    for each in range(count + 1):
        held[game[game[SYMBOL_AT] + each]] += state[hand + each] + (unseen(game, state, each) if hidden else 0)
    symbol = game[game[SYMBOL_AT] + card]
    held[symbol] -= 1
    return begins_set(game, state, symbol, held)


# Winning.


@kernel("boolean(int64[::1], int64[::1], int64)")
def fulfilled(game: Words, state: Words, mission: int) -> bool:
    """Whether the mover has done what a mission asks. Twin of `missions.fulfilled`."""
    at, player, count = game[MISSIONS_AT] + MISSION_WORDS * mission, state[MOVER], game[TERRITORIES]
    victim = game[at]
    if victim not in (NONE, player):
        destroyer = state[missions_at(game) + 2 * game[PLAYERS] + victim]
        if destroyer == NONE:
            return False
        if game[ANY_BLOW] or destroyer == player:
            return True
    if 0 < game[at + 1] <= owned(game, state, player):
        held = 0
        for place in range(OWNERS, OWNERS + count):
            held += state[place] == player and state[place + count] >= game[at + 2]
        if held >= game[at + 1]:
            return True
    if not game[at + 7]:
        return False
    for slot in range(at + 3, at + 6):
        if game[slot] not in (NONE, ANY_SLOT) and not holds(game, state, game[slot], player):
            return False
    if game[at + 6] == 0:
        return True
    continents = 0
    for continent in range(game[CONTINENTS]):
        continents += holds(game, state, continent, player)
    return bool(continents >= game[at + 6])


@kernel("boolean(int64[::1], int64[::1])")
def won(game: Words, state: Words) -> bool:
    """Whether the mover has done what the mode asks. Twin of `State.won`."""
    player = state[MOVER]
    if owned(game, state, player) >= game[WANTED]:
        return True
    if game[MODE] == CAPITAL_MODE:
        start = missions_at(game) + game[PLAYERS]
        held = 0
        for place in range(start, start + game[PLAYERS]):
            held += state[OWNERS + state[place]] == player
        return bool(held == game[PLAYERS])
    if game[MODE] != MISSION_MODE:
        return False
    mission = state[missions_at(game) + player]
    return mission != NONE and fulfilled(game, state, mission)


@kernel("boolean(int64[::1], int64[::1], boolean)")
def end_if_won(game: Words, state: Words, at_end: bool) -> bool:
    """Let the game be over if the mover has won. Twin of `State.end_if_won`."""
    looked_at = at_end or not game[AT_END] or owned(game, state, state[MOVER]) == game[TERRITORIES]
    if looked_at and won(game, state):
        state[PHASE], state[TO_PLACE] = OVER, 0
        return True
    return False


# What happens.


@kernel("int64(int64[::1], int64[::1], int64)")
def start_turn(game: Words, state: Words, player: int) -> int:
    """Twin of `State.start_turn` and `State.reinforcements`."""
    state[MOVER], state[FIRST], state[CAPTURED] = player, 0, 0
    if game[FORTIFY] == UNLIMITED:
        start = settled_at(game)
        state[start : start + game[TERRITORIES]] = 0
    armies = max(3, owned(game, state, player) // 3)
    for continent in range(game[CONTINENTS]):
        if holds(game, state, continent, player):
            armies += game[game[BONUS_AT] + continent]
    state[TO_PLACE] = armies
    state[PHASE] = TRADE if hand_size(game, state, player) >= SET else PLACE
    return 0


@kernel("int64(int64[::1], int64[::1])")
def next_turn(game: Words, state: Words) -> int:
    """Twin of `State.next_turn`."""
    following = (state[MOVER] + 1) % game[PLAYERS]
    while owned(game, state, following) == 0:
        following = (following + 1) % game[PLAYERS]
    return start_turn(game, state, following)


@kernel("int64(int64[::1], int64[::1])")
def reshuffle(game: Words, state: Words) -> int:
    """Twin of `State.reshuffle`."""
    if game[RECYCLE] and state[LEFT_TO_DRAW] == 0:
        for place in range(discards_at(game), missions_at(game)):
            state[LEFT_TO_DRAW] += state[place]
            state[place] = 0
    return 0


@kernel("int64(int64[::1], int64[::1])")
def end_turn(game: Words, state: Words) -> int:
    """Twin of `State.end_turn`."""
    if end_if_won(game, state, True):
        return 0
    reshuffle(game, state)
    if state[CAPTURED] and state[LEFT_TO_DRAW] > 0:
        state[PHASE] = DRAW
        return 0
    return next_turn(game, state)


@kernel("int64(int64[::1], int64[::1])")
def end_setup(game: Words, state: Words) -> int:
    """Twin of `State.end_setup`."""
    start, total = armies_at(game), 0
    for place in range(start, start + game[TERRITORIES]):
        total += state[place]
    if total == game[ARMIES_AT_START] * game[PLAYERS]:
        if game[MODE] == CAPITAL_MODE:
            state[PHASE] = CAPITAL
        else:
            start_turn(game, state, state[MOVER])
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def settle(game: Words, state: Words, place: int) -> int:
    """Twin of `State.settle`."""
    state[OWNERS + place], state[armies_at(game) + place] = state[MOVER], 1
    state[counts_at(game) + state[MOVER]] += 1
    state[MOVER] = (state[MOVER] + 1) % game[PLAYERS]
    settled = 0
    for player in range(game[PLAYERS]):
        settled += owned(game, state, player)
    if settled < game[TERRITORIES]:
        return 0
    state[PHASE] = SETUP
    return end_setup(game, state)


@kernel("int64(int64[::1], int64[::1], int64)")
def choose_capital(game: Words, state: Words, place: int) -> int:
    """Twin of `State.choose_capital`: capitals stand in the order they were chosen until all are."""
    players = game[PLAYERS]
    start = missions_at(game) + players
    state[start + state[CAPITALS_CHOSEN]] = place
    state[CAPITALS_CHOSEN] += 1
    state[MOVER] = (state[MOVER] + 1) % players
    if state[CAPITALS_CHOSEN] == players:
        chosen = state[start : start + players].copy()
        for turn in range(players):
            state[start + (state[FIRST] + turn) % players] = chosen[turn]
        start_turn(game, state, state[MOVER])
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def trade(game: Words, state: Words, card: int) -> int:
    """Twin of `State.trade` and `State.trade_in`."""
    count, hand = game[TERRITORIES], hand_at(game, state[MOVER])
    if card > count:
        state[PHASE] = PLACE
        return 0
    state[hand + (card if state[hand + card] else count + 1)] -= 1
    state[counts_at(game) + game[PLAYERS] + state[MOVER]] -= 1
    state[SHOWN_CARDS + state[SHOWN]] = card
    state[SHOWN] += 1
    if state[SHOWN] < SET:
        return 0
    at, shown = game[SYMBOL_AT], state[SHOWN_CARDS : SHOWN_CARDS + SET]
    symbols = game[at + shown[0]], game[at + shown[1]], game[at + shown[2]]
    state[TO_PLACE] += worth(game[CARDS], *symbols, state[TRADED])
    for each in shown:
        if each < count and state[OWNERS + each] == state[MOVER]:
            state[OWNERS + count + each] += 2
            break
    for each in shown:
        state[discards_at(game) + each] += 1
    state[SHOWN] = 0
    state[TRADED] += game[CARDS] == INCREASING
    enough = MUST_TRADE if state[PHASE] == SPOILS else SET
    if hand_size(game, state, state[MOVER]) < enough:
        state[PHASE] = PLACE
    return 0


@kernel("int64(int64[::1])")
def end_battle(state: Words) -> int:
    """Twin of `State.end_battle`."""
    state[ORIGIN], state[TARGET], state[ROLLED], state[DEFENDED], state[PHASE] = NONE, NONE, 0, 0, ATTACK
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def move_in(game: Words, state: Words, count: int) -> int:
    """Twin of `State.move_in`."""
    armies = armies_at(game)
    state[armies + state[ORIGIN]] -= count
    state[armies + state[TARGET]] += count
    end_battle(state)
    if not end_if_won(game, state, False):
        many = hand_size(game, state, state[MOVER]) >= MUST_TRADE_SPOILS
        if many and game[CARDS] != ITALIAN_RULE:
            state[PHASE] = SPOILS
    return 0


@kernel("int64(int64[::1], int64[::1])")
def capture(game: Words, state: Words) -> int:
    """Twin of `State.capture`."""
    mover, target = state[MOVER], state[TARGET]
    loser = state[OWNERS + target]
    state[OWNERS + target], state[CAPTURED] = mover, 1
    counts = counts_at(game)
    state[counts + mover] += 1
    state[counts + loser] -= 1
    if state[counts + loser] == 0:
        counts += game[PLAYERS]
        state[counts + mover] += state[counts + loser]
        state[counts + loser] = 0
        own, other = hand_at(game, mover), hand_at(game, loser)
        for card in range(game[TERRITORIES] + 2):
            state[own + card] += state[other + card]
            state[other + card] = 0
        if game[MODE] == MISSION_MODE:
            state[missions_at(game) + 2 * game[PLAYERS] + loser] = mover
    state[PHASE] = CONQUER
    if state[ROLLED] == state[armies_at(game) + state[ORIGIN]] - 1:
        move_in(game, state, state[ROLLED])
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def fight(game: Words, state: Words, lost: int) -> int:
    """Twin of `State.fight`."""
    origin, target = armies_at(game) + state[ORIGIN], armies_at(game) + state[TARGET]
    state[target] -= lost
    state[origin] -= min(state[ROLLED], state[DEFENDED]) - lost
    if state[target] == 0:
        capture(game, state)
    elif state[origin] == 1:
        end_battle(state)
    else:
        state[PHASE], state[ROLLED], state[DEFENDED] = ROLL, 0, 0
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def march(game: Words, state: Words, action: int) -> int:
    """Twin of `State.march`."""
    if action != STAY:
        way, count = action // AMOUNTS - 1, action % AMOUNTS
        origin, to = way // game[TERRITORIES], way % game[TERRITORIES]
        state[armies_at(game) + origin] -= count
        state[armies_at(game) + to] += count
        if end_if_won(game, state, False):
            return 0
        if game[FORTIFY] == UNLIMITED:
            state[settled_at(game) + to] = 1
            return 0
    return end_turn(game, state)


@kernel("int64(int64[::1], int64[::1], int64)")
def play(game: Words, state: Words, action: int) -> int:
    """Play a legal action in place; return the phase after it. Twin of `State.apply_action`."""
    phase = state[PHASE]
    if phase == DICE:
        fight(game, state, action)
    elif phase == ROLL:
        if action == RETREAT:
            end_battle(state)
        else:
            state[ROLLED], state[DEFENDED] = action, 1
            state[PHASE] = DEFEND if state[armies_at(game) + state[TARGET]] > 1 else DICE
    elif phase == DEFEND:
        state[DEFENDED], state[PHASE] = action, DICE
    elif phase == ATTACK:
        if action == END_ATTACK:
            state[PHASE] = phases.FORTIFY
        else:
            state[ORIGIN], state[TARGET] = (action - 1) // game[TERRITORIES], (action - 1) % game[TERRITORIES]
            state[PHASE] = ROLL
    elif phase == CONQUER:
        move_in(game, state, action)
    elif phase == PLACE:
        state[armies_at(game) + action // AMOUNTS] += action % AMOUNTS
        state[TO_PLACE] -= action % AMOUNTS
        if not end_if_won(game, state, False) and state[TO_PLACE] == 0:
            state[PHASE] = ATTACK
    elif phase == phases.FORTIFY:
        march(game, state, action)
    elif phase in (TRADE, SPOILS):
        trade(game, state, action)
    elif phase == SETUP:
        state[armies_at(game) + action] += 1
        state[MOVER] = (state[MOVER] + 1) % game[PLAYERS]
        end_setup(game, state)
    elif phase in (DEAL, DRAFT):
        settle(game, state, action)
    elif phase == DRAW:
        state[hand_at(game, state[MOVER]) + action] += 1
        state[counts_at(game) + game[PLAYERS] + state[MOVER]] += 1
        state[LEFT_TO_DRAW] -= 1
        reshuffle(game, state)
        next_turn(game, state)
    elif phase == phases.FIRST:
        state[FIRST] = state[MOVER] = action
        settling = DEAL if game[DEALT] else DRAFT
        state[PHASE] = phases.MISSION if game[MODE] == MISSION_MODE else settling
    elif phase == phases.MISSION:
        state[missions_at(game) + state[MISSIONS_DEALT]] = action
        state[MISSIONS_DEALT] += 1
        if state[MISSIONS_DEALT] == game[PLAYERS]:
            state[PHASE] = DEAL if game[DEALT] else DRAFT
    else:
        choose_capital(game, state, action)
    return int(state[PHASE])


# What is legal.


@kernel("int64(int64[::1], int64[::1], int64, uint8[::1])")
def reachable(game: Words, state: Words, origin: int, found: NDArray[np.uint8]) -> int:
    """Mark where armies of the mover may march to. Twin of `State.reachable`."""
    count, borders, mover = game[TERRITORIES], game[BORDERS_AT], state[MOVER]
    found[:] = 0
    found[origin] = 1
    waiting = np.empty(count, np.int64)
    waiting[0], taken, added = origin, 0, 1
    while taken < added:
        place = waiting[taken]
        taken += 1
        for way in range(game[borders + place], game[borders + place + 1]):
            to = game[borders + count + 1 + way]
            if state[OWNERS + to] == mover and not found[to]:
                found[to] = 1
                if game[FORTIFY] != ADJACENT:
                    waiting[added] = to
                    added += 1
    found[origin] = 0
    return 0


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def legal_marches(game: Words, state: Words, out: NDArray[np.int64]) -> int:
    """Twin of `State.marches`."""
    count = game[TERRITORIES]
    out[0, 0], out[0, 1], found = STAY, STAY + 1, 1
    near = np.empty(count, np.uint8)
    for origin in range(count):
        armies = state[OWNERS + count + origin]
        if state[OWNERS + origin] != state[MOVER] or armies < 2 or state[settled_at(game) + origin]:
            continue
        reachable(game, state, origin, near)
        for to in range(count):
            if near[to]:
                start = (1 + origin * count + to) * AMOUNTS
                out[found, 0], out[found, 1] = start + 1, start + armies
                found += 1
    return found


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def legal_attacks(game: Words, state: Words, out: NDArray[np.int64]) -> int:
    """Twin of `State.attacks`."""
    count, borders = game[TERRITORIES], game[BORDERS_AT]
    out[0, 0], out[0, 1], found = END_ATTACK, END_ATTACK + 1, 1
    for origin in range(count):
        if state[OWNERS + origin] == state[MOVER] and state[OWNERS + count + origin] > 1:
            for way in range(game[borders + origin], game[borders + origin + 1]):
                to = game[borders + count + 1 + way]
                if state[OWNERS + to] != state[MOVER]:
                    out[found, 0] = 1 + origin * count + to
                    out[found, 1] = out[found, 0] + 1
                    found += 1
    return found


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def legal(game: Words, state: Words, out: NDArray[np.int64]) -> int:
    """Write ranges of legal actions, sorted; return how many there are. Twin of `State.legal_actions`."""
    phase, count = state[PHASE], game[TERRITORIES]
    if phase == ATTACK:
        return legal_attacks(game, state, out)
    if phase == phases.FORTIFY:
        return legal_marches(game, state, out)
    found = 0
    if phase == ROLL:
        out[0, 0], out[0, 1], found = RETREAT, 1 + min(MOST_DICE, state[armies_at(game) + state[ORIGIN]] - 1), 1
    elif phase == DEFEND:
        out[0, 0], out[0, 1], found = 1, 1 + min(game[DEFENCE], state[armies_at(game) + state[TARGET]]), 1
    elif phase == CONQUER:
        out[0, 0], out[0, 1], found = state[ROLLED], state[armies_at(game) + state[ORIGIN]], 1
    elif phase == PLACE:
        for place in range(count):
            if state[OWNERS + place] == state[MOVER]:
                out[found, 0], out[found, 1] = place * AMOUNTS + 1, place * AMOUNTS + 1 + state[TO_PLACE]
                found += 1
    elif phase in (TRADE, SPOILS):
        for card in range(count + 2):
            if can_trade(game, state, card):
                out[found, 0], out[found, 1] = card, card + 1
                found += 1
    elif phase in (SETUP, DRAFT, CAPITAL):
        wanted = NONE if phase == DRAFT else state[MOVER]
        for place in range(count):
            if state[OWNERS + place] == wanted:
                out[found, 0], out[found, 1] = place, place + 1
                found += 1
    return found


@kernel("boolean(int64[::1], int64, int64)")
def borders_on(game: Words, origin: int, to: int) -> bool:
    """Whether one may attack one territory from another."""
    at = game[BORDERS_AT]
    for way in range(game[at + origin], game[at + origin + 1]):  # noqa: SIM110  (kernels have no generators)
        if game[at + game[TERRITORIES] + 1 + way] == to:
            return True
    return False


@kernel("boolean(int64[::1], int64[::1], int64, int64, int64)")
def can_march(game: Words, state: Words, origin: int, to: int, armies: int) -> bool:
    """Whether so many armies of the mover may go from one territory to another at the end of his turn."""
    count = game[TERRITORIES]
    if not (0 <= origin < count and 0 <= to < count and origin != to and armies >= 1):
        return False
    if state[OWNERS + origin] != state[MOVER] or state[OWNERS + to] != state[MOVER]:
        return False
    if armies >= state[OWNERS + count + origin] or state[settled_at(game) + origin]:
        return False
    if game[FORTIFY] == ADJACENT:
        return borders_on(game, origin, to)
    near = np.empty(count, np.uint8)
    reachable(game, state, origin, near)
    return bool(near[to])


@kernel("boolean(int64[::1], int64[::1], int64)")
def may_happen(game: Words, state: Words, action: int) -> bool:
    """Whether chance may draw *action*. Twin of `action in State.chance_outcomes`."""
    phase = state[PHASE]
    if phase == DICE:
        return bool(0 <= action <= min(state[ROLLED], state[DEFENDED]))
    if phase == phases.FIRST:
        return bool(0 <= action < game[PLAYERS])
    if phase == phases.MISSION:
        for place in range(missions_at(game), missions_at(game) + state[MISSIONS_DEALT]):
            if state[place] == action:
                return False
        return bool(0 <= action < game[MISSIONS])
    if phase == DRAW:
        return bool(0 <= action <= game[TERRITORIES] and unseen(game, state, action) > 0)
    return bool(0 <= action < game[TERRITORIES] and state[OWNERS + action] == NONE)


@kernel("boolean(int64[::1], int64[::1], int64)")
def is_legal(game: Words, state: Words, action: int) -> bool:
    """Whether the mover, or chance, may do this. Twin of `action in State.legal_actions`."""
    phase, count, mover = state[PHASE], game[TERRITORIES], state[MOVER]
    if phase in (DICE, DRAW, DEAL, phases.FIRST, phases.MISSION):
        return may_happen(game, state, action)
    if phase == ROLL:
        return bool(RETREAT <= action <= min(MOST_DICE, state[armies_at(game) + state[ORIGIN]] - 1))
    if phase == DEFEND:
        return bool(1 <= action <= min(game[DEFENCE], state[armies_at(game) + state[TARGET]]))
    if phase == CONQUER:
        return bool(state[ROLLED] <= action < state[armies_at(game) + state[ORIGIN]])
    if phase in (TRADE, SPOILS):
        return can_trade(game, state, action)
    if phase in (SETUP, CAPITAL, DRAFT):
        return bool(0 <= action < count and state[OWNERS + action] == (NONE if phase == DRAFT else mover))
    if action < 0 or phase == OVER:
        return False
    if phase == PLACE:
        place, armies = action // AMOUNTS, action % AMOUNTS
        return bool(place < count and state[OWNERS + place] == mover and 1 <= armies <= state[TO_PLACE])
    if action == END_ATTACK:  # which is also STAY
        return True
    way = action - 1 if phase == ATTACK else action // AMOUNTS - 1
    origin, to = way // count, way % count
    if phase == phases.FORTIFY:
        return can_march(game, state, origin, to, action % AMOUNTS)
    if origin >= count or state[OWNERS + origin] != mover or state[OWNERS + to] == mover:
        return False
    return bool(state[OWNERS + count + origin] > 1 and borders_on(game, origin, to))
