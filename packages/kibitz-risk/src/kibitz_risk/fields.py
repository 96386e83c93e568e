"""The map and the positions of Risk as named fields; territories, continents and players count from 0."""

import msgspec

from kibitz.core.kit.positions import Fields
from kibitz_risk.board import SYMBOLS
from kibitz_risk.cards import RISING
from kibitz_risk.game import Risk, State
from kibitz_risk.phases import NAMES
from kibitz_risk.position import NOBODY, UNKNOWN
from kibitz_risk.view import mission_text


class RiskTerritory(msgspec.Struct, frozen=True):
    """A territory: its continent and its neighbours, by number, and the symbol of its card."""

    name: str
    continent: int
    neighbours: tuple[int, ...]
    card: str


class RiskContinent(msgspec.Struct, frozen=True):
    """A continent, and the armies a turn for a player who holds all of it."""

    name: str
    bonus: int


class RiskMission(msgspec.Struct, frozen=True):
    """A mission that may be dealt: its label, as views name it, and what it asks."""

    label: str
    text: str


class RiskBoard(msgspec.Struct, frozen=True):
    """The map, the missions, and the options of the game; *set_values* are the armies of rising sets, one by one."""

    map: str
    territories: list[RiskTerritory]
    continents: list[RiskContinent]
    missions: list[RiskMission]
    mode: str
    territories_to_win: int
    cards: str
    set_values: tuple[int, ...]
    wild_cards: int
    fortify: str
    defence_dice: int
    victory: str
    blow: str


class RiskBattle(msgspec.Struct, frozen=True):
    """The territories of attacker and defender, and the dice they have chosen to roll (0: not yet)."""

    origin: int
    target: int
    dice: tuple[int, int]


class RiskView(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A position. Owners (null: nobody) and armies are in the order of the board's territories.

    Cards and missions are null where they are hidden. *mover*: whose turn it is. *to_place*: armies to place.
    *captured*: whether the mover draws a card at the end. *shown*: cards of the set being put down. *first*: who began,
    during the setup. *destroyers*: who destroyed each player, in games with missions. *settled*: territories that
    armies have marched to in this turn.
    """

    phase: str
    mover: int
    owners: list[int | None]
    armies: list[int]
    hands: list[list[str | None]]
    missions: list[str | None] = []
    to_place: int = 0
    captured: bool = False
    battle: RiskBattle | None = None
    traded: int = 0
    shown: list[str] = []
    discards: list[str] = []
    capitals: list[int] = []
    destroyers: list[int | None] = []
    settled: list[int] = []
    first: int = 0


def board(game: Risk) -> RiskBoard:
    played = game.map
    return RiskBoard(
        map=played.name,
        territories=[
            RiskTerritory(each.name, each.continent, each.neighbours, SYMBOLS[played.symbols[place]])
            for place, each in enumerate(played.territories)
        ],
        continents=[RiskContinent(each.name, each.bonus) for each in played.continents],
        missions=[RiskMission(played.mission_name(each), mission_text(game, each)) for each in game.mission_deck],
        mode=game.mode,
        territories_to_win=game.territories_to_win,
        cards=game.cards,
        set_values=RISING if game.cards == "increasing" else (),
        wild_cards=played.cards.count(played.wild),
        fortify=game.fortify,
        defence_dice=game.defence_dice,
        victory=game.victory,
        blow=game.blow,
    )


def view(state: State) -> RiskView:
    played, deck = state.board, state.game.mission_deck
    battle = RiskBattle(state.origin, state.target, state.rolled) if state.origin != NOBODY else None
    destroyers = [None if each < 0 else each for each in state.destroyers]
    return RiskView(
        phase=NAMES[state.phase],
        mover=state.mover,
        owners=[None if owner == NOBODY else owner for owner in state.owners],
        armies=list(state.armies),
        hands=[[None if card == UNKNOWN else played.card_name(card) for card in hand] for hand in state.hands],
        missions=[None if each == UNKNOWN else played.mission_name(deck[each]) for each in state.missions],
        to_place=state.to_place,
        captured=state.captured,
        battle=battle,
        traded=state.traded,
        shown=[played.card_name(card) for card in state.shown],
        discards=[played.card_name(card) for card in state.discards],
        capitals=list(state.capitals),
        destroyers=destroyers if any(each is not None for each in destroyers) else [],
        settled=list(state.settled),
        first=state.first,
    )


FIELDS = Fields(board, view)
