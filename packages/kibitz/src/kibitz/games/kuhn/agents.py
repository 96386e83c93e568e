"""Four strategies of Kuhn poker, by how they bet their one card."""

from kibitz import core
from kibitz.games.kuhn.rules import BET, PASS, State


class Solid(core.Strategy):
    """Bets and calls with the better half of the deck; *bluff* is how often it bets with the worst card."""

    def __init__(self, bluff: core.Probability = 0.0) -> None:
        self.bluff = bluff

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        return betting(view, self.player, self.appetite(view))

    def appetite(self, view: State) -> float:
        """How likely the agent puts a chip in."""
        card, deck = view.cards[self.player], view.game.deck
        if card == min(deck) and BET not in view.moves:
            return self.bluff
        return float(2 * card > min(deck) + max(deck))


class Bluffer(Solid):
    """Solid, but bets the worst card every second time."""

    def __init__(self, bluff: core.Probability = 0.5) -> None:
        super().__init__(bluff)


class Rock(core.Strategy):
    """Puts a chip in with the best card only."""

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        return betting(view, self.player, float(view.cards[self.player] == max(view.game.deck)))


class Maniac(core.Strategy):
    """Bets and calls nearly always, whatever the card."""

    def __init__(self, appetite: core.Probability = 0.9) -> None:
        self.appetite = appetite

    def policy(self, view: core.State) -> core.Distribution:
        return betting(view, self.player, self.appetite)


def betting(view: core.State, player: int, appetite: float) -> core.Distribution:
    """Bet with probability *appetite*, pass otherwise."""
    return core.Distribution({PASS: 1.0 - appetite, BET: appetite}, view.legal_actions(player))
