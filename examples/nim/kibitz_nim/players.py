"""An agent that plays nim perfectly, and a model of players with favourite moves, in any game."""

from collections import Counter

import kibitz


class Perfect(kibitz.Strategy):
    """Leaves a multiple of four; where that is impossible it is random."""

    def policy(self, view):
        legal = view.legal_actions()
        best = view.stones % 4
        return kibitz.Distribution.certain(best, legal) if best else kibitz.Distribution.uniform(legal)


class Favourites(kibitz.Model):
    """Expects of every player what they did most so far."""

    answers = ("action",)

    def begin(self, game, seat, rng):
        super().begin(game, seat, rng)
        self.seen = Counter()

    def observe(self, transition):
        for player in filter(transition.chose, transition.movers):
            self.seen[player, transition.action_of(player)] += 1

    def predict(self, view, player):
        legal = view.legal_actions(player)
        counts = {action: self.seen[player, action] + 1.0 for action in legal}
        return kibitz.Distribution({action: n / sum(counts.values()) for action, n in counts.items()}, legal)
