"""The fields of Risk: those of a game, which never change, and those of a position."""

from typing import TYPE_CHECKING

from kibitz.core.kernels.position import Struct, ints, lists, rows, size
from kibitz.games.risk.board import ANY, Mission

if TYPE_CHECKING:
    from kibitz.games.risk.game import Risk

UNKNOWN = NOBODY = -1
ANY_CONTINENT = -2
"""In a mission: a continent that the player may choose."""
DOMINATION, MISSIONS, CAPITALS = 0, 1, 2
MODES = ("domination", "mission", "capital")
INCREASING, FIXED, ITALIAN = 0, 1, 2
CARD_RULES = ("increasing", "fixed", "italian")
ADJACENT, CONNECTED, UNLIMITED = 0, 1, 2
MARCHES = ("adjacent", "connected", "unlimited")


class Task(Struct):
    """What a mission asks."""

    victim: int
    territories: int
    armies: int
    continents: list[int] = ints(3)
    least_continents: int
    asks_continents: int


class Setting(Struct):
    """The map and the options of a game."""

    territories: int = size()
    continents: int = size()
    kinds: int = size()
    """Of cards: one for each territory, and the wild ones."""
    deck: int = size()
    players: int
    mode: int
    is_dealt: int
    cards: int
    fortify: int
    territories_to_win: int
    recycles: int
    defence: int
    any_blow: int
    at_turn_end: int
    start_armies: int
    neighbours: list[list[int]] = lists(territories)
    members: list[list[int]] = lists(continents)
    bonuses: list[int] = ints(continents)
    symbols: list[int] = ints(kinds)
    copies: list[int] = ints(kinds)
    missions: list[Task] = rows(Task, deck)


class Position(Struct):
    """Owners and armies by territory, cards by their kind, missions, and where in the turn the mover is."""

    territories: int = size()
    players: int = size()
    kinds: int = size()
    slots: int = size()
    """In a hand: the kinds of cards, and unknown cards."""
    phase: int = 0
    mover: int = 0
    first: int = 0
    to_place: int = 0
    captured: int = 0
    origin: int = NOBODY
    target: int = NOBODY
    """The two sides of the battle."""
    rolled: int = 0
    defended: int = 0
    """Dice of attacker and defender."""
    traded: int = 0
    """Sets so far, where that makes them dearer."""
    shown: int = 0
    shown_cards: list[int] = ints(3)
    """Cards of the set that the mover puts down."""
    missions_dealt: int = 0
    capitals_chosen: int = 0
    left_to_draw: int = 0
    owners: list[int] = ints(territories, default=NOBODY)
    armies: list[int] = ints(territories)
    hands: list[list[int]] = ints(players, slots)
    discards: list[int] = ints(kinds)
    missions: list[int] = ints(players, default=UNKNOWN)
    capitals: list[int] = ints(players, default=NOBODY)
    destroyers: list[int] = ints(players, default=NOBODY)
    settled: list[int] = ints(territories)
    """Whether armies have marched there this turn, where marches are unlimited; none goes on from there."""
    holdings: list[int] = ints(players)
    """Territories of every player."""
    hand_sizes: list[int] = ints(players)


def setting_of(game: "Risk") -> Setting:
    """The map and the options of *game*."""
    board, count = game.map, len(game.map.territories)
    return Setting(
        territories=count,
        continents=len(board.continents),
        kinds=count + 1,
        deck=len(game.mission_deck),
        players=game.players,
        mode=MODES.index(game.mode),
        is_dealt=int(game.setup == "deal"),
        cards=CARD_RULES.index(game.cards),
        fortify=MARCHES.index(game.fortify),
        territories_to_win=game.territories_to_win,
        recycles=int(game.recycle),
        defence=game.defence_dice,
        any_blow=int(game.blow == "any"),
        at_turn_end=int(game.victory == "turn-end"),
        start_armies=game.start_armies,
        neighbours=[list(each) for each in board.neighbours],
        members=[list(each) for each in board.members],
        bonuses=[each.bonus for each in board.continents],
        symbols=list(board.symbols),
        copies=[board.cards.count(card) for card in range(count + 1)],
        missions=[_task(each) for each in game.mission_deck],
    )


def _task(mission: Mission) -> Task:
    slots = [NOBODY if each is None else ANY_CONTINENT if each == ANY else each for each in mission.continents]
    return Task(
        victim=NOBODY if mission.destroy is None else mission.destroy,
        territories=mission.territories,
        armies=mission.armies,
        continents=slots,
        least_continents=mission.least_continents,
        asks_continents=int(mission.asks_continents),
    )


def first_position(game: "Risk") -> Position:
    """The position before anything is dealt."""
    count = len(game.map.territories)
    return Position(
        territories=count,
        players=game.players,
        kinds=count + 1,
        slots=count + 2,
        left_to_draw=len(game.map.cards),
    )
