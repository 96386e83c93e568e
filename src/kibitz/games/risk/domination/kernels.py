"""Follows whole logs inside a kernel: the twin of `follower.Follower`, when you need states and not records."""

from collections.abc import Sequence
from contextlib import suppress

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadRecord
from kibitz.core.kernels import kernel
from kibitz.core.registry import make_game
from kibitz.games.risk import fast, phases
from kibitz.games.risk.cards import SET
from kibitz.games.risk.domination.cards_file import WILDCARD
from kibitz.games.risk.domination.follower import SILENT, Missions, game_of
from kibitz.games.risk.domination.log import Command, LoggedGame, drawn_indices, number_of
from kibitz.games.risk.kernels.layout import Words, armies_at
from kibitz.games.risk.kernels.playing import is_legal, play
from kibitz.games.risk.kernels.reinforcing import can_trade
from kibitz.games.risk.packing import DEFENDED, MOVER, ORIGIN, PHASE, ROLLED, TARGET, TERRITORIES
from kibitz.games.risk.phases import AMOUNTS
from kibitz.games.risk.rules import Risk

PLAYER, MISSION, PLACEALL, PLACE, DICE, CARD = range(6)
PLACE_ARMIES, TRADE, END_TRADE, ATTACK, ROLL, RETREAT, MOVE, END_ATTACK, MOVE_ARMIES, NO_MOVE, CAPITAL = range(6, 17)
CODES = {
    "PLAYER": PLAYER,
    "MISSION": MISSION,
    "PLACEALL": PLACEALL,
    "PLACE": PLACE,
    "DICE": DICE,
    "CARD": CARD,
    "placearmies": PLACE_ARMIES,
    "trade": TRADE,
    "endtrade": END_TRADE,
    "attack": ATTACK,
    "roll": ROLL,
    "retreat": RETREAT,
    "move": MOVE,
    "endattack": END_ATTACK,
    "movearmies": MOVE_ARMIES,
    "nomove": NO_MOVE,
    "capital": CAPITAL,
}
REJECTED = 1
NOTHING, ALL, WRONG = -1, -2, -3
"""No number at all; all armies of a conquest move; what can be legal nowhere."""
WORDS = {
    PLACE: 1, PLACE_ARMIES: 2, TRADE: 3, ATTACK: 2, ROLL: 1, MOVE: 1, MOVE_ARMIES: 3, CAPITAL: 1
}  # fmt: skip
"""How many words follow a command; other commands have none."""


class Outcome(msgspec.Struct, frozen=True):
    """How a log ended: the state, the winner, and the rejected lines."""

    state: fast.State
    winner: int | None
    rejected: tuple[int, ...]


def follow_fast(logged: LoggedGame, missions: Missions = "auto") -> Outcome:
    """Play a logged game again, to its end or to `continue`; raises BadRecord where the rules contradict the log.

    A last line that does not end counts only if it ends the game, as in `Follower.ends_with`.
    """
    if logged.commands and logged.commands[-1].cut:
        with suppress(BadRecord):
            whole = follow_commands(logged, missions)
            if whole.winner is not None:
                return whole
        logged = msgspec.structs.replace(logged, commands=logged.commands[:-1])
    return follow_commands(logged, missions)


def follow_commands(logged: LoggedGame, missions: Missions) -> Outcome:
    """Play all commands of a logged game again."""
    game = make_game(game_of(logged, missions))
    assert isinstance(game, fast.Risk)
    state = game.new_initial_state()
    rows, commands = rows_of(logged, game)
    said = np.array([command.client for command in commands], np.uint8)
    found = np.zeros(len(rows), np.int64)
    count = follow_rows(game.words, state.numbers, rows, said, found)
    if count < len(rows):
        at = phases.NAMES[state.phase]
        raise logged.wrong(commands[count], f"the rules are at {at!r}, where this cannot be")
    winner = state.mover if state.phase == phases.OVER else None
    return Outcome(state, winner, tuple(commands[row].line for row in np.flatnonzero(found == REJECTED)))


def rows_of(logged: LoggedGame, game: Risk) -> tuple[NDArray[np.int64], list[Command]]:
    """The commands of a log as rows of a code and up to three numbers, and the command that each row is of."""
    rows: list[tuple[int, ...]] = []
    commands: list[Command] = []
    for command in logged.commands:
        word, *values = command.text.split()
        if word == "continue":
            break
        if word in CODES:
            made = _rows(CODES[word], values, command, logged, game)
            rows += made
            commands += [command] * len(made)
        elif word not in SILENT:
            raise logged.wrong(command, "no such command; is the log of another version?")
    return np.array(rows, np.int64).reshape(-1, 1 + SET), commands


def _rows(code: int, values: list[str], command: Command, logged: LoggedGame, game: Risk) -> list[tuple[int, ...]]:
    """The rows of one command; the missions and the deal are a row for each."""
    if code in (MISSION, PLACEALL):
        dealt = drawn_indices(values, len(game.mission_deck)) if code == MISSION else list(map(number_of, values))
        whole = game.players if code == MISSION else len(game.map.territories)
        if dealt is None or len({*dealt}) != whole or len(dealt) != whole:
            dealt = [WRONG]
        return [(code, each, NOTHING, NOTHING) for each in dealt]
    if code == PLAYER:
        names, said = [seat.name for seat in logged.seats], command.rest()
        return [(code, names.index(said) if said in names else number_of(said), NOTHING, NOTHING)]
    if code == DICE:
        return [(code, *_dice(values))]
    if len(values) != WORDS.get(code, len(values)) or (code == CARD and len(values) > 1):
        return [(code, WRONG, WRONG, WRONG)]
    return [(code, *[*map(_number, values), NOTHING, NOTHING, NOTHING][:SET])]


def _number(word: str) -> int:
    """A number of the log; 0 is a wild card."""
    return 0 if word == WILDCARD else ALL if word == "all" else number_of(word)


def _dice(values: Sequence[str]) -> tuple[int, int, int]:
    """How many dice each rolled, and what the defender lost."""
    pips = list(map(number_of, values))
    if len(pips) < 4 or min(pips) < 0 or len(pips) != 2 + pips[0] + pips[1]:
        return WRONG, WRONG, WRONG
    attack, defence = pips[2 : 2 + pips[0]], pips[2 + pips[0] :]
    return pips[0], pips[1], sum(one > other for one, other in zip(attack, defence, strict=False))


@kernel("boolean(int64[::1], int64[::1], int64)")
def try_action(game: Words, state: Words, action: int) -> bool:
    """Play an action if it is legal; whether it was. Twin of `Follower.play`."""
    if not is_legal(game, state, action):
        return False
    play(game, state, action)
    return True


@kernel("boolean(int64[::1], int64[::1], int64[::1])")
def try_trade(game: Words, state: Words, cards: Words) -> bool:
    """Trade three cards, or none. Twin of `Follower.trade`."""
    before, wild = state.copy(), game[TERRITORIES]
    for number in cards:
        card = wild if number == 0 else number - 1
        if card < 0 or card > wild or not try_action(game, state, card):
            state[:] = before
            return False
    return True


@kernel("boolean(int64[::1], int64[::1], int64[::1])")
def try_battle(game: Words, state: Words, row: Words) -> bool:
    """Commands of a battle: dice on both sides, how they fell, a retreat, and the move after it."""
    code, phase, one = row[0], state[PHASE], row[1]
    if code == ROLL:
        if phase == phases.DICE:
            return bool(one == 1 and state[armies_at(game) + state[TARGET]] == 1)
        return bool(phase in (phases.ROLL, phases.DEFEND) and one > 0 and try_action(game, state, one))
    if code == DICE:
        if phase == phases.DEFEND and not try_action(game, state, row[2]):
            return False
        fits = state[PHASE] == phases.DICE and state[ROLLED] == one and state[DEFENDED] == row[2]
        return bool(fits and try_action(game, state, row[3]))
    if code == RETREAT:
        return bool(phase == phases.ROLL and try_action(game, state, phases.RETREAT))
    sizes = state[armies_at(game) + state[ORIGIN]] - 1 if one == ALL else one
    return bool(phase == phases.CONQUER and try_action(game, state, sizes))


@kernel("boolean(int64[::1], int64[::1], int64[::1])")
def try_march(game: Words, state: Words, row: Words) -> bool:
    """Attacks, and moves at the end of a turn."""
    code, phase, count = row[0], state[PHASE], game[TERRITORIES]
    if code == END_ATTACK:
        return bool(phase == phases.ATTACK and try_action(game, state, phases.END_ATTACK))
    if code == NO_MOVE:
        return bool(phase == phases.FORTIFY and try_action(game, state, phases.STAY))
    if not (1 <= row[1] <= count and 1 <= row[2] <= count):
        return False
    way = 1 + (row[1] - 1) * count + row[2] - 1
    if code == ATTACK:
        return bool(phase == phases.ATTACK and row[3] == NOTHING and try_action(game, state, way))
    return bool(phase == phases.FORTIFY and row[3] > 0 and try_action(game, state, way * AMOUNTS + row[3]))


@kernel("boolean(int64[::1], int64[::1], int64[::1])")
def try_placement(game: Words, state: Words, row: Words) -> bool:
    """Commands that put armies somewhere."""
    code, phase, one, two = row[0], state[PHASE], row[1], row[2]
    settling = phase in (phases.DRAFT, phases.SETUP)
    if code == PLACEALL:
        return bool(phase == phases.DEAL and try_action(game, state, one - 1))
    if code == CAPITAL:
        return bool(phase == phases.CAPITAL and try_action(game, state, one - 1))
    if settling:
        return bool((code == PLACE or two == 1) and try_action(game, state, one - 1))
    fits = code == PLACE_ARMIES and phase == phases.PLACE and one > 0 < two
    return bool(fits and try_action(game, state, (one - 1) * AMOUNTS + two))


@kernel("boolean(int64[::1], int64[::1], int64[::1])")
def try_row(game: Words, state: Words, row: Words) -> bool:
    """Do what a row says; whether the rules allow it. Twin of `Follower.take`."""
    code, phase, keep = row[0], state[PHASE], game[TERRITORIES] + 1
    if code in (ROLL, DICE, RETREAT, MOVE):
        return try_battle(game, state, row)
    if code in (ATTACK, END_ATTACK, MOVE_ARMIES, NO_MOVE):
        return try_march(game, state, row)
    if code in (PLACEALL, PLACE, PLACE_ARMIES, CAPITAL):
        return try_placement(game, state, row)
    if code == CARD:
        return bool(phase == phases.DRAW and try_action(game, state, keep - 1 if row[1] == 0 else row[1] - 1))
    if code == TRADE:
        return bool(phase in (phases.TRADE, phases.SPOILS) and try_trade(game, state, row[1:]))
    if code == END_TRADE:
        return bool(phase == phases.TRADE and try_action(game, state, keep))
    wanted = phases.FIRST if code == PLAYER else phases.MISSION
    return bool(phase == wanted and try_action(game, state, row[1]))


@kernel("int64(int64[::1], int64[::1])")
def skip_trade(game: Words, state: Words) -> int:
    """Twin of `Follower.skip_trade`."""
    keep = game[TERRITORIES] + 1
    if state[PHASE] == phases.TRADE and can_trade(game, state, keep):
        for card in range(keep):
            if can_trade(game, state, card):
                return 0
        play(game, state, keep)
    return 0


@kernel("int64(int64[::1], int64[::1], int64[:, ::1], uint8[::1], int64[::1])")
def follow_rows(game: Words, state: Words, rows: NDArray[np.int64], said: NDArray[np.uint8], found: Words) -> int:
    """Do what rows say; mark what players *said* and the rules reject; return how many came before a wrong fact."""
    ended = False
    for number in range(len(rows)):
        row = rows[number]
        if row[0] == PLACE_ARMIES:
            skip_trade(game, state)
        phase, mover = state[PHASE], state[MOVER]
        if row[0] == CARD and phase != phases.DRAW:
            done, ended = ended and row[1] == NOTHING, False
        else:
            done = try_row(game, state, row)
            ends = phase in (phases.DRAFT, phases.SETUP, phases.CAPITAL, phases.FORTIFY)
            if done:
                ended = ends and (state[MOVER] != mover or state[PHASE] != phase)
        if not done:
            if not said[number]:
                return number
            found[number] = REJECTED
    return len(rows)
