"""Writes a game as a Domination log, without what Domination does by itself, as a conquest move of one size."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from kibitz.core.errors import BadSpec
from kibitz.core.records import Record
from kibitz.core.registry import make_game
from kibitz.games.risk import phases
from kibitz.games.risk.cards import SET
from kibitz.games.risk.dice import SIDES
from kibitz.games.risk.domination.cards_file import WILDCARD
from kibitz.games.risk.domination.follower import KNOWN_MAPS, TURN_ENDS
from kibitz.games.risk.domination.log import CARD_RULES, DEFAULT_MAP_FILE, LEVELS, Seat
from kibitz.games.risk.phases import AMOUNTS, ends
from kibitz.games.risk.rules import Risk, State

CLIENT = "kibitz#0 "
COLOURS = ("green", "blue", "red", "cyan", "magenta", "yellow")


class Move(msgspec.Struct, frozen=True):
    """An action, with the state before and after it."""

    before: State
    action: int
    after: State


def log_text(record: Record) -> str:
    """A record as a log; raises BadSpec where Domination does not know the rules it was played by."""
    game = make_game(record.header.game, fast=False)
    assert isinstance(game, Risk)
    check_known(game)
    moves = list(moves_of(game, record))
    lines = [*_start(game, seats_of(record)), *_facts(game, moves, record)]
    shown: list[int] = []
    for move in moves:
        lines += _lines(move, shown)
    return "\n".join(lines) + "\n"


def check_known(game: Risk) -> None:
    """Raise BadSpec for marches, blows, victories and numbers of dice that Domination does not have."""
    plain = Risk()
    for option in ("fortify", "territories", "blow", "victory", "defence"):
        if getattr(game, option) != getattr(plain, option):
            raise BadSpec(repr(game), f"Domination knows no {option}={getattr(game, option)!r}")
    if game.mode == "mission" and game.setup == "draft":
        raise BadSpec(repr(game), "Domination deals the territories where there are missions")


def moves_of(game: Risk, record: Record) -> Iterator[Move]:
    """All actions of a record, each between two states that no longer change."""
    state = game.new_initial_state()
    for entry in record.entries:
        before, state = state, state.clone()
        action = state.string_to_action(entry.player, entry.actions[0])
        state.apply_action(action)
        yield Move(before, action, state)


def seats_of(record: Record) -> list[Seat]:
    """The players as a log names them."""
    truths = record.header.truths or [{} for _ in record.header.agents]
    return [
        Seat(str(truth.get("name", f"player{number}")), COLOURS[number], agent)
        for number, (agent, truth) in enumerate(zip(record.header.agents, truths, strict=True))
    ]


def _start(game: Risk, seats: Sequence[Seat]) -> Iterator[str]:
    for seat in seats:
        level = seat.agent.removeprefix("domination.")
        kind = f"ai {level}" if level in LEVELS and level != seat.agent else "human"
        yield f"{CLIENT}newplayer {kind} {seat.colour} {seat.name}"
    if game.board != KNOWN_MAPS[DEFAULT_MAP_FILE]:
        files = {preset: name for name, preset in KNOWN_MAPS.items()}
        yield f"{CLIENT}choosemap {files.get(game.board, game.board.rpartition('/')[2])}"
    rule = next(word for word, rule in CARD_RULES.items() if rule == game.cards)
    options = ["autoplaceall"] * (game.setup == "deal") + ["recycle"] * game.recycle
    yield f"{CLIENT}{' '.join(['startgame', game.mode, rule, *options])}"


def _facts(game: Risk, moves: Sequence[Move], record: Record) -> Iterator[str]:
    """The first player, the missions and the deal, each in one line."""
    by_phase: dict[int, list[int]] = {phases.FIRST: [], phases.MISSION: [], phases.DEAL: []}
    for move in moves:
        if move.before.phase in by_phase:
            by_phase[move.before.phase].append(move.action)
    names = [seat.name for seat in seats_of(record)]
    for first in by_phase[phases.FIRST]:
        yield f"PLAYER {names[first] if names.count(names[first]) == 1 else first}"
    if by_phase[phases.MISSION]:
        yield f"MISSION {' '.join(map(str, shrinking(len(game.mission_deck), by_phase[phases.MISSION])))}"
    if by_phase[phases.DEAL]:
        yield f"PLACEALL {' '.join(str(place + 1) for place in by_phase[phases.DEAL])}"


def shrinking(count: int, drawn: Iterable[int]) -> list[int]:
    """Where each of the things drawn stood in a list of *count* that shrinks by one after each."""
    left, found = list(range(count)), []
    for each in drawn:
        found.append(left.index(each))
        left.remove(each)
    return found


def _lines(move: Move, shown: list[int]) -> Iterator[str]:
    """The lines of a move in a log; cards that are put down wait in *shown* for the third."""
    before, action, after = move.before, move.action, move.after
    board, phase, count = before.board, before.phase, len(before.owners)
    if phase in (phases.TRADE, phases.SPOILS):
        if action > board.wild:
            if len(before.legal_actions()) > 1:
                yield f"{CLIENT}endtrade"
            return
        shown.append(action)
        if len(shown) == SET:
            yield f"{CLIENT}trade {' '.join(_card(before, card) for card in shown)}"
            shown.clear()
    elif phase in (phases.DRAFT, phases.SETUP):
        yield f"{CLIENT}placearmies {action + 1} 1"
    elif phase == phases.CAPITAL:
        yield f"{CLIENT}capital {action + 1}"
    elif phase == phases.PLACE:
        place, armies = divmod(action, AMOUNTS)
        yield f"{CLIENT}placearmies {place + 1} {armies}"
    elif phase == phases.ATTACK:
        origin, to = ends(action, count)
        yield f"{CLIENT}endattack" if action == phases.END_ATTACK else f"{CLIENT}attack {origin + 1} {to + 1}"
    elif phase in (phases.ROLL, phases.DEFEND):
        yield f"{CLIENT}retreat" if action == phases.RETREAT else f"{CLIENT}roll {action}"
        if phase == phases.ROLL and after.phase == phases.DICE:
            yield f"{CLIENT}roll 1"
    elif phase == phases.DICE:
        yield dice_text(before.rolled, action)
    elif phase == phases.CONQUER:
        yield f"{CLIENT}move {action}"
    elif phase == phases.FORTIFY:
        way, armies = divmod(action, AMOUNTS)
        origin, to = ends(way, count)
        yield f"{CLIENT}nomove" if action == phases.STAY else f"{CLIENT}movearmies {origin + 1} {to + 1} {armies}"
    elif phase == phases.DRAW:
        yield f"CARD {_card(before, action)}"
    if phase in TURN_ENDS and after.phase not in (phases.DRAW, phases.OVER):
        yield "CARD"


def _card(state: State, card: int) -> str:
    return WILDCARD if card == state.board.wild else str(card + 1)


def dice_text(rolled: tuple[int, int], lost: int) -> str:
    """Dice that cost the defender *lost* armies, in the first pairs; our records keep no pips."""
    compared, high = min(rolled), SIDES - 1
    attack = [high] * lost + [0] * (rolled[0] - lost)
    defence = [high - 1] * lost + [0] * (compared - lost) + [0] * (rolled[1] - compared)
    return " ".join(map(str, ("DICE", *rolled, *attack, *defence)))
