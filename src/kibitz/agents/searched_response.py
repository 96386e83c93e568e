"""A response to an agent that does not state its probabilities, found by playing: what it earns is a lower bound."""

from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from kibitz import core
from kibitz.agents.cfr import TableStrategy
from kibitz.core.errors import BadGame
from kibitz.core.match.options import MatchOptions
from kibitz.core.match.recorded import RecordedMatch
from kibitz.core.seeds import derived_seed, stream

if TYPE_CHECKING:
    from kibitz.solve.extensive import BehaviourPolicy, InformationTable

BATCHES = 4
"""How often the response is worked out again from what was seen."""
PRIOR = 0.5
"""The weight of even odds in an information set, in observations of each action."""
EXPLORED = 0.25
"""The share of matches in which all our actions are equally likely while we learn."""
NORMAL = 1.645
"""The quantile of a one-sided bound at 95 %."""


class SearchedResponse(msgspec.Struct, frozen=True):
    """A response found by playing, what it earned in other matches than it learned from, and a 95 % lower bound."""

    policy: "BehaviourPolicy"
    mean: float
    lower: float
    error: float
    """The standard error of the mean."""
    matches: int


class PolicyPlayer(TableStrategy):
    """Plays a given strategy."""

    def __init__(self, given: "BehaviourPolicy") -> None:
        self.given = given

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.follow(self.given)

    def __repr__(self) -> str:
        return "policy_player"


def search_response(
    table: "InformationTable",
    player: int,
    agent: core.Agent,
    *,
    matches: int = 200,
    risk: float | None = None,
    seed: int = 0,
    told: Callable[[int], None] | None = None,
) -> SearchedResponse:
    """A response of *player* to *agent* in all other seats, learned in *matches* and measured in as many others.

    Learning counts what the agent does in its information sets, which are looked at from outside, and answers its mean
    with a best response. Every match begins with a fresh copy of the agent. A fixed response earns no more than the
    best one, so that its mean is a lower bound of what can be won, up to chance; `lower` allows for that. With *risk*
    the last response gives up at most that much against anyone, whatever was learned.
    """
    from kibitz.solve.extensive import best_response, policy_by, safe_response, uniform_policy
    from kibitz.solve.extensive.responses import check_zero_sum_pair

    if risk is not None:
        check_zero_sum_pair(table)
    if matches < 2 * BATCHES:
        raise BadGame("matches", f"give at least {2 * BATCHES}, not {matches}")
    counts = np.full(int(table.sets.empty[-1]), PRIOR)
    explorer = uniform_policy(table, player)

    def model() -> "list[BehaviourPolicy]":
        """What was seen of the others."""
        others = [other for other in range(table.players) if other != player]

        def shares_at(number: int) -> list[float]:
            seen = counts[table.sequences_at(number)]
            return [float(count) for count in seen / seen.sum()]

        return [policy_by(table, other, shares_at) for other in others]

    trial, rng = explorer, stream(seed, "explore", player)
    for number in range(matches):
        if number % -(-matches // BATCHES) == 0 and number:
            trial = best_response(table, player, model()).policy
        ours = explorer if rng.random() < EXPLORED else trial
        _play(table, player, ours, agent, derived_seed(seed, "learn", player, number), counts)
        if told is not None:
            told(1)
    final = best_response(table, player, model()).policy
    if risk is not None:
        final = safe_response(table, player, model()[0], risk).policy
    earned: list[float] = []
    for number in range(matches):
        earned.append(_play(table, player, final, agent, derived_seed(seed, "measure", player, number), None))
        if told is not None:
            told(1)
    mean, error = float(np.mean(earned)), float(np.std(earned, ddof=1)) / sqrt(matches)
    return SearchedResponse(final, mean, mean - NORMAL * error, error, matches)


def _play(
    table: "InformationTable",
    player: int,
    ours: "BehaviourPolicy",
    agent: core.Agent,
    seed: int,
    counts: "np.ndarray | None",
) -> float:
    """Play one match; return what *player* earned, and count what the others chose in their information sets."""
    from kibitz.solve.extensive import InformationTracker

    seats = [PolicyPlayer(ours) if seat == player else agent.clone() for seat in range(table.players)]
    match = RecordedMatch(table.game, seats, MatchOptions(seed=seed))
    trackers = {seat: InformationTracker(table, seat) for seat in range(table.players) if seat != player}
    for moment in match.moments():
        if moment.event is None or counts is None:
            continue
        for seat, action in moment.event.choices():
            number = trackers[seat].information_set if seat in trackers else None
            if number is not None and action in table.actions[number]:
                counts[table.sequences_at(number).start + table.actions[number].index(action)] += 1.0
        for seat, tracker in trackers.items():
            tracker.observe(moment.event.transition(seat))
    assert match.record.ending is not None
    return match.record.ending.returns[player]
