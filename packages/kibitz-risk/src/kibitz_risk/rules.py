"""The rules of Risk for two to six: setup, reinforcing, attacking, fortifying, turns, and when a game is won.

A turn is trading cards, placing armies, attacks with dice, and marches at its end. Every choice is an action of its
own, in the phase it belongs to (`phases`); a step without a choice is made for the player, as a conquest move of which
only one size is legal. These functions run plain on a `Position`, or compiled on its row.
"""

from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import zeros
from kibitz_risk import phases
from kibitz_risk.cards import MUST_TRADE, MUST_TRADE_SPOILS, SET, set_value
from kibitz_risk.options import CAPITALS, INCREASING, ITALIAN, MISSIONS, UNLIMITED, Setting, Task
from kibitz_risk.position import NOBODY, Position


@kernel
def holds(game: Setting, position: Position, continent: int, player: int) -> bool:
    """Whether a player has all territories of a continent."""
    for place in game.members[continent]:  # noqa: SIM110  (kernels have no generators)
        if position.owners[place] != player:
            return False
    return True


@kernel
def is_fulfilled(game: Setting, position: Position, player: int, task: Task) -> bool:
    """Whether a player has done what a mission asks."""
    if task.victim not in (NOBODY, player):
        destroyer = position.destroyers[task.victim]
        if destroyer == NOBODY:
            return False
        if game.any_blow or destroyer == player:
            return True
    if 0 < task.territories <= position.holdings[player]:
        count = 0
        for place in range(game.territories):
            count += position.owners[place] == player and position.armies[place] >= task.armies
        if count >= task.territories:
            return True
    return bool(task.asks_continents) and holds_continents(game, position, player, task)


@kernel
def holds_continents(game: Setting, position: Position, player: int, task: Task) -> bool:
    """Whether a player has the continents of a mission, and as many as it asks for."""
    for continent in task.continents:
        if continent >= 0 and not holds(game, position, continent, player):
            return False
    count = 0
    for continent in range(game.continents if task.least_continents else 0):
        count += holds(game, position, continent, player)
    return count >= task.least_continents


@kernel
def has_won(game: Setting, position: Position) -> bool:
    """Whether the mover has done what the mode asks."""
    player = position.mover
    if position.holdings[player] >= game.territories_to_win:
        return True
    if game.mode == CAPITALS:
        for place in position.capitals:  # noqa: SIM110
            if position.owners[place] != player:
                return False
        return True
    if game.mode != MISSIONS or position.missions[player] == NOBODY:
        return False
    return is_fulfilled(game, position, player, game.missions[position.missions[player]])


@kernel
def end_if_won(game: Setting, position: Position, is_turn_end: bool) -> bool:
    """End the game if the mover has won; some games end only with a turn, or when one player has everything."""
    if game.at_turn_end and not is_turn_end and position.holdings[position.mover] < game.territories:
        return False
    if not has_won(game, position):
        return False
    position.phase, position.to_place = phases.OVER, 0
    return True


@kernel
def begin(game: Setting, position: Position, player: int) -> None:
    """Make *player* the first."""
    position.first = position.mover = player
    position.phase = phases.MISSION if game.mode == MISSIONS else settling_phase(game)


@kernel
def settling_phase(game: Setting) -> int:
    return phases.DEAL if game.is_dealt else phases.DRAFT


@kernel
def deal_mission(game: Setting, position: Position, mission: int) -> None:
    position.missions[position.missions_dealt] = mission
    position.missions_dealt += 1
    if position.missions_dealt == game.players:
        position.phase = settling_phase(game)


@kernel
def settle(game: Setting, position: Position, place: int) -> None:
    """Give a territory its first owner."""
    mover = position.mover
    position.owners[place], position.armies[place] = mover, 1
    position.holdings[mover] += 1
    position.mover = (mover + 1) % game.players
    settled = 0
    for count in position.holdings:
        settled += count
    if settled == game.territories:
        position.phase = phases.SETUP
        end_setup(game, position)


@kernel
def set_up(game: Setting, position: Position, place: int) -> None:
    position.armies[place] += 1
    position.mover = (position.mover + 1) % game.players
    end_setup(game, position)


@kernel
def end_setup(game: Setting, position: Position) -> None:
    """Go on to the first turn once all armies stand."""
    total = 0
    for count in position.armies:
        total += count
    if total == game.start_armies * game.players:
        if game.mode == CAPITALS:
            position.phase = phases.CAPITAL
        else:
            start_turn(game, position, position.mover)


@kernel
def choose_capital(game: Setting, position: Position, place: int) -> None:
    """Capitals stand in the order they are chosen until all are."""
    position.capitals[position.capitals_chosen] = place
    position.capitals_chosen += 1
    position.mover = (position.mover + 1) % game.players
    if position.capitals_chosen == game.players:
        chosen = zeros(game.players)
        for turn in range(game.players):
            chosen[(position.first + turn) % game.players] = position.capitals[turn]
        for player in range(game.players):
            position.capitals[player] = chosen[player]
        start_turn(game, position, position.mover)


@kernel
def start_turn(game: Setting, position: Position, player: int) -> None:
    """Begin a turn: count the reinforcements, and trade cards if the player can."""
    position.mover, position.first, position.captured = player, 0, 0
    if game.fortify == UNLIMITED:
        for place in range(game.territories):
            position.settled[place] = 0
    armies = max(3, position.holdings[player] // 3)
    for continent in range(game.continents):
        if holds(game, position, continent, player):
            armies += game.bonuses[continent]
    position.to_place = armies
    position.phase = phases.TRADE if position.hand_sizes[player] >= SET else phases.PLACE


@kernel
def end_turn(game: Setting, position: Position) -> None:
    """Draw a card for a turn with a conquest, if there is one."""
    if end_if_won(game, position, True):
        return
    reshuffle(game, position)
    if position.captured and position.left_to_draw > 0:
        position.phase = phases.DRAW
    else:
        next_turn(game, position)


@kernel
def draw(game: Setting, position: Position, card: int) -> None:
    position.hands[position.mover][card] += 1
    position.hand_sizes[position.mover] += 1
    position.left_to_draw -= 1
    reshuffle(game, position)
    next_turn(game, position)


@kernel
def next_turn(game: Setting, position: Position) -> None:
    following = (position.mover + 1) % game.players
    while position.holdings[following] == 0:
        following = (following + 1) % game.players
    start_turn(game, position, following)


@kernel
def place_armies(game: Setting, position: Position, action: int) -> None:
    position.armies[action // phases.AMOUNTS] += action % phases.AMOUNTS
    position.to_place -= action % phases.AMOUNTS
    if not end_if_won(game, position, False) and position.to_place == 0:
        position.phase = phases.ATTACK


@kernel
def attack(game: Setting, position: Position, action: int) -> None:
    if action == phases.END_ATTACK:
        position.phase = phases.FORTIFY
    else:
        position.origin, position.target = (action - 1) // game.territories, (action - 1) % game.territories
        position.phase = phases.ROLL


@kernel
def roll(position: Position, dice: int) -> None:
    if dice == phases.RETREAT:
        end_battle(position)
    else:
        position.rolled, position.defended = dice, 1
        position.phase = phases.DEFEND if position.armies[position.target] > 1 else phases.DICE


@kernel
def fight(game: Setting, position: Position, lost: int) -> None:
    """Remove the armies that dice cost; where the defender has none left, the territory changes hands."""
    armies, origin, target = position.armies, position.origin, position.target
    armies[target] -= lost
    armies[origin] -= min(position.rolled, position.defended) - lost
    if armies[target] == 0:
        capture(game, position)
    elif armies[origin] == 1:
        end_battle(position)
    else:
        position.phase, position.rolled, position.defended = phases.ROLL, 0, 0


@kernel
def capture(game: Setting, position: Position) -> None:
    mover, loser = position.mover, position.owners[position.target]
    position.owners[position.target], position.captured = mover, 1
    position.holdings[mover] += 1
    position.holdings[loser] -= 1
    if position.holdings[loser] == 0:
        pass_hand(position, loser, mover)
        if game.mode == MISSIONS:
            position.destroyers[loser] = mover
    position.phase = phases.CONQUER
    if position.rolled == position.armies[position.origin] - 1:
        move_in(game, position, position.rolled)


@kernel
def move_in(game: Setting, position: Position, count: int) -> None:
    """Move armies into the conquered territory."""
    position.armies[position.origin] -= count
    position.armies[position.target] += count
    end_battle(position)
    if end_if_won(game, position, False):
        return
    if position.hand_sizes[position.mover] >= MUST_TRADE_SPOILS and game.cards != ITALIAN:
        position.phase = phases.SPOILS


@kernel
def end_battle(position: Position) -> None:
    position.origin = position.target = NOBODY
    position.rolled = position.defended = 0
    position.phase = phases.ATTACK


@kernel
def march(game: Setting, position: Position, action: int) -> None:
    """Make a move at the end of a turn."""
    if action != phases.STAY:
        way, count = action // phases.AMOUNTS - 1, action % phases.AMOUNTS
        position.armies[way // game.territories] -= count
        position.armies[way % game.territories] += count
        if end_if_won(game, position, False):
            return
        if game.fortify == UNLIMITED:
            position.settled[way % game.territories] = 1
            return
    end_turn(game, position)


@kernel
def play(game: Setting, position: Position, action: int) -> int:
    """Play a legal action, or what chance draws; return the phase after it."""
    phase = position.phase
    if phase == phases.DICE:
        fight(game, position, action)
    elif phase == phases.ROLL:
        roll(position, action)
    elif phase == phases.DEFEND:
        position.defended, position.phase = action, phases.DICE
    elif phase == phases.ATTACK:
        attack(game, position, action)
    elif phase == phases.CONQUER:
        move_in(game, position, action)
    elif phase == phases.PLACE:
        place_armies(game, position, action)
    elif phase == phases.FORTIFY:
        march(game, position, action)
    elif phase in (phases.TRADE, phases.SPOILS):
        trade(game, position, action)
    elif phase == phases.SETUP:
        set_up(game, position, action)
    elif phase in (phases.DEAL, phases.DRAFT):
        settle(game, position, action)
    elif phase == phases.DRAW:
        draw(game, position, action)
    elif phase == phases.FIRST:
        begin(game, position, action)
    elif phase == phases.MISSION:
        deal_mission(game, position, action)
    else:
        choose_capital(game, position, action)
    return position.phase


@kernel
def trade(game: Setting, position: Position, card: int) -> None:
    """Put down a card, the third of which makes a set; or keep them."""
    mover, hand = position.mover, position.hands[position.mover]
    if card == game.kinds:
        position.phase = phases.PLACE
        return
    hand[card if hand[card] else game.kinds] -= 1
    position.hand_sizes[mover] -= 1
    position.shown_cards[position.shown] = card
    position.shown += 1
    if position.shown == SET:
        trade_in(game, position)


@kernel
def trade_in(game: Setting, position: Position) -> None:
    """Armies for a set; its first card of an own territory puts two there."""
    shown, symbols = position.shown_cards, game.symbols
    value = set_value(game.cards, symbols[shown[0]], symbols[shown[1]], symbols[shown[2]], position.traded)
    position.to_place += value
    for card in shown:
        if card < game.territories and position.owners[card] == position.mover:
            position.armies[card] += 2
            break
    for place in range(SET):
        position.discards[shown[place]] += 1
        shown[place] = 0
    position.shown = 0
    position.traded += game.cards == INCREASING
    if position.hand_sizes[position.mover] < (MUST_TRADE if position.phase == phases.SPOILS else SET):
        position.phase = phases.PLACE


@kernel
def reshuffle(game: Setting, position: Position) -> None:
    """Make a deck of the discards as soon as the last card is drawn; what is traded later waits for the next."""
    if game.recycles and position.left_to_draw == 0:
        for card in range(game.kinds):
            position.left_to_draw += position.discards[card]
            position.discards[card] = 0


@kernel
def pass_hand(position: Position, loser: int, winner: int) -> None:
    """Give all cards of a player to another."""
    hand, other = position.hands[winner], position.hands[loser]
    for card in range(position.slots):
        hand[card] += other[card]
        other[card] = 0
    position.hand_sizes[winner] += position.hand_sizes[loser]
    position.hand_sizes[loser] = 0
