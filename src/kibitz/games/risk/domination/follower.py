"""Follows a logged game on the rules: every command becomes actions, or is rejected as Domination rejected it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from kibitz.core.abilities.importer import SkippedLine
from kibitz.core.errors import BadRecord
from kibitz.core.records import Record
from kibitz.core.records.from_actions import record_from_actions
from kibitz.core.registry import make_game
from kibitz.core.registry.specs import Spec
from kibitz.games.risk import phases
from kibitz.games.risk.board import Board
from kibitz.games.risk.cards import SET
from kibitz.games.risk.domination.cards_file import WILDCARD
from kibitz.games.risk.domination.log import DEFAULT_MAP_FILE, Command, LoggedGame, drawn_indices, number_of
from kibitz.games.risk.game import Risk, State
from kibitz.games.risk.maps import PRESETS, load
from kibitz.games.risk.phases import AMOUNTS, pair

Missions: TypeAlias = Literal["auto", "all", "continents"]
KNOWN_MAPS = {"luca.map": "dom-luca82", "risk.map": "dom-risk81"}
SILENT = frozenset(
    {"info", "undo", "replay", "savegame", "showmission", "showarmies", "showcards", "autoendgo", "autodefend"}
    | {"autoplace", "endgo", "choosemap", "choosecards", "LEAVE", "RENAME", "ERROR"}
)
"""Lines that change nothing: `autoplace` is answered by PLACE, turns end by themselves, and undo did nothing."""


class FollowedGame(msgspec.Struct, frozen=True):
    """A logged game as actions of the rules."""

    logged: LoggedGame
    game: str
    """The spec of the game."""
    actions: tuple[int, ...]
    rejected: tuple[SkippedLine, ...]
    """Commands that were logged though the rules do not allow them."""
    winner: int | None
    """None where the log was cut before the end."""

    def record(self) -> Record:
        """The game as a record of ours."""
        seats = self.logged.seats
        names = [{"name": seat.name} for seat in seats]
        return record_from_actions(make_game(self.game), self.actions, [seat.agent for seat in seats], names)


def game_of(logged: LoggedGame, missions: Missions = "auto", maps: Path | None = None) -> Spec:
    """The game that was played."""
    board = _board(logged, maps)
    options = {
        "players": len(logged.seats),
        "mode": logged.mode,
        "board": board,
        "setup": "deal" if logged.deal else "draft",
        "cards": logged.cards,
        "missions": _deck(logged, load(board)) if missions == "auto" else missions,
        "recycle": logged.recycle,
    }
    return Spec("risk", options)


def _board(logged: LoggedGame, maps: Path | None) -> str:
    """The map by preset or file: one beside the log or in the folder of *maps* comes first."""
    if logged.board is None:
        return KNOWN_MAPS[DEFAULT_MAP_FILE]
    for folder in (maps, logged.path.parent):
        if folder is not None and (folder / logged.board).is_file():
            return str((folder / logged.board).resolve())
    name = KNOWN_MAPS.get(logged.board, logged.board)
    if name not in PRESETS:
        where = "it is looked for beside the log, and in FOLDER by 'domination(maps=FOLDER)'"
        raise BadRecord(logged.path, f"no map {logged.board[:80]!r}; {where}", logged.line)
    return name


def _deck(logged: LoggedGame, board: Board) -> str:
    """Whether the missions dealt may come from a deck of those about continents only."""
    count = sum(mission.asks_continents for mission in board.deck.missions)
    dealt = [each.words[1:] for each in logged.commands if each.words[0] == "MISSION"]
    few = all(word.isdigit() and int(word) < count - turn for words in dealt for turn, word in enumerate(words))
    return "continents" if few and dealt else "all"


def follow(logged: LoggedGame, missions: Missions = "auto", maps: Path | None = None) -> FollowedGame:
    """Play a logged game again, to its end or to `continue`; raises BadRecord where the rules contradict the log."""
    spec = game_of(logged, missions, maps)
    game = make_game(spec, fast=False)
    assert isinstance(game, Risk)
    follower = Follower(logged, game.new_initial_state())
    for command in logged.commands:
        if command.words[0] == "continue" or (command.cut and not follower.ends_with(command)):
            break
        follower.take(command)
    state = follower.state
    winner = state.mover if state.phase == phases.OVER else None
    return FollowedGame(logged, str(spec), tuple(follower.actions), tuple(follower.rejected), winner)


class Follower:
    """A state that commands are played on, with the actions that played them."""

    def __init__(self, logged: LoggedGame, state: State) -> None:
        self.logged, self.state = logged, state
        self.actions: list[int] = []
        self.rejected: list[SkippedLine] = []
        self.turn_ended = False
        """Whether a CARD line is due, even one without a card."""

    def take(self, command: Command) -> None:
        """Play a command, or reject it; what the server says must be right."""
        word, *values = command.words
        if word in SILENT:
            return
        if word not in TAKEN:
            raise self.logged.wrong(command, "no such command; is the log of another version?")
        if not TAKEN[word](self, values, command):
            if not command.client:
                at = phases.NAMES[self.state.phase]
                raise self.logged.wrong(command, f"the rules are at {at!r}, where this cannot be")
            self.rejected.append(SkippedLine(command.line, command.text))

    def ends_with(self, command: Command) -> bool:
        """Whether a command ends the game: then it is whole, even if its line does not end."""
        ahead = Follower(self.logged, self.state.clone())
        try:
            ahead.take(command)
        except BadRecord:
            return False
        return ahead.state.phase == phases.OVER

    def play(self, *actions: int) -> bool:
        """Play actions if the first is legal; those after it follow from it."""
        state = self.state
        current = state.current_player()
        chance = [each for each, _ in state.chance_outcomes()] if current < 0 else ()
        if actions[0] not in (chance or state.legal_actions()):
            return False
        for action in actions:
            ends = (state.phase, state.mover)
            state.apply_action(action)
            self.actions.append(action)
            self.turn_ended = ends[0] in TURN_ENDS and (state.mover != ends[1] or state.phase != ends[0])
        return True

    def skip_trade(self) -> None:
        """Skip the trade where no set can be traded: Domination does not ask then."""
        keep = self.state.board.wild + 1
        if self.state.phase == phases.TRADE and self.state.legal_actions() == [keep]:
            self.play(keep)

    # What the server says.

    def first_player(self, values: Sequence[str], command: Command) -> bool:
        """`PLAYER x`: a name in older logs, a number in newer ones."""
        names, said = [seat.name for seat in self.logged.seats], command.rest()
        number = names.index(said) if said in names else number_of(said)
        return self.state.phase == phases.FIRST and self.play(number)

    def missions(self, values: Sequence[str], command: Command) -> bool:
        """`MISSION i i …`: numbers in a list that shrinks by one after each."""
        game = self.state.game
        missions = drawn_indices(values, len(game.mission_deck))
        if self.state.phase != phases.MISSION or missions is None or len(missions) != game.players:
            return False
        return all(self.play(mission) for mission in missions)

    def deal(self, values: Sequence[str], command: Command) -> bool:
        """`PLACEALL n n …`: the territories of the first player, the next …"""
        count = len(self.state.owners)
        places = [number_of(word) - 1 for word in values]
        if self.state.phase != phases.DEAL or sorted(places) != list(range(count)):
            return False
        return all(self.play(place) for place in places)

    def place_one(self, values: Sequence[str], command: Command) -> bool:
        """`PLACE n`: the answer to `autoplace`."""
        settling = self.state.phase in (phases.DRAFT, phases.SETUP)
        return settling and len(values) == 1 and self.play(number_of(values[0]) - 1)

    def dice(self, values: Sequence[str], command: Command) -> bool:
        """`DICE a d x… y…`: so many dice, then their pips, the highest first."""
        pips = [number_of(word) for word in values]
        if len(pips) < 4 or min(pips) < 0 or len(pips) != 2 + pips[0] + pips[1]:
            return False
        attack, defence = pips[2 : 2 + pips[0]], pips[2 + pips[0] :]
        if self.state.phase == phases.DEFEND and not self.play(pips[1]):
            return False
        if self.state.phase != phases.DICE or self.state.rolled != (pips[0], pips[1]):
            return False
        return self.play(sum(one > other for one, other in zip(attack, defence, strict=False)))

    def card(self, values: Sequence[str], command: Command) -> bool:
        """`CARD`, `CARD n`: the end of a turn, with the card that was drawn."""
        if self.state.phase == phases.DRAW:
            return len(values) == 1 and self.play(self.card_number(values[0]))
        ended, self.turn_ended = self.turn_ended, False
        return ended and not values

    def card_number(self, word: str) -> int:
        return self.state.board.wild if word == WILDCARD else number_of(word) - 1

    # What players say.

    def place_armies(self, values: Sequence[str], command: Command) -> bool:
        """`placearmies n k`"""
        self.skip_trade()
        if len(values) != 2:
            return False
        place, count = (number_of(word) for word in values)
        if self.state.phase in (phases.DRAFT, phases.SETUP):
            return count == 1 and self.play(place - 1)
        return self.state.phase == phases.PLACE and place > 0 < count and self.play((place - 1) * AMOUNTS + count)

    def trade(self, values: Sequence[str], command: Command) -> bool:
        """`trade c c c`; all three or none."""
        state = self.state
        if state.phase not in (phases.TRADE, phases.SPOILS) or len(values) != SET or state.shown:
            return False
        ahead = state.clone()
        cards = [self.card_number(word) for word in values]
        for card in cards:
            if card > state.board.wild or card not in ahead.legal_actions():
                return False
            ahead.apply_action(card)
        return self.play(*cards)

    def end_trade(self, values: Sequence[str], command: Command) -> bool:
        return self.state.phase == phases.TRADE and self.play(self.state.board.wild + 1)

    def attack(self, values: Sequence[str], command: Command) -> bool:
        """`attack from to`"""
        if self.state.phase != phases.ATTACK or len(values) != 2:
            return False
        way = self.way(*values)
        return way is not None and self.play(way)

    def way(self, origin: str, to: str) -> int | None:
        count = len(self.state.owners)
        ends = number_of(origin) - 1, number_of(to) - 1
        return pair(*ends, count) if all(0 <= end < count for end in ends) else None

    def roll(self, values: Sequence[str], command: Command) -> bool:
        """`roll k` of the attacker, then of the defender; a defender with one army has no choice, but says it."""
        dice = number_of(values[0]) if len(values) == 1 else 0
        if self.state.phase == phases.DICE:
            return dice == 1 == self.state.armies[self.state.target]
        return self.state.phase in (phases.ROLL, phases.DEFEND) and dice > 0 and self.play(dice)

    def retreat(self, values: Sequence[str], command: Command) -> bool:
        return self.state.phase == phases.ROLL and self.play(phases.RETREAT)

    def move_in(self, values: Sequence[str], command: Command) -> bool:
        """`move k` or `move all`"""
        if self.state.phase != phases.CONQUER or len(values) != 1:
            return False
        return self.play(self.state.legal_actions()[-1] if values[0] == "all" else number_of(values[0]))

    def end_attack(self, values: Sequence[str], command: Command) -> bool:
        return self.state.phase == phases.ATTACK and self.play(phases.END_ATTACK)

    def march(self, values: Sequence[str], command: Command) -> bool:
        """`movearmies from to k`"""
        if self.state.phase != phases.FORTIFY or len(values) != 3:
            return False
        way, count = self.way(*values[:2]), number_of(values[2])
        return way is not None and count > 0 and self.play(way * AMOUNTS + count)

    def stay(self, values: Sequence[str], command: Command) -> bool:
        return self.state.phase == phases.FORTIFY and self.play(phases.STAY)

    def capital(self, values: Sequence[str], command: Command) -> bool:
        return self.state.phase == phases.CAPITAL and len(values) == 1 and self.play(number_of(values[0]) - 1)


TURN_ENDS = frozenset({phases.DRAFT, phases.SETUP, phases.CAPITAL, phases.FORTIFY})
TAKEN: dict[str, Callable[[Follower, Sequence[str], Command], bool]] = {
    "PLAYER": Follower.first_player,
    "MISSION": Follower.missions,
    "PLACEALL": Follower.deal,
    "PLACE": Follower.place_one,
    "DICE": Follower.dice,
    "CARD": Follower.card,
    "placearmies": Follower.place_armies,
    "trade": Follower.trade,
    "endtrade": Follower.end_trade,
    "attack": Follower.attack,
    "roll": Follower.roll,
    "retreat": Follower.retreat,
    "move": Follower.move_in,
    "endattack": Follower.end_attack,
    "movearmies": Follower.march,
    "nomove": Follower.stay,
    "capital": Follower.capital,
}
"""What each word of a log does; the function returns whether it was done."""
