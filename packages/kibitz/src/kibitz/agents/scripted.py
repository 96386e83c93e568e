"""The agent `scripted`: plays a given list of moves, for tests and reconstructions."""

from kibitz import core


class Scripted(core.Strategy):
    """Plays *moves*, given in the game's notation, one after the other; then the game's default action.

    >>> from kibitz import play
    >>> from kibitz import Scripted
    >>> play("dilemma(rounds=2)", [Scripted(moves=("defect", "cooperate")), "dilemma.grim"], seed=1).ending.returns
    [5.0, 5.0]
    """

    def __init__(self, moves: tuple[str, ...] = ()) -> None:
        self.moves = moves

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.played = 0

    def observe(self, transition: core.Transition) -> None:
        self.played += self.player in transition.movers

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        if self.played >= len(self.moves):
            return core.Distribution.certain(view.default_action(self.player), legal)
        return core.Distribution.certain(view.string_to_action(self.player, self.moves[self.played]), legal)
