"""The layout of a game and of a state as rows of whole numbers, for the kernels.

A game's row: the options below, where its parts begin, then the parts: borders (where each territory's begin, then
all), territories of continents in the same way, bonuses, symbols of cards, copies of cards, missions. A state's row:
the numbers below, then owners, armies, hands (a count per card, the wild ones and the unknown ones last), discards,
missions, capitals, destroyers, the territories that armies have marched to, and every player's number of territories
and of cards.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kibitz.games.risk.board import ANY, Mission

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kibitz.games.risk.rules import Risk, State

# A game.
TERRITORIES, PLAYERS, CONTINENTS, MISSIONS, MODE, DEALT, CARDS, FORTIFY = 0, 1, 2, 3, 4, 5, 6, 7
WANTED, RECYCLE, DEFENCE, ANY_BLOW, AT_END, ARMIES_AT_START, DECK = 8, 9, 10, 11, 12, 13, 14
BORDERS_AT, MEMBERS_AT, BONUS_AT, SYMBOL_AT, COPIES_AT, MISSIONS_AT, GAME_WORDS = 15, 16, 17, 18, 19, 20, 21
MODES = ("domination", "mission", "capital")
CARD_RULES = ("increasing", "fixed", "italian")
MARCHES = ("adjacent", "connected", "unlimited")
MISSION_WORDS = 8
NONE, ANY_SLOT = -1, -2
"""In a slot of a mission."""

# A state.
PHASE, MOVER, FIRST, TO_PLACE, CAPTURED, ORIGIN, TARGET, ROLLED, DEFENDED = 0, 1, 2, 3, 4, 5, 6, 7, 8
TRADED, SHOWN, SHOWN_CARDS, MISSIONS_DEALT, CAPITALS_CHOSEN, LEFT_TO_DRAW, OWNERS = 9, 10, 11, 14, 15, 16, 17


def game_words(game: "Risk") -> "NDArray[np.int64]":
    """The row of a game."""
    board, count = game.map, len(game.map.territories)
    parts = [
        _concatenate_lists(board.neighbours),
        _concatenate_lists(board.members),
        [continent.bonus for continent in board.continents],
        list(board.symbols),
        [board.cards.count(card) for card in range(count + 1)],
        [number for mission in game.mission_deck for number in _mission_words(mission)],
    ]
    options = [0] * GAME_WORDS
    options[TERRITORIES], options[PLAYERS], options[CONTINENTS] = count, game.players, len(board.continents)
    options[MISSIONS], options[MODE] = len(game.mission_deck), MODES.index(game.mode)
    options[DEALT], options[CARDS] = game.setup == "deal", CARD_RULES.index(game.cards)
    options[FORTIFY], options[WANTED], options[RECYCLE] = (
        MARCHES.index(game.fortify),
        game.territories_to_win,
        game.recycle,
    )
    options[DEFENCE], options[ANY_BLOW] = game.defence_dice, game.blow == "any"
    options[AT_END], options[ARMIES_AT_START] = game.victory == "turn-end", game.start_armies
    options[DECK] = len(board.cards)
    place = GAME_WORDS
    for number, part in enumerate(parts):
        options[BORDERS_AT + number] = place
        place += len(part)
    return np.array([*options, *(value for part in parts for value in part)], np.int64)


def _concatenate_lists(lists: Sequence[Sequence[int]]) -> list[int]:
    """Lists one behind the other, after where each begins and the last ends."""
    starts = np.cumsum([0, *map(len, lists)]).tolist()
    return [*starts, *(value for each in lists for value in each)]


def _mission_words(mission: Mission) -> list[int]:
    slots = [NONE if each is None else ANY_SLOT if each == ANY else each for each in mission.continents]
    victim = NONE if mission.destroy is None else mission.destroy
    return [victim, mission.territories, mission.armies, *slots, mission.least_continents, mission.asks_continents]


def armies_at(territories: int) -> int:
    """Where the armies begin in a state's row."""
    return OWNERS + territories


def hands_at(territories: int) -> int:
    """Where the hands begin."""
    return OWNERS + 2 * territories


def discards_at(territories: int, players: int) -> int:
    """Where the discards begin."""
    return hands_at(territories) + players * (territories + 2)


def missions_at(territories: int, players: int) -> int:
    """Where the missions begin; capitals and destroyers follow, each as many as players."""
    return discards_at(territories, players) + territories + 1


def settled_at(territories: int, players: int) -> int:
    """Where the territories begin that armies have marched to."""
    return missions_at(territories, players) + 3 * players


def counts_at(territories: int, players: int) -> int:
    """Where the numbers of all players' territories begin, and behind them those of their cards."""
    return settled_at(territories, players) + territories


def state_size(territories: int, players: int) -> int:
    """How long a state's row is."""
    return counts_at(territories, players) + 2 * players


def state_words(state: "State") -> "NDArray[np.int64]":
    """The row of a reference state."""
    count, players = len(state.owners), state.game.players
    words = np.zeros(state_size(count, players), np.int64)
    words[PHASE], words[MOVER], words[FIRST], words[TO_PLACE] = state.phase, state.mover, state.first, state.to_place
    words[CAPTURED], words[ORIGIN], words[TARGET] = state.captured, state.origin, state.target
    words[ROLLED], words[DEFENDED] = state.rolled
    words[TRADED], words[SHOWN] = state.traded, len(state.shown)
    words[SHOWN_CARDS : SHOWN_CARDS + len(state.shown)] = state.shown
    words[OWNERS : OWNERS + count] = state.owners
    words[armies_at(count) : hands_at(count)] = state.armies
    for player, hand in enumerate(state.hands):
        write_hand(words, count, player, hand)
    for card in state.discards:
        words[discards_at(count, players) + card] += 1
    start = missions_at(count, players)
    words[start : start + 3 * players] = NONE
    words[MISSIONS_DEALT], words[CAPITALS_CHOSEN] = len(state.missions), len(state.capitals)
    words[start : start + len(state.missions)] = state.missions
    words[start + players : start + players + len(state.capitals)] = state.capitals
    words[start + 2 * players : start + 3 * players] = state.destroyers
    for place in state.settled:
        words[settled_at(count, players) + place] = 1
    words[LEFT_TO_DRAW], counts = state.deck_size(), counts_at(count, players)
    words[counts : counts + players] = [state.owners.count(player) for player in range(players)]
    words[counts + players : counts + 2 * players] = list(map(len, state.hands))
    return words


def write_hand(words: "NDArray[np.int64]", territories: int, player: int, hand: tuple[int, ...]) -> None:
    """Put a hand into a state's row; unknown cards are -1, the last place of the hand."""
    start = hands_at(territories) + player * (territories + 2)
    words[start : start + territories + 2] = 0
    for card in hand:
        words[start + card % (territories + 2)] += 1


def read_cards(words: "NDArray[np.int64]", start: int, kinds: int, *, unknown: bool = False) -> tuple[int, ...]:
    """Cards from counts, sorted; where there may be *unknown* ones their count comes last."""
    counts = words[start : start + kinds].tolist()
    known = tuple([card for card, count in enumerate(counts) if count for _ in range(count)])
    return (-1,) * int(words[start + kinds]) + known if unknown else known
