"""Five strategies of Leduc poker, by how they bet their hands."""

from kibitz import core
from kibitz.games.leduc.rules import CALL, FOLD, RAISE, State


class Solid(core.Strategy):
    """Raises a pair or the best card, calls with the middle, and folds the worst to a raise.

    *bluff* is how often it raises the worst card instead.
    """

    def __init__(self, bluff: core.Probability = 0.0) -> None:
        self.bluff = bluff

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        return betting(view, *self.wishes(view))

    def wishes(self, view: State) -> tuple[float, float]:
        """How likely the agent wants to raise, and to fold."""
        pair, rank = view.strength(self.player)
        if pair or rank == view.game.players:
            return 1.0, 0.0
        return (self.bluff, 1.0 - self.bluff) if rank == 0 else (0.0, 0.0)


class Bluffer(Solid):
    """Solid, but raises the worst card every second time."""

    def __init__(self, bluff: core.Probability = 0.5) -> None:
        super().__init__(bluff)


class Rock(core.Strategy):
    """Raises a pair only, calls with the best card, and folds everything else to a raise."""

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        pair, rank = view.strength(self.player)
        return betting(view, float(pair), 0.0 if pair or rank == view.game.players else 1.0)


class Caller(core.Strategy):
    """Calls whatever comes, and raises only now and then; *raises* is how often."""

    def __init__(self, raises: core.Probability = 0.05) -> None:
        self.raises = raises

    def policy(self, view: core.State) -> core.Distribution:
        return betting(view, self.raises, 0.0)


class Maniac(core.Strategy):
    """Raises nearly always, whatever the hand."""

    def __init__(self, raises: core.Probability = 0.9) -> None:
        self.raises = raises

    def policy(self, view: core.State) -> core.Distribution:
        return betting(view, self.raises, 0.0)


def betting(view: core.State, raises: float, folds: float) -> core.Distribution:
    """Raise and fold with these probabilities and call otherwise; who may not raise calls, who need not fold calls."""
    legal = view.legal_actions()
    wanted = {FOLD: folds if FOLD in legal else 0.0, RAISE: raises if RAISE in legal else 0.0}
    wanted[CALL] = 1.0 - sum(wanted.values())
    return core.Distribution({action: share for action, share in sorted(wanted.items()) if share}, legal)
