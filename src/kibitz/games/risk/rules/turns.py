"""How a turn begins and ends: armies to place, a card to draw, and who comes next."""

from kibitz.games.risk import phases
from kibitz.games.risk.cards import SET
from kibitz.games.risk.missions import held_continents
from kibitz.games.risk.rules.position import Position
from kibitz.games.risk.rules.winning import end_if_won


def start_turn(state: Position, player: int) -> None:
    """Begin a turn: count the reinforcements, and trade cards if the mover can."""
    state.mover, state.first = player, 0
    state.captured, state.settled = False, ()
    state.to_place = reinforcements(state, player)
    state.phase = phases.TRADE if len(state.hands[player]) >= SET else phases.PLACE


def reinforcements(state: Position, player: int) -> int:
    """Armies for territories and continents."""
    bonus = sum(state.board.continents[each].bonus for each in held_continents(state.board, state.owners, player))
    return max(3, state.owners.count(player) // 3) + bonus


def end_turn(state: Position) -> None:
    """Draw a card for a turn with a conquest, if there is one."""
    if end_if_won(state, at_end=True):
        return
    reshuffle(state)
    if state.captured and state.deck_size() > 0:
        state.phase = phases.DRAW
    else:
        next_turn(state)


def draw(state: Position, card: int) -> None:
    state.hands[state.mover] = tuple(sorted((*state.hands[state.mover], card)))
    reshuffle(state)
    next_turn(state)


def reshuffle(state: Position) -> None:
    """Make a deck of the discards as soon as the last card is drawn; what is traded later waits for the next."""
    if state.game.recycle and state.deck_size() == 0:
        state.discards = ()


def next_turn(state: Position) -> None:
    following = (state.mover + 1) % state.game.players
    while following not in state.owners:
        following = (following + 1) % state.game.players
    start_turn(state, following)
