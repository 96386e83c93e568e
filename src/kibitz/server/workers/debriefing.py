"""What workers do for debriefs: how predictable others were, and what it would have cost to tell less."""

from collections.abc import Sequence
from math import sqrt

from kibitz.agents.search.mcts.agent import MCTS
from kibitz.core.clocks import Clock
from kibitz.core.errors import KibitzError
from kibitz.core.match import Position
from kibitz.core.records import Record
from kibitz.core.records.debrief import HidingCost, ToldMove, debrief_of
from kibitz.core.records.replay import Replay
from kibitz.core.seeds import stream
from kibitz.server.workers.watching import replay_with_insights
from kibitz.server.workers.what_if import insights_if

SIMULATIONS = 400
SECONDS = 3.0
"""Seconds of a search for the cost of a choice."""
LESS = 0.02
"""A choice tells less if the belief after it is lower by so much."""


def foreseen_shares(records: Sequence[Record], model: str, question: str) -> list[float]:
    """For each player of some matches, the share of their choices that a model guessed first."""
    found = []
    for record in records:
        try:
            _, thoughts = replay_with_insights(record, [model], "a record")
        except KibitzError:  # a record of other rules
            continue
        debrief = debrief_of(Replay(record).game, record, thoughts, question)
        found += [each.first / each.foreseen for each in debrief.players if each.foreseen]
    return found


def hiding_cost(record: Record, model: str, move: ToldMove) -> HidingCost:
    """What it would have cost to make the choice that tells least instead of *move*."""
    choice = move.choice
    replay = Replay(record, models=[model])
    moments = replay.moments()
    moment = next(moments)
    for _ in range(choice.ply):
        moment = next(moments)
    position = Position(moment.state, replay.game.hidden)
    tried = insights_if(replay.watchers, position, choice.ply, choice.player, record.header.seed)
    after = {
        each.notation: each.insights[0].beliefs[choice.player].get(move.label, 0.0)
        for each in tried
        if each.insights and each.insights[0].beliefs
    }
    quiet = min(after, key=lambda notation: (after[notation], notation), default=None)
    if quiet is None or after[quiet] > move.after - LESS:
        return HidingCost(choice, move.label, move.after)
    told = HidingCost(choice, move.label, move.after, quiet, after[quiet])
    return add_price(replay, position, told, record.header.seed)


def add_price(replay: Replay, position: Position, cost: HidingCost, seed: int) -> HidingCost:
    """The cost with its price, by a search from what the player saw."""
    player, view = cost.choice.player, position.state.view(cost.choice.player)
    agent = MCTS(simulations=SIMULATIONS, seconds=SECONDS)
    try:
        agent.begin(replay.game, player, stream(seed, "debrief", cost.choice.ply))
        agent.act(view, Clock())
    except KibitzError:
        return cost
    found = agent.found
    actions = [view.string_to_action(player, each) for each in (cost.choice.notation, cost.instead or "")]
    if found is None or any(not found.visits.get(action) for action in actions):
        return cost
    made, quiet = actions
    error = found.spread * sqrt(1.0 / found.visits[made] + 1.0 / found.visits[quiet])
    return HidingCost(
        cost.choice, cost.label, cost.told, cost.instead, cost.hidden,
        found.values[made] - found.values[quiet], error, found.simulations,
    )  # fmt: skip
