"""The asymmetric game tree of Pedersen (2008, ch. 9): the search looks further below the opponent's likely moves.

The root has the limit *depth* and predicts. At a node of the opponent that predicts, likely children get the limit
*depth* + *deeper* and go on predicting; the others get *depth*, or *unlikely*, and stop predicting. All other nodes
pass both on to their children. The limit is absolute: *deeper* is never added twice.

A subtree in which no prediction can change a limit any more is plain alpha-beta, with its table: there, and only
there, the value of a position does not depend on the path to it.
"""

from typing import Any

from kibitz import core
from kibitz.agents.search.reference import Answer, Child, GaveUp
from kibitz.agents.search.settings import Settings
from kibitz.agents.search.upper import ModelSearchResult, ShownNode, UpperNode, UpperSearch


class AsymmetricSearch(UpperSearch):
    """One search of an asymmetric tree. *arguments* are those of every tree with a model."""

    def __init__(self, settings: Settings, *arguments: Any, deeper: int, unlikely: int | None, **more: Any) -> None:
        super().__init__(settings, *arguments, **more)
        self.deepest = settings.depth + deeper
        self.unlikely = settings.depth if unlikely is None else unlikely
        self.rule = self.opponent.fresh_rule()

    def root(self, state: core.State, trying: bool = True) -> ModelSearchResult:
        """The best move in *state*; without *trying* nothing is predicted."""
        self.tree = self.top(state, trying)
        try:
            value, line = self.value(self.tree, -float("inf"), float("inf"))
        except GaveUp:
            return self.gave_up()
        self.tree.seen.value = value
        return ModelSearchResult(
            line[0],
            value,
            line,
            self.nodes + self.model_nodes(),
            self.settings.depth,
            self.values,
            model_nodes=self.model_nodes(),
            predicted=self.asked,
            named=self.named,
            fallback=self.opponent.fault,
        )

    def is_settled(self, place: UpperNode, mover: int) -> bool:
        """Whether no prediction at or below a node can change how far the search looks."""
        nearest = place.ply + 1 if mover == self.player else place.ply
        return not place.trying or nearest >= place.limit or nearest + 1 >= self.deepest

    def value(self, place: UpperNode, alpha: float, beta: float) -> Answer:
        """The mover's value within the window, and the line that leads there."""
        settings, state, ply = self.settings, place.state, place.ply
        mover = state.current_player()
        # 1. Where no prediction can matter any more, the rest is plain alpha-beta.
        settled = self.is_settled(place, mover)
        if settled and ply >= max(self.shown, 1):
            return self.below(state, ply, place.limit, alpha, beta)
        # 2. How far to look below each child, and whether to go on predicting there.
        ahead = self.inherit_children(place) if settled or mover == self.player else self.predict_children(place)
        if ahead is None:  # no child is likely: the same as without a prediction
            return self.below(state, ply, self.unlikely, alpha, beta)
        # 3. The children in order, best first.
        sign = 1.0 if mover == 0 else -1.0
        children: list[Child] = []
        for action, seen in ahead.items():
            child = state.child(action)
            worth = self.worth(child, self.evaluate(child), ply + 1, seen.limit)
            children.append((action, child, sign * worth))
        if settings.sort:
            self.order(children, ply)
        place.seen.children = [ahead[action] for action, _, _ in children]
        # 4. Visit them until one is too good for the other side to allow.
        best, lower = -float("inf"), alpha
        line: tuple[int, ...] = ()
        for action, child, value in children:
            self.visit(1)
            seen = ahead[action]
            below: tuple[int, ...] = ()
            if ply + 1 < seen.limit and not child.is_terminal():
                behind = place.after(action, child, seen, place.trying and (seen.likely or mover == self.player))
                floor = lower if settings.prune else -float("inf")
                if child.current_player() == mover:
                    value, below = self.value(behind, floor, beta)
                else:
                    value, below = self.value(behind, -beta, -floor)
                    value = -value
            seen.value = value if mover == self.player else -value
            if ply == 0:
                self.values[action] = value
            if value > best:
                best, line = value, (action, *below)
                lower = max(lower, best - settings.margin if ply == 0 else best)
                if settings.prune and lower >= beta:
                    if settings.history:
                        left = place.limit - ply
                        self.history[ply, action] = self.history.get((ply, action), 0) + left * left
                    break
        return best, line

    def inherit_children(self, place: UpperNode) -> dict[int, ShownNode]:
        """The children of a node that does not predict."""
        return {action: ShownNode(action, place.limit) for action in place.state.legal_actions()}

    def predict_children(self, place: UpperNode) -> dict[int, ShownNode] | None:
        """The children of a node of the opponent; None if no child is likely and nothing need be shown."""
        legal = place.state.legal_actions()
        weights = self.shares(place, ranked=True)
        likely = [False] * len(legal) if weights is None else self.rule.likely(weights)
        self.named += sum(likely)
        if not any(likely) and place.ply >= self.shown and place.ply < self.unlikely:
            return None
        limits = [self.deepest if each else self.unlikely for each in likely]
        total = sum(weights or ())
        shares = [weight / total for weight in weights] if weights and total else [None] * len(legal)
        rows = zip(legal, limits, shares, likely, strict=True)
        return {action: ShownNode(action, limit, None, share, each) for action, limit, share, each in rows}


def farthest(settings: Settings, deeper: int, unlikely: int | None) -> int:
    """The deepest ply that a line of the tree can reach."""
    return max(settings.depth + deeper, unlikely or 0)
