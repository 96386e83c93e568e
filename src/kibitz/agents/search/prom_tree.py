"""The search of `prom`, which mixes a model's prediction of the opponent with the worst case (Donkers et al. 2001).

At a node of the opponent, as long as *replies* are to be mixed, a position is worth

    trust * sum of P(move) * chance behind the move + (1 - trust) * the least chance,

where chances are probabilities of winning. Everywhere else it is minimax, and below the last mixture alpha-beta. Every
node also has its *sure* value, that of minimax, which breaks ties between equal chances: without trust the tree is
alpha-beta.
"""

from typing import Any

import msgspec

from kibitz import core
from kibitz.agents.search.reference import Child, GaveUp
from kibitz.agents.search.settings import Settings
from kibitz.agents.search.upper import ModelSearchResult, ShownNode, UpperNode, UpperSearch
from kibitz.agents.search.win_probability import chance

TIE = 1.0
"""Root moves whose sure values are less than this apart may count as equal, as in `alphabeta`."""
INFINITY = float("inf")


class PromValue(msgspec.Struct, frozen=True):
    """What the searching player can expect after a move."""

    chance: float
    sure: float
    line: tuple[int, ...] = ()

    def rank(self) -> tuple[float, float]:
        """The key that orders moves."""
        return self.chance, self.sure


class PromSearch(UpperSearch):
    """One search of a mixed tree; replies of weight *tiny* or less are searched for the worst case only."""

    def __init__(
        self,
        settings: Settings,
        *arguments: Any,
        trust: float,
        replies: int,
        scale: float,
        safety: float,
        tiny: float,
        **more: Any,
    ) -> None:
        super().__init__(settings, *arguments, **more)
        self.trust, self.replies, self.scale, self.safety, self.tiny = trust, replies, scale, safety, tiny

    def root(self, state: core.State) -> ModelSearchResult:
        """The best move in *state*: of the moves that are safe enough, the one with the best chance."""
        self.tree = self.top(state)
        try:
            outlooks = self.outlooks(self.tree, self.replies)
        except GaveUp:
            return self.gave_up()
        surest = max(outlook.sure for outlook in outlooks.values())
        floor = chance(surest, self.scale) - self.safety
        safe = {action: each for action, each in outlooks.items() if chance(each.sure, self.scale) >= floor}
        best = max(safe, key=lambda action: safe[action].rank())
        found = safe[best]
        self.tree.seen.value, self.tree.seen.chance = found.sure, found.chance
        near = {action: each for action, each in safe.items() if found.chance - each.chance <= self.reach()}
        level = tuple(action for action, each in near.items() if found.sure - each.sure < TIE)
        return ModelSearchResult(
            best,
            found.sure,
            (best, *found.line),
            self.nodes + self.model_nodes(),
            self.settings.depth,
            {action: each.sure for action, each in outlooks.items()},
            model_nodes=self.model_nodes(),
            predicted=self.asked,
            trust=self.trust,
            chances={action: each.chance for action, each in outlooks.items()},
            level=level,
            fallback=self.opponent.fault,
        )

    def outlooks(self, place: UpperNode, replies: int) -> dict[int, PromValue]:
        """What to expect after every move of the searching player."""
        found: dict[int, PromValue] = {}
        best = -INFINITY
        for action, child, value in self.ordered_children(place):
            # A move whose chance cannot come near the best is not searched further, unless all sure values are needed.
            floor = best - self.reach() if place.ply == 0 and self.safety >= 1.0 else -INFINITY
            found[action] = self.behind(place, action, child, value, replies, floor)
            best = max(best, found[action].chance)
        return found

    def outlook(self, place: UpperNode, replies: int, floor: float, most: float) -> PromValue:
        """What to expect at a node; sure values above *most* need not be exact."""
        mine = place.state.current_player() == self.player
        # 1. Below the last mixture, the rest is plain alpha-beta.
        settled = replies == 0 or (mine and place.ply + 1 >= place.limit)
        if settled and place.ply >= self.shown:
            return self.plain(place, mine, most)
        # 2. Mix the opponent's replies.
        if not mine:
            return self.mix_replies(place, replies, floor)
        # 3. The searching player takes the best chance; the sure value is the best sure value.
        outlooks = self.outlooks(place, replies)
        best = max(outlooks, key=lambda action: outlooks[action].rank())
        surest = max(each.sure for each in outlooks.values())
        return PromValue(outlooks[best].chance, surest, (best, *outlooks[best].line))

    def mix_replies(self, place: UpperNode, replies: int, floor: float) -> PromValue:
        """The opponent does what the model predicts with the weight of the trust, else the worst."""
        shares = self.shares(place) if replies and self.trust else None
        trust = 0.0 if shares is None else self.trust
        legal = place.state.legal_actions()
        share_of = dict(zip(legal, shares or [0.0] * len(legal), strict=True))
        children = self.ordered_children(place)
        children.sort(key=lambda child: trust * share_of[child[0]] <= self.tiny)  # replies that carry weight come first
        mean, left, least = 0.0, trust, PromValue(INFINITY, INFINITY)
        for action, child, value in children:
            weight = trust * share_of[action]
            most = INFINITY if weight > self.tiny else least.sure
            found = self.behind(place, action, child, -value, max(replies - 1, 0), -INFINITY, most)
            place.seen.children[-1].share = share_of[action] if shares else None
            mean += weight * found.chance
            left -= weight
            if found.sure < least.sure:
                least = PromValue(min(least.chance, found.chance), found.sure, (action, *found.line))
            elif found.chance < least.chance:
                least = PromValue(found.chance, least.sure, least.line)
            most_chance = mean + max(left, 0.0) + (1.0 - trust) * least.chance
            if most_chance < floor:
                return PromValue(most_chance, least.sure, least.line)
        return PromValue(mean + (1.0 - trust) * least.chance, least.sure, least.line)

    def behind(
        self,
        place: UpperNode,
        action: int,
        child: core.State,
        value: float,
        replies: int,
        floor: float,
        most: float = INFINITY,
    ) -> PromValue:
        """What to expect after a move; *value* is its own value for the searching player."""
        self.visit(1)
        seen = ShownNode(action, place.limit)
        place.seen.children.append(seen)
        if place.ply + 1 >= place.limit or child.is_terminal():
            found = PromValue(chance(value, self.scale), value)
        else:
            found = self.outlook(place.after(action, child, seen, place.trying), replies, floor, most)
        seen.value, seen.chance = found.sure, found.chance
        return found

    def plain(self, place: UpperNode, mine: bool, most: float) -> PromValue:
        """Alpha-beta from here on; exact up to *most*."""
        if mine:
            value, line = self.below(place.state, place.ply, place.limit, -INFINITY, most)
        else:
            value, line = self.below(place.state, place.ply, place.limit, -most, INFINITY)
            value = -value
        return PromValue(chance(value, self.scale), value, line)

    def ordered_children(self, place: UpperNode) -> list[Child]:
        """The moves of a node with their children and values for the mover, best first."""
        mover = place.state.current_player()
        children = self.children(place.state, mover, place.ply, place.limit, INFINITY)
        if self.settings.sort:
            self.order(children, place.ply)
        return children

    def reach(self) -> float:
        """Chances further apart belong to values that differ by TIE or more: the logistic is nowhere steeper."""
        return TIE / (4.0 * self.scale)
