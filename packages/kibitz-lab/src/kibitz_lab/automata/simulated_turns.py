"""Learning in games too large for a table: it plays turns by the rules, and draws their outcomes.

It corrects returns for luck: it subtracts what an outcome brings above or below the expectation over all outcomes of
that chance event. This leaves the expectation unchanged and removes most of the variance; only what luck changes later
on remains (the control variates of Burch and others 2018).
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from kibitz import core
from kibitz.core.kernels.random import draw_below, draw_unit
from kibitz_lab.automata.look_ahead import NOBODY, LookAhead, Position, Span, squads_of, status
from kibitz_lab.automata.team import Statuses, TeamResult, Words

SAMPLES = 60
"""The span of returns, if not given, is taken from this many random lines."""


class ReachedPosition(NamedTuple):
    """A position, and what luck has brought every player on the way to it."""

    position: Position
    luck: tuple[float, ...]


class SimulatedTurns:
    """The look-ahead from a state, in the form that `Learning` takes."""

    def __init__(self, look_ahead: LookAhead, state: core.State, words: Words) -> None:
        begin = look_ahead.position(state, 0)
        assert begin is not None, "some player must have a choice where learning begins"
        self.look_ahead, self.words = look_ahead, words
        self.begin = ReachedPosition(begin, (0.0,) * look_ahead.game.players)
        self.expectations: dict[core.Key, list[float]] = {}
        """Every player's expectation at the chance events met so far."""

    def mover(self, node: ReachedPosition) -> int:
        return node.position.mover

    def tier(self, node: ReachedPosition) -> int:
        return self.look_ahead.tier(node.position)

    def counts(self, node: ReachedPosition) -> Sequence[int]:
        return [len(options) for options in self.look_ahead.options(node.position.state)]

    def returns_without_luck(self, node: ReachedPosition) -> list[float]:
        """Every player's return, corrected for luck."""
        return [
            each - luck for each, luck in zip(self.look_ahead.returns_at(node.position.state), node.luck, strict=True)
        ]

    def statuses(self, node: ReachedPosition) -> Statuses:
        return [status(*each) for each in zip(self.returns_without_luck(node), self.spans, strict=True)]

    def outcome(self, node: ReachedPosition, picks: Sequence[int]) -> ReachedPosition:
        state, luck = node.position.state.clone(), node.luck
        for options, pick in zip(self.look_ahead.options(state), picks, strict=True):
            state.apply_action(options[pick])
        turns = self.look_ahead.turns_after(node.position)
        while (position := self.look_ahead.position(state, turns)) is None:
            weighted = self.look_ahead.weighted_actions(state)
            expected = self.expected_returns(state, weighted) if state.current_player() == core.CHANCE else None
            state.apply_action(draw_action(weighted, self.words))
            if expected is not None:
                luck = tuple(
                    map(sum, zip(luck, self.look_ahead.returns_at(state), (-each for each in expected), strict=True))
                )
        return ReachedPosition(position, luck)

    def expected_returns(self, state: core.State, weighted: Sequence[tuple[int, float]]) -> list[float]:
        """Every player's expected return after a chance event."""
        key = state.key()
        if key not in self.expectations:
            earned = [
                [chance * each for each in self.look_ahead.returns_at(state.child(action))]
                for action, chance in weighted
            ]
            self.expectations[key] = [sum(each) for each in zip(*earned, strict=True)]
        return self.expectations[key]

    @cached_property
    def spans(self) -> list[Span]:
        """For every player, the returns that count as 0 and 1: as given, else the extremes of some random lines."""
        if None not in self.look_ahead.spans:
            return [span for span in self.look_ahead.spans if span is not None]
        ends = list(zip(*(self.returns_without_luck(self.random_end()) for _ in range(SAMPLES)), strict=True))
        measured = [(min(earned), max(max(earned), min(earned) + 1e-9)) for earned in ends]
        return [given or seen for given, seen in zip(self.look_ahead.spans, measured, strict=True)]

    def random_end(self) -> ReachedPosition:
        """The end of a random line of the look-ahead."""
        node = self.begin
        while self.mover(node) != NOBODY:
            node = self.outcome(node, [int(draw_below(self.words, count)) for count in self.counts(node)])
        return node


class SquadTurns:
    """The same look-ahead, in which units with the same options choose together: some attacks only pay together."""

    def __init__(self, turns: SimulatedTurns) -> None:
        self.turns = turns
        self.mover, self.tier, self.statuses = turns.mover, turns.tier, turns.statuses

    def counts(self, node: ReachedPosition) -> Sequence[int]:
        counts = self.turns.counts(node)
        return list(dict(zip(self.squads(node), counts, strict=True)).values())

    def squads(self, node: ReachedPosition) -> list[int]:
        """The number of every unit's squad."""
        return squads_of(self.turns.look_ahead.options(node.position.state))

    def outcome(self, node: ReachedPosition, picks: Sequence[int]) -> ReachedPosition:
        return self.turns.outcome(node, self.by_unit(node, picks))

    def by_unit(self, node: ReachedPosition, picks: Sequence[int]) -> tuple[int, ...]:
        """The pick of every unit when its squad makes these picks."""
        return tuple(picks[squad] for squad in self.squads(node))

    def unit_result(self, node: ReachedPosition, learned: TeamResult) -> TeamResult:
        """What squads have learned, given for their units."""
        tried = tuple((self.by_unit(node, picks), status) for picks, status in learned.tried)
        return TeamResult(self.by_unit(node, learned.top), learned.statuses, tried)


def draw_action(weighted: Sequence[tuple[int, float]], words: Words) -> int:
    """One of several actions by their odds; a single action needs no draw."""
    if len(weighted) > 1:
        left = float(draw_unit(words))
        for action, chance in weighted:
            left -= chance
            if left < 0.0:
                return action
    return weighted[-1][0]
