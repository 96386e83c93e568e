"""The attributes of a state, and what every phase reads from them."""

from collections import Counter
from typing import TYPE_CHECKING, Self

from kibitz import core
from kibitz.games.risk import phases
from kibitz.games.risk.board import Board
from kibitz.games.risk.missions import ALIVE

if TYPE_CHECKING:
    from kibitz.games.risk.rules.game import Risk

UNKNOWN = NOBODY = -1


class Position(core.State):
    """Owners and armies by territory, hands, missions, and where in the turn the mover is."""

    def __init__(self, game: "Risk") -> None:
        self.game = game
        self.phase, self.mover, self.first = phases.FIRST, 0, 0
        self.owners = [NOBODY] * len(game.map.territories)
        self.armies = [0] * len(game.map.territories)
        self.hands: list[tuple[int, ...]] = [()] * game.players
        """Cards by their territory or `wild`, sorted."""
        self.shown: tuple[int, ...] = ()
        """Cards of the set that the mover is putting down."""
        self.discards: tuple[int, ...] = ()
        self.missions: tuple[int, ...] = ()
        self.capitals: tuple[int, ...] = ()
        self.destroyers = [ALIVE] * game.players
        self.traded = 0
        """Sets so far, where that makes them dearer."""
        self.to_place = 0
        self.origin = self.target = NOBODY
        """The two sides of the battle."""
        self.rolled = (0, 0)
        """Dice of attacker and defender."""
        self.captured = False
        self.settled: tuple[int, ...] = ()
        """Territories that armies have marched to this turn, where marches are unlimited; none goes on from there."""

    @property
    def board(self) -> Board:
        """The map that is played on."""
        return self.game.map

    def territories_of(self, player: int) -> list[int]:
        """The territories of *player*; unowned ones belong to NOBODY."""
        return [place for place, owner in enumerate(self.owners) if owner == player]

    def own_territories(self) -> list[int]:
        return self.territories_of(self.mover)

    def free_territories(self) -> list[int]:
        return self.territories_of(NOBODY)

    def unseen_cards(self) -> list[int]:
        """Unseen cards: those of the deck, and on a view those in unknown hands."""
        left = Counter(self.board.cards)
        left.subtract(self.discards + self.shown)
        for hand in self.hands:
            left.subtract(card for card in hand if card != UNKNOWN)
        return sorted(left.elements())

    def deck_size(self) -> int:
        """Cards left to draw."""
        gone = len(self.discards) + len(self.shown) + sum(map(len, self.hands))
        return len(self.board.cards) - gone

    def clone(self) -> Self:
        copied = super().clone()
        copied.owners, copied.armies = self.owners[:], self.armies[:]
        copied.hands, copied.destroyers = self.hands[:], self.destroyers[:]
        return copied

    def key(self) -> core.Key:
        turn = self.phase, self.mover, self.first, self.to_place, self.captured
        battle = self.origin, self.target, self.rolled
        cards = tuple(self.hands), self.shown, self.discards, self.traded
        goals = self.missions, self.capitals, tuple(self.destroyers)
        return turn, tuple(self.owners), tuple(self.armies), battle, cards, goals, self.settled
