"""The game: its options, and what follows from them and the map."""

from functools import cached_property
from math import floor
from typing import Annotated, Any, Literal

from msgspec import Meta

from kibitz import core
from kibitz.core.errors import BadSpec
from kibitz.games.risk.board import Board, Mission
from kibitz.games.risk.cards import CardRule, most_defence_dice
from kibitz.games.risk.dice import MOST_DICE
from kibitz.games.risk.maps import load
from kibitz.games.risk.rules.state import State

Limit = Annotated[int, Meta(ge=0, le=100_000)]


class Risk(core.Game):
    """Risk: conquer the world, or fulfil a secret mission, or take all capitals.

    *board* is a preset or a Domination `.map` file. In mode `domination`, *territories* are needed to win (0: all).
    *missions* can keep only the missions about continents. *blow*: who must destroy the victim of a mission;
    *victory*: whether a game ends at once, or at the end of the winner's turn. *defence*: the most dice a defender
    rolls (0: three by the Italian card rule, else two). *recycle*: whether discards become the deck when it is empty.
    """

    hidden = True
    worlds = 1
    max_plies = 20_000

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

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_game, (type(self), self.parameters())

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

    def new_initial_state(self) -> State:
        self.check()
        return State(self)

    def check(self) -> None:
        """Raise BadSpec where the map has too few missions or territories for this game."""
        counts = {"territories": len(self.map.territories)}
        if self.mode == "mission":
            counts["missions"] = len(self.mission_deck)
        for what, count in counts.items():
            if count < self.players:
                instead = "; play it with mode=domination" if what == "missions" else ""
                raise BadSpec(repr(self), f"{self.map.name} has {count} {what} for {self.players} players{instead}")

    def player_label(self, player: int, label: str) -> str:
        names = {self.map.mission_name(each): each for each in self.mission_deck if each.destroy == player}
        return self.map.mission_name(names[label], player) if label in names else label

    def infinite_play(self, state: core.State) -> list[float]:
        return [0.0] * self.players


def _rebuild_game(kind: type[Risk], parameters: dict[str, Any]) -> Risk:
    return kind(**parameters)
