"""Learning where a game is too large for a table: turns are played by the rules, and outcomes are drawn.

Luck is taken out of what is earned: whatever an outcome brings above or below the expectation over all outcomes of the
same chance is put aside. That leaves the expectation as it is, and of the scatter only what luck changes later on (the
control variates of Burch and others 2018).
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from kibitz import core
from kibitz.agents.automata.outlook import NOBODY, Outlook, Position, Span, squads_of, status
from kibitz.agents.automata.team import Learned, Statuses
from kibitz.core.draws import Draws

SAMPLES = 60
"""So many random lines tell the span of what is earned, where nobody has said it."""


class Reached(NamedTuple):
    """A position, and what luck has brought everybody on the way to it."""

    position: Position
    luck: tuple[float, ...]


class PlayedTurns:
    """The look ahead from a state, as `Learning` wants it."""

    def __init__(self, outlook: Outlook, state: core.State, draws: Draws) -> None:
        begin = outlook.position(state, 0)
        assert begin is not None, "somebody must have a choice where learning begins"
        self.outlook, self.draws = outlook, draws
        self.begin = Reached(begin, (0.0,) * outlook.game.players)
        self.expectations: dict[core.Key, list[float]] = {}
        """What everybody may expect of the chances that were met."""

    def mover(self, node: Reached) -> int:
        return node.position.mover

    def tier(self, node: Reached) -> int:
        return self.outlook.tier(node.position)

    def counts(self, node: Reached) -> Sequence[int]:
        return [len(options) for options in self.outlook.options(node.position.state)]

    def earned(self, node: Reached) -> list[float]:
        """What everybody has earned, without luck."""
        return [each - luck for each, luck in zip(self.outlook.earned(node.position.state), node.luck, strict=True)]

    def statuses(self, node: Reached) -> Statuses:
        return [status(*each) for each in zip(self.earned(node), self.spans, strict=True)]

    def outcome(self, node: Reached, picks: Sequence[int], draws: Draws) -> Reached:
        state, luck = node.position.state.clone(), node.luck
        for options, pick in zip(self.outlook.options(state), picks, strict=True):
            state.apply_action(options[pick])
        turns = self.outlook.turns_after(node.position)
        while (position := self.outlook.position(state, turns)) is None:
            lots = self.outlook.lots(state)
            expected = self.expected(state, lots) if state.current_player() == core.CHANCE else None
            state.apply_action(drawn(lots, draws))
            if expected is not None:
                luck = tuple(map(sum, zip(luck, self.outlook.earned(state), (-each for each in expected), strict=True)))
        return Reached(position, luck)

    def expected(self, state: core.State, lots: Sequence[tuple[int, float]]) -> list[float]:
        """What everybody may expect to have earned after a chance."""
        key = state.key()
        if key not in self.expectations:
            earned = [[chance * each for each in self.outlook.earned(state.child(action))] for action, chance in lots]
            self.expectations[key] = [sum(each) for each in zip(*earned, strict=True)]
        return self.expectations[key]

    @cached_property
    def spans(self) -> list[Span]:
        """Of every player what is worth 0 and 1: as told, else the least and the most of some random lines."""
        if None not in self.outlook.spans:
            return [span for span in self.outlook.spans if span is not None]
        ends = list(zip(*(self.earned(self.random_end()) for _ in range(SAMPLES)), strict=True))
        measured = [(min(earned), max(max(earned), min(earned) + 1e-9)) for earned in ends]
        return [told or found for told, found in zip(self.outlook.spans, measured, strict=True)]

    def random_end(self) -> Reached:
        """Where a random line of the look ahead ends."""
        node = self.begin
        while self.mover(node) != NOBODY:
            node = self.outcome(node, [self.draws.below(count) for count in self.counts(node)], self.draws)
        return node


class SquadTurns:
    """The same look ahead where units with the same options choose as one, and so dare what none dares alone."""

    def __init__(self, turns: PlayedTurns) -> None:
        self.turns = turns
        self.mover, self.tier, self.statuses = turns.mover, turns.tier, turns.statuses

    def counts(self, node: Reached) -> Sequence[int]:
        counts = self.turns.counts(node)
        return list(dict(zip(self.squads(node), counts, strict=True)).values())

    def squads(self, node: Reached) -> list[int]:
        """Of every unit the number of its squad."""
        return squads_of(self.turns.outlook.options(node.position.state))

    def outcome(self, node: Reached, picks: Sequence[int], draws: Draws) -> Reached:
        return self.turns.outcome(node, self.by_unit(node, picks), draws)

    def by_unit(self, node: Reached, picks: Sequence[int]) -> tuple[int, ...]:
        """What every unit does if its squad does this."""
        return tuple(picks[squad] for squad in self.squads(node))

    def spread(self, node: Reached, learned: Learned) -> Learned:
        """What squads have learned as what their units have."""
        tried = tuple((self.by_unit(node, picks), status) for picks, status in learned.tried)
        return Learned(self.by_unit(node, learned.top), learned.statuses, tried)


def drawn(lots: Sequence[tuple[int, float]], draws: Draws) -> int:
    """One of several actions by their odds; where there is only one nothing is drawn."""
    if len(lots) > 1:
        left = draws.unit()
        for action, chance in lots:
            left -= chance
            if left < 0.0:
                return action
    return lots[-1][0]
