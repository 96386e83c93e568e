"""Published and simple policies for some of the recursive games; the solver finds better ones for all of them."""

from kibitz import core
from kibitz_solve.games.bear_brawl import HERO, BearBrawl
from kibitz_solve.games.goofspiel import cards_in
from kibitz_solve.games.rules import State

LEFT, RIGHT, ATTACK = 0, 1, 2


class Keffer(core.Strategy):
    """The policies of Algorithm 3 for the hero and Algorithm 4 for the bear, as written (Keffer 2013); 1D1H1B only."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        assert isinstance(game, BearBrawl)
        if (game.dimensions, game.counts, game.cells) != (1, (1, 1), ((0,),)):
            raise core.Unsupported(self, game, "it plays one hero against one bear on a line with the powder at 0")

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        legal = view.legal_actions(self.player)
        chosen = (self.hero if self.player == HERO else self.bear)(*view.position)
        return core.Distribution.certain(chosen if chosen in legal else ATTACK, legal)  # into the wall: stay put

    def hero(self, u: int, v: int, x: int, y: int) -> int:
        """Algorithm 3."""
        if x == y == 0 and u > v:
            return ATTACK
        if 0 < abs(x) < abs(y) or (0 < abs(x) == abs(y) and u > v) or (abs(y) < abs(x) and u > v + 1):
            return homeward(x)
        return away(x, y)

    def bear(self, u: int, v: int, x: int, y: int) -> int:
        """Algorithm 4."""
        holds = v >= u if abs(x) == abs(y) else abs(y) < abs(x) and v >= u - 1
        if not holds:
            return away(y, x)
        return ATTACK if y == 0 else homeward(y)


class Corrected(Keffer):
    """Algorithms 3 and 4 corrected: the hero is never cornered at the wall, the bear holds out as long as it can."""

    def hero(self, u: int, v: int, x: int, y: int) -> int:
        chosen = super().hero(u, v, x, y)
        return homeward(x) if chosen != ATTACK and x == y else chosen

    def bear(self, u: int, v: int, x: int, y: int) -> int:
        if abs(x) < abs(y):  # too late to guard the powder, but the bear need not walk up to the hero
            return away(y, x)
        return ATTACK if y == 0 else homeward(y)


def homeward(place: int) -> int:
    """The step towards the powder; to the left from it."""
    return RIGHT if place < 0 else LEFT


def away(place: int, other: int) -> int:
    """The step that leads away from the other fighter; to the right where both stand on one cell."""
    return RIGHT if abs(place + 1 - other) > abs(place - other) else LEFT


class Patient(core.Strategy):
    """Waits, and runs or fires with a small probability."""

    def __init__(self, haste: core.Probability = 0.01) -> None:
        self.haste = haste

    def policy(self, view: core.State) -> core.Distribution:
        return core.Distribution({0: 1.0 - self.haste, 1: self.haste}, view.legal_actions(self.player))


class Matcher(core.Strategy):
    """Bids the card nearest to the prize, the higher of two."""

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        prize = view.position[3]
        bid = min(cards_in(view.position[self.player]), key=lambda card: (abs(card - prize), -card))
        return core.Distribution.certain(bid, view.legal_actions(self.player))
