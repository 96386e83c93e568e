"""The agent `random`, the baseline of every comparison."""

from kibitz import core


class Random(core.Strategy):
    """Plays any legal action, all equally likely.

    >>> from kibitz import play
    >>> from kibitz import Random
    >>> play("pennies(lead=2)", [Random(), Random()], seed=1).ending.returns
    [-1.0, 1.0]
    """

    def policy(self, view: core.State) -> core.Distribution:
        return core.Distribution.uniform(view.legal_actions(self.player))

    def act(self, view: core.State, clock: core.Clock) -> int:
        legal = view.legal_actions(self.player)
        return legal[int(self.rng.random() * len(legal))]
