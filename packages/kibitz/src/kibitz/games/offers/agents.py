"""Three negotiators: each asks for a share of what the pool is worth to it, and accepts what is near enough."""

from math import ceil

from kibitz import core
from kibitz.games.offers.rules import ACCEPT, REJECT, State


class Fair(core.Strategy):
    """Offers the divisions that leave it just *share* of the pool's worth, and accepts nothing less than *least*."""

    def __init__(self, share: core.Probability = 0.6, least: core.Probability = 0.5) -> None:
        self.share, self.least = share, least

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        legal = view.legal_actions(self.player)
        whole = view.worth(self.player, view.game.pool)
        if view.offer is not None:
            enough = view.worth(self.player, view.share(self.player)) >= self.least * whole
            return core.Distribution.certain(ACCEPT if enough else REJECT, legal)
        return core.Distribution.certain(self.cheapest(view, self.share * whole), legal)

    def cheapest(self, view: State, wanted: float) -> int:
        """The offer that gives away as much as possible and still keeps *wanted*: own favourites are given last."""
        favourite, given = view.favourites[self.player], list(view.game.pool)
        for kind in sorted(range(len(given)), key=lambda kind: kind != favourite):
            one = view.worth(self.player, [int(each == kind) for each in range(len(given))])
            kept = min(given[kind], max(0, ceil(wanted / one - 1e-9))) if one > 0.0 else 0
            given[kind] -= kept
            wanted -= kept * one
        return view.game.divisions.action(given)


class Greedy(Fair):
    """Wants nearly everything, and takes what is better than half."""

    def __init__(self, share: core.Probability = 0.9, least: core.Probability = 0.6) -> None:
        super().__init__(share, least)


class Generous(Fair):
    """Asks for little and accepts almost anything."""

    def __init__(self, share: core.Probability = 0.35, least: core.Probability = 0.1) -> None:
        super().__init__(share, least)
