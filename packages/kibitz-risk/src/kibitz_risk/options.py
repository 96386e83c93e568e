"""The options of a game, and the `Setting` that the rules read: the map, the options and what missions ask."""

from functools import cached_property
from math import floor
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from kibitz import core
from kibitz.core.kernels.structs import Struct, ints, lists, rows, size
from kibitz_risk.board import ANY, Board, Mission, load
from kibitz_risk.dice import MOST_DICE
from kibitz_risk.position import NOBODY

ANY_CONTINENT = -2
"""In a mission: a continent that the player may choose."""
Limit = Annotated[int, Meta(ge=0, le=100_000)]
CardRule: TypeAlias = Literal["increasing", "fixed", "italian"]
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


class Options(core.Game):
    """What a game of Risk may be like: the parameters of its constructor, and what follows for the rules.

    *board* is a preset or a Domination `.map` file. In mode `domination`, *territories* are needed to win (0: all).
    *missions* can keep only the missions about continents. *blow*: who must destroy the victim of a mission;
    *victory*: whether a game ends at once, or at the end of the winner's turn. *defence*: the most dice a defender
    rolls (0: three by the Italian card rule, else two). *recycle*: whether discards become the deck when it is empty.
    """

    def __init__(
        self,
        players: core.Seats = 3,
        mode: Literal["domination", "mission", "capital"] = "mission",
        board: str = "classic83",
        setup: Literal["deal", "draft"] = "deal",
        cards: CardRule = "increasing",
        fortify: Literal["adjacent", "connected", "unlimited"] = "adjacent",
        missions: Literal["all", "continents"] = "all",
        territories: Limit = 0,
        recycle: bool = True,
        defence: Annotated[int, Meta(ge=0, le=MOST_DICE)] = 0,
        blow: Literal["own", "any"] = "own",
        victory: Literal["at-once", "turn-end"] = "at-once",
    ) -> None:
        self.players, self.mode, self.board, self.setup, self.cards = players, mode, board, setup, cards
        self.fortify, self.missions, self.territories, self.recycle = fortify, missions, territories, recycle
        self.defence, self.blow, self.victory = defence, blow, victory
        self.utility = (-1.0 / (players - 1), 1.0)

    @cached_property
    def map(self) -> Board:
        """The map that is played on."""
        return load(self.board)

    @cached_property
    def mission_deck(self) -> tuple[Mission, ...]:
        """The missions that may be dealt: none against a player who does not take part."""
        if self.mode != "mission":
            return ()
        left = [each for each in self.map.deck.missions if each.destroy is None or each.destroy < self.players]
        if self.missions == "continents":
            left = [each for each in left if each.asks_continents]
        return tuple(left)

    @cached_property
    def start_armies(self) -> int:
        """The armies every player begins with: 35 with three players on the classic map."""
        count = len(self.map.territories)
        return max((10 - self.players) * floor(0.12 * count + 0.5), -(-count // self.players))

    @cached_property
    def defence_dice(self) -> int:
        """The most dice a defender rolls."""
        return most_defence_dice(self.defence, self.cards)

    @cached_property
    def territories_to_win(self) -> int:
        """How many territories win."""
        most = len(self.map.territories)
        return min(self.territories, most) if self.mode == "domination" and self.territories else most

    @cached_property
    def setting(self) -> Setting:
        """The map and the options for the rules."""
        board, count = self.map, len(self.map.territories)
        return Setting(
            territories=count,
            continents=len(board.continents),
            kinds=count + 1,
            deck=len(self.mission_deck),
            players=self.players,
            mode=MODES.index(self.mode),
            is_dealt=int(self.setup == "deal"),
            cards=CARD_RULES.index(self.cards),
            fortify=MARCHES.index(self.fortify),
            territories_to_win=self.territories_to_win,
            recycles=int(self.recycle),
            defence=self.defence_dice,
            any_blow=int(self.blow == "any"),
            at_turn_end=int(self.victory == "turn-end"),
            start_armies=self.start_armies,
            neighbours=[list(each) for each in board.neighbours],
            members=[list(each) for each in board.members],
            bonuses=[each.bonus for each in board.continents],
            symbols=list(board.symbols),
            copies=[board.cards.count(card) for card in range(count + 1)],
            missions=[_task(each) for each in self.mission_deck],
        )


def most_defence_dice(defence: int, rule: CardRule) -> int:
    """The most dice a defender rolls, by the option *defence*; 0 is three by the Italian rule, and else two."""
    return defence or (3 if rule == "italian" else 2)


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
