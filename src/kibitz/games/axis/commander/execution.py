"""From plans to orders: what is still to be ordered in a phase, given one legal order at a time."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kibitz.games.axis.commander.kernels.plans import LIFT, RAID, STAY
from kibitz.games.axis.commander.pieces import ForcePiece
from kibitz.games.axis.commander.survey import Possible, Survey
from kibitz.games.axis.full import orders as verbs
from kibitz.games.axis.full.position import NOBODY


class Intent(NamedTuple):
    """Something to order, as far as the rules allow it when its turn comes."""

    verb: int
    area: int
    kind: int
    to: int
    number: int
    via: int = NOBODY
    loaded: bool = False
    """Whether the group that is loaded most is meant."""


def intents_of(pieces: Sequence[ForcePiece], chosen: Iterable[int], flyers: frozenset[int]) -> list[Intent]:
    """The orders that a plan asks for: landings first, because their cargo may not march away, aircraft last."""
    moves: dict[tuple[int, int, int, int, int], int] = {}
    landings: list[Intent] = []
    for piece, pick in zip(pieces, chosen, strict=True):
        if pick == STAY:
            continue
        option = piece.options[pick]
        if option.mode == LIFT:
            for area, kind in option.cargo:
                if area != NOBODY:
                    landings.append(Intent(verbs.LOADING, area, kind, piece.area, 1))
            if option.zone != piece.area:
                landings.append(Intent(verbs.MOVE, piece.area, piece.kind, option.zone, 1, loaded=True))
            landings += [Intent(verbs.UNLOADING, option.zone, kind, option.to, 1) for _, kind in option.cargo]
            continue
        verb = verbs.RAID if option.mode == RAID else verbs.MOVE
        key = verb, piece.area, piece.kind, option.to, option.via
        moves[key] = moves.get(key, 0) + piece.number
    plain = [Intent(verb, area, kind, to, count, via) for (verb, area, kind, to, via), count in moves.items()]
    return [
        *landings,
        *(each for each in plain if each.kind not in flyers),
        *(each for each in plain if each.kind in flyers),
    ]


def next_order(survey: Survey, intents: list[Intent]) -> int | None:
    """The number of the next legal order that the intents ask for; what cannot be ordered is dropped."""
    while intents:
        intent = intents.pop(0)
        fitting = [order for order in survey.orders if matches(order, intent)]
        if not fitting:
            continue
        exact = [order for order in fitting if order.via == intent.via] or fitting
        order = max(exact, key=lambda each: each.variant) if intent.loaded else exact[0]
        count = min(intent.number, order.most)
        if count < intent.number:
            intents.insert(0, intent._replace(number=intent.number - count))
        return order.number + count - 1
    return None


def matches(order: Possible, intent: Intent) -> bool:
    """Whether an order is what an intent means."""
    return (order.verb, order.area, order.kind, order.to) == (intent.verb, intent.area, intent.kind, intent.to)
