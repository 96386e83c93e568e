"""Actions in words, `attack Alaska>Kamchatka`, and back."""

from typing import TYPE_CHECKING

from kibitz.games.risk.phases import (
    AMOUNTS,
    ATTACK,
    CAPITAL,
    CONQUER,
    DEAL,
    DEFEND,
    DICE,
    DRAFT,
    DRAW,
    END_ATTACK,
    FIRST,
    FORTIFY,
    MISSION,
    PLACE,
    RETREAT,
    ROLL,
    SETUP,
    SPOILS,
    STAY,
    TERRITORY,
    TRADE,
    ends,
    pair,
)

if TYPE_CHECKING:
    from kibitz.games.risk.board import Board

VERBS = {
    DEAL: "deal",
    DRAFT: "claim",
    SETUP: "set",
    CAPITAL: "capital",
    FIRST: "first",
    MISSION: "mission",
    PLACE: "place",
}
VERBS |= {TRADE: "trade", SPOILS: "trade", ATTACK: "attack", ROLL: "roll", DEFEND: "defend", DICE: "defender loses"}
VERBS |= {CONQUER: "move", FORTIFY: "fortify", DRAW: "card"}
PASSES = {ATTACK: (END_ATTACK, "end attack"), ROLL: (RETREAT, "retreat"), FORTIFY: (STAY, "stay")}
NO_TRADE = "no trade"


def action_text(board: "Board", phase: int, action: int) -> str:
    """The notation of an action in a phase."""
    if phase in PASSES and action == PASSES[phase][0]:
        return PASSES[phase][1]
    verb, territories = VERBS[phase], board.territories
    if phase in TERRITORY:
        return f"{verb} {territories[action].name}"
    if phase in (TRADE, SPOILS):
        return NO_TRADE if action > board.wild else f"{verb} {board.card_name(action)}"
    if phase == DRAW:
        return f"{verb} {board.card_name(action)}"
    if phase == PLACE:
        place, count = divmod(action, AMOUNTS)
        return f"{verb} {count} {territories[place].name}"
    if phase in (ATTACK, FORTIFY):
        way, count = (action, 0) if phase == ATTACK else divmod(action, AMOUNTS)
        origin, to = ends(way, len(territories))
        between = f"{verb} {territories[origin].name}>{territories[to].name}"
        return between if phase == ATTACK else f"{between} {count}"
    return f"{verb} {action}"


def action_of(board: "Board", phase: int, text: str) -> int | None:
    """The action that *text* may mean in a phase, legal or not; None where it means nothing."""
    wanted = " ".join(text.split()).casefold()
    if phase in PASSES and wanted == PASSES[phase][1]:
        return PASSES[phase][0]
    if phase in (TRADE, SPOILS) and wanted == NO_TRADE:
        return board.wild + 1
    verb = VERBS.get(phase)
    if verb is None or not wanted.startswith(f"{verb} "):
        return None
    rest = wanted.removeprefix(verb).strip()
    if phase in TERRITORY:
        return board.numbers.get(rest)
    if phase in (TRADE, SPOILS, DRAW):
        return board.wild if rest == "wild" else board.numbers.get(rest)
    if phase == PLACE:
        count, _, name = rest.partition(" ")
        return _amount(board.numbers.get(name), count)
    if phase in (ATTACK, FORTIFY):
        between, _, count = rest.rpartition(" ") if phase == FORTIFY else (rest, "", "")
        one, _, other = between.partition(">")
        origin, to = board.numbers.get(one), board.numbers.get(other)
        if origin is None or to is None:
            return None
        way = pair(origin, to, len(board.territories))
        return way if phase == ATTACK else _amount(way, count)
    return int(rest) if _is_count(rest) else None


def _amount(where: int | None, count: str) -> int | None:
    return where * AMOUNTS + int(count) if where is not None and _is_count(count) and int(count) < AMOUNTS else None


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 10
