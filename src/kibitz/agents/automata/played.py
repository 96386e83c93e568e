"""Learning where a game is too large for a table: turns are played by the rules, and outcomes are drawn."""

from collections.abc import Sequence
from functools import cached_property

from kibitz import core
from kibitz.agents.automata.outlook import NOBODY, Outlook, Position, Span, status
from kibitz.agents.automata.team import Statuses
from kibitz.core.draws import Draws

SAMPLES = 60
"""So many random lines tell the span of what is earned, where nobody has said it."""


class PlayedTurns:
    """The look ahead from a state, as `Learning` wants it; nothing is remembered."""

    def __init__(self, outlook: Outlook, state: core.State, draws: Draws) -> None:
        begin = outlook.position(state, 0)
        assert begin is not None, "somebody must have a choice where learning begins"
        self.outlook, self.begin, self.draws = outlook, begin, draws

    def mover(self, node: Position) -> int:
        return node.mover

    def tier(self, node: Position) -> int:
        return self.outlook.tier(node)

    def counts(self, node: Position) -> Sequence[int]:
        return [len(options) for options in self.outlook.options(node.state)]

    def statuses(self, node: Position) -> Statuses:
        return [status(*each) for each in zip(self.outlook.earned(node.state), self.spans, strict=True)]

    def outcome(self, node: Position, picks: Sequence[int], draws: Draws) -> Position:
        state = node.state.clone()
        for options, pick in zip(self.outlook.options(state), picks, strict=True):
            state.apply_action(options[pick])
        turns = self.outlook.turns_after(node)
        while (position := self.outlook.position(state, turns)) is None:
            state.apply_action(drawn(self.outlook.lots(state), draws))
        return position

    @cached_property
    def spans(self) -> list[Span]:
        """Of every player what is worth 0 and 1: as told, else the least and the most of some random lines."""
        if None not in self.outlook.spans:
            return [span for span in self.outlook.spans if span is not None]
        ends = list(zip(*(self.outlook.earned(self.random_end().state) for _ in range(SAMPLES)), strict=True))
        measured = [(min(earned), max(max(earned), min(earned) + 1e-9)) for earned in ends]
        return [told or found for told, found in zip(self.outlook.spans, measured, strict=True)]

    def random_end(self) -> Position:
        """Where a random line of the look ahead ends."""
        node = self.begin
        while node.mover != NOBODY:
            node = self.outcome(node, [self.draws.below(count) for count in self.counts(node)], self.draws)
        return node


def drawn(lots: Sequence[tuple[int, float]], draws: Draws) -> int:
    """One of several actions by their odds; where there is only one nothing is drawn."""
    if len(lots) > 1:
        left = draws.unit()
        for action, chance in lots:
            left -= chance
            if left < 0.0:
                return action
    return lots[-1][0]
