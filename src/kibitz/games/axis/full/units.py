"""The twelve things of the whole game that money buys, by number, and what a technology changes about them."""

from typing import NamedTuple

from kibitz.games.axis.units import REVISED

INFANTRY, ARTILLERY, TANK, FIGHTER, BOMBER, SUBMARINE, TRANSPORT, DESTROYER, CARRIER, BATTLESHIP, GUN = range(11)
FACTORY = 11
KINDS = 12
NAMES = (*(unit.name for unit in REVISED), "factory")
PRICES = (*(unit.cost for unit in REVISED), 15)
MOVES = (*(1 if kind == GUN else unit.move for kind, unit in enumerate(REVISED)), 0)
LAND = frozenset((INFANTRY, ARTILLERY, TANK, GUN))
AIRCRAFT = frozenset((FIGHTER, BOMBER))
SHIPS = frozenset((SUBMARINE, TRANSPORT, DESTROYER, CARRIER, BATTLESHIP))
FIGHTING = frozenset(kind for kind, unit in enumerate(REVISED) if unit.fights)
"""What takes part in battles; guns against aircraft are captured with their area."""
ROOM = 5
"""What a transport carries: 2 infantry, or 1 infantry and 1 other, or 1 other."""
DECK = 2
"""How many fighters a carrier takes."""
LOAD = (2, 3, 3, 0, 0, 0, 0, 0, 0, 0, 3, 0)
"""The room each kind takes on a transport; 0 is no cargo."""

JETS, SUPER_SUBMARINES, LONG_RANGE, ROCKETS, BOMBARDMENT, HEAVY_BOMBERS = range(6)
TECHNOLOGIES = (
    "jet power",
    "super submarines",
    "long range aircraft",
    "rockets",
    "combined bombardment",
    "heavy bombers",
)


class Arsenal(NamedTuple):
    """What the units of one power can do, given its technologies (a bit for each)."""

    technologies: int = 0
    super_submarine_defence: int = 0
    """What the technology adds to the defence of submarines."""

    def knows(self, technology: int) -> bool:
        """Whether the power has a technology."""
        return bool(self.technologies >> technology & 1)

    def attack(self, kind: int) -> int:
        """The strength of one unit that attacks."""
        return 3 if kind == SUBMARINE and self.knows(SUPER_SUBMARINES) else REVISED[kind].attack

    def defence(self, kind: int) -> int:
        """The strength of one unit that defends."""
        if kind == FIGHTER and self.knows(JETS):
            return 5
        added = self.super_submarine_defence if kind == SUBMARINE and self.knows(SUPER_SUBMARINES) else 0
        return REVISED[kind].defence + added

    def move(self, kind: int) -> int:
        """How many areas one unit moves in a turn."""
        return MOVES[kind] + (2 if kind in AIRCRAFT and self.knows(LONG_RANGE) else 0)

    def bombards(self, kind: int) -> bool:
        """Whether a ship fires at the land before a landing."""
        return kind == BATTLESHIP or (kind == DESTROYER and self.knows(BOMBARDMENT))
