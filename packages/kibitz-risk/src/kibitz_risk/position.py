"""The fields of a position of Risk."""

from typing import TYPE_CHECKING

from kibitz.core.kernels.structs import Struct, ints, size

if TYPE_CHECKING:
    from kibitz_risk.options import Options

UNKNOWN = NOBODY = -1


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


def first_position(game: "Options") -> Position:
    """The position before anything is dealt."""
    count = len(game.map.territories)
    return Position(
        territories=count,
        players=game.players,
        kinds=count + 1,
        slots=count + 2,
        left_to_draw=len(game.map.cards),
    )
